//! What a prompt brings with it.

use mewcode_agent::message::Role;
use mewcode_agent::prompt::{Attachment, Prompt};
use mewcode_agent::session::RunOutcome;
use mewcode_core::position::{LineIndex, LineRange};
use mewcode_tools::guard::Access;
use tokio_util::sync::CancellationToken;

use crate::support::{Place, told};

#[tokio::test]
async fn attached_lines_are_shown_and_count_as_read() {
    let place = Place::new();
    place
        .write("a.txt", "one\ntwo\nthree\nfour\n")
        .write("b.txt", "x\n");
    let yaml = "
turns:
  - calls:
      - {tool: edit_file, args: {path: a.txt, old_string: two, new_string: zwei}}
      - {tool: edit_file, args: {path: b.txt, old_string: x, new_string: y}}
    expect:
      - {status: ok}
      - {status: failed, error_kind: not_read}
  - text: Done.
";
    let (mut session, _) = place.session(place.script(yaml));
    let workspace = place.runtime().workspace().clone();
    let attach = |path: &str, lines: Option<LineRange>| {
        let path = workspace.resolve(path, Access::Read).unwrap();
        let snapshot = workspace.text(&path).unwrap().snapshot;
        Attachment {
            path,
            snapshot,
            unsaved: lines.is_none(),
            lines,
        }
    };
    let mut prompt = Prompt::new("Translate the selection.");
    let lines = LineRange {
        start: LineIndex(1),
        end: LineIndex(3),
    };
    prompt.attachments = vec![attach("a.txt", Some(lines)), attach("b.txt", None)];
    assert_eq!(
        session.run(prompt, CancellationToken::new()).await,
        RunOutcome::Done
    );
    let message = &session.conversation().messages()[0];
    assert_eq!(message.role, Role::User);
    let told = told(std::slice::from_ref(message));
    let hash = |text: &str| mewcode_core::hash::ContentHash::of(text.as_bytes()).short();
    assert_eq!(
        told[1..],
        [
            format!(
                "<document path=\"a.txt\" lines_in_all=\"4\" sha256=\"{}\" shown_lines=\"2-3\">\n     2\ttwo\n     3\tthree\n</document>",
                hash("one\ntwo\nthree\nfour\n")
            ),
            format!(
                "<document path=\"b.txt\" lines_in_all=\"1\" sha256=\"{}\" unsaved=\"true\"/>\nThe user is looking at this document; its text is not attached.",
                hash("x\n")
            ),
            "Translate the selection.".into(),
        ]
    );
}

#[tokio::test]
async fn a_long_attachment_is_cut_and_says_where_it_goes_on() {
    let place = Place::new();
    let line = "x".repeat(99);
    place.write("a.txt", &format!("{line}\n").repeat(2000));
    let told = attached(&place, "turns: [{text: ok}]").await;
    assert!(told.len() < 50_000, "{}", told.len());
    assert!(
        told.contains("to 2000 are not shown: read them with read_file, offset "),
        "{told}"
    );
}

#[tokio::test]
async fn a_line_that_is_longer_than_an_attachment_is_cut_and_does_not_count_as_read() {
    let place = Place::new();
    // No character ends where the cut would be.
    place.write("a.txt", &format!("x{}\nlast\n", "ü".repeat(1 << 20)));
    let yaml = "
turns:
  - calls: [{tool: edit_file, args: {path: a.txt, old_string: last, new_string: end}}]
    expect: [{status: failed, error_kind: not_read}]
  - text: Done.
";
    let told = attached(&place, yaml).await;
    assert!(told.len() < 50_000, "{}", told.len());
    assert!(
        told.ends_with(
            "ü\n(Line 1 goes on: read on with read_file, offset 1, byte_offset 49151.)\n</document>"
        ),
        "{}",
        &told[told.len() - 200..]
    );
    assert!(told.contains("shown_lines=\"1-1\""));
}

/// What the model is told of `a.txt`, all of which is attached, in a run that plays this script.
async fn attached(place: &Place, yaml: &str) -> String {
    let (mut session, _) = place.session(place.script(yaml));
    let workspace = place.runtime().workspace().clone();
    let path = workspace.resolve("a.txt", Access::Read).unwrap();
    let snapshot = workspace.text(&path).unwrap().snapshot;
    let mut prompt = Prompt::new("Look.");
    let lines = Some(LineRange {
        start: LineIndex(0),
        end: LineIndex(9999),
    });
    prompt.attachments = vec![Attachment {
        path,
        snapshot,
        unsaved: false,
        lines,
    }];
    assert_eq!(
        session.run(prompt, CancellationToken::new()).await,
        RunOutcome::Done
    );
    told(session.conversation().messages())[1].clone()
}
