//! The contract, for every registered tool.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::*;
use crate::contract::{Plan, ToolContract, Work};
use crate::effect::Effect;
use crate::error::ErrorKind;
use crate::registry::Tools;
use crate::testing::Scene;

fn tools() -> Tools {
    registry_with_servers().snapshot()
}

/// Arguments of a call that succeeds in a workspace with `sample.txt`, which holds `one` and `two`, and `sample.md`,
/// which has a heading.
fn example(contract: &ToolContract) -> Value {
    match contract.name.as_str() {
        "read_file" => json!({"path": "sample.txt", "offset": 1, "limit": 10, "byte_offset": 0}),
        "edit_file" => {
            json!({"path": "sample.txt", "old_string": "one", "new_string": "1", "replace_all": false})
        }
        "write_file" => json!({"path": "new.txt", "content": "text\n"}),
        "glob" => {
            json!({"pattern": "*.txt", "path": ".", "sort": "path", "limit": 10, "offset": 0, "hidden": false, "ignored": false})
        }
        "grep" => json!({"pattern": "0|one", "path": "sample.txt", "limit": 10}),
        "apply_patch" => json!({
            "patch": "*** Begin Patch\n*** Update File: sample.txt\n@@\n-one\n+1\n two\n*** Add File: new.txt\n+text\n*** End Patch\n"
        }),
        "find_symbol" => {
            json!({"name": "One", "kind": "heading", "path": "sample.md", "limit": 10, "offset": 0})
        }
        "outline" => json!({"path": "sample.md", "limit": 10, "offset": 0}),
        "bash" => {
            json!({"command": "cat sample.txt", "description": "show the sample", "workdir": "."})
        }
        "process_list" => json!({}),
        "web_fetch" => json!({"url": "https://docs.example.org/", "offset": 1}),
        "update_plan" => json!({"steps": [{"step": "Read", "status": "in_progress"}]}),
        "ask_user" => json!({"question": "Which one?", "options": ["the first", "the second"]}),
        "diagnostics" => {
            json!({"path": "sample.txt", "severity": "error", "limit": 10, "offset": 0})
        }
        "definition" | "hover" => json!({"path": "sample.txt", "line": 2, "symbol": "two"}),
        "references" => {
            json!({"path": "sample.txt", "line": 2, "symbol": "two", "limit": 10, "offset": 0})
        }
        "rename_symbol" => {
            json!({"path": "sample.txt", "line": 2, "symbol": "two", "new_name": "three"})
        }
        name => panic!("give `{name}` an example here, so that it is tested as every tool is"),
    }
}

/// Whether calls of the tool are about a command that runs. `tests/commands` holds these, and bash, to the contract with
/// commands that really run.
fn needs_a_command(contract: &ToolContract) -> bool {
    contract.parameters.names().contains(&"id")
}

/// Whether calls of the tool ask language servers. `asked/tests.rs` holds these to the contract with servers that answer.
fn asks_servers(contract: &ToolContract) -> bool {
    registry().get(&contract.name).is_none()
}

/// The tools whose calls need nothing but files.
fn tools_about_files() -> impl Iterator<Item = Arc<dyn Tool>> {
    let runs = |tool: &Arc<dyn Tool>| {
        let contract = tool.contract();
        needs_a_command(contract)
            || asks_servers(contract)
            || [
                "bash",
                "process_list",
                "web_fetch",
                "update_plan",
                "ask_user",
            ]
            .contains(&contract.name.as_str())
    };
    tools()
        .iter()
        .filter(move |tool| !runs(tool))
        .cloned()
        .collect::<Vec<_>>()
        .into_iter()
}

fn scene() -> Scene {
    let scene = Scene::with_server();
    scene.write("sample.txt", "one\ntwo\n");
    scene.write("sample.md", "# One\n");
    scene
}

fn plan(scene: &Scene, tool: &Arc<dyn Tool>, arguments: Value) -> Result<Plan, crate::ToolError> {
    let arguments = tool.contract().parameters.normalise(arguments)?;
    tool.contract().parameters.validate(&arguments)?;
    tool.plan(arguments, &scene.scope())
}

