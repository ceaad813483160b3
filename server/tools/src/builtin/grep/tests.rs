//! What is found, how it is shown, how much of it, what is left out and that it says so.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::ErrorKind;
use crate::result::{Rest, Status};
use crate::testing::Scene;

async fn answer(scene: &Scene, arguments: Value) -> String {
    let result = scene.call("grep", arguments).await;
    assert_eq!(result.status, Status::Ok, "{}", result.content);
    result.content
}

fn small_tree() -> Scene {
    let scene = Scene::new();
    scene.write(".git/HEAD", "");
    scene.write(".gitignore", "*.log\n");
    scene.write(
        "src/main.rs",
        "fn main() {\n    let cat = 1;\n    println!(\"{cat}\");\n}\n",
    );
    scene.write("src/lib.rs", "// Cats\nfn category() {}\n");
    scene.write("README.md", "A cat.\r\nNo dog.\r\n");
    scene.write("x.log", "cat\n");
    scene.write(".hidden", "cat\n");
    scene
}

#[tokio::test]
async fn lines_are_grouped_by_file() {
    let scene = small_tree();
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat"})).await, @r#"
    README.md
    1: A cat.

    src/lib.rs
    2: fn category() {}

    src/main.rs
    2:     let cat = 1;
    3:     println!("{cat}");
    "#);
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat", "word": true, "path": "src"})).await, @r#"
    src/main.rs
    2:     let cat = 1;
    3:     println!("{cat}");
    "#);
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "CATS?$", "ignore_case": true})).await, @"
    src/lib.rs
    1: // Cats
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "{cat}", "fixed": true})).await, @r#"
    src/main.rs
    3:     println!("{cat}");
    "#);
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat", "invert": true, "glob": "*.md"})).await, @"
    README.md
    2: No dog.
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "dog\\.$"})).await, @"
    README.md
    2: No dog.
    ");
}

#[tokio::test]
async fn files_and_counts() {
    let scene = small_tree();
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat", "output": "files"})).await, @"
    README.md
    src/lib.rs
    src/main.rs
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat", "output": "count", "type": "rust"})).await, @"
    src/lib.rs: 1
    src/main.rs: 2
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat", "output": "files", "limit": 1, "hidden": true, "ignored": true})).await, @"
    .hidden
    [4 more files; go on with offset 1]
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "cat", "output": "files", "offset": 9})).await, @"Only 3 files found: there are none from offset 9 on.");
}

#[tokio::test]
async fn context_is_marked_and_gaps_are_shown() {
    let scene = Scene::new();
    let text: String = (1..=20).map(|line| format!("line {line}\n")).collect();
    scene.write("a", text);
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "line (5|6|12)$", "context": 1})).await, @"
    a
    4- line 4
    5: line 5
    6: line 6
    7- line 7
    --
    11- line 11
    12: line 12
    13- line 13
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "line (5|7)$", "before": 2, "limit": 1})).await, @"
    a
    3- line 3
    4- line 4
    5: line 5
    [1 more match; go on with offset 1]
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "line (5|7)$", "after": 1, "offset": 1})).await, @"
    a
    7: line 7
    8- line 8
    ");
}

#[tokio::test]
async fn a_match_may_go_over_lines_if_asked() {
    let scene = Scene::new();
    scene.write("a", "one\r\ntwo\r\nthree\r\n");
    scene.write("b", "one\ntwo\n");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "one\\ntwo", "multiline": true})).await, @"
    a
    1: one
    2: two

    b
    1: one
    2: two
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "(?s)two.*ee$", "multiline": true, "output": "count"})).await, @"a: 1");
    scene.write("long", format!("begin\n{}end\n", "x\n".repeat(200)));
    let long = answer(
        &scene,
        json!({"pattern": "(?s)begin.*end", "multiline": true}),
    )
    .await;
    assert!(
        long.ends_with("100: x\n101: [102 more lines of this match]\n"),
        "{long}"
    );
    let refused = scene.call("grep", json!({"pattern": "one\\ntwo"})).await;
    insta::assert_snapshot!(refused.content, @r"invalid_pattern: The pattern `one\ntwo` asks for a line break, and lines are searched one by one. Set `multiline: true`, or search for a part that stands on one line.");
}

