//! The rules of all layers as the policy takes them: parsed, with their examples, before anything relies on them.
//!
//! A rule of the user's own that is wrong refuses the whole configuration, and so does a `deny` or an `ask` of anybody:
//! one that is not understood must not be one that does not count.

use std::collections::BTreeMap;
use std::path::Path;

use mewcode_tools::builtin;
use mewcode_tools::permission::{Action, Layer, Policy, PolicySettings, RuleError, RuleSource};
use serde_json::Value;

use super::source::{ConfigError, Origin, Rule};

/// The rules, all of which a policy takes. What they say about tools that do not exist is told.
pub fn checked(
    rules: Vec<(Layer, Rule)>,
    lists: &BTreeMap<&'static str, Vec<(Value, Origin)>>,
    home: Option<&Path>,
    warnings: &mut Vec<String>,
) -> Result<Vec<RuleSource>, ConfigError> {
    let sensitive = lists
        .get("sensitive")
        .map(Vec::as_slice)
        .unwrap_or_default();
    let sources: Vec<_> = rules
        .iter()
        .map(|(layer, rule)| source(*layer, rule))
        .collect();
    let settings = PolicySettings {
        rules: sources.clone(),
        sensitive: sensitive
            .iter()
            .filter_map(|(pattern, _)| Some(pattern.as_str()?.to_owned()))
            .collect(),
        home: home.map(Path::to_owned),
        ..PolicySettings::default()
    };
    let Err(errors) = Policy::new(settings) else {
        warn(&rules, &sources, warnings);
        return Ok(sources);
    };
    let Some(error) = errors.first() else {
        return Err(ConfigError::new("configuration", "the rules are not taken"));
    };
    Err(match error.index.and_then(|index| rules.get(index)) {
        Some((_, rule)) => fault(rule, error),
        None => pattern_fault(sensitive, error),
    })
}

/// Why a rule of Claude Code's own is ignored: one that allows and is not understood, for it may know rules that we
/// don't.
pub fn misunderstood(rule: &Rule, layer: Layer, home: Option<&Path>) -> Option<String> {
    if !rule.is_foreign || rule.action != Action::Allow {
        return None;
    }
    let settings = PolicySettings {
        rules: vec![source(layer, rule)],
        home: home.map(Path::to_owned),
        ..PolicySettings::default()
    };
    let errors = Policy::new(settings).err()?;
    let error = errors.first()?;
    Some(format!("{}; it is ignored.", fault(rule, error)))
}

fn source(layer: Layer, rule: &Rule) -> RuleSource {
    RuleSource {
        layer,
        action: rule.action,
        text: rule.text.clone(),
        place: rule.place(),
        matches: rule.matches.clone(),
        not_matches: rule.not_matches.clone(),
    }
}

fn warn(rules: &[(Layer, Rule)], sources: &[RuleSource], warnings: &mut Vec<String>) {
    let tools = builtin::registry_with_servers().snapshot();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool.contract().name.as_str())
        .collect();
    for warning in mewcode_tools::permission::warnings(sources, &names) {
        let place = rules
            .get(warning.index)
            .map_or(warning.place, |(_, rule)| rule.fault_place(warning.column));
        warnings.push(format!(
            "{place}: in the rule `{}`: {}",
            warning.text, warning.message
        ));
    }
}

fn fault(rule: &Rule, error: &RuleError) -> ConfigError {
    let at = match rule.exact {
        true => String::new(),
        false => format!(" at its character {}", error.column),
    };
    ConfigError {
        place: rule.fault_place(error.column),
        message: format!("the rule `{}` is wrong{at}: {}", rule.text, error.message),
    }
}

fn pattern_fault(sensitive: &[(Value, Origin)], error: &RuleError) -> ConfigError {
    let item = sensitive
        .iter()
        .find(|(pattern, _)| pattern.as_str() == Some(&error.text));
    ConfigError {
        place: match item {
            Some((_, origin)) => origin.place("sensitive"),
            None => error.place.clone(),
        },
        message: format!("the pattern `{}` is wrong: {}", error.text, error.message),
    }
}

impl Rule {
    /// Where it is written, as people look it up.
    fn place(&self) -> String {
        match &self.origin {
            file @ Origin::File { .. } => file.to_string(),
            origin => origin.place(&self.path),
        }
    }

    /// The place of a character of its text (from 1), as exactly as it is known.
    fn fault_place(&self, character: usize) -> String {
        match &self.origin {
            Origin::File {
                path,
                line,
                column: Some(column),
            } if self.exact => Origin::File {
                path: path.clone(),
                line: *line,
                column: Some(column + character.saturating_sub(1) as u64),
            }
            .place(&self.path),
            origin => origin.place(&self.path),
        }
    }
}
