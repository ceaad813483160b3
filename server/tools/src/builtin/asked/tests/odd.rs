//! Answers that are too long, made for another text, or about files that are not to be read or written.

use super::*;
use crate::permission::{Action, Layer, PolicySettings, RuleSource};

/// A rule that keeps files from being read.
fn deny(scene: &Scene, rule: &str) {
    let settings = PolicySettings {
        rules: vec![RuleSource::new(
            Layer::User,
            Action::Deny,
            rule,
            "config.yaml:1",
        )],
        ..PolicySettings::default()
    };
    scene.scope().host.policy.replace(settings).unwrap();
}

#[tokio::test]
async fn only_files_that_are_shown_are_read() {
    let scene = scene();
    let names: Vec<String> = (0..50).map(|index| format!("use_{index:02}.py")).collect();
    for name in &names {
        scene.write(name, USES);
    }
    let places: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    always(&scene, locations(&scene, &places));
    let mut arguments = place();
    arguments["limit"] = json!(2);
    arguments["offset"] = json!(3);
    let result = scene.call("references", arguments).await;
    insta::assert_snapshot!(result.content, @r"
    50 references of `price` in 50 files
    use_03.py
    2: shop.price(1)
    use_04.py
    2: shop.price(1)
    [45 more; go on with offset 5]
    ");
    let mut looked_at = scene.editor.looked_at.lock().unwrap().clone();
    looked_at.retain(|path| !path.ends_with("shop.py"));
    assert_eq!(
        looked_at,
        ["use_03.py", "use_04.py"].map(|it| scene.path(it))
    );
}

#[tokio::test]
async fn of_a_line_that_is_too_long_the_head_is_told() {
    let scene = scene();
    let signature = format!("fn price({})", "größe: u8, ".repeat(10_000));
    always(
        &scene,
        QueryAnswer {
            hovers: vec![format!("shop\n{signature}\nThe price.\nIn cents.")],
            ..nothing()
        },
    );
    let result = scene.call("hover", place()).await;
    assert!(
        result.content.contains("\nshop\nfn price(größe: u8, größe"),
        "{}",
        &result.content[..300]
    );
    let (_, told) = result.content.split_once("…\n").unwrap();
    let truncation = result.truncation.unwrap();
    assert_eq!((truncation.shown_lines, truncation.total_lines), (2, 4));
    let missing = "shop\n".len() + signature.len() + 1 - truncation.shown_bytes;
    assert_eq!(
        told,
        format!(
            "[end of what they show]\n[{} bytes of the last line and 2 more lines are not shown]\n",
            missing + "…".len()
        )
    );
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_not_offered() {
    let scene = scene();
    scene.write("many.py", "price = 1\n".repeat(60));
    let places: Vec<(&str, usize)> = (0..60).map(|line| ("many.py", line)).collect();
    always(&scene, locations(&scene, &places));
    let result = scene.call("definition", place()).await;
    assert!(
        result
            .content
            .ends_with("50: price = 1\n[10 more are not shown]\n"),
        "{}",
        result.content
    );
    assert_eq!(result.truncation.unwrap().rest, Rest::NotKept);

    let mut answer = found(&scene);
    answer.left_out = 3;
    always(&scene, answer);
    let result = scene.call("diagnostics", json!({"path": "uses.py"})).await;
    assert!(
        result
            .content
            .ends_with("[the editor has 3 more, which it was not asked for]\n"),
        "{}",
        result.content
    );
}

#[tokio::test]
async fn places_in_no_file_are_counted() {
    let scene = scene();
    let mut answer = locations(&scene, &[("shop.py", 0)]);
    answer.elsewhere = 2;
    always(&scene, answer);
    let result = scene.call("references", place()).await;
    insta::assert_snapshot!(result.content, @r"
    1 reference of `price` in 1 file
    shop.py
    1: def price(self):
    [2 places are in no file: in a packed library, or in what the editor makes up]
    ");
    always(
        &scene,
        QueryAnswer {
            elsewhere: 1,
            ..nothing()
        },
    );
    let result = scene.call("definition", place()).await;
    insta::assert_snapshot!(result.content, @r"
    The editor's language servers know no definition of `price` in a file.
    [1 place is in no file: in a packed library, or in what the editor makes up]
    ");
}

#[tokio::test]
async fn a_path_outside_hides_nothing() {
    let scene = scene();
    let mut answer = nothing();
    answer.locations.push(Location {
        path: "/lib/\u{202e}yp.exe\u{200b}".into(),
        line: 0,
    });
    always(&scene, answer);
    let result = scene.call("definition", place()).await;
    insta::assert_snapshot!(result.content, @r"
    1 definition of `price` in 1 file
    /lib/\u{202e}yp.exe\u{200b} (outside of the workspace)
    1: …
    ");
}

#[tokio::test]
async fn what_is_said_of_a_diagnostic_is_bounded() {
    let scene = scene();
    let wrong = Diagnostic {
        source: Some("s".repeat(60_000)),
        code: Some("c".repeat(60_000)),
        ..diagnostic(0, Severity::Error, "wrong")
    };
    always(
        &scene,
        QueryAnswer {
            diagnostics: vec![FileDiagnostics {
                path: scene.path("shop.py"),
                diagnostics: vec![wrong, diagnostic(1, Severity::Hint, "unused")],
            }],
            ..nothing()
        },
    );
    let result = scene.call("diagnostics", json!({})).await;
    assert!(result.content.len() < 2000, "{}", result.content.len());
    assert!(result.content.ends_with("2: hint: unused [ruff F821]\n"));
}

/// The server tells the edits of a file that is not open, `price` to `cost`.
async fn renamed_in(scene: &Scene, text: &str, places: &[Span]) -> ToolResult {
    scene.write("uses.py", text);
    always(
        scene,
        renamed(scene, &[("shop.py", &[(0, 4, 9)]), ("uses.py", places)]),
    );
    rename(scene).await
}

#[tokio::test]
async fn columns_of_a_closed_file_do_not_count_its_byte_order_mark() {
    let scene = scene();
    let result = renamed_in(
        &scene,
        "\u{feff}price = 1\nprice\n",
        &[(0, 0, 5), (1, 0, 5)],
    )
    .await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("uses.py"), "\u{feff}cost = 1\ncost\n");
}

/// A server may know an earlier text of a file that is not open: what it takes for the symbol is something else now.
#[tokio::test]
async fn a_renaming_that_is_made_for_another_text_changes_nothing() {
    let scene = scene();
    for (text, places) in [
        // A line came before the use.
        (
            "import shop\nimport other_things\nshop.price(1)\n",
            (1, 5, 10),
        ),
        // A character before it became two units.
        ("😀.price\n", (0, 1, 6)),
        ("import os, shop\n", (0, 3, 3)),
    ] {
        let result = renamed_in(&scene, text, &[places]).await;
        assert_eq!(
            result.error.map(|error| error.kind),
            Some(ErrorKind::Unavailable),
            "{text}"
        );
        assert_eq!(scene.read("uses.py"), text);
        assert_eq!(scene.read("shop.py"), SHOP);
    }
}

/// What else than the name itself servers change for a renaming.
#[tokio::test]
async fn a_renaming_reaches_other_forms_of_the_name() {
    for (symbol, text, span, after) in [
        // A shorthand: something is put before the name.
        (
            "price",
            "let x = { price };\n",
            (0, 10, 10),
            "let x = { costprice };\n",
        ),
        ("MyShop", "<my-shop/>\n", (0, 1, 8), "<cost/>\n"),
        ("getPrice", "it.price\n", (0, 3, 8), "it.cost\n"),
        ("price", "it.setPrice(1)\n", (0, 3, 11), "it.cost(1)\n"),
        ("+", "a - b\n", (0, 2, 3), "a cost b\n"),
    ] {
        let scene = scene();
        scene.write("uses.py", text);
        scene.write("name.py", format!("{symbol}\n"));
        always(&scene, renamed(&scene, &[("uses.py", &[span])]));
        let arguments = json!({"path": "name.py", "line": 1, "symbol": symbol, "new_name": "cost"});
        let result = scene.call("rename_symbol", arguments).await;
        assert!(result.is_ok(), "{}", result.content);
        assert_eq!(scene.read("uses.py"), after);
    }
}

/// The diff of a file is its text.
#[tokio::test]
async fn a_file_that_is_not_to_be_read_is_not_told_by_renaming_in_it() {
    let scene = scene();
    deny(&scene, "read_file(uses.py)");
    let result = renamed_in(&scene, USES, &[(1, 5, 10)]).await;
    assert_eq!(result.error.unwrap().kind, ErrorKind::DeniedByPolicy);
    assert!(!result.content.contains("import"), "{}", result.content);
    assert_eq!(scene.read("uses.py"), USES);
}