/// The least that the schema asks for, each a plausible value of its type.
fn minimal(schema: &Value) -> Value {
    let properties = &schema["properties"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let value = |name: &str| match properties[name]["type"].as_str() {
        Some("string") => json!("x"),
        Some("integer") => json!(1),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => minimal(&properties[name]),
        other => panic!("`{name}` has the type {other:?}"),
    };
    let entries = required
        .iter()
        .map(|name| name.as_str().unwrap())
        .map(|name| (name.to_owned(), value(name)));
    Value::Object(Map::from_iter(entries))
}

fn paths(effects: &[Effect]) -> BTreeSet<PathBuf> {
    let of = |effect: &Effect| match effect {
        Effect::Read(paths) | Effect::Write(paths) => paths.clone(),
        Effect::Process(command) => vec![command.workdir.clone()],
        _ => Vec::new(),
    };
    effects.iter().flat_map(of).collect()
}

#[test]
fn the_tools_are_these_in_this_order() {
    let tools = registry().snapshot();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool.contract().name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "read_file",
            "edit_file",
            "write_file",
            "apply_patch",
            "glob",
            "grep",
            "find_symbol",
            "outline",
            "bash",
            "process_output",
            "process_input",
            "process_stop",
            "process_list",
            "web_fetch",
            "update_plan",
            "ask_user"
        ]
    );
}

#[test]
fn those_that_ask_language_servers_come_last() {
    let (all, without) = (tools(), registry().snapshot());
    let names: Vec<&str> = all[without.len()..]
        .iter()
        .map(|tool| tool.contract().name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "diagnostics",
            "definition",
            "references",
            "hover",
            "rename_symbol"
        ]
    );
    let head = all.iter().zip(without.iter());
    for (tool, same) in head {
        assert_eq!(tool.contract().name, same.contract().name);
    }
}

