//! The names of tools in rules: ours, Claude Code's, those of MCP servers, and which pattern goes with which. The one
//! list of them.

use std::fmt;

use super::Fault;

pub(in crate::permission) const BASH: &str = "bash";
pub(super) const EDIT: &str = "edit_file";
pub(super) const READ: &str = "read_file";
pub(super) const FETCH: &str = "web_fetch";

/// Claude Code's names, and ours.
const CLAUDE: &[(&str, &str)] = &[
    ("Read", READ),
    ("Edit", EDIT),
    ("MultiEdit", EDIT),
    ("NotebookEdit", EDIT),
    ("Write", "write_file"),
    ("Bash", BASH),
    ("BashOutput", "process_output"),
    ("KillShell", "process_stop"),
    ("KillBash", "process_stop"),
    ("WebFetch", FETCH),
    ("Glob", "glob"),
    ("LS", "glob"),
    ("Grep", "grep"),
    ("TodoWrite", "update_plan"),
    ("AskUserQuestion", "ask_user"),
    ("Task", "agent"),
    ("Skill", "load_skill"),
];

/// Tools whose patterns are paths.
const OF_PATHS: &[&str] = &[
    READ,
    EDIT,
    "write_file",
    "apply_patch",
    "glob",
    "grep",
    "find_symbol",
    "outline",
    "diagnostics",
    "definition",
    "references",
    "hover",
    "rename_symbol",
];

/// Tools that a name stands for besides the one of that name.
const FAMILIES: &[(&str, &[&str])] = &[
    (EDIT, &["write_file", "apply_patch", "rename_symbol"]),
    (
        READ,
        &[
            "grep",
            "find_symbol",
            "outline",
            "diagnostics",
            "definition",
            "references",
            "hover",
        ],
    ),
];

/// What begins the names of MCP servers' tools.
const MCP: &str = "mcp__";

/// What the pattern of a tool is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Commands,
    Paths,
    Hosts,
    /// The tool takes no pattern.
    Nothing,
    /// The tool is none of ours.
    Unknown,
}

/// The names in front of a rule's pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names(Vec<Name>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    /// Characters from 1 in the rule.
    column: usize,
    written: String,
    /// Ours.
    meant: String,
}

impl Names {
    /// Reads `tool`, `tool|tool`, `mcp__server__*`.
    pub(super) fn read(text: &str) -> Result<Names, Fault> {
        let mut names = Vec::new();
        let mut column = 1;
        for part in text.split('|') {
            let blank = part
                .chars()
                .take_while(|letter| letter.is_whitespace())
                .count();
            names.push(Name::read(part.trim(), column + blank)?);
            column += part.chars().count() + 1;
        }
        Ok(Names(names))
    }

    /// Whether one of them is this very name.
    pub(super) fn have(&self, tool: &str) -> bool {
        self.0.iter().any(|name| name.matches(tool))
    }

    /// Whether they stand for this tool.
    pub(super) fn cover(&self, tool: &str) -> bool {
        self.have(tool)
            || FAMILIES
                .iter()
                .any(|(head, members)| members.contains(&tool) && self.have(head))
    }

    /// What a pattern behind them is about: the same for all of them.
    pub(super) fn kind(&self) -> Result<Kind, Fault> {
        let mut kinds = self.0.iter().map(Name::kind);
        // There is one name at least: text split at a character has one part at least.
        let first = kinds.next().unwrap_or(Kind::Unknown);
        match self.0.iter().find(|name| name.kind() != first) {
            None => Ok(first),
            Some(odd) => Err(Fault::at(
                odd.column,
                format!(
                    "`{}` takes another kind of pattern than `{}`; write two rules",
                    odd.written, self.0[0].written
                ),
            )),
        }
    }

    /// Those that match no tool, with their columns. Of an MCP server's tools nobody knows beforehand.
    pub(super) fn unmatched<'a>(
        &'a self,
        known: &'a [&str],
    ) -> impl Iterator<Item = (usize, &'a str)> {
        let unmatched = |name: &&Name| {
            !name.meant.starts_with(MCP) && !known.iter().any(|tool| name.matches(tool))
        };
        let names = self.0.iter().filter(unmatched);
        names.map(|name| (name.column, name.written.as_str()))
    }
}

impl Name {
    fn read(text: &str, column: usize) -> Result<Name, Fault> {
        if text.is_empty() {
            return Err(Fault::at(column, "the name of a tool is expected"));
        }
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-*".contains(letter);
        if let Some(place) = text.chars().position(|letter| !allowed(letter)) {
            let odd = text.chars().nth(place).unwrap_or_default();
            return Err(Fault::at(
                column + place,
                format!(
                    "`{}` is in no tool's name; a rule is `tool` or `tool(pattern)`",
                    odd.escape_debug()
                ),
            ));
        }
        let ours = CLAUDE.iter().find(|(theirs, _)| *theirs == text);
        Ok(Name {
            column,
            written: text.to_owned(),
            meant: ours.map_or(text, |(_, ours)| ours).to_owned(),
        })
    }

    fn matches(&self, tool: &str) -> bool {
        if self.meant == tool {
            return true;
        }
        // All tools of a server.
        let is_server = self.meant.starts_with(MCP) && !self.meant[MCP.len()..].contains("__");
        if is_server && !self.meant.contains('*') {
            return tool
                .strip_prefix(self.meant.as_str())
                .is_some_and(|rest| rest.starts_with("__"));
        }
        self.meant.contains('*') && matches_with_stars(&self.meant, tool)
    }

    fn kind(&self) -> Kind {
        match self.meant.as_str() {
            BASH => Kind::Commands,
            FETCH => Kind::Hosts,
            name if OF_PATHS.contains(&name) => Kind::Paths,
            name if name.contains('*') || name.starts_with(MCP) => Kind::Nothing,
            name if CLAUDE.iter().any(|(_, ours)| *ours == name) => Kind::Nothing,
            _ => Kind::Unknown,
        }
    }
}

/// Whether the text is the pattern, in which each `*` stands for any text.
fn matches_with_stars(pattern: &str, text: &str) -> bool {
    super::command::matches_pieces(
        &pattern.split('*').map(str::to_owned).collect::<Vec<_>>(),
        text,
    )
}

impl fmt::Display for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "|" };
            write!(formatter, "{separator}{}", name.written)?;
        }
        Ok(())
    }
}
