//! `mewcode tools`: what a model can call, each with its description, schema and contract.

use std::process::ExitCode;

use clap::Args;
use mewcode_tools::builtin;
use mewcode_tools::contract::ToolContract;
use serde_json::Value;

use super::terminal::{Style, Terminal};
use super::{Misuse, print_lines};

/// Arguments of `mewcode tools`.
#[derive(Debug, Args)]
pub struct ToolsArguments {
    /// Print one JSON array, for programs.
    #[arg(long)]
    json: bool,
}

/// Prints the tools in the order in which a model gets them.
pub fn run(arguments: &ToolsArguments) -> Result<ExitCode, Misuse> {
    let tools = builtin::registry().snapshot();
    let contracts: Vec<&ToolContract> = tools.iter().map(|tool| tool.contract()).collect();
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&contracts).map_err(Misuse::new)? + "\n",
        false => contracts
            .iter()
            .map(|contract| page(contract, Terminal::stdout()))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    print_lines(&text);
    Ok(ExitCode::SUCCESS)
}

fn page(contract: &ToolContract, terminal: Terminal) -> String {
    let value = serde_json::to_value(contract).unwrap_or_default();
    let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let effects: Vec<_> = value["effect_bound"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let limits = &contract.limits;
    let lines = limits
        .lines
        .map(|lines| format!(", {lines} lines"))
        .unwrap_or_default();
    let facts = format!(
        "effects: {} · repeating: {} · risk: {} · recovery: {} · at most {} bytes{lines}, {} ms · version {}",
        effects.join(", "),
        word("idempotency"),
        word("risk"),
        word("recovery"),
        limits.bytes,
        limits.maximum_timeout_ms,
        contract.version,
    );
    let schema = serde_json::to_string_pretty(contract.parameters.schema()).unwrap_or_default();
    format!(
        "{}\n{}\n\n{}\n\n{}\n",
        terminal.paint(Style::Title, &contract.name),
        terminal.paint(Style::Faint, &facts),
        contract.description.trim(),
        indented(&schema)
    )
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