/// On disk, in the editor and in UTF-16, the same text has the same hits.
#[tokio::test]
async fn a_cr_before_a_line_break_is_no_text() {
    let (lf, crlf) = ("one \ntwo\nend\n", "one \r\ntwo\r\nend\r\n");
    let scene = Scene::new();
    scene.write("lf.txt", lf);
    scene.write("crlf.txt", crlf);
    scene.editor.open(&scene.path("open.txt"), crlf);
    let utf16 = crlf.encode_utf16().flat_map(u16::to_le_bytes);
    scene.write("utf16.txt", [vec![0xff, 0xfe], utf16.collect()].concat());
    let lines: &[(&str, &[&str])] = &[
        ("o.", &["one "]),
        ("end.", &[]),
        ("end\\s", &[]),
        ("\\s$", &["one "]),
        ("end[^x]", &[]),
        ("d\\W", &[]),
        ("^two$", &["two"]),
        ("o(?s:.)$", &[]),
        ("\\bend\\b", &["end"]),
    ];
    let over_lines: &[(&str, &[&str])] = &[
        ("two\\nend", &["two", "end"]),
        ("two\\r\\nend", &["two", "end"]),
        ("two\\r?\\nend", &["two", "end"]),
        ("two[\\r\\n]end", &["two", "end"]),
        ("two\r\nend", &["two", "end"]),
        ("two.end", &[]),
        ("two\\\\r\\nend", &[]),
    ];
    let calls = lines.iter().map(|call| (false, call));
    for (multiline, (pattern, expected)) in calls.chain(over_lines.iter().map(|call| (true, call)))
    {
        for file in ["lf.txt", "crlf.txt", "open.txt", "utf16.txt"] {
            let arguments = json!({"pattern": pattern, "path": file, "multiline": multiline});
            let answer = answer(&scene, arguments).await;
            let found: Vec<&str> = answer
                .lines()
                .filter_map(|line| Some(line.split_once(": ")?.1))
                .filter(|_| !answer.starts_with("No line"))
                .collect();
            assert_eq!(found, *expected, "{pattern:?} in {file}: {answer}");
        }
    }
    let fixed =
        json!({"pattern": "two\r\nend", "path": "crlf.txt", "multiline": true, "fixed": true});
    assert!(answer(&scene, fixed).await.contains("2: two\n3: end"));
    // Who names it looks for it.
    for pattern in ["end\\r", "end\\r$", ".\\r$"] {
        let arguments = json!({"pattern": pattern, "output": "count", "glob": "{lf,crlf}.txt"});
        assert!(
            answer(&scene, arguments).await.starts_with("crlf.txt: "),
            "{pattern}"
        );
    }
}

#[tokio::test]
async fn a_page_has_the_lines_around_its_first_hit() {
    let scene = Scene::new();
    scene.write("a.txt", "x1\na\nb\nx2\nc\nx3\nx4\n");
    let page = |offset| json!({"pattern": "x", "context": 2, "offset": offset, "limit": 1});
    insta::assert_snapshot!(answer(&scene, page(1)).await, @"
    a.txt
    2- a
    3- b
    4: x2
    5- c
    [2 more matches; go on with offset 2]
    ");
    insta::assert_snapshot!(answer(&scene, page(2)).await, @"
    a.txt
    5- c
    6: x3
    [1 more match; go on with offset 3]
    ");
    insta::assert_snapshot!(answer(&scene, page(3)).await, @"
    a.txt
    7: x4
    ");
}

#[tokio::test]
async fn what_is_no_pattern_is_said_with_its_place() {
    let scene = small_tree();
    for (pattern, position) in [
        ("cat(", Some(4)),
        ("é(?=x)", Some(2)),
        ("a{9,1}", Some(2)),
        ("x\\", Some(2)),
        ("", None),
    ] {
        let result = scene.call("grep", json!({"pattern": pattern})).await;
        let error = result.error.unwrap();
        assert_eq!(error.kind, ErrorKind::InvalidPattern, "{pattern}");
        assert_eq!(
            error.details.get("position"),
            position.map(Value::from).as_ref(),
            "{error}"
        );
    }
    let result = scene.call("grep", json!({"pattern": "cat("})).await;
    insta::assert_snapshot!(result.content, @"invalid_pattern: The pattern `cat(` is not valid at character 4: unclosed group. Set `fixed: true` to search for it as plain text, or put a backslash before what is meant literally.");
    let result = scene
        .call("grep", json!({"pattern": "cat(", "fixed": true}))
        .await;
    assert_eq!(result.status, Status::Ok);
}

#[tokio::test]
async fn nothing_found_says_what_was_searched() {
    let scene = small_tree();
    scene.write("image.png", b"\x89PNG\r\n\x1a\n\0\0dog");
    scene.write("secrets.pem", "dog\n");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "horse"})).await, @"
    No line fits `horse` in the workspace: 3 files searched, hidden and ignored ones left out.
    [1 file skipped: binary]
    [1 file skipped that may hold secrets or that rules close; searched only if named as `path`]
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "horse", "path": "src", "hidden": true, "ignored": true})).await, @"No line fits `horse` in `src`: 2 files searched.");
}

