//! The tool over real files and buffers.

use serde_json::json;

use crate::error::ErrorKind;
use crate::result::Rest;
use crate::testing::Scene;

const TEXT: &str = "\
/// A point.
struct Point {
    x: u8,
}

impl Point {
    /// Its area.
    #[must_use]
    fn area(&self) -> u8 {
        self.x
    }
}
";

#[tokio::test]
async fn definitions_are_told_nested_with_their_lines() {
    let scene = Scene::new();
    scene.write("src/point.rs", TEXT);
    let result = scene.call("outline", json!({"path": "src/point.rs"})).await;
    assert_eq!(result.truncation, None);
    insta::assert_snapshot!(result.content, @r"
    src/point.rs: rust, 12 lines, 4 definitions
    1-4       struct Point — struct Point
    3           field x — x: u8,
    6-12      impl Point — impl Point
    7-11        method area — fn area(&self) -> u8
    ");
}

#[tokio::test]
async fn the_text_of_the_buffer_counts() {
    let scene = Scene::new();
    let path = scene.write("a.py", "def saved(): ...\n");
    scene.editor.open(
        &path,
        "def typed(\n    a,\n):\n    pass\n\nclass Broken(:\n",
    );
    let result = scene.call("outline", json!({"path": "a.py"})).await;
    insta::assert_snapshot!(result.content, @"
    a.py: python, 6 lines, 2 definitions, unsaved, incomplete: parts of the file do not parse and may define more
    1-4       function typed — def typed(
    6         class Broken — class Broken(
    ");
}

#[tokio::test]
async fn what_is_cut_is_counted_and_can_be_gone_on_with() {
    let scene = Scene::new();
    scene.write("a.md", "# One\n## Two\n## Three\n");
    let call = |limit: usize, offset: usize| {
        let arguments = json!({"path": "a.md", "limit": limit, "offset": offset});
        scene.call("outline", arguments)
    };
    let all = call(3, 0).await;
    assert!(all.truncation.is_none(), "{}", all.content);
    let first = call(2, 0).await;
    insta::assert_snapshot!(first.content, @"
    a.md: markdown, 3 lines, 3 definitions
    1-4       heading One — # One
    2           heading Two — ## Two
    [1 more definition; go on with offset 2]
    ");
    let truncation = first.truncation.unwrap();
    assert_eq!((truncation.shown_lines, truncation.total_lines), (2, 3));
    assert_eq!(
        truncation.rest,
        Rest::Next {
            offset: 2,
            byte_offset: None
        }
    );
    insta::assert_snapshot!(call(2, 2).await.content, @"
    a.md: markdown, 3 lines, 3 definitions
    3-4         heading Three — ## Three
    ");
    let past = call(2, 3).await;
    assert_eq!(past.error.unwrap().kind, ErrorKind::InvalidArguments);
}

#[tokio::test]
async fn a_file_without_definitions_says_so() {
    let scene = Scene::new();
    scene.write("a.rs", "// nothing\n");
    let result = scene.call("outline", json!({"path": "a.rs"})).await;
    assert_eq!(result.content, "a.rs: rust, 1 line, 0 definitions\n");
}

#[tokio::test]
async fn what_has_no_outline_says_why_and_what_to_do() {
    let scene = Scene::new();
    scene.write("a.txt", "text\n");
    scene.write("large.json", " ".repeat(5 * 1024 * 1024));
    let error = scene
        .call("outline", json!({"path": "a.txt"}))
        .await
        .error
        .unwrap();
    assert!(!error.retryable);
    insta::assert_snapshot!(error, @"unavailable: `a.txt` has no outline: its language is not known. Read it with read_file or search it with grep. Languages with outlines: rust, python, javascript, typescript, tsx, go, c, cpp, java, ruby, php, csharp, lua, bash, json, yaml, toml, html, css, markdown.");
    let error = scene
        .call("outline", json!({"path": "large.json"}))
        .await
        .error
        .unwrap();
    insta::assert_snapshot!(error, @"too_large: `large.json` has no outline: it is larger than 4 MiB. Search it with grep and read the lines with read_file.");
    let error = scene
        .call("outline", json!({"path": "a.txtt"}))
        .await
        .error
        .unwrap();
    insta::assert_snapshot!(error, @"not_found: `a.txtt` does not exist. Did you mean `a.txt`?");
    let error = scene
        .call("outline", json!({"path": "."}))
        .await
        .error
        .unwrap();
    assert_eq!(error.kind, ErrorKind::IsDirectory);
}