#[test]
fn what_the_model_is_told_of_the_tools() {
    let told: Vec<Value> = registry()
        .snapshot()
        .iter()
        .map(|tool| json!({"name": tool.contract().name, "parameters": tool.contract().parameters}))
        .collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&told).unwrap(), @r#"
    [
      {
        "name": "read_file",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "byte_offset": {
              "description": "How many bytes of the first line to leave out: to go on in a line that is longer than an answer.",
              "type": "integer"
            },
            "limit": {
              "description": "How many lines to show at most. Default: 2000, or all of a `symbol`. An answer never has more than 256 KiB.",
              "type": "integer"
            },
            "offset": {
              "description": "The line to begin with, counted from 1. A negative number counts from the end: -20 shows the last 20 lines. Default: 1.",
              "type": "integer"
            },
            "path": {
              "description": "The file, relative to the workspace or absolute.",
              "type": "string"
            },
            "symbol": {
              "description": "In place of `offset`: the name of a definition in the file, to read just its lines, with the comments and attributes directly above. May be qualified (`Type::method`) or follow its kind (`impl Type`).",
              "type": "string"
            }
          },
          "required": [
            "path"
          ],
          "type": "object"
        }
      },
      {
        "name": "edit_file",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "base_hash": {
              "description": "The sha256 of the text that the edit is meant for, all 64 digits or the first 12, as read_file shows them. If the file has another text by then, the edit is refused unless only you changed it or the user's changes do not touch it.",
              "type": "string"
            },
            "edits": {
              "description": "Several replacements, in place of `old_string` and `new_string`.",
              "items": {
                "additionalProperties": false,
                "description": "One replacement.",
                "properties": {
                  "new_string": {
                    "description": "The text to put in its place; empty to delete.",
                    "type": "string"
                  },
                  "old_string": {
                    "description": "The text to replace: exactly as it stands in the file after the replacements before this one.",
                    "type": "string"
                  },
                  "replace_all": {
                    "description": "Whether to replace every occurrence. Default: false.",
                    "type": "boolean"
                  }
                },
                "required": [
                  "old_string",
                  "new_string"
                ],
                "type": "object"
              },
              "type": "array"
            },
            "new_string": {
              "description": "The text to put in its place; empty to delete.",
              "type": "string"
            },
            "old_string": {
              "description": "The text to replace: exactly as it stands in the file.",
              "type": "string"
            },
            "path": {
              "description": "The file, relative to the workspace or absolute.",
              "type": "string"
            },
            "replace_all": {
              "description": "Whether to replace every occurrence of `old_string` instead of its only one. Default: false.",
              "type": "boolean"
            }
          },
          "required": [
            "path"
          ],
          "type": "object"
        }
      },
      {
        "name": "write_file",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "content": {
              "description": "The whole content of the file. End it with a line break, as text files do.",
              "type": "string"
            },
            "path": {
              "description": "The file, relative to the workspace or absolute.",
              "type": "string"
            }
          },
          "required": [
            "path",
            "content"
          ],
          "type": "object"
        }
      },
      {
        "name": "apply_patch",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "patch": {
              "description": "The patch, from `*** Begin Patch` to `*** End Patch`. Paths in it are relative to the workspace or absolute.",
              "type": "string"
            }
          },
          "required": [
            "patch"
          ],
          "type": "object"
        }
      },
      {
        "name": "glob",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "hidden": {
              "description": "Whether to list hidden files too. Default: false.",
              "type": "boolean"
            },
            "ignored": {
              "description": "Whether to list files too that `.gitignore` and other ignore files leave out. Default: false.",
              "type": "boolean"
            },
            "limit": {
              "description": "How many paths to show at most. Default: 100.",
              "type": "integer"
            },
            "offset": {
              "description": "How many paths to leave out at the beginning: to go on where an answer ended. Default: 0.",
              "type": "integer"
            },
            "path": {
              "description": "The folder to look in, relative to the workspace or absolute. Default: all of the workspace.",
              "type": "string"
            },
            "pattern": {
              "description": "The pattern. With a slash in it, it starts at `path`; without one it is about names in all folders. `!` before it: all files that do not fit.",
              "type": "string"
            },
            "sort": {
              "description": "`path`: in the order of the paths. `modified`: those that were changed last come first. Default: path.",
              "enum": [
                "path",
                "modified"
              ],
              "type": "string"
            }
          },
          "required": [
            "pattern"
          ],
          "type": "object"
        }
      },
      {
        "name": "grep",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "after": {
              "description": "How many lines to show after each that fits. Default: 0.",
              "type": "integer"
            },
            "before": {
              "description": "How many lines to show before each that fits. Default: 0.",
              "type": "integer"
            },
            "context": {
              "description": "How many lines to show before and after each that fits. Default: 0.",
              "type": "integer"
            },
            "fixed": {
              "description": "Whether the pattern is plain text. Default: false.",
              "type": "boolean"
            },
            "glob": {
              "description": "Only files whose path fits this pattern, as in the tool glob: `*.rs`, `src/**/*.ts`, `!*.md`.",
              "type": "string"
            },
            "hidden": {
              "description": "Whether to search hidden files too. Default: false.",
              "type": "boolean"
            },
            "ignore_case": {
              "description": "Whether upper and lower case are the same. Default: false.",
              "type": "boolean"
            },
            "ignored": {
              "description": "Whether to search files too that `.gitignore` and other ignore files leave out. Default: false.",
              "type": "boolean"
            },
            "invert": {
              "description": "Whether to find the lines that do not fit. Default: false.",
              "type": "boolean"
            },
            "limit": {
              "description": "How many lines that fit (or files) to show at most. Default: 100.",
              "type": "integer"
            },
            "multiline": {
              "description": "Whether a match may go over several lines; `.` still needs `(?s)` for that. Default: false.",
              "type": "boolean"
            },
            "offset": {
              "description": "How many of them to leave out at the beginning: to go on where an answer ended. Default: 0.",
              "type": "integer"
            },
            "output": {
              "description": "`content`: lines. `files`: paths of the files with a match. `count`: the same with the number of lines that fit. Default: content.",
              "enum": [
                "content",
                "files",
                "count"
              ],
              "type": "string"
            },
            "path": {
              "description": "The file or the folder to search, relative to the workspace or absolute. Default: all of the workspace.",
              "type": "string"
            },
            "pattern": {
              "description": "The regular expression, or the plain text if `fixed` is set.",
              "type": "string"
            },
            "type": {
              "description": "Only files of this type, as ripgrep names it: `rust`, `ts`, `py`, `cpp`.",
              "type": "string"
            },
            "word": {
              "description": "Whether only whole words fit. Default: false.",
              "type": "boolean"
            }
          },
          "required": [
            "pattern"
          ],
          "type": "object"
        }
      },
      {
        "name": "find_symbol",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "kind": {
              "description": "Only definitions of this kind. Default: all.",
              "enum": [
                "module",
                "namespace",
                "class",
                "struct",
                "union",
                "enum",
                "interface",
                "trait",
                "impl",
                "type",
                "function",
                "method",
                "macro",
                "test",
                "declaration",
                "constant",
                "variable",
                "field",
                "property",
                "variant",
                "key",
                "table",
                "heading",
                "element",
                "selector",
                "rule"
              ],
              "type": "string"
            },
            "limit": {
              "description": "How many definitions to show at most. Default: 50.",
              "type": "integer"
            },
            "name": {
              "description": "The name, or its beginning, or its letters in order; perhaps qualified.",
              "type": "string"
            },
            "offset": {
              "description": "How many definitions to leave out at the beginning: to go on where an answer ended. Default: 0.",
              "type": "integer"
            },
            "path": {
              "description": "The folder or file to look in, relative to the workspace or absolute. Default: all of the workspace.",
              "type": "string"
            }
          },
          "required": [
            "name"
          ],
          "type": "object"
        }
      },
      {
        "name": "outline",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "limit": {
              "description": "How many definitions to show at most. Default: 500.",
              "type": "integer"
            },
            "offset": {
              "description": "How many definitions to leave out at the beginning: to go on where an answer ended. Default: 0.",
              "type": "integer"
            },
            "path": {
              "description": "The file, relative to the workspace or absolute.",
              "type": "string"
            }
          },
          "required": [
            "path"
          ],
          "type": "object"
        }
      },
      {
        "name": "bash",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "background": {
              "description": "Whether to let it run on and get its id at once. Default: false.",
              "type": "boolean"
            },
            "command": {
              "description": "The command line.",
              "type": "string"
            },
            "description": {
              "description": "What it does and what for, in five to ten words. The user sees it.",
              "type": "string"
            },
            "pty": {
              "description": "Whether it gets a terminal, for programs that behave differently without one. Default: false.",
              "type": "boolean"
            },
            "sandbox": {
              "description": "`off` asks the user to run it without confinement: only after an answer said that the sandbox refused something that is needed.",
              "enum": [
                "off"
              ],
              "type": "string"
            },
            "silence_ms": {
              "description": "End it when it has printed nothing for so many milliseconds. Default: never.",
              "type": "integer"
            },
            "timeout_ms": {
              "description": "How long it may take, in milliseconds. Default: 120000; at most 600000. Has no meaning with `background`.",
              "type": "integer"
            },
            "workdir": {
              "description": "The folder to run it in, relative to the workspace or absolute; it must be in the workspace. Default: the workspace.",
              "type": "string"
            }
          },
          "required": [
            "command"
          ],
          "type": "object"
        }
      },
      {
        "name": "process_output",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "id": {
              "description": "The id of the command, as bash gave it: `cmd_1`.",
              "type": "string"
            },
            "offset": {
              "description": "The byte of the output to begin with: to go on where an answer ended. Default: the whole output in short.",
              "type": "integer"
            },
            "until": {
              "description": "A regular expression to wait for, looked for from `offset` on.",
              "type": "string"
            },
            "wait_ms": {
              "description": "How long to wait, in milliseconds, at most 300000. Default: 30000 with `until`, else 0.",
              "type": "integer"
            }
          },
          "required": [
            "id"
          ],
          "type": "object"
        }
      },
      {
        "name": "process_input",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "close": {
              "description": "Whether to end the input: the command reads no more. Default: false.",
              "type": "boolean"
            },
            "id": {
              "description": "The id of the command, as bash gave it: `cmd_1`.",
              "type": "string"
            },
            "keys": {
              "description": "Keys to press after the text: `[\"ctrl-c\"]`.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "text": {
              "description": "What to type.",
              "type": "string"
            }
          },
          "required": [
            "id"
          ],
          "type": "object"
        }
      },
      {
        "name": "process_stop",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "id": {
              "description": "The id of the command, as bash gave it: `cmd_1`.",
              "type": "string"
            }
          },
          "required": [
            "id"
          ],
          "type": "object"
        }
      },
      {
        "name": "process_list",
        "parameters": {
          "additionalProperties": false,
          "properties": {},
          "type": "object"
        }
      },
      {
        "name": "web_fetch",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "offset": {
              "description": "The line of the text to begin with, counted from 1: to go on where an answer ended. Default: 1.",
              "type": "integer"
            },
            "url": {
              "description": "The URL, with `http://` or `https://`.",
              "type": "string"
            }
          },
          "required": [
            "url"
          ],
          "type": "object"
        }
      },
      {
        "name": "update_plan",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "steps": {
              "description": "All steps, done ones included.",
              "items": {
                "additionalProperties": false,
                "description": "A step of the visible task list.",
                "properties": {
                  "status": {
                    "description": "How far it is.",
                    "enum": [
                      "pending",
                      "in_progress",
                      "completed"
                    ],
                    "type": "string"
                  },
                  "step": {
                    "description": "What is to be done, in a few words.",
                    "type": "string"
                  }
                },
                "required": [
                  "step",
                  "status"
                ],
                "type": "object"
              },
              "type": "array"
            }
          },
          "required": [
            "steps"
          ],
          "type": "object"
        }
      },
      {
        "name": "ask_user",
        "parameters": {
          "additionalProperties": false,
          "properties": {
            "options": {
              "description": "Answers to choose from, at most 10, first the one that you would choose. Default: none; any words are an answer.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "question": {
              "description": "The question, with what the user must know to answer it.",
              "type": "string"
            }
          },
          "required": [
            "question"
          ],
          "type": "object"
        }
      }
    ]
    "#);
}