#[tokio::test]
async fn files_that_may_hold_secrets_are_searched_only_if_they_are_named() {
    let scene = Scene::new();
    scene.write("a.txt", "token\n");
    scene.write(".env", "token=1\n");
    scene.editor.open(&scene.path("new.pem"), "token\n");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "token", "hidden": true})).await, @"
    a.txt
    1: token
    [2 files skipped that may hold secrets or that rules close; searched only if named as `path`]
    ");
    let named = scene
        .call("grep", json!({"pattern": "token", "path": ".env"}))
        .await;
    assert_eq!(
        named.status,
        Status::Denied,
        "a person is asked first: {}",
        named.content
    );
}

#[tokio::test]
async fn just_the_limit_is_not_marked_and_one_more_is() {
    let scene = Scene::new();
    scene.write("a", "hit\n".repeat(60));
    scene.write("b", "hit\n".repeat(40));
    let result = scene.call("grep", json!({"pattern": "hit"})).await;
    assert_eq!(result.truncation, None);
    assert!(!result.content.contains('['), "{}", result.content);
    scene.write("c", "hit\n");
    let result = scene.call("grep", json!({"pattern": "hit"})).await;
    assert_eq!(
        result.content.lines().last(),
        Some("[1 more match; go on with offset 100]")
    );
    let truncation = result.truncation.unwrap();
    assert_eq!((truncation.shown_lines, truncation.total_lines), (100, 101));
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "hit", "offset": 100})).await, @"
    c
    1: hit
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "hit", "offset": 101})).await, @"Only 101 matches found: there are none from offset 101 on.");
}

#[tokio::test]
async fn pages_cover_all_without_gaps() {
    let scene = Scene::new();
    for number in 0..30 {
        let folder = if number % 4 == 0 { "vendor" } else { "src" };
        let text: String = (0..number % 5)
            .map(|line| format!("hit {number}.{line}\n"))
            .collect();
        scene.write(&format!("{folder}/{number}.txt"), text);
    }
    for output in ["content", "files", "count"] {
        let all = pages(&scene, output, 1000).await;
        for limit in [1, 2, 3, 7, 20] {
            assert_eq!(
                pages(&scene, output, limit).await,
                all,
                "{output} by {limit}"
            );
        }
    }
}

/// All lines of all pages but those that frame them.
async fn pages(scene: &Scene, output: &str, limit: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut offset = Some(0);
    while let Some(from) = offset {
        let arguments = json!({"pattern": "hit", "output": output, "limit": limit, "offset": from});
        let result = scene.call("grep", arguments).await;
        let content = result.content.lines();
        let content = content.filter(|line| !line.starts_with('[') && !line.is_empty());
        // Of content, the paths are repeated on each page.
        let content = content.filter(|line| output != "content" || line.contains("hit"));
        lines.extend(content.map(str::to_owned));
        offset = result.truncation.map(|truncation| match truncation.rest {
            Rest::Next { offset, .. } => offset,
            rest => panic!("{rest:?}"),
        });
    }
    lines
}

