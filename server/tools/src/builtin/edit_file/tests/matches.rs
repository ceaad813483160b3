//! What is said of matches that are not exact, and of text that matches nowhere.

use super::*;

/// The answer to an edit by a caller that is no agent.
async fn answer(wire: &str, arguments: Value) -> String {
    let scene = Scene::without_ledger();
    scene.write("a.txt", wire);
    edit(&scene, arguments).await.content
}

#[tokio::test]
async fn a_match_that_is_not_exact_is_named() {
    insta::assert_snapshot!(answer("a  \nb\n", replace("a\nb\n", "c\n")).await, @"
    Edited `a.txt`: +1 −2, sha256 a3a5e715f0cc.
    matched: trailing_space (lines 1-2): `old_string` differs from the file in white space at line ends or in blank lines around it.
    @@ -1,2 +1,1 @@
    -a  
    -b
    +c
    ");
    insta::assert_snapshot!(answer("x\n    a {\n    }\n", replace("a {\n}\n", "a {\n    b\n}\n")).await, @"
    Edited `a.txt`: +1 −0, sha256 6c558261a284.
    matched: indentation (lines 2-3): `old_string` differs from the file in its indentation; `new_string` was shifted to the depth of the file.
    @@ -1,3 +1,4 @@
     x
         a {
    +        b
         }
    ");
    insta::assert_snapshot!(answer("x\n    a {\n    }\n", replace("a {\n}\n", "    b\n")).await, @"
    Edited `a.txt`: +1 −2, sha256 5e3d7842488f.
    matched: indentation (lines 2-3): `old_string` differs from the file in its indentation; `new_string` was written as it is, at the depth of the file.
    @@ -1,3 +1,2 @@
     x
    -    a {
    -    }
    +    b
    ");
    insta::assert_snapshot!(answer("“a”\n", replace("\"a\"", "\"b\"")).await, @r#"
    Edited `a.txt`: +1 −1, sha256 c531b3dea733.
    matched: typography (line 1): `old_string` differs from the file in typographic characters, such as quotes, dashes and spaces, or in composed ones.
    @@ -1,1 +1,1 @@
    -“a”
    +"b"
    "#);
    insta::assert_snapshot!(answer("a\nb  \nc\n", json!({"edits": [replace("a", "1"), replace("b\nc", "2\n3")]})).await, @"
    Edited `a.txt`: +3 −3, sha256 14c5e74c4b96.
    edits[1]: matched: trailing_space (lines 2-3): `old_string` differs from the file in white space at line ends or in blank lines around it.
    @@ -1,3 +1,3 @@
    -a
    -b  
    -c
    +1
    +2
    +3
    ");
}

#[tokio::test]
async fn a_match_that_is_not_certain_is_refused() {
    insta::assert_snapshot!(answer("if x:\n    a()\n    b()\n", replace("  a()\n      b()\n", "c()\n")).await, @"
    no_match: `old_string` does not stand in `a.txt`. What comes closest is lines 2-3:
        a()
        b()
    Difference: only the indentation differs, but not alike on every line: line 2 is indented by 4 spaces, the text to be found by 2 spaces; line 3 is indented by 4 spaces, the text to be found by 6 spaces.
    Read the file again and copy the text exactly as it stands, without line numbers.
    ");
    insta::assert_snapshot!(answer("a  \nb\nx\na  \nb\n", replace("a\nb\n", "c\n")).await, @"ambiguous_match: `old_string` does not stand exactly in `a.txt`, and what differs from it only in white space or typographic characters stands there 2 times: on lines 1, 4. Copy the text exactly as it stands, with lines around it until it is unique; `replace_all` takes exact text only.");
    insta::assert_snapshot!(answer("a  \nb\n", json!({"old_string": "a\nb\n", "new_string": "c\n", "replace_all": true})).await, @"
    no_match: `old_string` does not stand exactly in `a.txt`. `replace_all` takes exact text only. What comes closest is lines 1-2:
    a  
    b
    Difference: white space or typographic characters.
    Read the file again and copy the text exactly as it stands, without line numbers.
    ");
    insta::assert_snapshot!(answer("a\nb\n", replace("        a\n        b\n", "        c\n  d\n")).await, @"
    no_match: `old_string` does not stand exactly in `a.txt`. What comes closest is lines 1-2:
    a
    b
    Difference: these lines are indented less, and lines of `new_string` have not enough indentation to be shifted alike.
    Read the file again and copy the text exactly as it stands, without line numbers.
    ");
    insta::assert_snapshot!(answer("a\n\tb\n", replace("a\\n\\tb", "c")).await, @"no_match: `old_string` does not stand in `a.txt`. It would stand there if its backslashes were no part of it: give line breaks, tabs and quotes as themselves, escaped once as JSON needs it and not twice.");
    insta::assert_snapshot!(answer("a  \nb\n", replace("a\nb\n", "a  \nb\n")).await, @"no_change: `a.txt` would be the same as before: the new text stands there already. If the file already is as it should be, go on; else say what is to change.");
}
