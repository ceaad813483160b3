//! Reads one layer of the configuration: entries (a key of the schema, its checked value, and where it was set) and
//! rules.
//!
//! Every fault is one sentence that begins with the place: a file and line, a key path, or a flag. Knows nothing of
//! what another layer says.

use std::fmt;
use std::path::{Path, PathBuf};

use mewcode_tools::names;
use mewcode_tools::permission::Action;
use serde_json::Value;

use super::check::{self, kind};
use super::file;
use super::keys::{self, Key};
use super::schema::Settings;
use super::tree::{Content, Member, Node, Place};

/// Where a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: the default stands.
    Default,
    /// A file, at this line (from 1).
    File {
        /// The file.
        path: PathBuf,
        /// The line of the key, or of the item of a list.
        line: u64,
        /// The column in characters, from 1, where the line alone does not tell what is meant.
        column: Option<u64>,
    },
    /// The editor's `initializationOptions`.
    InitializationOptions,
    /// A flag of the command line.
    CommandLine,
}

impl Origin {
    /// The very place of a key, or of an item (`permissions.allow[2]`): what an error begins with.
    pub fn place(&self, key: &str) -> String {
        match self {
            Origin::Default => "configuration".to_owned(),
            Origin::File {
                path,
                line,
                column: Some(column),
            } => format!("{}:{line}:{column}", path.display()),
            Origin::File { .. } => self.to_string(),
            Origin::InitializationOptions => format!("initializationOptions.{key}"),
            Origin::CommandLine => {
                let name = key.rsplit('.').next().unwrap_or(key);
                let name = name.split('[').next().unwrap_or(name);
                format!("--{}", name.replace('_', "-"))
            }
        }
    }
}

/// Displays as "default", "FILE:LINE", "initializationOptions" or "command line".
impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::File { path, line, .. } => write!(formatter, "{}:{line}", path.display()),
            Origin::InitializationOptions => formatter.write_str("initializationOptions"),
            Origin::CommandLine => formatter.write_str("command line"),
        }
    }
}

/// A fault of the configuration, displayed as one sentence that begins with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// "FILE:LINE:COLUMN", "FILE:LINE", "FILE", "initializationOptions.KEY" or "--FLAG".
    pub place: String,
    /// What is wrong there, and what would be right.
    pub message: String,
}

impl ConfigError {
    pub(super) fn new(place: impl fmt::Display, message: impl Into<String>) -> Self {
        ConfigError {
            place: place.to_string(),
            message: message.into(),
        }
    }
}

/// One key that a layer sets, or one item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A key of the schema.
    pub key: &'static str,
    /// Its value or the item, which the schema takes.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
}

/// One rule that a layer has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it does.
    pub action: Action,
    /// The rule as it is written.
    pub text: String,
    /// Examples that it must match.
    pub matches: Vec<String>,
    /// Examples that it must not match.
    pub not_matches: Vec<String>,
    /// Where it is written; the column is that of the first character of its text, if the text stands there as it is.
    pub origin: Origin,
    /// Its key path: `permissions.allow[2]`.
    pub path: String,
    /// Whether the column is that of the text's first character.
    pub exact: bool,
    /// Whether it was written for another program.
    pub is_foreign: bool,
}

/// What a layer has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The settings, in the order of the text.
    pub entries: Vec<Entry>,
    /// The rules, in the order of the text.
    pub rules: Vec<Rule>,
}

/// What a YAML file has. `None`: there is no such file.
pub fn read_file(path: &Path) -> Result<Option<Read>, ConfigError> {
    let Some(text) = file::read_text(path)? else {
        return Ok(None);
    };
    let mut reader = Reader::new(Text::File { path, text: &text });
    match file::parse(path, &text)? {
        None => {}
        Some(tree) => match &tree.content {
            Content::Mapping(members) => reader.members(None, members)?,
            // A document of nothing but `---`.
            Content::Scalar(Value::Null) => {}
            _ => return Err(file::not_a_mapping(path, &tree)),
        },
    }
    Ok(Some(reader.read))
}

/// What the editor's `initializationOptions` have. An empty array is an empty object: it is how Lua writes one.
pub fn read_options(options: &Value) -> Result<Read, ConfigError> {
    let mut reader = Reader::new(Text::Options);
    match &Node::from(options).content {
        Content::Scalar(Value::Null) => {}
        Content::List(items) if items.is_empty() => {}
        Content::Mapping(members) => reader.members(None, members)?,
        _ => {
            let message = format!("must be an object of settings, not {}", kind(options));
            return Err(ConfigError::new("initializationOptions", message));
        }
    }
    Ok(reader.read)
}

