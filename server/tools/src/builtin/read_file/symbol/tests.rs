//! Reading a definition by its name.

use serde_json::{Value, json};

use crate::error::{ErrorKind, ToolError};
use crate::testing::Scene;

const TEXT: &str = "\
use std::fmt;

/// A point.
#[derive(Debug)]
struct Point {
    x: u8,
}

impl Point {
    /// A new one.
    fn new() -> Self {
        Point { x: 0 }
    }
}

struct Line;

impl Line {
    fn new() -> Self {
        Line
    }
}

impl fmt::Display for Line {
    fn fmt(&self) {}
}
";

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("src/shapes.rs", TEXT);
    scene
}

async fn read(scene: &Scene, symbol: &str) -> String {
    let result = scene
        .call(
            "read_file",
            json!({"path": "src/shapes.rs", "symbol": symbol}),
        )
        .await;
    assert!(
        result.is_ok() && result.truncation.is_none(),
        "{}",
        result.content
    );
    result.content
}

async fn refused(scene: &Scene, arguments: Value) -> ToolError {
    scene.call("read_file", arguments).await.error.unwrap()
}

#[tokio::test]
async fn just_the_definition_is_shown_with_what_stands_above_it() {
    insta::assert_snapshot!(read(&scene(), "Point").await, @"
    src/shapes.rs: 26 lines, sha256 de77c2171330, utf-8, lf
         3	/// A point.
         4	#[derive(Debug)]
         5	struct Point {
         6	    x: u8,
         7	}
    ");
}

#[tokio::test]
async fn a_qualified_name_or_a_kind_tells_one_of_several() {
    let scene = scene();
    for name in [
        "Point::new",
        "Point.new",
        "shapes::Point::new",
        " Point::new ",
    ] {
        let content = read(&self::scene(), name).await;
        assert!(
            content.contains("    10\t    /// A new one.\n    11\t    fn new() -> Self {\n"),
            "{name}: {content}"
        );
        assert!(content.ends_with("    13\t    }\n"), "{name}: {content}");
    }
    assert!(
        read(&scene, "impl Line")
            .await
            .contains("    18\timpl Line {\n")
    );
    assert!(
        read(&scene, "fmt::Display for Line")
            .await
            .contains("    24\timpl fmt::Display for Line {\n")
    );
}

#[tokio::test]
async fn several_of_one_name_are_listed() {
    let error = refused(&scene(), json!({"path": "src/shapes.rs", "symbol": "new"})).await;
    assert_eq!(error.details["lines"], json!([11, 19]));
    insta::assert_snapshot!(error, @"
    ambiguous_match: `src/shapes.rs` defines `new` 2 times:
      lines 10-13: method Point::new
      lines 19-21: method Line::new
    Qualify the name (`Type::method`) or put its kind before it (`impl Type`); or read the lines with `offset` and `limit`.
    ");
}

#[tokio::test]
async fn a_name_that_is_not_there_is_told_with_close_ones() {
    let scene = scene();
    let error = refused(&scene, json!({"path": "src/shapes.rs", "symbol": "Piont"})).await;
    insta::assert_snapshot!(error, @"not_found: `src/shapes.rs` defines no `Piont`. Did you mean `Point`? What the file defines, outline tells.");
    let error = refused(
        &scene,
        json!({"path": "src/shapes.rs", "symbol": "Circle::new"}),
    )
    .await;
    insta::assert_snapshot!(error, @"not_found: `src/shapes.rs` defines no `Circle::new`. Did you mean `new`? What the file defines, outline tells.");
    let error = refused(&scene, json!({"path": "src/shapes.rs", "symbol": "zzz"})).await;
    insta::assert_snapshot!(error, @"not_found: `src/shapes.rs` defines no `zzz`. See what it defines with outline, or look in all files with find_symbol.");
}

#[tokio::test]
async fn a_definition_goes_before_its_declaration_and_a_class_before_its_constructor() {
    let scene = Scene::new();
    scene.write("a.c", "int f(void);\n\nint f(void)\n{\n\treturn 1;\n}\n");
    scene.write("A.java", "class A {\n    A() {}\n}\n");
    let of = async |path: &str, symbol: &str| {
        scene
            .call("read_file", json!({"path": path, "symbol": symbol}))
            .await
            .content
    };
    assert!(
        of("a.c", "f")
            .await
            .ends_with("lf\n     3\tint f(void)\n     4\t{\n     5\t\treturn 1;\n     6\t}\n")
    );
    assert!(
        of("A.java", "A")
            .await
            .ends_with("lf\n     1\tclass A {\n     2\t    A() {}\n     3\t}\n")
    );
    assert!(
        of("A.java", "A.A")
            .await
            .ends_with("lf\n     2\t    A() {}\n")
    );
}

#[tokio::test]
async fn a_limit_cuts_it_and_says_so() {
    let scene = scene();
    let arguments = json!({"path": "src/shapes.rs", "symbol": "Point", "limit": 2});
    let result = scene.call("read_file", arguments).await;
    assert!(result.truncation.is_some());
    assert!(
        result.content.contains("     4\t#[derive(Debug)]\n["),
        "{}",
        result.content
    );
    assert!(
        result.content.contains("go on with offset 5]"),
        "{}",
        result.content
    );
}

#[tokio::test]
async fn the_buffer_counts_and_what_was_seen_can_be_edited() {
    let scene = scene();
    let path = scene.path("src/shapes.rs");
    scene.editor.open(&path, "\n\nfn typed() {\n}\n");
    assert!(
        read(&scene, "typed")
            .await
            .contains("     3\tfn typed() {\n     4\t}\n")
    );
    let edit =
        json!({"path": "src/shapes.rs", "old_string": "fn typed()", "new_string": "fn written()"});
    assert!(scene.call("edit_file", edit).await.is_ok());
    assert!(
        read(&scene, "written")
            .await
            .contains("     3\tfn written() {\n")
    );
    assert!(
        read(&scene, "written")
            .await
            .contains("unchanged since you read these lines (3-4 of 4)")
    );
}

#[tokio::test]
async fn it_does_not_go_with_another_beginning_or_without_an_outline() {
    let scene = scene();
    scene.write("a.txt", "Point\n");
    for arguments in [
        json!({"path": "src/shapes.rs", "symbol": "Point", "offset": 1}),
        json!({"path": "src/shapes.rs", "symbol": "Point", "byte_offset": 0}),
    ] {
        assert_eq!(
            refused(&scene, arguments).await.kind,
            ErrorKind::InvalidArguments
        );
    }
    let error = refused(&scene, json!({"path": "a.txt", "symbol": "Point"})).await;
    assert_eq!(error.kind, ErrorKind::Unavailable);
    let error = refused(&scene, json!({"path": "b.rs", "symbol": "Point"})).await;
    assert_eq!(error.kind, ErrorKind::NotFound);
}
