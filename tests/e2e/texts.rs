//! Every kind of text through every kind of client: what the agent writes arrives exactly, what it leaves alone stays byte for byte,
//! and what the person types at any place of it is understood.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::buffer::{logical, sha256};
use crate::harness::script::ok;
use crate::harness::{Client, Editor, Encoding, Script, Sync, Workspace};

/// A text, the replacements (`old`, `new`; without any, `new` alone is the whole new text), and the text that must come out, in wire
/// form. Where only the logical text is defined, `exact` is false.
struct Case {
    name: &'static str,
    before: &'static str,
    edits: &'static [(&'static str, &'static str)],
    after: &'static str,
    exact: bool,
}

const fn case(
    name: &'static str,
    before: &'static str,
    edits: &'static [(&'static str, &'static str)],
    after: &'static str,
) -> Case {
    Case {
        name,
        before,
        edits,
        after,
        exact: true,
    }
}

const CASES: &[Case] = &[
    case("lf", "a\nb\nc\n", &[("b", "B")], "a\nB\nc\n"),
    case(
        "crlf",
        "a\r\nb\r\nc\r\n",
        &[("b", "B1\nB2")],
        "a\r\nB1\r\nB2\r\nc\r\n",
    ),
    case(
        "crlf-block",
        "a\r\nb\r\nc\r\n",
        &[("a\nb\n", "ab\n")],
        "ab\r\nc\r\n",
    ),
    case("crlf-last", "a\r\nb", &[("b", "b\nc")], "a\r\nb\r\nc"),
    case(
        "mixed",
        "a\r\nb\nc\r\nd\n",
        &[("b", "B"), ("c", "C")],
        "a\r\nB\nC\r\nd\n",
    ),
    case(
        "mixed-insert",
        "a\r\nb\nc\r\n",
        &[("a\n", "a\na2\n")],
        "a\r\na2\r\nb\nc\r\n",
    ),
    case(
        "mixed-delete",
        "a\r\nb\nc\r\nd\n",
        &[("b\nc\n", "")],
        "a\r\nd\n",
    ),
    case("no-final-newline", "a\nb", &[("b", "B")], "a\nB"),
    case(
        "no-final-newline-append",
        "a\nb",
        &[("b", "b\nc")],
        "a\nb\nc",
    ),
    case("no-final-newline-first", "a\nb", &[("a\n", "")], "b"),
    case("append", "a\nb\n", &[("b\n", "b\nc\n")], "a\nb\nc\n"),
    case("delete-last", "a\nb\n", &[("b\n", "")], "a\n"),
    case("delete-first", "a\nb\n", &[("a\n", "")], "b\n"),
    case("one-line", "a\n", &[("a", "b")], "b\n"),
    case("one-line-no-newline", "a", &[("a", "b")], "b"),
    case("one-line-to-two", "a\n", &[("a", "a\nb")], "a\nb\n"),
    Case {
        exact: false,
        ..case("empty", "", &[("", "x\ny\n")], "x\ny\n")
    },
    Case {
        exact: false,
        ..case("one-empty-line", "\n", &[("", "x\n")], "x\n")
    },
    Case {
        exact: false,
        ..case("emptied", "a\n", &[("a\n", "")], "")
    },
    case(
        "emoji-before",
        "😀😀 é x y\n",
        &[("x", "z😀")],
        "😀😀 é z😀 y\n",
    ),
    case(
        "emoji-inside",
        "say 😀 and 👩‍👩‍👧 here\n",
        &[("👩‍👩‍👧", "👨‍👦")],
        "say 😀 and 👨‍👦 here\n",
    ),
    case(
        "combining",
        "e\u{301} cafe\u{301} x\n",
        &[("x", "y")],
        "e\u{301} cafe\u{301} y\n",
    ),
    case(
        "lone-cr",
        "a\rb\nc\n",
        &[("b", "B"), ("c", "C")],
        "a\rB\nC\n",
    ),
    case(
        "other-breaks",
        "a\u{2028}b\u{85}c\u{b}d\nx\n",
        &[("x", "y")],
        "a\u{2028}b\u{85}c\u{b}d\ny\n",
    ),
    case(
        "literal",
        "price: 1\n",
        &[("1", r"$1 \1 $& \n")],
        "price: $1 \\1 $& \\n\n",
    ),
    case(
        "many",
        "1\n2\n3\n4\n5\n",
        &[("1", "one"), ("3\n", ""), ("5", "five\nsix")],
        "one\n2\n4\nfive\nsix\n",
    ),
    case(
        "blank-lines",
        "\n\na\n\n\n",
        &[("a\n", "a\n\nb\n")],
        "\n\na\n\nb\n\n\n",
    ),
];

