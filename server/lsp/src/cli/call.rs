//! `mewcode call`: one call of one tool, for people and scripts. Prints exactly one JSON result, or nothing.
//!
//! The caller decided by calling, so nothing is asked, not even before a file is read that may hold secrets, and no
//! earlier read is needed. The boundary of the workspace stands all the same, and so do rules that deny.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use mewcode_tools::builtin;
use mewcode_tools::names;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::port::Nobody;
use mewcode_tools::registry::Registry;
use mewcode_tools::result::{ErrorKind, ToolResult};
use mewcode_tools::runtime::Runtime;
use serde_json::{Map, Value};

use super::{FAILED, MISUSE, Misuse, RootArgument, by_hand, disk, layers, print_lines, runtime};
use crate::config::{self, Config, Settings};
use crate::host;

/// Arguments of `mewcode call`.
#[derive(Debug, Args)]
pub struct CallArguments {
    /// The tool's name.
    tool: String,
    /// The tool's arguments, as one JSON object; without it they are read from stdin.
    #[arg(value_name = "JSON")]
    arguments: Option<String>,
    #[command(flatten)]
    root: RootArgument,
}

/// Calls the tool.
pub fn run(arguments: CallArguments) -> Result<ExitCode, Misuse> {
    let registry = builtin::registry();
    if registry.get(&arguments.tool).is_none() {
        return Err(unknown(&arguments.tool, &registry));
    }
    let root = arguments.root.real()?;
    let given = match arguments.arguments {
        Some(text) => object("the argument", &text)?,
        None => object("stdin", &stdin()?)?,
    };
    let config = Config::load(&layers(&root, Settings::default()))?;
    let host = host::build(&config, Arc::new(Nobody))?;
    let workspace = Workspace::new(&[root], config::places(), Arc::new(disk()));
    let tools = Runtime::new(registry, workspace).with_host(host.clone());
    let result = runtime()?.block_on(async {
        let result = tools
            .call(&by_hand(), &arguments.tool, Value::Object(given))
            .await;
        // What was put into the background ends with the process.
        host.processes.end_all().await;
        result
    });
    print(&result)?;
    Ok(status(&result))
}

fn status(result: &ToolResult) -> ExitCode {
    match &result.error {
        _ if result.is_ok() => ExitCode::SUCCESS,
        Some(error) if error.kind == ErrorKind::InvalidArguments => ExitCode::from(MISUSE),
        _ => ExitCode::from(FAILED),
    }
}

fn print(result: &ToolResult) -> Result<(), Misuse> {
    let text = match std::io::stdout().is_terminal() {
        true => serde_json::to_string_pretty(result),
        false => serde_json::to_string(result),
    };
    let text = text
        .map_err(|error| Misuse::new(format!("the result cannot be written as JSON: {error}")))?;
    print_lines(&(text + "\n"));
    Ok(())
}

fn stdin() -> Result<String, Misuse> {
    // At a terminal nobody pipes anything in, and a tool may need no arguments.
    if std::io::stdin().is_terminal() {
        return Ok(String::new());
    }
    let mut text = String::new();
    match std::io::stdin().read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Misuse::new(format!(
            "the arguments cannot be read from stdin: {error}"
        ))),
    }
}

/// The arguments as an object; nothing at all stands for `{}`.
pub(super) fn object(place: &str, text: &str) -> Result<Map<String, Value>, Misuse> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => {
            let kind = match other {
                Value::Array(_) => "a list",
                Value::String(_) => "a string",
                Value::Number(_) => "a number",
                Value::Bool(_) => "a truth value",
                Value::Null | Value::Object(_) => "null",
            };
            Err(Misuse::new(format!(
                "{place} must be one JSON object of arguments, not {kind}"
            )))
        }
        Err(error) => Err(Misuse::new(format!(
            "{place} is not one JSON object: {error}"
        ))),
    }
}

pub(super) fn unknown(name: &str, registry: &Registry) -> Misuse {
    let tools = registry.snapshot();
    let all: Vec<_> = tools
        .iter()
        .map(|tool| tool.contract().name.as_str())
        .collect();
    Misuse::new(match names::close(name, all.iter().copied()).as_slice() {
        [] => format!(
            "there is no tool `{name}`; the tools are {}",
            all.join(", ")
        ),
        near => format!(
            "there is no tool `{name}`; did you mean {}?",
            names::either(near)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        object("stdin", text).unwrap_err().0
    }

    #[test]
    fn arguments_are_one_object() {
        assert_eq!(object("stdin", " \n").unwrap(), Map::new());
        assert_eq!(object("stdin", "{\"a\": 1}\n").unwrap().len(), 1);
        insta::assert_snapshot!(refused("[1]"), @"stdin must be one JSON object of arguments, not a list");
        insta::assert_snapshot!(refused("null"), @"stdin must be one JSON object of arguments, not null");
        insta::assert_snapshot!(refused("{\"a\": 1} {}"), @"stdin is not one JSON object: trailing characters at line 1 column 10");
        insta::assert_snapshot!(refused("{\n\"a\": }"), @"stdin is not one JSON object: expected value at line 2 column 6");
    }

    #[test]
    fn an_unknown_tool_is_answered_with_names() {
        let registry = builtin::registry();
        insta::assert_snapshot!(unknown("ReadFile", &registry).0, @"there is no tool `ReadFile`; did you mean `read_file`?");
        insta::assert_snapshot!(unknown("launch_missiles", &registry).0, @"there is no tool `launch_missiles`; the tools are read_file, edit_file, write_file, apply_patch, glob, grep, find_symbol, outline, bash, process_output, process_input, process_stop, process_list, web_fetch, update_plan, ask_user");
    }
}
