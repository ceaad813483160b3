//! The format as it is read.

use super::*;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use proptest::prelude::*;

mod placing;

fn parse(text: &str) -> Patch<'_> {
    Patch::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn error(text: &str) -> (usize, ParseFault) {
    match Patch::parse(text) {
        Err(ParseError { line, fault }) => (line, fault),
        Ok(patch) => panic!("{patch:?}"),
    }
}

fn sections(body: &str) -> Vec<String> {
    let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
    parse(&patch)
        .sections
        .iter()
        .map(|section| format!("{section:?}"))
        .collect()
}

#[test]
fn every_operation_is_read() {
    let patch = "\
*** Begin Patch
*** Add File: new.txt
+one
+
+ two
*** Update File: src/a b.rs
*** Move to: src/c.rs
@@ impl A
@@   fn f
 context
-old
+new

*** End of File
*** Delete File: gone.txt
*** End Patch
";
    let parsed = parse(patch);
    assert_eq!(
        parsed.sections,
        [
            Section {
                line: 2,
                path: "new.txt",
                operation: Operation::Add(vec!["one", "", " two"]),
            },
            Section {
                line: 6,
                path: "src/a b.rs",
                operation: Operation::Update {
                    move_to: Some("src/c.rs"),
                    hunks: vec![Hunk {
                        line: 8,
                        anchors: vec!["impl A", "  fn f"],
                        lines: vec![
                            HunkLine::Context("context"),
                            HunkLine::Removed("old"),
                            HunkLine::Added("new"),
                            HunkLine::Bare(""),
                        ],
                        end_of_file: true,
                    }],
                },
            },
            Section {
                line: 15,
                path: "gone.txt",
                operation: Operation::Delete,
            },
        ]
    );
    assert_eq!(parsed.to_string(), patch);
}

#[test]
fn the_wrapping_does_not_matter() {
    let body = "*** Update File: a\n@@\n-x\n+y\n";
    let plain = format!("*** Begin Patch\n{body}*** End Patch\n");
    let read = |text: &str| format!("{:?}", without_lines(parse(text)));
    let expected = read(&plain);
    for wrapped in [
        format!("{body}*** End Patch"),
        format!("\n\n{plain}\n\n"),
        format!("<<EOF\n{plain}EOF"),
        format!("<<'EOF'\n{plain}EOF\n"),
        format!("<<\"PATCH\"\n{plain}PATCH\n"),
        format!("apply_patch <<'EOF'\n{plain}EOF\n"),
        format!("apply_patch<<EOF\n{body}*** End Patch\nEOF\n"),
        format!("<<'EOF'\n{plain}"),
        plain.replace('\n', "\r\n"),
        plain
            .replace(" Patch\n", " Patch  \n")
            .replace("File: a", "File:   a "),
        plain.replace("@@\n", "@@ \n"),
        plain.replace("@@\n", ""),
        plain.replace("@@\n", "\n\n@@\n"),
    ] {
        assert_eq!(read(&wrapped), expected, "{wrapped}");
    }
}

#[test]
fn a_missing_end_is_refused_whatever_else_is_wrong() {
    for text in [
        "*** Begin Patch\n*** Update File: a\n-x\n",
        "*** Begin Patch\n*** Update Fi",
        "*** Begin Patch",
        "<<'EOF'\n*** Begin Patch\n*** Delete File: a\nEOF",
        "*** Begin Patch\n*** Add File: a\n+*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n-x\n *** End Patch\n\n",
    ] {
        let last = text.trim_end().lines().count();
        assert_eq!(error(text), (last, ParseFault::MissingEnd), "{text}");
    }
    assert_eq!(
        Patch::parse("*** Begin Patch\n*** Delete File: a\n")
            .unwrap_err()
            .to_string(),
        "line 2 of the patch: expected `*** End Patch` as the last line; without it the patch may have been cut off"
    );
}

