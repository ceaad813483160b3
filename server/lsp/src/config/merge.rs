//! Puts the layers of the configuration together: values by key, lists that add up, rules, and what a workspace's files
//! would grant. Reads no file.

use std::collections::BTreeMap;
use std::path::Path;

use mewcode_tools::permission::{Action, Layer};
use mewcode_tools::unseen::visible;
use serde_json::{Map, Value};

use super::project::{Judgement, judge};
use super::rules::misunderstood;
use super::schema::{CheckedRule, RuleSetting, Settings};
use super::source::{ConfigError, Entry, Origin, Read, Rule};
use super::{defaults, keys};
use crate::trust::{Digest, Grant, Standing};

/// At most this many values of a list are named in a warning.
const MAX_NAMED: usize = 3;

/// All layers read so far.
#[derive(Default)]
pub struct Merge {
    values: BTreeMap<&'static str, Value>,
    origins: BTreeMap<&'static str, Origin>,
    lists: BTreeMap<&'static str, Vec<(Value, Origin)>>,
    rules: Vec<(Layer, Rule)>,
    grants: Vec<Grant>,
    warnings: Vec<String>,
}

/// The sum of the layers.
pub struct Merged {
    pub settings: Settings,
    pub origins: BTreeMap<&'static str, Origin>,
    pub lists: BTreeMap<&'static str, Vec<(Value, Origin)>>,
    pub rules: Vec<(Layer, Rule)>,
    pub grants: Vec<Grant>,
    pub warnings: Vec<String>,
}

/// A file of a workspace, whose grants are judged.
pub struct ProjectFile<'a> {
    /// Its name in the workspace, part of the digest of what it grants.
    pub name: &'static str,
    /// The layer of its rules.
    pub layer: Layer,
    /// The workspace.
    pub root: &'a Path,
    /// The user's home folder.
    pub home: Option<&'a Path>,
    /// How the workspace stands.
    pub standing: &'a Standing,
}

impl Merge {
    /// Something that was read and not taken, a sentence.
    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Takes all that a layer has.
    pub fn take(&mut self, layer: Layer, read: Read) {
        let Read { mut entries, rules } = read;
        // Who names a script wants it played, whatever a layer below says.
        let script = entries.iter().find(|entry| entry.key == "script");
        if let Some(script) =
            script.filter(|_| !entries.iter().any(|entry| entry.key == "provider"))
        {
            let origin = script.origin.clone();
            entries.push(Entry {
                key: "provider",
                value: Value::from("scripted"),
                origin,
            });
        }
        for entry in entries {
            if keys::key(entry.key).is_some_and(|key| key.is_list) {
                let list = self.lists.entry(entry.key).or_default();
                list.push((entry.value, entry.origin));
            } else {
                self.values.insert(entry.key, entry.value);
                self.origins.insert(entry.key, entry.origin);
            }
        }
        self.rules
            .extend(rules.into_iter().map(|rule| (layer, rule)));
    }