/// A client that leaves the mark in its text counts it in its columns, for it is a character of that text.
const MARKED: &[Case] = &[
    case("bom", "\u{feff}a\nb\n", &[("a", "A😀")], "\u{feff}A😀\nb\n"),
    case(
        "bom-crlf",
        "\u{feff}a\r\nb\r\n",
        &[("a\nb", "x\ny\nz")],
        "\u{feff}x\r\ny\r\nz\r\n",
    ),
];

fn script(cases: &[Case]) -> Script {
    let mut script = Script::new();
    for Case { name, edits, .. } in cases {
        script = script.read(name);
        script = match edits {
            [("", whole)] => script.write(name, whole, ok()),
            edits => script.edits(name, edits, ok()),
        };
    }
    script.say("All done.")
}

fn check(client: Client) {
    check_cases(client, CASES);
}

fn check_cases(client: Client, cases: &[Case]) {
    let plugin = client.has("save");
    let files: Vec<(&str, &str)> = cases.iter().map(|case| (case.name, case.before)).collect();
    let mut editor = Editor::start(
        Workspace::with(&files),
        client.clone(),
        &script(cases),
        "accept_edits",
    );
    for case in cases {
        editor.open(case.name);
    }
    let run = editor.prompt("everything");
    editor.await_done(&run);
    for Case {
        name,
        after,
        exact,
        edits,
        ..
    } in cases
    {
        let label = format!("{name}, {:?} {:?}", editor.encoding, editor.sync);
        let tool = if edits[0].0.is_empty() {
            "write_file"
        } else {
            "edit_file"
        };
        let call = editor.await_call(tool);
        assert_eq!(call.file(name)["sha256_after"], sha256(after), "{label}");
        if *exact {
            assert_eq!(chosen(editor.text(name), name), *after, "{label}");
        } else {
            assert_eq!(logical(editor.text(name)), logical(after), "{label}");
        }
        editor.assert_same(name);
        if plugin {
            assert!(editor.buffer(name).clean, "{label} was saved");
        }
    }
    editor.finish_run_calls();
    for case in cases {
        type_everywhere(&mut editor, case.name);
    }
}

/// The ending of a line inserted into a mixed text is open; that of every other line is not.
fn chosen(text: &str, name: &str) -> String {
    let open = name == "mixed-insert" && !text.contains("a2\r\n");
    if open {
        text.replace("a2\n", "a2\r\n")
    } else {
        text.to_owned()
    }
}

/// Files that are not open keep their form on disk.
#[test]
fn every_text_on_disk() {
    for cases in [CASES, MARKED] {
        check_on_disk(cases);
    }
}

fn check_on_disk(cases: &[Case]) {
    let files: Vec<(&str, &str)> = cases.iter().map(|case| (case.name, case.before)).collect();
    let workspace = Workspace::with(&files);
    let mut editor = Editor::start(workspace, Client::bare(), &script(cases), "accept_edits");
    let run = editor.prompt("everything");
    editor.finish_run(&run);
    for Case {
        name, after, exact, ..
    } in cases
    {
        let disk = editor.workspace.disk(name);
        if *exact {
            assert_eq!(chosen(&disk, name), *after, "{name}");
        } else {
            assert_eq!(logical(&disk), logical(after), "{name}");
        }
    }
    assert_eq!(editor.applies_seen, 0);
}

/// Types at each place between two characters, takes it back, and compares hashes after each.
fn type_everywhere(editor: &mut Editor, name: &str) {
    let before = editor.text(name).to_owned();
    let places: Vec<usize> = (0..=before.len())
        .filter(|at| before.is_char_boundary(*at))
        .collect();
    for at in places {
        for typed in ["é😀", "\n", "\r\n"] {
            editor.change(name, at..at, typed);
            assert!(
                editor.same(name),
                "{name} with {typed:?} at {at} of {before:?}"
            );
            editor.change(name, at..at + typed.len(), "");
            assert!(
                editor.same(name),
                "{name} after removing {typed:?} at {at} of {before:?}"
            );
        }
    }
    let all = 0..before.len();
    editor.change(name, all, "");
    assert!(editor.same(name), "{name} emptied");
    editor.change(name, 0..0, &before);
    assert!(editor.same(name), "{name} filled again");
}

#[test]
fn every_text_in_utf_8() {
    check(Client::bare().encoding(Encoding::Utf8));
}

#[test]
fn every_text_in_utf_16() {
    check(Client::bare().encoding(Encoding::Utf16));
}

