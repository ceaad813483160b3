//! What is shown of files of every kind and size.

use serde_json::json;

use super::*;
use crate::result::Rest;
use crate::testing::Scene;

async fn read(scene: &Scene, arguments: Value) -> ToolResult {
    scene.call("read_file", arguments).await
}

/// The answer for a file with this content.
async fn shown(content: impl AsRef<[u8]>, mut arguments: Value) -> String {
    let scene = Scene::without_ledger();
    scene.write("a.txt", content);
    arguments["path"] = json!("a.txt");
    read(&scene, arguments).await.content
}

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[tokio::test]
async fn a_file_is_shown_with_what_an_edit_needs_to_know() {
    insta::assert_snapshot!(shown("one\n\ttwo\n\nfour\n", json!({})).await, @"
    a.txt: 4 lines, sha256 a04b973dd173, utf-8, lf
         1	one
         2		two
         3	
         4	four
    ");
}

#[tokio::test]
async fn the_head_line_tells_how_the_file_is_written() {
    let cases = [
        "a\n",
        "a\r\nb\r\n",
        "a\r\nb\n",
        "a\nb",
        "\u{feff}a\n",
        "",
        "\n",
        "\u{feff}",
    ];
    let mut heads = String::new();
    for wire in cases {
        let answer = shown(wire, json!({})).await;
        heads.push_str(&format!(
            "{wire:?}\n    {}\n",
            answer.lines().next().unwrap()
        ));
    }
    insta::assert_snapshot!(heads, @r#"
    "a\n"
        a.txt: 1 line, sha256 87428fc52280, utf-8, lf
    "a\r\nb\r\n"
        a.txt: 2 lines, sha256 911169ddaaf1, utf-8, crlf
    "a\r\nb\n"
        a.txt: 2 lines, sha256 911169ddaaf1, utf-8, mixed line endings
    "a\nb"
        a.txt: 2 lines, sha256 911169ddaaf1, utf-8, lf, no final newline
    "\u{feff}a\n"
        a.txt: 1 line, sha256 87428fc52280, utf-8 with BOM, lf
    ""
        a.txt: empty, sha256 01ba4719c80b, utf-8
    "\n"
        a.txt: 1 line, sha256 01ba4719c80b, utf-8, lf
    "\u{feff}"
        a.txt: empty, sha256 01ba4719c80b, utf-8 with BOM
    "#);
}

#[tokio::test]
async fn a_part_is_chosen_from_either_end() {
    insta::assert_snapshot!(shown(numbered(9), json!({"offset": 4, "limit": 2})).await, @"
    a.txt: 9 lines, sha256 d62fc94c4be5, utf-8, lf
         4	line 4
         5	line 5
    [4 more lines; go on with offset 6]
    ");
    insta::assert_snapshot!(shown(numbered(9), json!({"offset": -2})).await, @"
    a.txt: 9 lines, sha256 d62fc94c4be5, utf-8, lf
         8	line 8
         9	line 9
    ");
    assert!(
        shown(numbered(3), json!({"offset": -9}))
            .await
            .contains("     1\tline 1")
    );
}

#[tokio::test]
async fn a_part_that_reaches_the_end_is_not_called_a_part() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", numbered(2000));
    let whole = read(&scene, json!({"path": "a.txt"})).await;
    assert_eq!(whole.truncation, None);
    scene.write("a.txt", numbered(2001));
    let part = read(&scene, json!({"path": "a.txt"})).await;
    assert!(
        part.content
            .ends_with("  2000\tline 2000\n[1 more line; go on with offset 2001]\n")
    );
    let truncation = part.truncation.unwrap();
    assert_eq!(
        (truncation.shown_lines, truncation.total_lines),
        (2000, 2001)
    );
    assert_eq!(
        truncation.rest,
        Rest::Next {
            offset: 2001,
            byte_offset: None
        }
    );
}

#[tokio::test]
async fn impossible_parts_are_refused() {
    let mut refusals = String::new();
    for arguments in [
        json!({"offset": 0}),
        json!({"offset": 4}),
        json!({"limit": 0}),
        json!({"byte_offset": -1}),
        json!({"byte_offset": 7}),
        json!({"limit": 1.5}),
    ] {
        refusals.push_str(&format!(
            "{arguments}\n    {}\n",
            shown(numbered(3), arguments.clone()).await
        ));
    }
    insta::assert_snapshot!(refusals, @r#"
    {"offset":0}
        invalid_arguments: `offset` counts from 1; 0 is no line. Correct the arguments and call again.
    {"offset":4}
        invalid_arguments: `a.txt` has only 3 lines; line 4 is not there. Correct the arguments and call again.
    {"limit":0}
        invalid_arguments: `limit` must be at least 1. Correct the arguments and call again.
    {"byte_offset":-1}
        invalid_arguments: `byte_offset` must not be negative. Correct the arguments and call again.
    {"byte_offset":7}
        invalid_arguments: The line has only 6 bytes, fewer than `byte_offset` 7. Correct the arguments and call again.
    {"limit":1.5}
        invalid_arguments: `limit`: 1.5 is not of type "integer". The arguments are `byte_offset`, `limit`, `offset`, `path` (required), `symbol`. Correct them and call again.
    "#);
}

#[tokio::test]
async fn a_line_longer_than_an_answer_is_read_in_parts() {
    let scene = Scene::without_ledger();
    let line = "é😀x".repeat(60_000);
    scene.write("a.txt", format!("first\n{line}\nlast\n"));
    let mut offset = json!({"path": "a.txt", "offset": 2});
    let mut together = String::new();
    for _ in 0..10 {
        let part = read(&scene, offset.clone()).await;
        assert!(part.content.len() <= MAX_BYTES);
        let shown = part
            .content
            .lines()
            .nth(1)
            .unwrap()
            .split_once('\t')
            .unwrap()
            .1
            .to_owned();
        together.push_str(&shown);
        match part.truncation.map(|truncation| truncation.rest) {
            Some(Rest::Next {
                offset: 2,
                byte_offset: Some(byte),
            }) => offset["byte_offset"] = json!(byte),
            rest => {
                assert_eq!(rest, None, "the last part goes on to the end of the file");
                break;
            }
        }
    }
    assert!(
        together == line,
        "{} of {} bytes",
        together.len(),
        line.len()
    );
}

#[tokio::test]
async fn what_is_no_text_is_refused_by_kind() {
    let mut refusals = String::new();
    let files: [(&str, &[u8]); 4] = [
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("data.bin", b"text\0more"),
        ("noise", b"\x8e\x03\x1f\xf1\x05k\x99\xff\x01\x02"),
        ("wide.txt", b"\xff\xfe\0\0a\0\0\0"),
    ];
    for (name, content) in files {
        let scene = Scene::without_ledger();
        scene.write(name, content);
        refusals.push_str(&format!(
            "{}\n",
            read(&scene, json!({"path": name})).await.content
        ));
    }
    insta::assert_snapshot!(refusals, @"
    binary_file: `logo.png` is a PNG image, not text. Do not read or edit it as text; ask the user if its content matters.
    binary_file: `data.bin` is binary data, not text. Do not read or edit it as text; ask the user if its content matters.
    binary_file: `noise` is binary data, not text. Do not read or edit it as text; ask the user if its content matters.
    unavailable: `wide.txt` is text in UTF-32, which cannot be read. Leave the file as it is, or ask the user to convert it to UTF-8.
    ");
}

#[tokio::test]
async fn every_encoding_is_read_and_named() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    };
    let mut answers = String::new();
    for content in [
        utf16("\u{feff}one\r\ntwo é😀\r\n", u16::to_le_bytes),
        utf16("\u{feff}one\ntwo", u16::to_be_bytes),
        b"caf\xe9 cr\xe8me\n".to_vec(),
        encoding_rs::SHIFT_JIS
            .encode("これは日本語のテキストです。\n")
            .0
            .into_owned(),
        encoding_rs::GBK
            .encode("这是一个用来测试编码的中文文件。\n")
            .0
            .into_owned(),
        b"caf\xc3\xa9\nbroken \xff\n".to_vec(),
        [utf16("\u{feff}a\nb", u16::to_le_bytes), vec![0]].concat(),
    ] {
        answers.push_str(&shown(content, json!({})).await);
    }
    insta::assert_snapshot!(answers, @"
    a.txt: 2 lines, sha256 92aaeb9d8e4a, utf-16le with BOM, crlf
         1	one
         2	two é😀
    a.txt: 2 lines, sha256 c3f9c8c283a2, utf-16be with BOM, lf, no final newline
         1	one
         2	two
    a.txt: 1 line, sha256 4ab1cb925ab6, windows-1252, lf
         1	café crème
    a.txt: 1 line, sha256 c9d1ae9267ae, shift_jis, lf
         1	これは日本語のテキストです。
    a.txt: 1 line, sha256 11f808398cec, gbk, lf
         1	这是一个用来测试编码的中文文件。
    a.txt: 2 lines, sha256 8b12cf092744, utf-8, lf; not editable: bytes that mean nothing in this encoding, or that it writes otherwise, the first on line 2
         1	café
         2	broken �
    a.txt: 2 lines, sha256 5dadf362f705, utf-16le with BOM, lf, no final newline; not editable: bytes that mean nothing in this encoding, or that it writes otherwise, the first on line 2
         1	a
         2	b�
    ");
}

#[tokio::test]
async fn what_is_not_written_by_hand_is_named() {
    let scene = Scene::without_ledger();
    let long = "a(b);".repeat(2000) + "\n";
    let mut heads = String::new();
    for (path, content) in [
        ("Cargo.lock", "version = 4\n"),
        ("app.min.js", "a()\n"),
        ("bundle.js", &long),
        (
            "api.pb.go",
            "// Code generated by protoc-gen-go. DO NOT EDIT.\n",
        ),
        ("data.csv", &long),
    ] {
        scene.write(path, content);
        let answer = read(&scene, json!({"path": path})).await.content;
        heads.push_str(answer.lines().next().unwrap());
        heads.push('\n');
    }
    insta::assert_snapshot!(heads, @"
    Cargo.lock: 1 line, sha256 083791b01c1a, utf-8, lf, lock file
    app.min.js: 1 line, sha256 efc31be9d958, utf-8, lf, minified
    bundle.js: 1 line, sha256 c2570083c19e, utf-8, lf, minified
    api.pb.go: 1 line, sha256 cde085007dc1, utf-8, lf, generated
    data.csv: 1 line, sha256 c2570083c19e, utf-8, lf, very long lines
    ");
}

#[tokio::test]
async fn who_takes_a_folder_for_a_file_is_told_what_it_holds() {
    let scene = Scene::without_ledger();
    for number in 0..MAX_ENTRIES {
        scene.write(&format!("full/{number:02}.txt"), "");
    }
    fs::create_dir_all(scene.path("full/empty")).unwrap();
    let full = read(&scene, json!({"path": "full"})).await.content;
    assert!(full.contains("`00.txt`, `01.txt`"), "{full}");
    assert!(full.ends_with("`19.txt` and 1 more."), "{full}");
    fs::remove_file(scene.path("full/00.txt")).unwrap();
    let full = read(&scene, json!({"path": "full"})).await.content;
    assert!(full.ends_with("`19.txt`, `empty/`."), "{full}");
    insta::assert_snapshot!(read(&scene, json!({"path": "full/empty"})).await.content, @"is_directory: `full/empty` is a folder, not a file. It is empty. Name a file.");
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let scene = Scene::without_ledger();
    scene.write("src/main.rs", "");
    let mut refusals = String::new();
    for path in [
        "src",
        "src/mian.rs",
        "lib/main.rs",
        "src/other.py",
        "src/main.rs/x",
    ] {
        refusals.push_str(&format!(
            "{}\n",
            read(&scene, json!({"path": path})).await.content
        ));
    }
    insta::assert_snapshot!(refusals.replace(scene.path("").to_str().unwrap(), "/T/"), @"
    is_directory: `src` is a folder, not a file. Name a file in it. It holds `main.rs`.
    not_found: `src/mian.rs` does not exist. Did you mean `src/main.rs`?
    not_found: `lib/main.rs` does not exist. The folder `lib` does not exist either: check the path.
    not_found: `src/other.py` does not exist. Check the path.
    not_found: `src/main.rs/x` does not exist: `/T/src/main.rs` is a file, not a folder. Check the name and call again.
    ");
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_refused_and_not_waited_for() {
    let scene = Scene::without_ledger();
    let status = std::process::Command::new("mkfifo")
        .arg(scene.path("pipe"))
        .status()
        .unwrap();
    assert!(status.success());
    insta::assert_snapshot!(read(&scene, json!({"path": "pipe"})).await.content, @"unavailable: `pipe` is a device, a pipe or a socket, not a file. Tell the user if it is needed.");
}

#[tokio::test]
async fn the_text_of_an_open_document_is_the_truth() {
    let scene = Scene::without_ledger();
    let path = scene.write("a.txt", "disk\n");
    scene.editor.open(&path, "disk\n");
    assert!(
        !read(&scene, json!({"path": "a.txt"}))
            .await
            .content
            .contains("unsaved")
    );
    scene.editor.open(&path, "buffer\n");
    insta::assert_snapshot!(read(&scene, json!({"path": "a.txt"})).await.content, @"
    a.txt: 1 line, sha256 0945edce59dd, utf-8, lf, unsaved
         1	buffer
    ");
    scene.editor.open(&scene.path("new.txt"), "never saved\n");
    assert!(
        read(&scene, json!({"path": "new.txt"}))
            .await
            .content
            .contains("unsaved")
    );
}

#[tokio::test]
async fn an_open_document_is_named_in_the_encoding_of_its_file() {
    let scene = Scene::without_ledger();
    let wide: Vec<u8> = "\u{feff}a é\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let path = scene.write("a.txt", wide);
    // Editors give the text without the mark.
    scene.editor.open(&path, "a é\r\n");
    insta::assert_snapshot!(read(&scene, json!({"path": "a.txt"})).await.content, @"
    a.txt: 1 line, sha256 770ca3138f44, utf-16le, crlf
         1	a é
    ");
    let path = scene.write("b.txt", b"caf\xe9 \x93quoted\x94\n");
    scene.editor.open(&path, "café \u{93}quoted\u{94}\n");
    let latin = read(&scene, json!({"path": "b.txt"})).await.content;
    assert!(
        !latin.contains("unsaved"),
        "an editor that takes it for Latin-1 has it all the same: {latin}"
    );
    scene
        .editor
        .open(&path, "caf\u{fffd} \u{fffd}quoted\u{fffd}\n");
    let misread = read(&scene, json!({"path": "b.txt"})).await.content;
    assert!(misread.contains("unsaved"), "{misread}");
}

#[tokio::test]
async fn reading_the_same_again_answers_unchanged() {
    let scene = Scene::new();
    scene.write("a.txt", numbered(5));
    let part = json!({"path": "a.txt", "offset": 2, "limit": 2});
    assert!(read(&scene, part.clone()).await.content.contains("line 2"));
    insta::assert_snapshot!(read(&scene, part.clone()).await.content, @"`a.txt`: unchanged since you read these lines (2-3 of 5), sha256 52accd0d883d.");
    let other = read(&scene, json!({"path": "a.txt", "offset": 2, "limit": 3})).await;
    assert!(other.content.contains("line 4"), "another part is shown");
    scene.ledger().context_dropped();
    assert!(
        read(&scene, part.clone()).await.content.contains("line 2"),
        "shown text was dropped"
    );
    scene.write("a.txt", numbered(6));
    assert!(
        read(&scene, part.clone()).await.content.contains("line 2"),
        "the file changed"
    );
    let edit = json!({"path": "a.txt", "old_string": "line 3", "new_string": "line 3!"});
    assert!(scene.call("edit_file", edit).await.is_ok());
    assert!(
        read(&scene, part).await.content.contains("line 2"),
        "the agent wrote it"
    );
}

#[tokio::test]
async fn a_large_file_gives_the_same_answer_streamed_as_held() {
    let scene = Scene::without_ledger();
    let lines = "a line of some length, with é and 😀\r\n".repeat(10_000);
    for wire in [lines.clone(), format!("{lines}the end")] {
        let path = scene.write("a.txt", &wire);
        let text = Snapshot::decode(&wire);
        for (start, lines, from_byte) in [
            (Start::Line(0), 2000, 0),
            (Start::Line(7), 3, 5),
            (Start::FromEnd(3), 2000, 0),
            (Start::Line(4_000), 50_000, 0),
        ] {
            let path = ResolvedPath {
                real: path.clone(),
                display: "a.txt".to_owned(),
            };
            let reading = Reading {
                path,
                start,
                lines,
                from_byte,
                symbol: None,
                place: None,
            };
            let whole = reading.read_text(&text, Encoding::Utf8);
            let parts = reading
                .read_stream(&CancellationToken::new())
                .unwrap()
                .unwrap();
            assert_eq!(parts.hash, whole.hash);
            assert!(parts.text.is_none());
            let (parts, whole) = (parts.answer("a.txt"), whole.answer("a.txt"));
            assert!(parts == whole, "{}\n{}", parts.content, whole.content);
        }
    }
}

#[tokio::test]
async fn a_large_file_can_be_edited_after_a_part_was_read() {
    let scene = Scene::new();
    let path = scene.write(
        "a.log",
        "x".repeat(99).repeat(KEPT_BYTES as usize / 99 + 1) + "\nthe end\n",
    );
    assert!(
        read(&scene, json!({"path": "a.log", "offset": -1}))
            .await
            .content
            .contains("     2\tthe end")
    );
    let edit = json!({"path": "a.log", "old_string": "the end", "new_string": "over"});
    let result = scene.call("edit_file", edit.clone()).await;
    assert!(result.is_ok(), "{}", result.content);
    assert!(fs::read_to_string(path).unwrap().ends_with("x\nover\n"));
}

#[tokio::test]
async fn a_streamed_read_ends_when_it_is_told_to() {
    let scene = Scene::without_ledger();
    let path = ResolvedPath {
        real: scene.write("a.txt", numbered(10)),
        display: "a.txt".to_owned(),
    };
    let reading = Reading {
        path,
        start: Start::FromEnd(1),
        lines: 1,
        from_byte: 0,
        symbol: None,
        place: None,
    };
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(reading.read_stream(&cancel).unwrap().is_none());
}

mod pages {
    use super::super::page::{Page, Pager};
    use crate::truncate::Bound;

    fn page(
        text: &str,
        first: usize,
        from_byte: usize,
        lines: usize,
        bytes: usize,
        chunk: usize,
    ) -> Page {
        let mut pager = Pager::new(first, from_byte, Bound { lines, bytes });
        let mut rest = text;
        while !rest.is_empty() {
            let end = (chunk..=rest.len())
                .find(|end| rest.is_char_boundary(*end))
                .unwrap_or(rest.len());
            pager.push(&rest[..end]);
            rest = &rest[end..];
        }
        pager.finish()
    }

    /// However the text is cut into pieces and bounded, pages that follow each other show all of it once.
    #[test]
    fn pages_that_follow_each_other_show_everything_once() {
        let texts = [
            "\n",
            "a\n",
            "one\ntwo\n\nfour\n",
            "é😀é\n😀\n",
            "a line that is long\nb\n",
            "\n\n\n",
        ];
        for text in texts {
            for chunk in 1..6 {
                for lines in 1..4 {
                    for bytes in [12, 15, 18, 100] {
                        assert_eq!(
                            follow(text, lines, bytes, chunk),
                            text,
                            "{lines} lines, {bytes} bytes, chunks of {chunk}"
                        );
                    }
                }
            }
        }
    }

    fn follow(text: &str, lines: usize, bytes: usize, chunk: usize) -> String {
        let mut shown = String::new();
        let mut next = Some((0, 0));
        let mut pages = 0;
        while let Some((line, byte)) = next {
            let page = page(text, line, byte, lines, bytes, chunk);
            assert!(page.text.len() <= bytes, "{page:?}");
            assert!(page.lines.len() <= lines && page.lines.start == line);
            assert_eq!(
                (page.total_lines, page.total_bytes),
                (text.matches('\n').count(), text.len())
            );
            let ends_inside_line = page.next.is_some_and(|(_, byte)| byte > 0);
            let bare: String = page
                .text
                .split_inclusive('\n')
                .map(|line| line.split_once('\t').unwrap().1)
                .collect();
            shown.push_str(if ends_inside_line {
                bare.trim_end_matches('\n')
            } else {
                &bare
            });
            next = page.next;
            pages += 1;
            assert!(pages < 100, "it goes on");
        }
        shown
    }

    #[test]
    fn a_page_in_the_middle_of_a_character_begins_with_it() {
        let page = page("a😀b\n", 0, 3, 1, 100, 2);
        assert_eq!(page.text, "     1\t😀b\n");
    }

    #[test]
    fn a_part_that_begins_in_the_middle_of_a_character_tells_where_it_ends() {
        let page = page("a😀bcdefgh\n", 0, 3, 1, 15, 2);
        assert_eq!(
            (page.text.as_str(), page.next),
            ("     1\t😀bcd\n", Some((0, 8)))
        );
    }
}