    /// Takes what a workspace's file may set, and notes what it would grant.
    pub fn take_project(&mut self, file: &ProjectFile<'_>, read: Read) {
        let mut taken = Read::default();
        let mut ignored = Ignored::default();
        let defaults = defaults();
        let own_provider = self
            .values
            .get("provider")
            .filter(|own| *own != "scripted")
            .cloned();
        for entry in read.entries {
            let below = match self.lists.get(entry.key) {
                // An item that is in the list already adds nothing.
                Some(items) => items.iter().find(|(item, _)| *item == entry.value),
                None => None,
            };
            let below = below
                .map(|(item, _)| item)
                .or_else(|| self.values.get(entry.key))
                .or_else(|| defaults.get(entry.key));
            let judgement = match (
                judge(entry.key, &entry.value, below, file.root),
                &own_provider,
            ) {
                // It means the provider `scripted`, and is as much as that.
                (Judgement::Free, Some(own)) if entry.key == "script" => {
                    judge("provider", &Value::from("scripted"), Some(own), file.root)
                }
                (judgement, _) => judgement,
            };
            match judgement {
                Judgement::Free => taken.entries.push(entry),
                Judgement::Never(reason) => self.warnings.push(format!(
                    "{}: `{}` is ignored: {reason}; set it in ~/.mewcode/config.yaml if you want it.",
                    entry.origin, entry.key
                )),
                Judgement::Grant { words } => {
                    let text = match &entry.value {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    if self.grant(file, entry.key, &text, &entry.origin, words.clone()) {
                        taken.entries.push(entry);
                    } else {
                        ignored.add(entry.key, &entry.origin, words);
                    }
                }
            }
        }
        for rule in read.rules {
            // It grants nothing, so there is nothing to trust.
            if let Some(fault) = misunderstood(&rule, file.layer, file.home) {
                self.warnings.push(fault);
                continue;
            }
            // What the user allows everywhere, a workspace may say again.
            let is_known = self.rules.iter().any(|(layer, own)| {
                (*layer, own.action) == (Layer::User, Action::Allow) && own.text == rule.text
            });
            let is_free = rule.action != Action::Allow || is_known;
            let words = || format!("allow `{}` without a question", visible(&rule.text));
            let key = rules_key(rule.action);
            if is_free || self.grant(file, key, &rule.text, &rule.origin, words()) {
                taken.rules.push(rule);
            } else {
                ignored.add(key, &rule.origin, words());
            }
        }
        self.warnings.extend(ignored.warnings(file.standing));
        self.take(file.layer, taken);
    }

    /// Notes a grant, and tells whether it is in force.
    fn grant(
        &mut self,
        file: &ProjectFile<'_>,
        key: &str,
        value: &str,
        origin: &Origin,
        words: String,
    ) -> bool {
        let digest = Digest::of(file.name, key, value);
        let grant = file
            .standing
            .grant(origin.to_string(), visible(&words), digest);
        let in_force = grant.in_force;
        self.grants.push(grant);
        in_force
    }

    /// The sum.
    pub fn finish(mut self) -> Result<Merged, ConfigError> {
        let mut all = defaults();
        all.append(&mut self.values);
        let mut object = Map::new();
        let lists = self.lists.iter().map(|(key, items)| {
            let items = items.iter().map(|(item, _)| item.clone());
            (*key, Value::Array(items.collect()))
        });
        for (key, value) in all.into_iter().chain(lists) {
            put(&mut object, key, value);
        }
        for action in [Action::Allow, Action::Ask, Action::Deny] {
            let rules = self.rules.iter().map(|(_, rule)| rule);
            let items: Vec<_> = rules
                .filter(|rule| rule.action == action)
                .map(setting)
                .collect();
            if !items.is_empty() {
                let items = serde_json::to_value(items).map_err(own_fault)?;
                put(&mut object, rules_key(action), items);
            }
        }
        // Each value was checked when its layer was read, so this can only fail by a fault of the schema's own.
        let settings = serde_json::from_value(Value::Object(object)).map_err(own_fault)?;
        Ok(Merged {
            settings,
            origins: self.origins,
            lists: self.lists,
            rules: self.rules,
            grants: self.grants,
            warnings: self.warnings,
        })
    }
}

/// What a workspace's file would grant and does not, by key: a sentence for a single value, one for a whole list.
#[derive(Default)]
struct Ignored(Vec<(&'static str, String, Vec<String>)>);

impl Ignored {
    fn add(&mut self, key: &'static str, origin: &Origin, words: String) {
        let is_list = keys::key(key).is_some_and(|key| key.is_list);
        match self.0.iter_mut().find(|(own, ..)| is_list && *own == key) {
            Some((_, _, all)) => all.push(words),
            None => self.0.push((key, origin.to_string(), vec![words])),
        }
    }

    fn warnings(self, standing: &Standing) -> impl Iterator<Item = String> {
        let until = match &standing.impossible {
            None => " until you trust the workspace (`mewcode trust`)".to_owned(),
            Some(reason) => format!(", for the workspace cannot be trusted ({reason})"),
        };
        self.0.into_iter().map(move |(key, place, words)| {
            let more = match words.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let words: Vec<_> = words
                .iter()
                .take(MAX_NAMED)
                .map(|words| visible(words))
                .collect();
            format!(
                "{place}: `{key}` is ignored{until}: it would {}{more}.",
                words.join(", ")
            )
        })
    }
}

fn setting(rule: &Rule) -> RuleSetting {
    if rule.matches.is_empty() && rule.not_matches.is_empty() {
        return RuleSetting::Text(rule.text.clone());
    }
    RuleSetting::Checked(CheckedRule {
        rule: rule.text.clone(),
        matches: rule.matches.clone(),
        not_matches: rule.not_matches.clone(),
    })
}

/// Puts a value at a dotted key.
fn put(object: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            object.insert(key.to_owned(), value);
        }
        Some((group, name)) => {
            let group = object
                .entry(group)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(group) = group {
                group.insert(name.to_owned(), value);
            }
        }
    }
}

/// The key whose list holds the rules that do this.
fn rules_key(action: Action) -> &'static str {
    match action {
        Action::Allow => "permissions.allow",
        Action::Ask => "permissions.ask",
        Action::Deny => "permissions.deny",
    }
}

fn own_fault(error: serde_json::Error) -> ConfigError {
    ConfigError::new("configuration", error.to_string())
}
