//! What the person edited in the agent's lines, and then took the agent's change back: their lines stay, whole.

use serde_json::json;

use crate::harness::script::ok;
use crate::harness::{Client, Editor, Script, Workspace};

const TOTAL: &str = "def total(items):\n    return sum(items)\n\n\nprint(total([]))\n";
const SUM: &str = "    return sum(items)\n";
const SUM_OR_ZERO: &str = "    if not items:\n        return 0\n    return sum(items) or 0\n";

/// An editor with one applied hunk, in which the person then puts one text in the place of another.
fn edited(client: Client, before: &str, after: &str) -> Editor {
    let script = Script::new()
        .read("total.py")
        .edit("total.py", SUM, SUM_OR_ZERO)
        .say("Done.");
    let workspace = Workspace::with(&[("total.py", TOTAL)]);
    let mut editor = Editor::start(workspace, client, &script, "accept_edits");
    editor.open("total.py");
    let run = editor.prompt("nothing is 0");
    editor.finish_run(&run);
    assert_eq!(editor.text("total.py"), TOTAL.replace(SUM, SUM_OR_ZERO));
    editor.replace("total.py", before, after);
    editor
}

/// One line of three, another number of lines, and a word beside the agent's.
#[test]
fn lines_that_the_person_edited_stay_whole() {
    let cases = [
        (
            "        return 0\n",
            "        return None\n",
            "        return None\n    return sum(items)\n",
        ),
        (
            "        return 0\n    return sum(items) or 0\n",
            "        raise ValueError(\"empty\")\n    return sum(items)\n",
            "        raise ValueError(\"empty\")\n    return sum(items)\n",
        ),
        (
            SUM_OR_ZERO,
            "    for item in [1, 2]:\n        log(item)\n",
            "    return sum(items)\n    for item in [1, 2]:\n        log(item)\n",
        ),
        (
            " or 0\n",
            " or 0  # mine\n",
            "    return sum(items)  # mine\n",
        ),
    ];
    for (before, after, expected) in cases {
        for client in [Client::bare(), Client::full()] {
            let mut editor = edited(client, before, after);
            let mine = editor.text("total.py").to_owned();
            let hunks = editor.await_hunks("total.py", 1);
            editor
                .execute("mewcode.review.reject", json!({"hunk": hunks[0].id}))
                .expect("taken back");
            editor.await_hunks("total.py", 0);
            editor.assert_same("total.py");
            assert_eq!(editor.text("total.py"), TOTAL.replace(SUM, expected));
            if editor.client.has("review") {
                assert_eq!(editor.review("total.py"), [] as [serde_json::Value; 0]);
            }

            editor.undo("total.py");
            assert_eq!(editor.text("total.py"), mine, "one step brings it back");
            editor.assert_same("total.py");
            editor.await_hunks("total.py", 0);
        }
    }
}

/// Two hunks of which the person edited one: taking all of them back leaves the person's line, and no more.
#[test]
fn all_taken_back_leaves_what_the_person_edited() {
    let text = "one\n-\nfive\n-\n";
    let script = Script::new()
        .read("list.txt")
        .edits("list.txt", &[("one", "1"), ("five", "FIVE\nFIVE2")], ok())
        .say("Done.");
    let workspace = Workspace::with(&[("list.txt", text)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "accept_edits");
    editor.open("list.txt");
    let run = editor.prompt("louder");
    editor.finish_run(&run);
    editor.replace("list.txt", "FIVE\nFIVE2", "five\nsix");
    editor.await_hunks("list.txt", 2);
    editor
        .execute("mewcode.review.reject", json!({"all": true}))
        .expect("taken back");
    editor.await_hunks("list.txt", 0);
    editor.assert_same("list.txt");
    assert_eq!(editor.text("list.txt"), "one\n-\nfive\nsix\n-\n");
}
