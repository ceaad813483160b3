//! Places in files as the answer of a call: grouped by file, each with its line. Knows no question.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::asked::MAX_BYTES;
use super::found::{Window, files, on_one_line};
use super::pointed::{line_of, shown};
use crate::contract::CallScope;
use crate::guard::{Access, ResolvedPath};
use crate::permission::Unread;
use crate::port::{Location, QueryAnswer};
use crate::result::{Rest, ToolResult, Truncation};

/// Room for the first and the last lines of the answer.
const FRAME_BYTES: usize = 1024;

/// What is told of the places.
pub(super) struct Telling<'a> {
    /// `definition`.
    pub(super) what: &'a str,
    /// What the places are of.
    pub(super) symbol: &'a str,
    pub(super) window: Window,
    /// The tool: rules may keep files from it.
    pub(super) tool: &'a str,
}

/// A place as it is shown.
struct Shown {
    /// Files of the workspace come first.
    is_outside: bool,
    display: String,
    line: usize,
    text: Option<String>,
}

impl Telling<'_> {
    pub(super) fn tell(&self, scope: &CallScope, answer: QueryAnswer) -> ToolResult {
        let lines = sorted(answer.locations, scope, &scope.unread(self.tool));
        let mut content = String::new();
        if lines.is_empty() {
            let _ = writeln!(
                content,
                "The editor's language servers know no {} of `{}`.",
                self.what, self.symbol
            );
            return ToolResult::ok(content);
        }
        let mut names: Vec<&str> = lines.iter().map(|it| it.display.as_str()).collect();
        names.dedup();
        let _ = writeln!(
            content,
            "{} of `{}` in {}",
            counted(lines.len(), self.what),
            self.symbol,
            files(names.len())
        );
        let Window { offset, limit } = self.window;
        let (mut written, mut last) = (0, None);
        for it in lines.iter().skip(offset).take(limit) {
            let mut text = String::new();
            if last != Some(&it.display) {
                let outside = if it.is_outside {
                    " (outside of the workspace)"
                } else {
                    ""
                };
                let _ = writeln!(text, "{}{outside}", on_one_line(&it.display));
            }
            let _ = writeln!(
                text,
                "{}: {}",
                it.line.saturating_add(1),
                it.text.as_deref().unwrap_or("…")
            );
            if content.len() + text.len() + FRAME_BYTES > MAX_BYTES && written > 0 {
                break;
            }
            content.push_str(&text);
            last = Some(&it.display);
            written += 1;
        }
        let next = offset + written;
        let shown_bytes = content.len();
        let truncation = (next < lines.len()).then(|| {
            let _ = match offset < lines.len() {
                true => writeln!(
                    content,
                    "[{} more; go on with offset {next}]",
                    lines.len() - next
                ),
                false => Ok(()),
            };
            Truncation {
                shown_lines: written,
                shown_bytes,
                total_lines: lines.len(),
                // Those that are not shown are not written out: as long as these, about.
                total_bytes: shown_bytes / written.max(1) * lines.len(),
                rest: Rest::Next {
                    offset: next,
                    byte_offset: None,
                },
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

/// So many of something.
fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