#[tokio::test]
async fn sources_come_first_and_the_order_is_always_the_same() {
    let scene = Scene::new();
    for path in [
        "Cargo.lock",
        "a/node_modules/x.js",
        "b.rs",
        "z/y.rs",
        "api.pb.go",
        "c.rs",
    ] {
        scene.write(path, "hit\n");
    }
    let first = answer(&scene, json!({"pattern": "hit", "output": "files"})).await;
    insta::assert_snapshot!(first, @"
    b.rs
    c.rs
    z/y.rs
    Cargo.lock
    a/node_modules/x.js
    api.pb.go
    ");
    for _ in 0..20 {
        let again = answer(&scene, json!({"pattern": "hit", "output": "files"})).await;
        assert_eq!(again, first);
        let one = answer(&scene, json!({"pattern": "hit", "limit": 1})).await;
        assert_eq!(one, "b.rs\n1: hit\n[5 more matches; go on with offset 1]\n");
    }
}

#[tokio::test]
async fn long_lines_are_cut_around_the_match() {
    let scene = Scene::new();
    scene.write(
        "a",
        format!("{}needle{}\n", "é".repeat(500_000), "x".repeat(500_000)),
    );
    scene.write("b", format!("{}needle", "y".repeat(600)));
    scene.write("c", format!("needle{}", "z".repeat(494)));
    let content = answer(&scene, json!({"pattern": "needle"})).await;
    let lines: Vec<&str> = content
        .lines()
        .filter(|line| line.contains("needle"))
        .collect();
    assert_eq!(
        lines[0],
        format!("1: …{}needle{}…", "é".repeat(100), "x".repeat(394))
    );
    assert_eq!(lines[1], format!("1: …{}needle", "y".repeat(494)));
    assert_eq!(
        lines[2],
        format!("1: needle{}", "z".repeat(494)),
        "just 500"
    );
}

#[tokio::test]
async fn large_answers_are_bounded_by_bytes_and_paged() {
    let scene = Scene::new();
    let line = format!("hit {}\n", "x".repeat(480));
    scene.write("a", line.repeat(100));
    scene.write("b", line.repeat(100));
    let arguments = |offset| json!({"pattern": "hit", "limit": 1000, "offset": offset});
    let result = scene.call("grep", arguments(0)).await;
    assert!(result.content.len() <= super::MAX_BYTES);
    let shown = result.truncation.unwrap().shown_lines;
    assert!((100..150).contains(&shown), "{shown}");
    let rest = scene.call("grep", arguments(shown)).await;
    assert_eq!(rest.content.matches("hit").count(), 200 - shown);
    assert_eq!(rest.truncation, None);
}

#[tokio::test]
async fn buffers_are_searched_as_they_are() {
    let scene = Scene::new();
    let open = scene.write("open.txt", "on disk\n");
    let gone = scene.write("gone.txt", "removed\n");
    scene.editor.open(&open, "first\nunsaved\n");
    scene.editor.open(&gone, "removed but open\n");
    scene.editor.open(&scene.path("new/only.txt"), "a buffer\n");
    fs::remove_file(gone).unwrap();
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "unsaved|removed|buffer"})).await, @"
    gone.txt
    1: removed but open

    new/only.txt
    1: a buffer

    open.txt
    2: unsaved
    ");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "on disk"})).await, @"No line fits `on disk` in the workspace: 3 files searched, hidden and ignored ones left out.");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "buffer", "path": "new/only.txt"})).await, @"
    new/only.txt
    1: a buffer
    ");
    scene.editor.close(&scene.path("gone.txt"));
    scene.editor.close(&open);
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "unsaved|removed|on disk"})).await, @"
    open.txt
    1: on disk
    ");
}

#[tokio::test]
async fn what_was_written_a_moment_ago_is_found() {
    let scene = Scene::new();
    for number in 0..200 {
        scene.write(
            &format!("{}/{number}.txt", number % 5),
            format!("number {number} here\n"),
        );
        let content = answer(&scene, json!({"pattern": format!("number {number} here")})).await;
        assert_eq!(
            content,
            format!("{}/{number}.txt\n1: number {number} here\n", number % 5)
        );
    }
}

#[tokio::test]
async fn texts_with_a_mark_are_read_in_their_encoding() {
    let scene = Scene::new();
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff)
            .chain(text.encode_utf16())
            .flat_map(bytes)
            .collect()
    };
    scene.write("le", utf16("größe\r\nzwei\r\n", u16::to_le_bytes));
    scene.write("be", utf16("eins\ngröße\n", u16::to_be_bytes));
    scene.write("utf8", "\u{feff}größe\n");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "^größe$"})).await, @"
    be
    2: größe

    le
    1: größe

    utf8
    1: größe
    ");
}