#[test]
fn every_schema_is_valid_strict_and_understood_by_every_provider() {
    for tool in tools().iter() {
        let contract = tool.contract();
        let schema = contract.parameters.schema();
        assert!(jsonschema::meta::is_valid(schema), "{}", contract.name);
        assert_eq!(schema["type"], "object", "{}", contract.name);
        assert_eq!(schema["additionalProperties"], false, "{}", contract.name);
        assert_eq!(
            contract.parameters.uncommon_keywords(),
            Vec::<String>::new(),
            "{}",
            contract.name
        );
        for name in contract.parameters.names() {
            assert!(
                schema["properties"][name]["description"].is_string(),
                "{}.{name} is described",
                contract.name
            );
        }
        for (alias, name) in contract.parameters.aliases() {
            assert!(
                contract.parameters.names().contains(name),
                "{}: {alias} stands for something",
                contract.name
            );
            assert!(
                !contract.parameters.names().contains(alias),
                "{}: {alias} is not in the schema",
                contract.name
            );
        }
    }
}

#[test]
fn the_least_arguments_parse_and_unknown_ones_do_not() {
    let scene = scene();
    for tool in tools().iter() {
        let contract = tool.contract();
        let arguments = minimal(contract.parameters.schema());
        contract.parameters.validate(&arguments).unwrap();
        if let Err(error) = plan(&scene, tool, arguments.clone()) {
            assert_ne!(
                error.kind,
                ErrorKind::Internal,
                "{}: {error}",
                contract.name
            );
            assert!(
                !error.message.contains("do not fit"),
                "{}: {error}",
                contract.name
            );
        }
        let mut unknown = arguments;
        unknown["no_such_argument"] = json!(1);
        let error = plan(&scene, tool, unknown).err().unwrap();
        assert_eq!(error.kind, ErrorKind::InvalidArguments, "{}", contract.name);
        assert!(error.message.contains("no_such_argument"), "{error}");
    }
}

