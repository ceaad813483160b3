//! What a person is shown who is to decide on a call: all that will really happen, told by the effects alone, with
//! nothing hidden in it. Decides nothing.

use std::path::{Path, PathBuf};

use super::decision::{Said, Step};
use super::facts::{Facts, is_inside};
use super::policy::Request;
use super::rule::{BASH, canonical_host};
use crate::command::{self, Part, Safety};
use crate::effect::{Command, Effect, Typed};
use crate::port::Permission;
use crate::sandbox::Profile;
use crate::unseen::visible;

mod typed;

/// As many characters of a command stand in a title; the details have all of it.
const TITLE: usize = 80;

/// What is said of a command that goes on when its call is over.
const BACKGROUND: &str =
    "Goes on in the background until it is stopped, or its session or the server ends";

/// What begins the names of MCP servers' tools.
const MCP: &str = "mcp__";

/// The question on a call, with the rules that would allow it from now on.
pub(super) fn build(
    request: &Request<'_>,
    facts: &Facts<'_>,
    steps: &[Step],
    rules: Vec<String>,
) -> Permission {
    let asked = steps.iter().filter(|step| step.said == Said::Ask);
    let doubts = facts.commands.iter().flat_map(|one| &one.analysis.doubts);
    let doubts = doubts.map(|doubt| format!("`{}` {}", doubt.text, doubt.why));
    let because = asked.map(Step::told).chain(doubts);
    let because = because.map(|reason| visible(&sentence(&reason))).collect();
    let mut details: Vec<String> = request.effects.iter().flat_map(detail).collect();
    // What the text of a command names besides: paths that lead elsewhere.
    let is_told = |path: &PathBuf| {
        let mut effects = request.effects.iter();
        effects.any(|effect| matches!(effect, Effect::Write(paths) if paths.contains(path)))
    };
    let untold = facts.writes.iter().filter(|path| !is_told(path));
    details.extend(untold.map(|path| path_line("Writes", path)));
    Permission {
        title: title(request, facts),
        details,
        because,
        rules,
        place: None,
    }
}

fn title(request: &Request<'_>, facts: &Facts<'_>) -> String {
    let tool = request.tool;
    if let Some(typed) = typed_into(request) {
        return typed::title(typed);
    }
    if let Some(one) = facts.commands.first() {
        return format!("Run {}", in_one_line(&one.command.line));
    }
    if let Some(host) = facts.hosts.first() {
        let more = more(facts.hosts.len());
        return format!("Let `{tool}` talk to `{}`{more}", visible(host));
    }
    let (verb, paths) = match (facts.writes.as_slice(), facts.reads.as_slice()) {
        ([], []) => return format!("Run `{tool}`"),
        ([], reads) => ("read", reads),
        (writes, _) => ("write", writes),
    };
    let path = visible(&paths[0].display().to_string());
    format!("Let `{tool}` {verb} `{path}`{}", more(paths.len()))
}

/// What is typed into a command that runs, if that is what the call does.
fn typed_into<'a>(request: &Request<'a>) -> Option<&'a Typed> {
    request.effects.iter().find_map(|effect| match effect {
        Effect::Process(command) => command.typed.as_deref(),
        _ => None,
    })
}

fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    }
}

/// The beginning of a command, with a mark behind it that says how much more there is.
fn in_one_line(line: &str) -> String {
    let line = line.trim();
    let first = line.lines().next().unwrap_or_default();
    let shown = visible(first);
    let cut: String = shown.chars().take(TITLE).collect();
    let missing = visible(line).chars().count() - cut.chars().count();
    match missing {
        0 => format!("`{cut}`"),
        missing => format!("`{cut}` … (+{missing} characters)"),
    }
}