/// What read_file shows is found, and a line that is shown may be edited.
#[tokio::test]
async fn texts_in_older_encodings_are_searched_as_they_are_read() {
    let scene = Scene::new();
    scene.write("latin.txt", b"un caf\xe9 tr\xe8s \xe9trange\r\nplain\r\n");
    scene.write(
        "sjis.txt",
        b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n\x95\x5c\n",
    );
    for (pattern, file, expected) in [
        ("café", "latin.txt", "1: un café très étrange\n"),
        ("tr.s", "latin.txt", "1: un café très étrange\n"),
        ("caf\\x{e9}", "latin.txt", "1: un café très étrange\n"),
        ("plain$", "latin.txt", "2: plain\n"),
        ("テキスト", "sjis.txt", "1: 日本語のテキスト\n"),
        ("^表$", "sjis.txt", "2: 表\n"),
    ] {
        for multiline in [false, true] {
            let arguments = json!({"pattern": pattern, "path": file, "multiline": multiline});
            let answer = answer(&scene, arguments).await;
            assert_eq!(answer, format!("{file}\n{expected}"), "{pattern}");
        }
    }
    // The second byte of a character is no backslash.
    let backslash = json!({"pattern": "\\", "fixed": true, "path": "sjis.txt"});
    assert!(answer(&scene, backslash).await.starts_with("No line fits"));
    let edit = json!({"path": "latin.txt", "old_string": "café", "new_string": "thé"});
    assert_eq!(scene.call("edit_file", edit).await.status, Status::Ok);
}

#[tokio::test]
async fn binary_files_are_skipped_and_counted() {
    let scene = Scene::new();
    scene.write("utf32", b"\xff\xfe\0\0h\0\0\0i\0\0\0t\0\0\0");
    scene.write("early", b"hit\0");
    let mut late = b"hit\n".repeat(10_000);
    late.push(0);
    scene.write("late", &late);
    late.extend(b"x".repeat(3_000_000));
    scene.write("large", late);
    scene.write("text", "hit\n");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "hit"})).await, @"
    text
    1: hit
    [4 files skipped: binary]
    ");
}

#[tokio::test]
async fn large_files_are_searched_like_small_ones() {
    let scene = Scene::new();
    let mut text: String = (1..=200_000)
        .map(|line| format!("line {line} of it\n"))
        .collect();
    text.push_str("the end");
    assert!(text.len() > 3_000_000);
    let path = scene.write("a", &text);
    let asked = json!({"pattern": "line 199999 |the end", "context": 1});
    let content = answer(&scene, asked.clone()).await;
    insta::assert_snapshot!(content, @"
    a
    199998- line 199998 of it
    199999: line 199999 of it
    200000- line 200000 of it
    200001: the end
    ");
    scene.editor.open(&path, &text);
    assert_eq!(answer(&scene, asked).await, content, "as a buffer");
    let counted = answer(&scene, json!({"pattern": "line", "output": "count"})).await;
    assert_eq!(counted, "a: 200000\n");
    let over_lines = answer(
        &scene,
        json!({"pattern": "200000 of it\\nthe", "multiline": true}),
    )
    .await;
    insta::assert_snapshot!(over_lines, @"
    a
    200000: line 200000 of it
    200001: the end
    ");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_named() {
    let scene = Scene::new();
    scene.write("a", "hit\n");
    let lost = scene.write("b", "hit\n");
    scene.editor.open(&lost, "hit\n");
    *scene.editor.lost.lock().unwrap() = Some(lost);
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "hit"})).await, @"
    a
    1: hit
    [1 place could not be read and may hold more: `b`: The document is being read anew]
    ");
}