#[test]
fn what_is_no_patch_is_refused_with_its_line() {
    let found = |found: &str| found.to_string();
    for (body, line, fault) in [
        ("", 2, ParseFault::Empty),
        (
            "hello\n",
            2,
            ParseFault::NoSection {
                found: found("hello"),
            },
        ),
        (
            "*** Begin Patch\n",
            2,
            ParseFault::NoSection {
                found: found("*** Begin Patch"),
            },
        ),
        (
            "*** Add File:\n",
            2,
            ParseFault::NoPath {
                keyword: "*** Add File:",
            },
        ),
        (
            "*** Update File:  \n-x\n",
            2,
            ParseFault::NoPath {
                keyword: "*** Update File:",
            },
        ),
        (
            "*** Add File: a\nx\n",
            3,
            ParseFault::NotAdded { found: found("x") },
        ),
        (
            "*** Add File: a\n+x\n\n+y\n",
            4,
            ParseFault::NotAdded { found: found("") },
        ),
        (
            "*** Add File: a\n x\n",
            3,
            ParseFault::NotAdded { found: found(" x") },
        ),
        (
            "*** Delete File: a\n-x\n",
            3,
            ParseFault::NoSection { found: found("-x") },
        ),
        (
            "*** Update File: a\n",
            2,
            ParseFault::NoHunks { path: found("a") },
        ),
        (
            "*** Update File: a\n\n*** Delete File: b\n",
            2,
            ParseFault::NoHunks { path: found("a") },
        ),
        ("*** Update File: a\n@@ f\n", 3, ParseFault::NothingChanges),
        (
            "*** Update File: a\n-x\n@@\n y\n z\n",
            4,
            ParseFault::NothingChanges,
        ),
        (
            "*** Update File: a\n-x\n*** Move to: b\n",
            4,
            ParseFault::LateMove,
        ),
        (
            "*** Delete File: a\n*** Move to: b\n",
            3,
            ParseFault::LateMove,
        ),
        (
            "*** Update File: a\n*** Move to:\n",
            3,
            ParseFault::NoPath {
                keyword: "*** Move to:",
            },
        ),
        (
            "*** Update File: a\n-x\n*** Rename File: b\n",
            4,
            ParseFault::NoHunkLine {
                found: found("*** Rename File: b"),
            },
        ),
        (
            "*** Update File: a\n@@ -1,3 +1,4 @@\n-x\n",
            3,
            ParseFault::LineNumbers {
                found: found("@@ -1,3 +1,4 @@"),
            },
        ),
        (
            "*** Update File: a\n@@ -1 +1 @@ fn f() {\n-x\n",
            3,
            ParseFault::LineNumbers {
                found: found("@@ -1 +1 @@ fn f() {"),
            },
        ),
        (
            "*** Update File: a\n-x\n*** End of File\n+y\n",
            5,
            ParseFault::AfterEndOfFile { found: found("+y") },
        ),
        (
            "*** Delete File: a\n\n*** Update File: b\n-x\n*** Add File: a\n",
            6,
            ParseFault::Duplicate {
                path: found("a"),
                first: 2,
            },
        ),
    ] {
        let text = format!("*** Begin Patch\n{body}*** End Patch\n");
        assert_eq!(error(&text), (line, fault), "{text}");
    }
    for text in ["", " \n\n", "*** End Patch"] {
        assert_eq!(error(text), (1, ParseFault::Empty), "{text:?}");
    }
    let after = "*** Delete File: a\n*** End Patch\n\nThat is all.\n";
    assert_eq!(
        error(after),
        (
            4,
            ParseFault::AfterEnd {
                found: found("That is all.")
            }
        )
    );
    let long = format!("{}\n*** End Patch", "é".repeat(200));
    assert_eq!(
        error(&long).1,
        ParseFault::NoSection {
            found: format!("{}…", "é".repeat(80))
        }
    );
}

#[test]
fn blank_lines_separate_where_they_can_name_no_place() {
    let hunk = |body: &str| sections(&format!("*** Update File: a\n{body}")).concat();
    assert_eq!(hunk("@@ f\n+x\n\n"), hunk("@@ f\n+x\n"));
    assert_eq!(hunk("-x\n\n@@\n-y\n\n\n").matches("Bare(\"\")").count(), 3);
    assert_eq!(hunk("\n\n-x\n").matches("Bare").count(), 0);
    assert_eq!(
        sections("*** Add File: a\n+x\n\n\n*** Delete File: b\n\n").len(),
        2
    );
}

#[test]
fn what_looks_like_the_format_may_stand_in_a_file() {
    let patch = "\
*** Update File: a
@@count = 1
- *** End Patch
+@@ x
 *** Add File: b
***
-- x
++ y
*** End Patch";
    let Operation::Update { hunks, .. } = &parse(patch).sections[0].operation else {
        panic!("an update")
    };
    assert_eq!(hunks.len(), 1);
    assert_eq!(
        hunks[0].lines,
        [
            HunkLine::Bare("@@count = 1"),
            HunkLine::Removed(" *** End Patch"),
            HunkLine::Added("@@ x"),
            HunkLine::Context("*** Add File: b"),
            HunkLine::Bare("***"),
            HunkLine::Removed("- x"),
            HunkLine::Added("+ y"),
        ]
    );
}

