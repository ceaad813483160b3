//! What every tool declares must be so: checked of every registered tool, new ones included, by calls that are made up
//! from its schema.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::*;
use crate::builtin;
use crate::effect::EffectKind;
use crate::error::ErrorKind;
use crate::registry::Tools;
use crate::testing::{FakeTool, Scene, run};

/// The file of the scene, and what is in it.
const FILE: &str = "one.rs";
const TEXT: &str = "fn one() {}\n";

/// More optional arguments than this are not tried together.
const MOST_OPTIONAL: usize = 3;

#[test]
fn a_call_is_never_given_more_than_the_maximum() {
    let limits = Limits {
        bytes: 1,
        lines: None,
        default_timeout_ms: 100,
        maximum_timeout_ms: 200,
    };
    let given = |asked: Option<u64>| limits.timeout(asked.map(Duration::from_millis)).as_millis();
    assert_eq!(
        (given(None), given(Some(150)), given(Some(9000))),
        (100, 150, 200)
    );
}

fn tools() -> Tools {
    builtin::registry_with_servers().snapshot()
}

/// A workspace with the file, for a caller that need not have read it.
fn scene() -> Scene {
    let scene = Scene::with_server();
    scene.write(FILE, TEXT);
    scene
}

/// A value for an argument, such that a call in the scene has something to do.
fn value(name: &str, schema: &Value) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    match schema["type"].as_str() {
        Some("string") => text(name).into(),
        Some("boolean") => true.into(),
        // A time, in milliseconds.
        Some("integer") if name.ends_with("_ms") => 1000.into(),
        Some("integer" | "number") => 1.into(),
        Some("array") => json!([value(name, &schema["items"])]),
        Some("object") => Value::Object(required(schema)),
        other => panic!("`{name}` is of the type {other:?}: say here what to give for it"),
    }
}

fn text(name: &str) -> String {
    match name {
        "path" => FILE.to_owned(),
        "url" => "https://example.org/".to_owned(),
        "workdir" => ".".to_owned(),
        "patch" => format!(
            "*** Begin Patch\n*** Update File: {FILE}\n@@\n-{TEXT}+fn two() {{}}\n*** End Patch\n"
        ),
        "base_hash" => mewcode_core::hash::ContentHash::of(TEXT.as_bytes()).short(),
        "type" => "rust".to_owned(),
        "new_string" | "new_name" => "two".to_owned(),
        _ => "one".to_owned(),
    }
}

fn properties(schema: &Value) -> &Map<String, Value> {
    schema["properties"].as_object().unwrap()
}

/// The required arguments of an object.
fn required(schema: &Value) -> Map<String, Value> {
    let names = schema["required"].as_array().into_iter().flatten();
    names
        .map(|name| name.as_str().unwrap())
        .map(|name| (name.to_owned(), value(name, &properties(schema)[name])))
        .collect()
}

/// The calls of a tool that are tried: the required arguments with every choice of a few others.
fn calls(schema: &Value) -> Vec<Map<String, Value>> {
    let mut calls = vec![required(schema)];
    for (name, property) in properties(schema) {
        let others = calls.clone();
        let most = required(schema).len() + MOST_OPTIONAL;
        for mut call in others {
            if !call.contains_key(name) && call.len() < most {
                call.insert(name.clone(), value(name, property));
                calls.push(call);
            }
        }
    }
    calls
}

/// Every schema in a schema: itself, its properties, its items.
fn each_schema<'a>(schema: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    visit(schema);
    for part in schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::values)
    {
        each_schema(part, visit);
    }
    for part in schema["anyOf"].as_array().into_iter().flatten() {
        each_schema(part, visit);
    }
    if schema["items"].is_object() {
        each_schema(&schema["items"], visit);
    }
}

#[test]
fn names_and_descriptions_can_be_sent() {
    for tool in tools().iter() {
        let ToolContract {
            name, description, ..
        } = tool.contract();
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        assert!(
            (1..=64).contains(&name.len()) && name.bytes().all(allowed),
            "{name}"
        );
        assert!(
            description.len() > 40 && description.ends_with('.'),
            "{name}"
        );
    }
}

