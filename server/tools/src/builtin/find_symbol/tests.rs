//! The tool over real files and buffers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::ErrorKind;
use crate::result::{Rest, Status, ToolResult};
use crate::testing::Scene;

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write(
        "src/point.rs",
        "pub struct Point;\n\nimpl Point {\n    pub fn parse(text: &str) -> Point {\n        Point\n    }\n}\n",
    );
    scene.write("src/args.py", "def parse_args(argv):\n    pass\n\nPARSE = 1\n\nclass Parser:\n    def parse(self):\n        pass\n");
    scene.write("vendor/lib.js", "function parse() {}\n");
    scene.write(
        "web/try.ts",
        "export function tryParse(): void;\nexport function tryParse() {}\n",
    );
    scene.write("data.json", "{\"parse\": {\"p_a_r_s_e\": 1}}\n");
    scene.write("notes.txt", "fn parse\n");
    scene
}

async fn call(scene: &Scene, arguments: Value) -> ToolResult {
    scene.call("find_symbol", arguments).await
}

async fn found(scene: &Scene, arguments: Value) -> String {
    let result = call(scene, arguments).await;
    assert!(result.is_ok(), "{}", result.content);
    result.content
}

#[tokio::test]
async fn better_names_come_first_then_sources_then_paths() {
    insta::assert_snapshot!(found(&scene(), json!({"name": "parse"})).await, @r#"
    src/args.py:7 method Parser::parse — def parse(self)
    src/point.rs:4 method Point::parse — pub fn parse(text: &str) -> Point
    data.json:1 key parse — {"parse": {"p_a_r_s_e": 1}}
    vendor/lib.js:1 function parse — function parse() {}
    src/args.py:4 constant PARSE — PARSE = 1
    src/args.py:1 function parse_args — def parse_args(argv)
    src/args.py:6 class Parser — class Parser
    web/try.ts:2 function tryParse — export function tryParse() {}
    web/try.ts:1 declaration tryParse — export function tryParse(): void;
    data.json:1 key parse::p_a_r_s_e — {"parse": {"p_a_r_s_e": 1}}
    "#);
}

#[tokio::test]
async fn a_second_call_says_the_same() {
    let scene = scene();
    for name in ["parse", "prs", "Point", "nothing_at_all"] {
        let first = found(&scene, json!({"name": name})).await;
        for _ in 0..3 {
            assert_eq!(found(&scene, json!({"name": name})).await, first);
        }
    }
}

#[tokio::test]
async fn a_kind_and_a_path_narrow_it_down() {
    let scene = scene();
    insta::assert_snapshot!(found(&scene, json!({"name": "parse", "kind": "method"})).await, @"
    src/args.py:7 method Parser::parse — def parse(self)
    src/point.rs:4 method Point::parse — pub fn parse(text: &str) -> Point
    ");
    insta::assert_snapshot!(found(&scene, json!({"name": "parse", "path": "web"})).await, @"
    web/try.ts:2 function tryParse — export function tryParse() {}
    web/try.ts:1 declaration tryParse — export function tryParse(): void;
    ");
    insta::assert_snapshot!(found(&scene, json!({"name": "parse", "path": "data.json"})).await, @r#"
    data.json:1 key parse — {"parse": {"p_a_r_s_e": 1}}
    data.json:1 key parse::p_a_r_s_e — {"parse": {"p_a_r_s_e": 1}}
    "#);
    insta::assert_snapshot!(found(&scene, json!({"name": "Point", "kind": "impl"})).await, @"src/point.rs:3 impl Point — impl Point");
}

#[tokio::test]
async fn a_qualified_name_names_its_place() {
    let scene = scene();
    let first = async |name: &str| {
        let content = found(&scene, json!({"name": name, "limit": 1})).await;
        content.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        first("Point::parse").await,
        "src/point.rs:4 method Point::parse — pub fn parse(text: &str) -> Point"
    );
    assert_eq!(
        first("Parser.parse").await,
        "src/args.py:7 method Parser::parse — def parse(self)"
    );
    assert_eq!(
        first("args.Parser").await,
        "src/args.py:6 class Parser — class Parser"
    );
    assert_eq!(
        first("crate::point::Point").await,
        "src/point.rs:1 struct Point — pub struct Point;"
    );
    assert!(
        first("Nobody::parse")
            .await
            .starts_with("No definition fits")
    );
}

#[tokio::test]
async fn unsaved_text_counts_and_the_text_on_disk_does_not() {
    let scene = scene();
    let path = scene.path("src/point.rs");
    assert!(
        found(&scene, json!({"name": "Point", "kind": "struct"}))
            .await
            .contains("src/point.rs:1")
    );
    scene.editor.open(&path, "\n\nstruct Renamed;\n");
    scene
        .editor
        .open(&scene.path("src/new.rs"), "fn only_in_a_buffer() {}\n");
    assert!(
        found(&scene, json!({"name": "Point", "kind": "struct"}))
            .await
            .starts_with("No definition of kind struct fits `Point`")
    );
    assert_eq!(
        found(&scene, json!({"name": "Renamed"})).await,
        "src/point.rs:3 struct Renamed — struct Renamed;\n"
    );
    assert_eq!(
        found(&scene, json!({"name": "only_in_a_buffer"})).await,
        "src/new.rs:1 function only_in_a_buffer — fn only_in_a_buffer() {}\n"
    );
}

#[tokio::test]
async fn a_change_on_disk_is_seen_at_once() {
    let scene = Scene::new();
    for number in 0..20 {
        scene.write("a.rs", format!("fn name_{number:02}() {{}}\n"));
        assert_eq!(
            found(&scene, json!({"name": format!("name_{number:02}")})).await,
            format!("a.rs:1 function name_{number:02} — fn name_{number:02}() {{}}\n")
        );
        assert!(
            found(&scene, json!({"name": "name_99"}))
                .await
                .starts_with("No definition")
        );
    }
    std::fs::remove_file(scene.path("a.rs")).unwrap();
    assert!(
        found(&scene, json!({"name": "name_19"}))
            .await
            .starts_with("No definition")
    );
}

#[tokio::test]
async fn what_is_cut_is_counted_and_can_be_gone_on_with() {
    let scene = Scene::new();
    scene.write("a.rs", "fn item_a() {}\nfn item_b() {}\nfn item_c() {}\n");
    let exact = call(&scene, json!({"name": "item", "limit": 3})).await;
    assert_eq!(exact.truncation, None, "{}", exact.content);
    let cut = call(&scene, json!({"name": "item", "limit": 2})).await;
    insta::assert_snapshot!(cut.content, @"
    a.rs:1 function item_a — fn item_a() {}
    a.rs:2 function item_b — fn item_b() {}
    [1 more definition; go on with offset 2]
    ");
    let truncation = cut.truncation.unwrap();
    assert_eq!((truncation.shown_lines, truncation.total_lines), (2, 3));
    assert_eq!(
        truncation.rest,
        Rest::Next {
            offset: 2,
            byte_offset: None
        }
    );
    let rest = found(&scene, json!({"name": "item", "limit": 2, "offset": 2})).await;
    assert_eq!(rest, "a.rs:3 function item_c — fn item_c() {}\n");
    let past = found(&scene, json!({"name": "item", "offset": 3})).await;
    assert_eq!(
        past,
        "Only 3 definitions fit: there are none from offset 3 on.\n"
    );
}

#[tokio::test]
async fn no_match_says_what_was_looked_at() {
    let scene = scene();
    insta::assert_snapshot!(found(&scene, json!({"name": "zzz"})).await, @"No definition fits `zzz` in the workspace: 5 files of known languages looked at, hidden and ignored ones left out.");
    insta::assert_snapshot!(found(&scene, json!({"name": "zzz", "kind": "class", "path": "src"})).await, @"No definition of kind class fits `zzz` in `src`: 2 files of known languages looked at, hidden and ignored ones left out.");
}

#[tokio::test]
async fn what_could_not_be_looked_at_is_named() {
    let scene = scene();
    scene.write("huge.json", " ".repeat(5 * 1024 * 1024));
    insta::assert_snapshot!(found(&scene, json!({"name": "zzz"})).await, @"
    No definition fits `zzz` in the workspace: 6 files of known languages looked at, hidden and ignored ones left out.
    [1 place could not be read and may hold more: `huge.json`: it is larger than 4 MiB]
    ");
}

#[tokio::test]
async fn hidden_ignored_and_secret_files_are_left_out() {
    let scene = scene();
    scene.write(".git/HEAD", "");
    scene.write(".gitignore", "out/\n");
    scene.write("out/a.rs", "fn wanted() {}\n");
    scene.write(".hidden.rs", "fn wanted() {}\n");
    scene.write("secrets/.env.json", "{\"wanted\": 1}\n");
    scene.write("id_rsa.json", "{\"fine\": 1}\n");
    assert!(
        found(&scene, json!({"name": "wanted"}))
            .await
            .starts_with("No definition")
    );
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let scene = scene();
    for arguments in [
        json!({"name": " "}),
        json!({"name": "a", "kind": "fn"}),
        json!({"name": "a", "limit": 0}),
        json!({"name": "a", "offset": -1}),
    ] {
        let error = call(&scene, arguments.clone()).await.error.unwrap();
        assert_eq!(error.kind, ErrorKind::InvalidArguments, "{arguments}");
    }
    let error = call(&scene, json!({"name": "a", "path": "nowhere"}))
        .await
        .error
        .unwrap();
    assert_eq!(error.kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn a_name_that_is_no_ascii_or_no_word_is_found() {
    let scene = Scene::new();
    scene.write("a.py", "def größe():\n    pass\n");
    scene.write("b.rb", "def valid?\nend\ndef <=>(other)\nend\n");
    scene.write("c.css", "a:hover { color: red }\n");
    scene.write("d.md", "# How it *works*\n");
    scene.write("e.css", "main,\n\tbody { color: red }\n");
    assert!(
        found(&scene, json!({"name": "GRÖSSE"}))
            .await
            .starts_with("No definition")
    );
    assert!(
        found(&scene, json!({"name": "GRÖßE"}))
            .await
            .starts_with("a.py:1 function größe")
    );
    assert!(
        found(&scene, json!({"name": "größ"}))
            .await
            .starts_with("a.py:1 function größe")
    );
    assert!(
        found(&scene, json!({"name": "valid?"}))
            .await
            .starts_with("b.rb:1 function valid?")
    );
    assert!(
        found(&scene, json!({"name": "<=>"}))
            .await
            .starts_with("b.rb:3 function <=>")
    );
    assert!(
        found(&scene, json!({"name": "a:hover"}))
            .await
            .starts_with("c.css:1 selector a:hover")
    );
    assert!(
        found(&scene, json!({"name": "main, body"}))
            .await
            .starts_with("e.css:1 selector main, body")
    );
    assert!(
        found(&scene, json!({"name": "How it *works*"}))
            .await
            .starts_with("d.md:1 heading")
    );
}

#[tokio::test]
async fn a_name_is_found_in_other_encodings() {
    let scene = Scene::new();
    let wide = "\u{feff}def größe():\n    pass\n".encode_utf16();
    scene.write("a.py", wide.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    scene.write(
        "b.py",
        b"# K\xf6ln, M\xfcnchen\ndef gr\xf6\xdfe():\n    pass\n",
    );
    let found = found(&scene, json!({"name": "größe"})).await;
    assert_eq!(
        found,
        "a.py:1 function größe — def größe()\nb.py:2 function größe — def größe()\n"
    );
}

#[tokio::test]
async fn a_cancelled_call_ends_soon() {
    let scene = Scene::new();
    let text = "fn function_with_a_name() { let x = [1, 2, 3]; }\n".repeat(2000);
    for file in 0..200 {
        scene.write(&format!("{file}.rs"), &text);
    }
    let cancel = scene.context.cancel.clone();
    let calling = tokio::spawn({
        let (runtime, context) = (scene.runtime.clone(), scene.context.clone());
        async move {
            runtime
                .call(&context, "find_symbol", json!({"name": "function"}))
                .await
        }
    });
    // Until some of it is parsed, so that it is cancelled in the middle.
    while scene.runtime.workspace().symbols().memory() == 0 && !calling.is_finished() {
        tokio::task::yield_now().await;
    }
    let cancelled = Instant::now();
    cancel.cancel();
    let result = calling.await.unwrap();
    assert_eq!(result.status, Status::Interrupted, "{}", result.content);
    assert!(
        cancelled.elapsed() < Duration::from_secs(1),
        "{:?}",
        cancelled.elapsed()
    );
}

/// A character that the grammar of bash cannot be given, in a closed file and in an open one.
#[tokio::test]
async fn a_shell_file_with_any_character_is_searched_outlined_and_edited() {
    const TEXT: &str = "é() {\n  echo {\u{f3e5e}1..2}\n}\nparse() { echo \u{10ffff}; }\n";
    let scene = Scene::new();
    let path = scene.write("a.sh", TEXT);
    let closed = found(&scene, json!({"name": "parse"})).await;
    insta::assert_snapshot!(closed, @"a.sh:4 function parse — parse() { echo 􏿿; }");
    let outline = scene.call("outline", json!({"path": "a.sh"})).await;
    insta::assert_snapshot!(outline.content, @r"
    a.sh: bash, 4 lines, 2 definitions
    1-3       function é — é()
    4         function parse — parse() { echo 􏿿; }
    ");
    scene
        .editor
        .open(&path, &TEXT.replace("parse", "parse_now"));
    let open = found(&scene, json!({"name": "parse_now"})).await;
    insta::assert_snapshot!(open, @"a.sh:4 function parse_now — parse_now() { echo 􏿿; }");
    scene
        .editor
        .open(&path, &TEXT.replace("parse", "parse_later"));
    let outline = scene.call("outline", json!({"path": "a.sh"})).await;
    insta::assert_snapshot!(outline.content, @r"
    a.sh: bash, 4 lines, 2 definitions, unsaved
    1-3       function é — é()
    4         function parse_later — parse_later() { echo 􏿿; }
    ");
}
