//! Places in files as the answer of a call: grouped by file, each with its line. Knows no question.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::found::{Window, files, on_one_line};
use super::outline::counted;
use super::paged::Paged;
use super::pointed::{line_of, shown};
use crate::contract::CallScope;
use crate::guard::{Access, ResolvedPath};
use crate::permission::Unread;
use crate::port::{Location, QueryAnswer};
use crate::result::ToolResult;

/// What is told of the places.
pub(super) struct Telling {
    /// `definition`.
    pub(super) what: &'static str,
    pub(super) window: Window,
    /// The tool: rules may keep files from it.
    pub(super) tool: &'static str,
}

/// A place as it is shown.
struct Shown {
    /// Files of the workspace come first.
    is_outside: bool,
    display: String,
    line: usize,
    text: Option<String>,
}

impl Telling {
    /// The places of a symbol as a result.
    pub(super) fn tell(&self, scope: &CallScope, symbol: &str, answer: QueryAnswer) -> ToolResult {
        let lines = sorted(answer.locations, scope, &scope.unread(self.tool));
        let mut content = String::new();
        if lines.is_empty() {
            let _ = writeln!(
                content,
                "The editor's language servers know no {} of `{symbol}`.",
                self.what
            );
            return ToolResult::ok(content);
        }
        let mut names: Vec<&str> = lines.iter().map(|it| it.display.as_str()).collect();
        names.dedup();
        let _ = writeln!(
            content,
            "{} of `{symbol}` in {}",
            counted(lines.len(), self.what),
            files(names.len())
        );
        let paged = Paged {
            entries: &lines,
            window: self.window,
        };
        let truncation = paged.add_to(&mut content, |last, it| {
            let line = it.line.saturating_add(1);
            let line = format!("{line}: {}\n", it.text.as_deref().unwrap_or("…"));
            let outside = match it.is_outside {
                true => " (outside of the workspace)",
                false => "",
            };
            match last.is_some_and(|last| last.display == it.display) {
                true => line,
                false => format!("{}{outside}\n{line}", on_one_line(&it.display)),
            }
        });
        if answer.left_out > 0 {
            let _ = writeln!(
                content,
                "[the editor has {} more, which it was not asked for: search for the name with grep]",
                answer.left_out
            );
        }
        ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }
    }
}

/// The places by file and line, one for each line.
fn sorted(locations: Vec<Location>, scope: &CallScope, unread: &Unread) -> Vec<Shown> {
    let mut by_file: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let guard = scope.workspace.guard();
    for location in locations {
        let is_outside = guard.root_of(&location.path).is_none();
        let display = guard.display(&location.path);
        let file = by_file.entry((is_outside, display, location.path));
        file.or_default().push(location.line);
    }
    let mut shown = Vec::new();
    for ((is_outside, display, path), mut lines) in by_file {
        lines.sort_unstable();
        lines.dedup();
        let text = readable(&path, scope, unread);
        shown.extend(lines.into_iter().map(|line| Shown {
            is_outside,
            display: display.clone(),
            line,
            text: text.as_ref().map(|rope| match line < rope.len_lines() {
                true => self::shown(&line_of(rope, line)),
                false => String::new(),
            }),
        }));
    }
    shown
}

/// The text of a file that may be read without asking: a place in another one is told by its line alone.
fn readable(path: &Path, scope: &CallScope, unread: &Unread) -> Option<ropey::Rope> {
    let path: ResolvedPath = scope.workspace.resolve(path.to_str()?, Access::Read).ok()?;
    if unread.contains(&path.real) {
        return None;
    }
    let text = scope.workspace.find_text(&path).ok()??;
    Some(text.snapshot.rope().clone())
}