/// A patch that owns its text.
#[derive(Debug, Clone)]
struct Written {
    sections: Vec<(String, WrittenOperation)>,
}

#[derive(Debug, Clone)]
enum WrittenOperation {
    Add(Vec<String>),
    Delete,
    Update(Option<String>, Vec<WrittenHunk>),
}

type WrittenHunk = (Vec<String>, Vec<(u8, String)>, bool);

fn line_texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ a-z@*+{}\\t$-]{0,8}",
        1 => "\\PC{0,6}",
        1 => Just("*** End Patch".to_string()),
        1 => Just("@@ -1 +1 @@".to_string()),
    ]
}

fn patches() -> impl Strategy<Value = Written> {
    let anchors = prop::collection::vec("[a-z(]{1,4} ?[a-z]{1,3}", 0..3);
    let lines = prop::collection::vec((0..3u8, line_texts()), 0..5);
    let hunk = (anchors, lines, any::<bool>()).prop_map(|(anchors, mut lines, end)| {
        lines.push((2, "new".to_string()));
        (anchors, lines, end)
    });
    let move_to = prop::option::of("[a-z]{1,3}/[a-z]");
    let update = (move_to, prop::collection::vec(hunk, 1..3));
    let operation = prop_oneof![
        prop::collection::vec(line_texts(), 0..4).prop_map(WrittenOperation::Add),
        Just(WrittenOperation::Delete),
        update.prop_map(|(to, hunks)| WrittenOperation::Update(to, hunks)),
    ];
    prop::collection::vec(operation, 1..4).prop_map(|operations| Written {
        sections: (operations.into_iter().enumerate())
            .map(|(index, operation)| (format!("file {index}.rs"), operation))
            .collect(),
    })
}

impl Written {
    fn patch(&self) -> Patch<'_> {
        Patch {
            sections: self.sections.iter().map(borrowed_section).collect(),
        }
    }
}

fn borrowed_section((path, operation): &(String, WrittenOperation)) -> Section<'_> {
    let operation = match operation {
        WrittenOperation::Add(lines) => Operation::Add(lines.iter().map(String::as_str).collect()),
        WrittenOperation::Delete => Operation::Delete,
        WrittenOperation::Update(to, hunks) => Operation::Update {
            move_to: to.as_deref(),
            hunks: hunks.iter().map(borrowed_hunk).collect(),
        },
    };
    Section {
        line: 0,
        path,
        operation,
    }
}

fn borrowed_hunk((anchors, lines, end_of_file): &WrittenHunk) -> Hunk<'_> {
    Hunk {
        line: 0,
        anchors: anchors.iter().map(String::as_str).collect(),
        lines: lines.iter().map(borrowed_line).collect(),
        end_of_file: *end_of_file,
    }
}

fn borrowed_line((mark, text): &(u8, String)) -> HunkLine<'_> {
    match mark {
        0 => HunkLine::Context(text),
        1 => HunkLine::Removed(text),
        _ => HunkLine::Added(text),
    }
}

/// The patch without the numbers of its own lines.
fn without_lines(mut patch: Patch<'_>) -> Patch<'_> {
    for section in &mut patch.sections {
        section.line = 0;
        if let Operation::Update { hunks, .. } = &mut section.operation {
            hunks.iter_mut().for_each(|hunk| hunk.line = 0);
        }
    }
    patch
}

proptest! {
    #[test]
    fn a_patch_that_is_written_is_read_again(written in patches(), crlf in any::<bool>()) {
        let patch = written.patch();
        let mut text = patch.to_string();
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let read = Patch::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(without_lines(read), patch);
    }

    #[test]
    fn no_text_makes_the_parser_panic(
        lines in prop::collection::vec(
            prop_oneof![
                2 => prop::sample::select(vec![
                    "*** Begin Patch", "*** End Patch", "*** Add File: a", "*** Delete File: b", "*** Update File: c",
                    "*** Update File: ", "*** Move to: d", "*** End of File", "@@", "@@ f", "+", "-", " ", "", "<<EOF", "EOF", "\r", "+x\r\r",
                ]).prop_map(String::from),
                1 => line_texts(),
                1 => any::<String>(),
            ],
            0..12,
        )
    ) {
        let text = lines.join("\n");
        crate::fuzzing::patch_parser(&text, "x\n");
        if let Ok(patch) = Patch::parse(&text) {
            prop_assert!(!patch.sections.is_empty());
            let again = patch.to_string();
            let again = Patch::parse(&again).map_err(|error| TestCaseError::fail(format!("{error}\n{again}")))?;
            prop_assert_eq!(without_lines(again), without_lines(patch.clone()));
        }
    }
}
