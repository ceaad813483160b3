//! Questions of the agent to the editor's other language servers, and renaming by what they answer.

use serde_json::{Value, json};

use crate::harness::review::Run;
use crate::harness::script::{failed, ok};
use crate::harness::{Client, Editor, Encoding, Script, Workspace};

const SHOP: &str = "# é\ndef price(self):\n    return 1\n";
const USES: &str = "import shop\né = shop.price()\n";

fn client() -> Client {
    Client::full().also(&["query"])
}

type Servers = fn(&Value) -> Value;

/// An editor with these servers, whose agent makes these calls, with `shop.py` open.
fn start(client: Client, mode: &str, servers: Servers, script: Script) -> (Editor, Run) {
    let workspace = Workspace::with(&[("shop.py", SHOP), ("uses.py", USES)]);
    let mut editor = Editor::start(workspace, client, &script.say("Done."), mode);
    editor.open("shop.py");
    editor.servers = Some(servers);
    let run = editor.prompt("look");
    (editor, run)
}

fn place(more: Value) -> Value {
    let mut place = json!({"path": "shop.py", "line": 2, "symbol": "price"});
    for (name, value) in more.as_object().expect("an object") {
        place[name] = value.clone();
    }
    place
}

fn contains(text: &str) -> Value {
    json!({"status": "ok", "contains": text})
}

/// The URI of a file beside the one of the question.
fn beside(params: &Value, name: &str) -> String {
    let uri = params["uri"].as_str().expect("a document");
    uri.replace("shop.py", name)
}

/// A range within a line.
fn range(line: u32, start: u32, end: u32) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

fn answer(params: &Value) -> Value {
    match params["kind"].as_str().expect("a kind") {
        "diagnostics" => json!({"diagnostics": [{
            "uri": params["uri"],
            "diagnostics": [{"line": 1, "severity": 2, "message": "unused", "source": "ruff", "code": "F401"}],
        }]}),
        "definition" => json!({"locations": [{"uri": params["uri"], "line": 1}]}),
        "references" => json!({
            "locations": [{"uri": beside(params, "uses.py"), "line": 1}, {"uri": params["uri"], "line": 1}],
            "leftOut": 3,
        }),
        "hover" => json!({"hovers": ["(method) def price(self) -> int"]}),
        "rename" => json!({"documents": [
            {
                "uri": params["uri"],
                "version": params["version"],
                "edits": [{"range": range(1, 4, 9), "newText": params["newName"]}],
            },
            {
                "uri": beside(params, "uses.py"),
                "edits": [{"range": range(1, 9, 14), "newText": params["newName"]}],
            },
        ]}),
        kind => panic!("{kind} is no question"),
    }
}