#[test]
fn effects_stay_within_the_bound_and_name_every_path_like_argument() {
    let all = tools();
    for tool in all.iter().filter(|tool| !needs_a_command(tool.contract())) {
        let contract = tool.contract();
        let scene = scene();
        let arguments = example(contract);
        let plan = plan(&scene, tool, arguments.clone()).unwrap();
        assert!(
            plan.effects
                .iter()
                .all(|effect| contract.effect_bound.covers(effect)),
            "{}",
            contract.name
        );
        let named = paths(&plan.effects);
        for name in contract.parameters.names() {
            if name == "path" || name == "workdir" || name.ends_with("_path") {
                let value = arguments[name]
                    .as_str()
                    .expect("the example gives every path");
                assert!(
                    named.contains(&scene.path(value)),
                    "{}: `{name}` is among the effects",
                    contract.name
                );
            }
        }
        if let Work::Change(change) = &plan.work {
            for file in &change.files {
                assert!(
                    named.contains(&file.path),
                    "{}: what is changed is among the effects",
                    contract.name
                );
            }
        }
    }
}

#[tokio::test]
async fn planning_changes_nothing() {
    let all = tools();
    for tool in all.iter().filter(|tool| !needs_a_command(tool.contract())) {
        let scene = scene();
        plan(&scene, tool, example(tool.contract())).unwrap();
        assert_eq!(
            scene.entries(),
            ["sample.md", "sample.txt"],
            "{}",
            tool.contract().name
        );
        assert_eq!(
            scene.read("sample.txt"),
            "one\ntwo\n",
            "{}",
            tool.contract().name
        );
        assert!(scene.editor.requests.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn an_alias_means_what_its_name_means() {
    let all = tools();
    for tool in all.iter().filter(|tool| !needs_a_command(tool.contract())) {
        for (alias, name) in tool.contract().parameters.aliases() {
            let scene = scene();
            let mut arguments = example(tool.contract());
            let value = arguments.as_object_mut().unwrap().remove(*name).unwrap();
            arguments[*alias] = value;
            let result = scene.call(&tool.contract().name, arguments).await;
            assert!(result.is_ok(), "{}", result.content);
        }
    }
}

#[tokio::test]
async fn the_declared_limits_are_the_enforced_ones() {
    for tool in tools_about_files() {
        let contract = tool.contract();
        let limits = contract.limits;
        assert!(
            limits.default_timeout_ms <= limits.maximum_timeout_ms,
            "{}",
            contract.name
        );
        let scene = scene();
        scene.write(
            "sample.txt",
            format!("one\n{}", "0123456789\n".repeat(100_000)),
        );
        for number in 0..300 {
            scene.write(&format!("{}{number}.txt", "long".repeat(60)), "");
        }
        scene.write("sample.md", "# One after the other\n".repeat(20_000));
        let mut arguments = example(contract);
        for (name, value) in [
            ("content", json!("line\n".repeat(10_000))),
            ("limit", json!(100_000)),
            ("new_string", json!("line\n".repeat(10_000))),
            (
                "patch",
                json!(format!(
                    "*** Begin Patch\n*** Add File: new.txt\n{}*** End Patch\n",
                    "+line\n".repeat(10_000)
                )),
            ),
        ] {
            if arguments.get(name).is_some() {
                arguments[name] = value;
            }
        }
        let result = scene.call(&contract.name, arguments).await;
        assert!(result.is_ok(), "{}", result.content);
        assert!(
            result.content.len() <= limits.bytes,
            "{}: {} bytes",
            contract.name,
            result.content.len()
        );
        assert!(
            result.content.len() > limits.bytes / 8,
            "{}: the example reaches the limit",
            contract.name
        );
        let lines = result.content.lines().count();
        assert!(
            limits.lines.is_none_or(|limit| lines <= limit + 1),
            "{}: {lines} lines",
            contract.name
        );
        assert!(
            result.truncation.is_some(),
            "{}: the cut is told",
            contract.name
        );
    }
}

#[tokio::test]
async fn what_a_tool_may_not_do_it_does_not_do_for_any_caller() {
    let scene = scene();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "one\n").unwrap();
    for tool in tools_about_files() {
        let mut arguments = example(tool.contract());
        for (path, kind) in [
            (
                outside.path().join("secret").to_str().unwrap(),
                ErrorKind::OutsideWorkspace,
            ),
            (".mewcode/x", ErrorKind::ForbiddenPath),
        ] {
            match arguments.get("patch") {
                Some(_) => {
                    let patch =
                        format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
                    arguments["patch"] = json!(patch);
                }
                None => arguments["path"] = json!(path),
            }
            let result = scene.call(&tool.contract().name, arguments.clone()).await;
            assert_eq!(
                result.error.unwrap().kind,
                kind,
                "{} {path}",
                tool.contract().name
            );
        }
    }
    assert_eq!(
        std::fs::read_to_string(outside.path().join("secret")).unwrap(),
        "one\n"
    );
}
