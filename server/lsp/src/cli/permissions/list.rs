//! `mewcode permissions list`: the rules of all layers with their places, and what is not in force and why.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use mewcode_tools::permission::{Layer, RuleSource};
use serde_json::json;

use super::super::terminal::{Style, Terminal, printable};
use super::super::{Misuse, RootArgument, layers, print_lines};
use crate::config::{Config, Settings};
use crate::trust::TrustState;

/// Arguments of `mewcode permissions list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Print one JSON object, for programs.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgument,
}

/// Lists.
pub fn run(arguments: &ListArguments) -> Result<ExitCode, Misuse> {
    let root = arguments.root.real()?;
    let config = Config::load(&layers(&root, Settings::default()))?;
    print_lines(&match arguments.json {
        true => to_json(&config)? + "\n",
        false => page(&config, Terminal::stdout()),
    });
    Ok(ExitCode::SUCCESS)
}

/// The layers that a configuration has, the nearest first.
const LAYERS: [(Layer, &str); 3] = [
    (Layer::Local, "Your own for this workspace"),
    (Layer::Project, "The workspace's"),
    (Layer::User, "Yours"),
];

fn page(config: &Config, terminal: Terminal) -> String {
    let rules = config.policy().rules;
    let width = rules.iter().map(|rule| shown(rule).chars().count()).max();
    let width = width.unwrap_or(0).min(60);
    let mut text = String::new();
    for (layer, title) in LAYERS {
        let mut own: Vec<_> = rules.iter().filter(|rule| rule.layer == layer).collect();
        // As they are looked at: what denies first.
        own.sort_by_key(|rule| std::cmp::Reverse(rule.action));
        if own.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", terminal.paint(Style::Title, title));
        for rule in own {
            let action = rule.action.as_str();
            let place = terminal.paint(Style::Faint, &printable(&rule.place));
            let rule = shown(rule);
            let _ = writeln!(text, "  {action:<5} {rule:<width$}  {place}");
        }
    }
    if text.is_empty() {
        text += "There are no rules; the mode alone decides.\n";
    }
    let ignored: Vec<_> = config
        .grants
        .iter()
        .filter(|grant| !grant.in_force)
        .collect();
    if !ignored.is_empty() {
        let title = why_not(&config.trust_state());
        let _ = writeln!(text, "{}", terminal.paint(Style::Title, &printable(&title)));
        for grant in ignored {
            let place = terminal.paint(Style::Faint, &printable(&grant.place));
            let _ = writeln!(text, "  {}  {place}", printable(&grant.words));
        }
    }
    text
}

fn shown(rule: &RuleSource) -> String {
    printable(&rule.text).into_owned()
}

/// Why what follows is not in force.
fn why_not(state: &TrustState) -> String {
    match state {
        TrustState::Impossible(reason) => {
            format!(
                "Never in force, for the workspace cannot be trusted ({reason}); its files would"
            )
        }
        TrustState::Changed => {
            "Not in force until it is trusted too (`mewcode trust`); the workspace's files would"
                .to_owned()
        }
        _ => "Not in force until the workspace is trusted (`mewcode trust`); its files would"
            .to_owned(),
    }
}

fn to_json(config: &Config) -> Result<String, Misuse> {
    let state = config.trust_state();
    let ignored = config.grants.iter().filter(|grant| !grant.in_force);
    let value = json!({
        "rules": config.policy().rules,
        "trust": state.as_str(),
        "trusted": state.is_trusted(),
        "not_in_force": ignored
            .map(|grant| json!({ "place": grant.place, "would": grant.words }))
            .collect::<Vec<_>>(),
        "warnings": config.warnings,
    });
    serde_json::to_string_pretty(&value).map_err(Misuse::new)
}