fn detail(effect: &Effect) -> Vec<String> {
    let paths = |verb: &str, paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path_line(verb, path)).collect()
    };
    match effect {
        Effect::Read(read) => paths("Reads", read),
        Effect::Write(written) => paths("Writes", written),
        Effect::Process(command) => command_lines(command),
        Effect::Network(hosts) if hosts.is_empty() => vec!["Talks to the network".to_owned()],
        Effect::Network(hosts) => hosts
            .iter()
            .map(|host| format!("Talks to {}", visible(host)))
            .collect(),
        // The address alone can carry off what the model has read.
        Effect::Fetch { url, .. } => vec![format!("Fetches {}", visible(url))],
        Effect::GitIndex => vec!["Changes the repository".to_owned()],
        Effect::Workspace => vec!["May touch anything in the workspace".to_owned()],
    }
}

fn path_line(verb: &str, path: &Path) -> String {
    format!("{verb} {}", visible(&path.display().to_string()))
}

/// The whole command, then where and how it runs.
fn command_lines(command: &Command) -> Vec<String> {
    let mut lines = match &command.typed {
        Some(typed) => typed::lines(typed),
        None => marked("$ ", &command.line),
    };
    lines.push(format!(
        "In {}",
        visible(&command.workdir.display().to_string())
    ));
    lines.push(
        match command.sandbox {
            Profile::ReadOnly => "Sandbox: read_only (writes nothing but temporary files, no network)",
            Profile::WorkspaceWrite => {
                "Sandbox: workspace_write (writes in the workspace and temporary folders, no network)"
            }
            Profile::Off => "Sandbox: off (it may do what you may do)",
        }
        .to_owned(),
    );
    if command.background {
        lines.push(BACKGROUND.to_owned());
    }
    lines
}

/// A text line by line, with a mark before the first one.
fn marked(mark: &str, text: &str) -> Vec<String> {
    let lines = text.split('\n').enumerate();
    lines
        .map(|(index, line)| {
            let mark = if index == 0 { mark } else { "> " };
            format!("{mark}{}", visible(line))
        })
        .collect()
}

/// The rules that would allow the call as it is, one for each part of it that no rule in force allows; none if one of
/// them can have none.
pub(super) fn candidates(
    request: &Request<'_>,
    facts: &Facts<'_>,
    is_covered: impl Fn(&Part) -> bool,
) -> Option<Vec<String>> {
    let tool = request.tool;
    let mut rules: Vec<String> = Vec::new();
    if tool == BASH {
        let parts = facts.commands.iter().flat_map(|one| &one.analysis.parts);
        for part in parts.filter(|part| part.needs_rule && !is_covered(part)) {
            let pattern = command::rule_for(part)?;
            // A star that came out of the command would mean any text.
            if pattern.strip_suffix(":*").unwrap_or(&pattern).contains('*') {
                return None;
            }
            rules.push(format!("{BASH}({pattern})"));
        }
    } else if tool.starts_with(MCP) {
        rules.push(tool.to_owned());
    } else {
        for host in &facts.hosts {
            rules.push(format!("{tool}(domain:{})", canonical_host(host)?));
        }
    }
    let mut seen = std::collections::HashSet::new();
    rules.retain(|rule| seen.insert(rule.clone()));
    // What cannot be shown as it is cannot be agreed to.
    let is_plain = |rule: &String| visible(rule) == *rule;
    Some(rules).filter(|rules| !rules.is_empty() && rules.iter().all(is_plain))
}

/// Why a call is not known to do nothing but read, in a few words.
pub(super) fn why_unproven(facts: &Facts<'_>, roots: &[PathBuf]) -> String {
    for one in &facts.commands {
        if let Safety::Unproven { why } = &one.analysis.safety {
            return format!("not known to do nothing but read: {}", visible(why));
        }
    }
    match facts.reads.iter().find(|path| !is_inside(path, roots)) {
        Some(path) => format!(
            "it reads `{}`, outside the workspace",
            visible(&path.display().to_string())
        ),
        None => "not known to do nothing but read".to_owned(),
    }
}

/// The words as a sentence.
pub(super) fn sentence(reason: &str) -> String {
    let mut letters = reason.chars();
    let mut text: String = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string())
        .unwrap_or_default();
    text.push_str(letters.as_str());
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}