#[test]
fn schemas_are_valid_strict_and_described() {
    for tool in tools().iter() {
        let ToolContract {
            name, parameters, ..
        } = tool.contract();
        let schema = parameters.schema();
        assert!(jsonschema::meta::is_valid(schema), "{name}");
        assert!(jsonschema::validator_for(schema).is_ok(), "{name}");
        assert_eq!(
            parameters.uncommon_keywords(),
            Vec::<String>::new(),
            "{name}"
        );
        assert_eq!(schema["type"], "object", "{name}");
        each_schema(schema, &mut |part| {
            if part["type"] == "object" {
                assert_eq!(part["additionalProperties"], false, "{name}: {part}");
                for (argument, property) in properties(part) {
                    let description = property["description"].as_str().unwrap_or_default();
                    assert!(
                        description.len() > 5,
                        "`{argument}` of {name} is not described"
                    );
                }
            }
        });
    }
}

#[test]
fn what_is_declared_fits_together() {
    for tool in tools().iter() {
        let contract = tool.contract();
        let name = &contract.name;
        let limits = contract.limits;
        assert!(limits.bytes > 0 && limits.lines != Some(0), "{name}");
        assert!(
            (1..=limits.maximum_timeout_ms).contains(&limits.default_timeout_ms),
            "{name}"
        );
        let reads = contract.effect_bound.is_read_only();
        let changes_nothing = contract
            .effect_bound
            .kinds()
            .iter()
            .all(|kind| matches!(kind, EffectKind::Read | EffectKind::Network));
        if contract.idempotency == Idempotency::Pure {
            assert!(changes_nothing, "{name}");
        }
        assert_eq!(
            contract.recovery == Recovery::Rerun,
            changes_nothing,
            "{name}"
        );
        assert_eq!(contract.risk == Risk::Low, reads, "{name}");
        assert!(contract.version > 0, "{name}");
    }
}

#[test]
fn the_list_is_the_same_bytes_each_time() {
    let list = |tools: &Tools| {
        let contracts: Vec<&ToolContract> = tools.iter().map(|tool| tool.contract()).collect();
        serde_json::to_string(&contracts).unwrap()
    };
    let registry = builtin::registry_with_servers();
    let first = registry.snapshot();
    assert_eq!(list(&first), list(&tools()));
    for tool in first.iter().rev() {
        assert!(registry.register(Arc::clone(tool)).unwrap().replaced);
    }
    assert_eq!(
        list(&registry.snapshot()),
        list(&first),
        "each in its own place"
    );
}

#[test]
fn aliases_are_taken_and_not_offered() {
    for tool in tools().iter() {
        let parameters = &tool.contract().parameters;
        for (alias, name) in parameters.aliases() {
            let names = parameters.names();
            assert!(!names.contains(alias) && names.contains(name), "{alias}");
            let given = parameters.normalise(json!({*alias: "x"})).unwrap();
            assert_eq!(given, json!({*name: "x"}));
        }
    }
}

#[test]
fn arguments_are_checked_before_the_tool_sees_them() {
    for tool in tools().iter() {
        let ToolContract {
            name, parameters, ..
        } = tool.contract();
        let minimal = Value::Object(required(parameters.schema()));
        assert!(parameters.validate(&minimal).is_ok(), "{name}: {minimal}");
        assert_eq!(
            parameters.normalise(Value::Null).unwrap(),
            json!({}),
            "{name}"
        );
        let mut more = minimal.clone();
        more["unknown_argument"] = json!(1);
        let error = parameters.validate(&more).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidArguments, "{name}");
        assert!(
            error.message.contains("unknown_argument"),
            "{name}: {error}"
        );
        for argument in required(parameters.schema()).keys() {
            let mut less = minimal.clone();
            less.as_object_mut().unwrap().remove(argument);
            let error = parameters.validate(&less).unwrap_err();
            assert!(error.message.contains(argument.as_str()), "{name}: {error}");
        }
    }
}

/// Whether an effect names the path.
fn names_path(effects: &[Effect], path: &Path) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Read(paths) | Effect::Write(paths) => paths.iter().any(|named| named == path),
        _ => false,
    })
}

/// Whether calls of the tool are about a command that runs, by its id: `tests/commands` makes such calls.
fn is_about_a_command(contract: &ToolContract) -> bool {
    properties(contract.parameters.schema()).contains_key("id")
}