/// What was given on the command line.
pub fn read_command_line(settings: &Settings) -> Result<Read, ConfigError> {
    let mut reader = Reader::new(Text::CommandLine);
    if let Ok(value @ Value::Object(_)) = serde_json::to_value(settings)
        && let Content::Mapping(members) = &Node::from(&value).content
    {
        reader.members(None, members)?;
    }
    Ok(reader.read)
}

/// Where the tree that is read comes from.
#[derive(Clone, Copy)]
enum Text<'a> {
    File { path: &'a Path, text: &'a str },
    Options,
    CommandLine,
}

struct Reader<'a> {
    text: Text<'a>,
    is_foreign: bool,
    read: Read,
}

impl<'a> Reader<'a> {
    fn new(text: Text<'a>) -> Reader<'a> {
        Reader {
            text,
            is_foreign: false,
            read: Read::default(),
        }
    }

    /// At the top a line has one key, so its line says it all.
    fn origin(&self, place: Option<Place>, is_nested: bool) -> Origin {
        match (self.text, place) {
            (Text::CommandLine, _) => Origin::CommandLine,
            (Text::File { path, .. }, place) => Origin::File {
                path: path.to_owned(),
                line: place.map_or(1, |place| place.line),
                column: place.filter(|_| is_nested).map(|place| place.column),
            },
            (Text::Options, _) => Origin::InitializationOptions,
        }
    }

    fn fault(&self, place: Option<Place>, key: &str, message: impl Into<String>) -> ConfigError {
        let is_nested = key.contains(['.', '[']);
        ConfigError::new(self.origin(place, is_nested).place(key), message)
    }

    fn members(&mut self, group: Option<&str>, members: &[Member]) -> Result<(), ConfigError> {
        for member in members {
            let path = match group {
                Some(group) => format!("{group}.{}", member.key),
                None => member.key.clone(),
            };
            let is_group = group.is_none() && keys::groups().iter().any(|own| own.name == path);
            let known = keys::key(&path).filter(|key| key.parts().0 == group);
            if known.is_none() && !is_group {
                let message = unknown_key(group, &member.key);
                return Err(self.fault(member.place, &path, message));
            }
            // An empty value is a key that was left open, as in an example that was copied.
            if member.node.is_null() {
                continue;
            }
            match known {
                Some(key) => self.value(key, member)?,
                None => self.group(&path, member)?,
            }
        }
        Ok(())
    }

    fn group(&mut self, name: &str, member: &Member) -> Result<(), ConfigError> {
        match &member.node.content {
            Content::Mapping(members) => self.members(Some(name), members),
            // How Lua writes an empty mapping.
            Content::List(items) if items.is_empty() && matches!(self.text, Text::Options) => {
                Ok(())
            }
            _ => {
                let names = keys::names(Some(name));
                let message = format!(
                    "`{name}` must be a mapping with the keys {}, not {}",
                    names.join(", "),
                    kind(&member.node.value())
                );
                Err(self.fault(member.place, name, message))
            }
        }
    }

    fn value(&mut self, key: &'static Key, member: &Member) -> Result<(), ConfigError> {
        let value = member.node.value();
        let is_nested = key.parts().0.is_some();
        if !key.is_list {
            check::value(key, &value)
                .map_err(|message| self.fault(member.place, &key.name, message))?;
            self.read.entries.push(Entry {
                key: &key.name,
                value,
                origin: self.origin(member.place, is_nested),
            });
            return Ok(());
        }
        let Content::List(items) = &member.node.content else {
            let message = format!("`{}` must be {}, not {}", key.name, key.takes, kind(&value));
            return Err(self.fault(member.place, &key.name, message));
        };
        for (index, item) in items.iter().enumerate() {
            let path = format!("{}[{index}]", key.name);
            match action(&key.name) {
                Some(action) => {
                    let rule = self.rule(action, path, item)?;
                    self.read.rules.push(rule);
                }
                None => {
                    let value = item.value();
                    check::item(key, &value)
                        .map_err(|message| self.fault(item.place, &path, message))?;
                    self.read.entries.push(Entry {
                        key: &key.name,
                        value,
                        origin: self.origin(item.place, true),
                    });
                }
            }
        }
        Ok(())
    }

    fn rule(&self, action: Action, path: String, item: &Node) -> Result<Rule, ConfigError> {
        let Content::Mapping(members) = &item.content else {
            return self.rule_of(action, path, item, Vec::new(), Vec::new());
        };
        let (mut rule, mut matches, mut not_matches) = (None, Vec::new(), Vec::new());
        for member in members {
            let path = format!("{path}.{}", member.key);
            match member.key.as_str() {
                "rule" => rule = Some((path, &member.node)),
                "match" => matches = self.examples(&path, member)?,
                "not_match" => not_matches = self.examples(&path, member)?,
                other => {
                    let known = ["rule", "match", "not_match"];
                    let message = match names::close(other, known).as_slice() {
                        [] => format!(
                            "unknown key `{other}` in a rule; the keys are {}",
                            known.join(", ")
                        ),
                        near => format!(
                            "unknown key `{other}` in a rule; did you mean {}?",
                            names::either(near)
                        ),
                    };
                    return Err(self.fault(member.place, &path, message));
                }
            }
        }
        match rule {
            Some((path, node)) => self.rule_of(action, path, node, matches, not_matches),
            None => Err(self.fault(
                item.place,
                &path,
                "a rule with examples needs the key `rule`",
            )),
        }
    }

    fn rule_of(
        &self,
        action: Action,
        path: String,
        node: &Node,
        matches: Vec<String>,
        not_matches: Vec<String>,
    ) -> Result<Rule, ConfigError> {
        let text = match &node.content {
            Content::Scalar(Value::String(text)) if !text.trim().is_empty() => text.clone(),
            _ => {
                let message = format!(
                    "a rule must be a text like `bash(cargo test:*)`, not {}",
                    kind(&node.value())
                );
                return Err(self.fault(node.place, &path, message));
            }
        };
        let mut place = node.place;
        let column = match (self.text, &mut place) {
            (Text::File { text: source, .. }, Some(place)) => place.text_column(source, &text),
            _ => None,
        };
        if let (Some(place), Some(column)) = (&mut place, column) {
            place.column = column;
        }
        Ok(Rule {
            action,
            text,
            matches,
            not_matches,
            origin: self.origin(place, true),
            path,
            exact: column.is_some(),
            is_foreign: self.is_foreign,
        })
    }

    fn examples(&self, path: &str, member: &Member) -> Result<Vec<String>, ConfigError> {
        let Content::List(items) = &member.node.content else {
            let message = format!(
                "`{}` must be a list of texts, not {}",
                member.key,
                kind(&member.node.value())
            );
            return Err(self.fault(member.node.place, path, message));
        };
        items
            .iter()
            .map(|item| match &item.content {
                Content::Scalar(Value::String(text)) => Ok(text.clone()),
                _ => {
                    let message = format!("an example must be a text, not {}", kind(&item.value()));
                    Err(self.fault(item.place, path, message))
                }
            })
            .collect()
    }
}

fn action(key: &str) -> Option<Action> {
    match key {
        "permissions.allow" => Some(Action::Allow),
        "permissions.ask" => Some(Action::Ask),
        "permissions.deny" => Some(Action::Deny),
        _ => None,
    }
}

/// What Claude Code's settings file has: its rules alone. `None`: there is no such file.
///
/// Whatever is wrong with its `ask` and `deny` is a fault, for a rule that is not understood must not be one that does not
/// count. What is wrong with its `allow` is told, and allows nothing.
pub fn read_claude(path: &Path) -> Result<Option<(Read, Vec<String>)>, ConfigError> {
    let Some(text) = file::read_text(path)? else {
        return Ok(None);
    };
    let mut reader = Reader::new(Text::File { path, text: &text });
    reader.is_foreign = true;
    let mut warnings = Vec::new();
    let tree = file::parse(path, &text)?;
    let permissions = match &tree {
        None => None,
        Some(tree) => match &tree.content {
            Content::Mapping(_) => tree.member("permissions"),
            _ => return Err(file::not_a_mapping(path, tree)),
        },
    };
    let Some(permissions) = permissions.filter(|member| !member.node.is_null()) else {
        return Ok(Some((reader.read, warnings)));
    };
    if !matches!(permissions.node.content, Content::Mapping(_)) {
        let message = format!(
            "`permissions` must be a mapping, not {}",
            kind(&permissions.node.value())
        );
        return Err(reader.fault(permissions.place, "permissions", message));
    }
    for name in ["permissions.allow", "permissions.ask", "permissions.deny"] {
        let (_, own) = name.split_once('.').unwrap_or_default();
        let Some(key) = keys::key(name) else { continue };
        let Some(member) = permissions.node.member(own) else {
            continue;
        };
        if member.node.is_null() {
            continue;
        }
        match reader.value(key, member) {
            Err(fault) if own == "allow" => warnings.push(format!("{fault}; it is ignored.")),
            read => read?,
        }
    }
    Ok(Some((reader.read, warnings)))
}

fn unknown_key(group: Option<&str>, key: &str) -> String {
    if key == "api_key" {
        return "a key does not belong in a configuration; name where it is with `api_key_env` or `api_key_command`"
            .to_owned();
    }
    let names = keys::names(group);
    let place = group.map_or_else(String::new, |group| format!(" in `{group}`"));
    match names::close(key, names.iter().copied()).as_slice() {
        [] => format!(
            "unknown key `{key}`{place}; the keys are {}",
            names.join(", ")
        ),
        near => format!(
            "unknown key `{key}`{place}; did you mean {}?",
            names::either(near)
        ),
    }
}
