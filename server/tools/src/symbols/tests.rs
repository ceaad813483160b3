//! The outline and the references of a sample file of each language, as a person reads them; and the service over
//! open texts.

use std::path::PathBuf;

use mewcode_core::outline::render;

use super::*;

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/symbols/samples");
    let mut samples: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    samples.sort();
    samples
}

fn snapshot(path: &Path) -> Snapshot {
    Snapshot::decode(&std::fs::read_to_string(path).unwrap())
}

fn outline(path: &str, text: &str) -> Arc<Outline> {
    Symbols::default()
        .outline(
            Path::new(path),
            &Snapshot::decode(text),
            &CancellationToken::new(),
        )
        .unwrap()
}

fn told(path: &str, text: &str) -> String {
    render(&outline(path, text), Snapshot::decode(text).rope())
}

#[test]
fn there_is_a_sample_of_every_language() {
    let mut found: Vec<&str> = samples()
        .iter()
        .filter_map(|path| Symbols::language(path, &snapshot(path)))
        .collect();
    let mut all = Symbols::languages();
    found.sort_unstable();
    all.sort_unstable();
    assert_eq!(found, all);
}

#[test]
fn what_is_found_in_each_sample() {
    let symbols = Symbols::default();
    let cancel = CancellationToken::new();
    for path in samples() {
        let text = snapshot(&path);
        let language = Symbols::language(&path, &text).unwrap();
        let outline = symbols.outline(&path, &text, &cancel).unwrap();
        assert!(!outline.is_incomplete(), "{} parses", path.display());
        let mut told = render(&outline, text.rope());
        told.push_str("\nreferences:\n");
        let mut line = usize::MAX;
        for reference in symbols.references(&path, &text, &cancel).unwrap() {
            if reference.line == line {
                told.push_str(&format!(", {} {}", reference.kind, reference.name));
            } else {
                line = reference.line;
                told.push_str(&format!(
                    "\n{:<5}{} {}",
                    line + 1,
                    reference.kind,
                    reference.name
                ));
            }
        }
        insta::with_settings!({snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(language, told);
        });
    }
}

#[test]
fn what_does_not_parse_still_gives_what_it_has() {
    let text =
        "fn first() {}\n\nfn broken( {\n\nstruct Later {\n    field: u8,\n}\n\nfn last() {}\n";
    let outline = outline("a.rs", text);
    assert!(outline.is_incomplete());
    let names: Vec<&str> = outline.definitions().map(|it| it.name()).collect();
    assert!(names.contains(&"first"), "{names:?}");
    assert!(
        names.contains(&"last") || names.contains(&"Later"),
        "{names:?}"
    );
}

#[test]
fn what_has_no_outline_says_why() {
    let symbols = Symbols::default();
    let cancel = CancellationToken::new();
    let of = |path: &str, text: &str| {
        symbols
            .outline(Path::new(path), &Snapshot::decode(text), &cancel)
            .map(|_| ())
    };
    assert_eq!(of("a.txt", "text\n"), Err(Unparsed::UnknownLanguage));
    assert_eq!(
        of("a.json", &" ".repeat(MAX_BYTES + 1)),
        Err(Unparsed::TooLarge)
    );
    assert_eq!(of("a.rs", ""), Ok(()));
    cancel.cancel();
    let long = "fn a() {}\n".repeat(100_000);
    assert_eq!(of("b.rs", &long), Err(Unparsed::Cancelled));
}

#[test]
fn the_innermost_function_or_type_encloses_a_line() {
    let symbols = Symbols::default();
    let path = Path::new("a.rs");
    let text = Snapshot::decode(
        "use a::b;\n\n/// Documented.\n#[derive(Debug)]\nstruct Point {\n    x: u8,\n}\n\nimpl Point {\n    fn area(&self) {\n        let x = 1;\n    }\n\n}\n",
    );
    let at = |line: usize| {
        let found = symbols.enclosing(path, &text, LineIndex(line))?;
        Some((
            found.kind,
            found.name,
            found.lines.start.0,
            found.lines.end.0,
        ))
    };
    assert_eq!(
        symbols.known_enclosing(path, &text, LineIndex(10)),
        None,
        "not parsed yet"
    );
    assert_eq!(at(0), None);
    assert_eq!(at(2), Some((Kind::Struct, "Point".to_owned(), 2, 7)));
    assert_eq!(at(5), Some((Kind::Struct, "Point".to_owned(), 2, 7)));
    assert_eq!(
        at(10),
        Some((Kind::Method, "Point::area".to_owned(), 9, 12))
    );
    assert_eq!(
        at(12),
        Some((Kind::Implementation, "Point".to_owned(), 8, 14))
    );
    assert_eq!(at(99), None);
    let known = symbols
        .known_enclosing(path, &text, LineIndex(10))
        .unwrap()
        .unwrap();
    assert_eq!(known.name, "Point::area");
    let later = Snapshot::decode("fn other() {}\n");
    assert_eq!(
        symbols.known_enclosing(path, &later, LineIndex(0)),
        None,
        "another text"
    );
}

#[test]
fn line_endings_and_a_byte_order_mark_change_nothing() {
    let lf = "/// A\nstruct A;\n\nfn b() {\n}\n";
    let told_lf = told("a.rs", lf);
    assert_eq!(told("a.rs", &lf.replace('\n', "\r\n")), told_lf);
    assert_eq!(told("a.rs", &format!("\u{feff}{lf}")), told_lf);
    insta::assert_snapshot!(told_lf, @r"
    1-2       struct A — struct A;
    4-5       function b — fn b()
    ");
}

#[test]
fn locals_are_left_out_and_declarations_told_apart() {
    let c = "int f(int x);\n\nint f(int x)\n{\n\tint local;\n\tint g(void);\n#define INSIDE 1\n\treturn x;\n}\n";
    insta::assert_snapshot!(told("a.c", c), @r"
    1         declaration f — int f(int x);
    3-9       function f — int f(int x)
    7           macro INSIDE — #define INSIDE 1
    ");
    let python = "try:\n    HAVE = True\nexcept ImportError:\n    HAVE = x = None\n\ndef f():\n    LOCAL = 1\n";
    insta::assert_snapshot!(told("a.py", python), @r"
    2         constant HAVE — HAVE = True
    4         constant HAVE — HAVE = x = None
    6-7       function f — def f()
    ");
}

/// Scanners that ask C about a character may read past the end of its table: that would end this process.
#[test]
fn any_character_can_stand_behind_any_other_in_any_language() {
    let far = [
        '\u{e9}',
        '\u{3b1}',
        '\u{2028}',
        '\u{4e00}',
        '\u{ffff}',
        '\u{1f600}',
        '\u{f3e5e}',
        '\u{10ffff}',
    ];
    let cancel = CancellationToken::new();
    for path in samples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let language = Language::of(&path, text.as_bytes()).unwrap();
        let parses = |text: &str| {
            let mut parser = tree_sitter::Parser::new();
            parse::parse(&mut parser, language, text, None, &cancel).unwrap();
        };
        for before in (b' '..=b'~').chain(*b"\t\n").map(char::from) {
            let all: String = far.iter().flat_map(|far| [before, *far, '\n']).collect();
            parses(&all);
            for far in far {
                parses(&format!("{before}{far}"));
                parses(&format!("a {before}{far}{before}"));
                parses(&format!("x = {before}{far}{before}1..2}}"));
            }
        }
    }
}