#[test]
fn every_text_in_utf_32() {
    check(Client::bare().encoding(Encoding::Utf32));
}

#[test]
fn byte_order_marks() {
    for encoding in Encoding::ALL {
        check_cases(Client::bare().encoding(encoding), MARKED);
        check_cases(Client::full().encoding(encoding), MARKED);
    }
}

#[test]
fn every_text_synchronised_in_full() {
    check(Client::bare().sync(Sync::Full));
}

#[test]
fn every_text_applied_by_hash() {
    for encoding in Encoding::ALL {
        check(Client::full().encoding(encoding));
    }
}

/// utf-8 is taken before utf-32 before utf-16, whatever the order of the offer, and utf-16 if nothing is offered.
#[test]
fn the_encoding_is_negotiated() {
    let check = |offer: &[Encoding], expected: Encoding| {
        let client = Client {
            encodings: offer.to_vec(),
            ..Client::bare()
        };
        let editor = Editor::start(Workspace::new(), client, &Script::new(), "default");
        assert_eq!(editor.encoding, expected, "{offer:?}");
    };
    use Encoding::{Utf8, Utf16, Utf32};
    check(&[Utf16, Utf8, Utf32], Utf8);
    check(&[Utf16, Utf32], Utf32);
    check(&[Utf16], Utf16);
    check(&[], Utf16);
}

/// 100 000 lines: edits at both ends and in the middle, each applied as a few small edits, while the person types.
#[test]
fn a_hundred_thousand_lines() {
    let text: String = (0..100_000)
        .map(|line| format!("line {line:06}: 😀 some words\n"))
        .collect();
    let names = ["line 000000", "line 050000", "line 099999"];
    let edits = names.map(|name| (name, name.replace("line", "LINE\nnew")));
    let edits: Vec<(&str, &str)> = edits
        .iter()
        .map(|(old, new)| (*old, new.as_str()))
        .collect();
    for client in [Client::bare(), Client::full()] {
        // The first page is all that the model has seen.
        let script = Script::new()
            .read("big.txt")
            .edits("big.txt", &edits, ok())
            .say("Done.");
        let mut editor = Editor::start(
            Workspace::with(&[("big.txt", &text)]),
            client,
            &script,
            "default",
        );
        editor.open("big.txt");
        let run = editor.prompt("three places");
        let hunks = editor.await_hunks("big.txt", 3);
        assert_eq!(
            hunks.iter().map(|hunk| hunk.lines.0).collect::<Vec<_>>(),
            [0, 50_000, 99_999]
        );
        editor.insert_after("big.txt", "line 025000", " typed");
        let asked = Instant::now();
        editor.accept_file("big.txt").expect("the file is accepted");
        assert_eq!(editor.await_call("edit_file").status(), "ok");
        println!("accepted to ended, 100 000 lines: {:?}", asked.elapsed());
        editor.finish_run(&run);
        let mut expected = text.replace("line 025000", "line 025000 typed");
        for (old, new) in &edits {
            expected = expected.replace(old, new);
        }
        assert!(
            editor.text("big.txt") == expected,
            "the text is not the expected one"
        );
        editor.assert_same("big.txt");
    }
}

/// Positions that lie past the end are clamped, as the protocol says, and do not lose synchronisation.
#[test]
fn positions_past_the_end_are_clamped() {
    let place = |line: u32, character: u32| json!({"line": line, "character": character});
    let check = |before: &str, from: Value, to: Value, after: &str| {
        let workspace = Workspace::with(&[("a.txt", before)]);
        let mut editor = Editor::start(workspace, Client::bare(), &Script::new(), "default");
        editor.open("a.txt");
        let uri = editor.uri("a.txt");
        editor.server.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": {"start": from, "end": to}, "text": "X"}]}),
        );
        let answer = editor.call(
            "mewcode/checksum",
            json!({"uri": uri, "version": 2, "sha256": sha256(after)}),
        );
        assert_eq!(
            answer.expect("a checksum is answered")["match"],
            true,
            "{before:?} {from} {to}"
        );
    };
    check("ab\ncd\n", place(0, 99), place(0, 99), "abX\ncd\n");
    check("ab\r\ncd\r\n", place(1, 0), place(9, 9), "ab\r\nX");
    check("ab\ncd\n", place(2, 0), place(2, 0), "ab\ncd\nX");
    check("ab\ncd\n", place(7, 3), place(8, 4), "ab\ncd\nX");
    check("ab", place(1, 0), place(1, 0), "abX");
    check("", place(0, 0), place(1, 0), "X");
}