/// Every declared argument is known to the tool and can be used, and the effects of a plan name every path of its
/// arguments and nothing that the tool does not declare.
#[test]
fn plans_tell_what_the_arguments_touch() {
    let scene = scene();
    let scope = scene.scope();
    for tool in tools().iter() {
        let contract = tool.contract();
        if is_about_a_command(contract) {
            continue;
        }
        let (name, schema) = (&contract.name, contract.parameters.schema());
        let mut usable: Vec<String> = Vec::new();
        let mut refusals = Vec::new();
        for call in calls(schema) {
            let arguments = Value::Object(call.clone());
            assert!(
                contract.parameters.validate(&arguments).is_ok(),
                "{name}: {arguments}"
            );
            let plan = match tool.plan(arguments.clone(), &scope) {
                Ok(plan) => plan,
                Err(error) => {
                    let is_unknown = error.message.contains("The arguments do not fit");
                    assert!(!is_unknown, "{name}: schema and tool differ: {error}");
                    assert_ne!(
                        error.kind,
                        ErrorKind::Internal,
                        "{name}: {arguments}: {error}"
                    );
                    refusals.push(format!("{arguments}: {error}"));
                    continue;
                }
            };
            for effect in &plan.effects {
                assert!(contract.effect_bound.covers(effect), "{name}: {effect:?}");
            }
            let mentions_file = call
                .values()
                .any(|value| value.as_str().is_some_and(|text| text.contains(FILE)));
            if mentions_file {
                let named = names_path(&plan.effects, &scene.path(FILE));
                assert!(named, "{name} {arguments} names only {:?}", plan.effects);
            }
            usable.extend(call.into_iter().map(|(argument, _)| argument));
        }
        for argument in properties(schema).keys() {
            let is_usable = usable.contains(argument);
            assert!(
                is_usable,
                "`{argument}` of {name} fits no call:\n{}",
                refusals.join("\n")
            );
        }
    }
    assert_eq!(scene.read(FILE), TEXT, "plans change nothing");
}

/// A runtime with one tool that has the limits of another and gives this.
async fn result_within(limits: Limits, content: String) -> ToolResult {
    let tool = FakeTool::planning("fake", move |_, _| {
        let content = content.clone();
        Ok(run(vec![], |_| async { ToolResult::ok(content) }))
    });
    let scene = Scene::new();
    let tool = Arc::new(tool.with_limits(limits));
    scene.runtime.registry().register(tool).unwrap();
    scene.call("fake", json!({})).await
}

#[tokio::test]
async fn the_declared_size_of_a_result_is_the_enforced_one() {
    for tool in tools().iter() {
        let (name, limits) = (&tool.contract().name, tool.contract().limits);
        let whole = result_within(limits, "x".repeat(limits.bytes)).await;
        assert_eq!(
            (whole.content.len(), whole.truncation),
            (limits.bytes, None),
            "{name}"
        );
        let cut = result_within(limits, "x".repeat(limits.bytes + 1)).await;
        let truncation = cut.truncation.expect("it says that it was cut");
        assert!(
            cut.content.len() <= limits.bytes,
            "{name}: {}",
            cut.content.len()
        );
        assert_eq!(truncation.total_bytes, limits.bytes + 1, "{name}");
        let Some(lines) = limits.lines else { continue };
        let whole = result_within(limits, "x\n".repeat(lines)).await;
        assert_eq!(
            (whole.content.lines().count(), whole.truncation),
            (lines, None),
            "{name}"
        );
        let cut = result_within(limits, "x\n".repeat(lines + 1)).await;
        let truncation = cut.truncation.expect("it says that it was cut");
        assert_eq!(
            (truncation.shown_lines, truncation.total_lines),
            (lines, lines + 1),
            "{name}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_declared_time_is_the_enforced_one() {
    for tool in tools().iter() {
        let (name, limits) = (&tool.contract().name, tool.contract().limits);
        for asked in [None, Some(Duration::from_secs(1_000_000))] {
            let fake = FakeTool::planning("fake", move |_, _| {
                let plan = run(vec![], |scope| async move {
                    scope.cancel.cancelled().await;
                    ToolResult::interrupted("")
                });
                Ok(Plan {
                    timeout: asked,
                    ..plan
                })
            });
            let scene = Scene::new();
            let fake = Arc::new(fake.with_limits(limits));
            scene.runtime.registry().register(fake).unwrap();
            let begun = tokio::time::Instant::now();
            let result = scene.call("fake", json!({})).await;
            let took = begun.elapsed().as_millis() as u64;
            assert_eq!(
                result.error.map(|error| error.kind),
                Some(ErrorKind::TimedOut),
                "{name}"
            );
            let declared = match asked {
                None => limits.default_timeout_ms,
                Some(_) => limits.maximum_timeout_ms,
            };
            // What planning takes counts; the clock of the test goes in steps of a millisecond.
            assert!(
                (declared.saturating_sub(1000)..=declared + 1).contains(&took),
                "{name}: {took}"
            );
        }
    }
}