#[test]
fn what_the_servers_know_reaches_the_model() {
    let script = Script::new()
        .call(
            "diagnostics",
            json!({"path": "shop.py"}),
            contains("2: warning: unused [ruff F401]"),
        )
        .call(
            "definition",
            place(json!({})),
            contains("shop.py\n2: def price(self):"),
        )
        .call(
            "references",
            place(json!({})),
            contains("uses.py\n2: é = shop.price()"),
        )
        .call(
            "hover",
            place(json!({})),
            contains("def price(self) -> int"),
        );
    let (mut editor, run) = start(client(), "default", answer, script);
    editor.finish_run(&run);
    let uri = editor.uri("shop.py");
    let kinds: Vec<&str> = editor
        .queries
        .iter()
        .map(|query| query["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds, ["diagnostics", "definition", "references", "hover"]);
    let asked = &editor.queries[1];
    assert_eq!(asked["uri"], json!(uri));
    assert_eq!(asked["version"], json!(1));
    assert_eq!(asked["position"], json!({"line": 1, "character": 4}));
    assert!(asked["limit"].as_u64() > Some(0), "{asked}");
}

#[test]
fn a_renaming_is_reviewed_and_lands_in_all_files() {
    for encoding in [Encoding::Utf8, Encoding::Utf16] {
        let script = Script::new().call(
            "rename_symbol",
            place(json!({"new_name": "cost"})),
            contains("`price` is `cost` now in 2 files."),
        );
        let servers: Servers = match encoding {
            // In bytes the place in `uses.py` is another one.
            Encoding::Utf8 => |params| {
                let mut answer = answer(params);
                if params["kind"] == "rename" {
                    answer["documents"][1]["edits"][0]["range"] = range(1, 10, 15);
                }
                answer
            },
            _ => answer,
        };
        let client = client().encoding(encoding);
        let (mut editor, run) = start(client, "default", servers, script);
        let hunks = ["shop.py", "uses.py"].map(|path| editor.await_hunks(path, 1).remove(0));
        assert_eq!(editor.text("shop.py"), SHOP, "nothing has landed");
        for hunk in &hunks {
            editor.accept(hunk);
        }
        editor.finish_run(&run);
        assert_eq!(editor.text("shop.py"), SHOP.replace("price", "cost"));
        assert_eq!(
            editor.workspace.disk("uses.py"),
            USES.replace("price", "cost")
        );
    }
}

#[test]
fn a_renaming_for_another_text_changes_nothing() {
    let script = Script::new().call(
        "rename_symbol",
        place(json!({"new_name": "cost"})),
        failed("unavailable"),
    );
    let servers = |params: &Value| {
        let mut answer = answer(params);
        answer["documents"][0]["version"] = json!(99);
        answer
    };
    let (mut editor, run) = start(client(), "accept_edits", servers, script);
    editor.finish_run(&run);
    assert_eq!(editor.text("shop.py"), SHOP);
    assert_eq!(editor.workspace.disk("uses.py"), USES);
}

#[test]
fn a_question_is_withdrawn_with_its_call() {
    let script = Script::new().call("hover", place(json!({})), json!({"status": "interrupted"}));
    let (mut editor, run) = start(client(), "default", |_| Value::Null, script);
    editor.until("the question", |editor| {
        (!editor.queries.is_empty()).then_some(())
    });
    assert!(editor.execute("mewcode.cancel", json!({})).is_ok());
    let ended = editor.await_run(&run);
    editor.finish_run_calls();
    assert_eq!(ended["outcome"], "cancelled", "{ended}");
    assert_eq!(editor.withdrawn, 1);
}

#[test]
fn what_the_editor_cannot_answer_is_told() {
    for (reason, words) in [
        ("no_server", "No language server of the editor answers this"),
        ("not_open", "The file is not open in the editor"),
        ("stale", "The text changed in the editor"),
    ] {
        let expect = json!({"status": "failed", "error_kind": "unavailable", "contains": words});
        let script = Script::new().call("hover", place(json!({})), expect);
        let servers: Servers = match reason {
            "no_server" => |_| json!({"reason": "no_server"}),
            "not_open" => |_| json!({"reason": "not_open"}),
            _ => |_| json!({"reason": "stale"}),
        };
        let (mut editor, run) = start(client(), "default", servers, script);
        editor.finish_run(&run);
    }
}

#[test]
fn an_editor_without_such_questions_offers_no_such_tools() {
    let script = Script::new()
        .call("hover", place(json!({})), failed("not_found"))
        .call("read_file", json!({"path": "shop.py"}), ok());
    let (mut editor, run) = start(Client::full(), "default", answer, script);
    editor.finish_run(&run);
    assert_eq!(editor.queries, [Value::Null; 0]);
}

#[test]
fn an_edit_tells_what_it_did_to_the_diagnostics() {
    let servers = |params: &Value| {
        let (line, message) = match params.get("settleMilliseconds") {
            None => (2, "old"),
            Some(_) => (1, "undefined name"),
        };
        let found = json!({"line": line, "severity": 1, "message": message, "source": "ruff"});
        json!({"diagnostics": [{"uri": params["uri"], "diagnostics": [found]}]})
    };
    for (mode, reviewed) in [("accept_edits", false), ("default", true)] {
        // What came between the proposal and the decision need not be the edit's work.
        let since = match reviewed {
            true => "Since this edit was proposed, the",
            false => "Since this edit the",
        };
        let told = "new: 2: error: undefined name [ruff]\ngone: 3: error: old [ruff]\n";
        let expect = contains(&format!(
            "{since} editor's language servers report in `shop.py`, waited for 1 s at most:\n{told}"
        ));
        let script = Script::new()
            .read("shop.py")
            .edit_expecting("shop.py", "return 1", "return x", expect)
            // Of a file that is not open nothing is asked.
            .read("uses.py")
            .edit("uses.py", "import shop", "import shops");
        let (mut editor, run) = start(client(), mode, servers, script);
        if reviewed {
            for path in ["shop.py", "uses.py"] {
                let hunks = editor.await_hunks(path, 1);
                editor.accept(&hunks[0]);
            }
        }
        editor.finish_run(&run);
        let settles: Vec<&Value> = editor
            .queries
            .iter()
            .map(|query| &query["settleMilliseconds"])
            .collect();
        assert_eq!(settles, [&Value::Null, &json!(1000)], "{mode}");
        assert_eq!(editor.queries[0]["uri"], editor.uri("shop.py"));
    }
}

#[test]
fn an_edit_does_not_depend_on_what_is_said_of_it() {
    let servers = |params: &Value| match params.get("settleMilliseconds") {
        None => json!({}),
        Some(_) => Value::Null,
    };
    let script = Script::new()
        .read("shop.py")
        .edit("shop.py", "return 1", "return x");
    let (mut editor, run) = start(client(), "accept_edits", servers, script);
    editor.finish_run(&run);
    assert_eq!(editor.text("shop.py"), SHOP.replace("return 1", "return x"));
}

/// Other programs' word: too much, about what is no file or not to be read, with numbers that no text has, or no answer at all.
#[test]
fn what_an_answer_says_is_judged() {
    fn there(uri: &str, line: u64) -> Value {
        json!({"uri": uri, "line": line})
    }
    let elsewhere: Servers = |_| {
        let uris = [
            "file:///etc/passwd",
            "file:///dev/zero",
            "untitled:Untitled-1",
            "https://example.com/shop.py",
            "no URI",
            "file:///%00%ff",
        ];
        json!({"locations": uris.map(|uri| there(uri, 0))})
    };
    let many: Servers = |params| {
        let mut locations = vec![there(params["uri"].as_str().expect("a document"), u64::MAX)];
        locations.extend((0..5000).map(|line| there(&beside(params, "uses.py"), line)));
        json!({"locations": locations, "leftOut": u64::MAX})
    };
    let hovers: Servers = |_| json!({"hovers": vec!["x".repeat(100_000); 50]});
    let wrongs: Servers = |params| {
        let found = json!({"line": u64::MAX, "severity": 200, "message": "m".repeat(100_000)});
        json!({"diagnostics": [{"uri": params["uri"], "diagnostics": vec![found; 100]}]})
    };
    let odd: Servers = |_| json!({"locations": [{"uri": 1, "line": -1}]});
    let whole = json!({"path": "shop.py"});
    for (tool, args, servers, expect) in [
        ("references", place(json!({})), many, contains("more")),
        ("definition", place(json!({})), elsewhere, contains("1: …")),
        ("hover", place(json!({})), hovers, contains("not shown")),
        ("diagnostics", whole, wrongs, contains("hint: mmm")),
        ("definition", place(json!({})), odd, failed("unavailable")),
    ] {
        let script = Script::new().call(tool, args, expect);
        let (mut editor, run) = start(client(), "default", servers, script);
        let ended = editor.await_call(tool);
        editor.finish_run(&run);
        assert!(ended.event.to_string().len() < 64 * 1024);
        let logs = editor.workspace.logs();
        assert!(!logs.contains("root:"), "what is outside is not read");
    }
}

#[test]
fn a_renaming_that_leads_elsewhere_changes_nothing() {
    let servers: Servers = |params| {
        let renamed = |uri: Value, edits: usize| json!({"uri": uri, "edits": vec![json!({"range": range(1, 4, 9), "newText": "x"}); edits]});
        let own = json!({
            "uri": params["uri"],
            "version": params["version"],
            "edits": [{"range": range(1, 4, 9), "newText": "x"}],
        });
        let other = match params["newName"].as_str().expect("a name") {
            "outside" => renamed(json!("file:///etc/hosts"), 1),
            "virtual" => renamed(json!("untitled:Untitled-1"), 1),
            "secret" => renamed(json!(beside(params, ".mewcode/settings.local.yaml")), 1),
            "missing" => renamed(json!(beside(params, "missing.py")), 1),
            "twice" => own.clone(),
            _ => renamed(json!(beside(params, "uses.py")), 5000),
        };
        json!({"documents": [own, other]})
    };
    for (name, kind) in [
        ("outside", "outside_workspace"),
        ("virtual", "unavailable"),
        ("secret", "forbidden_path"),
        ("missing", "not_found"),
        ("twice", "unavailable"),
        ("many", "too_large"),
    ] {
        let args = place(json!({"new_name": name}));
        let script = Script::new().call("rename_symbol", args, failed(kind));
        let (mut editor, run) = start(client(), "accept_edits", servers, script);
        editor.finish_run(&run);
        assert_eq!(editor.text("shop.py"), SHOP, "{name}");
        assert_eq!(editor.workspace.disk("uses.py"), USES, "{name}");
        assert_eq!(editor.pending(), [Value::Null; 0], "{name}");
    }
}

/// Edits without a word on the text that they are for, or for a text that the server does not know, are for no text.
#[test]
fn a_renaming_says_for_which_text_it_is() {
    let unversioned: Servers = |params| {
        let mut answer = answer(params);
        answer["documents"][0]["version"] = Value::Null;
        answer
    };
    let unknown: Servers = |params| {
        let mut answer = answer(params);
        answer["documents"][1]["version"] = json!(1);
        answer
    };
    for servers in [unversioned, unknown] {
        let args = place(json!({"new_name": "cost"}));
        let script = Script::new().call("rename_symbol", args, failed("unavailable"));
        let (mut editor, run) = start(client(), "accept_edits", servers, script);
        editor.finish_run(&run);
        assert_eq!(editor.text("shop.py"), SHOP);
        assert_eq!(editor.workspace.disk("uses.py"), USES);
    }
}

#[test]
fn other_programs_words_in_a_failure_are_bounded() {
    let refused: Servers = |_| {
        let message = format!("no\n\u{200b}[new line] {}", "x".repeat(100_000));
        json!({"reason": "failed", "message": message})
    };
    let malformed: Servers = |_| json!({"leftOut": "x".repeat(100_000)});
    let unnamed: Servers = |params| {
        let uri = format!("untitled:{}", "x".repeat(100_000));
        json!({"documents": [{"uri": uri, "edits": answer(params)["documents"][0]["edits"]}]})
    };
    for (servers, words) in [
        (refused, "cannot answer this: no [new line] xxx"),
        (malformed, "cannot be read"),
        (unnamed, "would change `untitled:xxx"),
    ] {
        let expect = json!({"status": "failed", "error_kind": "unavailable", "contains": words});
        let args = place(json!({"new_name": "cost"}));
        let script = Script::new().call("rename_symbol", args, expect);
        let (mut editor, run) = start(client(), "default", servers, script);
        let ended = editor.await_call("rename_symbol");
        editor.finish_run(&run);
        assert!(ended.event.to_string().len() < 4096, "{words}");
    }
}

#[test]
fn a_place_in_no_file_is_counted_and_a_path_that_none_can_have_is_none() {
    let servers: Servers = |_| {
        let deep = format!("file:///{}", "a/".repeat(300_000));
        let uris = ["jdt://contents/rt.jar/java.lang/String.class", &deep];
        json!({"locations": uris.map(|uri| json!({"uri": uri, "line": 0}))})
    };
    let expect = contains("2 places are in no file");
    let script = Script::new().call("definition", place(json!({})), expect);
    let (mut editor, run) = start(client(), "default", servers, script);
    editor.finish_run(&run);
}

/// Some clients tell of every document, and of most that nothing is wrong in it.
#[test]
fn documents_of_which_nothing_is_said_count_for_nothing() {
    let servers: Servers = |params| {
        let nothing = json!({"uri": "untitled:Untitled-1", "edits": [], "diagnostics": []});
        match params["kind"].as_str() {
            Some("rename") => {
                let mut answer = answer(params);
                answer["documents"]
                    .as_array_mut()
                    .expect("documents")
                    .push(nothing);
                answer
            }
            _ => json!({"diagnostics": vec![nothing; 10_000]}),
        }
    };
    let script = Script::new()
        .call("diagnostics", json!({}), contains("report nothing"))
        .call("rename_symbol", place(json!({"new_name": "cost"})), ok());
    let (mut editor, run) = start(client(), "accept_edits", servers, script);
    editor.finish_run(&run);
    assert_eq!(editor.text("shop.py"), SHOP.replace("price", "cost"));
}