#[cfg(unix)]
#[tokio::test]
async fn what_the_mode_of_a_file_forbids_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    let closed = scene.write("closed", "hit\n");
    let folder = scene.write("folder/x", "hit\n");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let folder = folder.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
    let content = answer(&scene, json!({"pattern": "hit"})).await;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    if fs::File::open(&closed).is_ok() {
        // Root reads everything.
        assert_eq!(content, "closed\n1: hit\n\nfolder/x\n1: hit\n");
    } else {
        assert!(content.contains("2 places could not be read"), "{content}");
        assert!(content.contains("`closed`: Permission denied"), "{content}");
        assert!(content.contains("`folder`: Permission denied"), "{content}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_put_in_the_way_is_not_followed() {
    let scene = Scene::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "hit\n").unwrap();
    for round in 0..40 {
        let path = scene.write("folder/secret", "inside\n");
        answer(&scene, json!({"pattern": "hit"})).await;
        // Once the file, once its folder.
        match round % 2 {
            0 => {
                fs::remove_file(&path).unwrap();
                std::os::unix::fs::symlink(outside.path().join("secret"), &path).unwrap();
            }
            _ => {
                fs::remove_dir_all(path.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(outside.path(), path.parent().unwrap()).unwrap();
            }
        }
        let content = answer(&scene, json!({"pattern": "hit"})).await;
        assert!(content.starts_with("No line fits"), "{content}");
        match round % 2 {
            0 => fs::remove_file(&path).unwrap(),
            _ => fs::remove_file(path.parent().unwrap()).unwrap(),
        }
    }
}

#[tokio::test]
async fn a_shown_line_may_be_edited_and_another_may_not() {
    let scene = Scene::new();
    let text: String = (1..=50).map(|line| format!("line {line}\n")).collect();
    scene.write("a", &text);
    scene.write("b", format!("long {}\n", "x".repeat(600)));
    answer(&scene, json!({"pattern": "line 20"})).await;
    answer(&scene, json!({"pattern": "long"})).await;
    let edit =
        |path: &str, old: &str| json!({"path": path, "old_string": old, "new_string": "changed"});
    let result = scene.call("edit_file", edit("a", "line 20")).await;
    assert!(result.is_ok(), "{}", result.content);
    let result = scene.call("edit_file", edit("b", "long")).await;
    assert_eq!(result.error.unwrap().kind, ErrorKind::NotRead);
    let whole = scene
        .call("write_file", json!({"path": "a", "content": "x"}))
        .await;
    assert_eq!(whole.error.unwrap().kind, ErrorKind::NotRead);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let scene = small_tree();
    for (arguments, kind) in [
        (
            json!({"pattern": "x", "path": "/etc/passwd"}),
            ErrorKind::OutsideWorkspace,
        ),
        (
            json!({"pattern": "x", "path": "nowhere"}),
            ErrorKind::NotFound,
        ),
        (
            json!({"pattern": "x", "path": ".mewcode"}),
            ErrorKind::ForbiddenPath,
        ),
        (
            json!({"pattern": "x", "glob": "{a"}),
            ErrorKind::InvalidPattern,
        ),
        (
            json!({"pattern": "x", "type": "rusty"}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "x", "before": -1}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "x", "context": 1000}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "x", "limit": 0}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "x", "output": "json"}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "x", "multiline": true, "invert": true}),
            ErrorKind::InvalidArguments,
        ),
    ] {
        let result = scene.call("grep", arguments.clone()).await;
        assert_eq!(
            result.error.map(|error| error.kind),
            Some(kind),
            "{arguments}: {}",
            result.content
        );
    }
    let unknown = scene
        .call("grep", json!({"pattern": "x", "type": "rst2"}))
        .await;
    insta::assert_snapshot!(unknown.content, @"invalid_arguments: There is no file type `rst2`. Did you mean `rst`, `rust` or `zstd`? Or use `glob`.");
}

#[tokio::test]
async fn cancelling_ends_a_search_at_once() {
    let scene = Scene::new();
    for folder in 0..100 {
        for file in 0..60 {
            scene.write(&format!("{folder}/{file}"), "some text\n".repeat(100));
        }
    }
    scene.write(
        "large",
        "some text that is searched for long\n".repeat(2_000_000),
    );
    for path in [".", "large"] {
        // The least of several: another process may have the processor in one of them.
        let mut least = Duration::MAX;
        for _ in 0..4 {
            let mut context = scene.context.clone();
            context.cancel = tokio_util::sync::CancellationToken::new();
            let cancel = context.cancel.clone();
            let runtime = scene.runtime.clone();
            let arguments =
                json!({"pattern": "(some|text|that|is)+ [a-z]{3,} (x|y)", "path": path});
            let call = tokio::spawn(async move {
                let result = runtime.call(&context, "grep", arguments).await;
                (result, Instant::now())
            });
            tokio::time::sleep(Duration::from_millis(5)).await;
            let cancelled = Instant::now();
            cancel.cancel();
            let (result, ended) = call.await.unwrap();
            assert_ne!(result.status, Status::Failed, "{}", result.content);
            if result.status == Status::Interrupted {
                least = least.min(ended - cancelled);
            }
        }
        assert!(least < Duration::from_millis(50), "{path}: {least:?}");
    }
}
