//! Places in files as the answer of a call: grouped by file, each with its line. Knows no question.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use ropey::Rope;

use super::found::{Window, files, on_one_line};
use super::outline::counted;
use super::paged::Paged;
use super::pointed::{line_of, shown};
use crate::contract::CallScope;
use crate::guard::Access;
use crate::permission::Unread;
use crate::port::{Location, QueryAnswer};
use crate::result::ToolResult;
use crate::unseen::visible;

/// What is told of the places.
pub(super) struct Telling {
    /// `definition`.
    pub(super) what: &'static str,
    pub(super) window: Window,
    /// Whether the tool can be asked for what is not shown.
    pub(super) goes_on: bool,
    /// The tool: rules may keep files from it.
    pub(super) tool: &'static str,
}

/// A file that has places. Those of the workspace come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct File {
    is_outside: bool,
    display: String,
    path: PathBuf,
}

impl Telling {
    /// The places of a symbol as a result.
    pub(super) fn tell(&self, scope: &CallScope, symbol: &str, answer: QueryAnswer) -> ToolResult {
        let places = by_file(answer.locations, scope);
        let lines: Vec<(&File, usize)> = places
            .iter()
            .flat_map(|(file, lines)| lines.iter().map(move |line| (file, *line)))
            .collect();
        let mut content = String::new();
        if lines.is_empty() {
            let in_a_file = if answer.elsewhere > 0 {
                " in a file"
            } else {
                ""
            };
            let _ = writeln!(
                content,
                "The editor's language servers know no {} of `{symbol}`{in_a_file}.",
                self.what
            );
            content.push_str(&in_no_file(answer.elsewhere));
            return ToolResult::ok(content);
        }
        let _ = writeln!(
            content,
            "{} of `{symbol}` in {}",
            counted(lines.len(), self.what),
            files(places.len())
        );
        let paged = Paged {
            entries: &lines,
            window: self.window,
            goes_on: self.goes_on,
        };
        let mut texts = Texts::new(scope, self.tool);
        let truncation = paged.add_to(&mut content, |last, (file, line)| {
            let text = format!("{}: {}\n", line.saturating_add(1), texts.line(file, *line));
            match last.is_some_and(|(before, _)| before == file) {
                true => text,
                false => format!("{}\n{text}", file.heading()),
            }
        });
        content.push_str(&in_no_file(answer.elsewhere));
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

/// How many places are in no file, if any.
fn in_no_file(count: usize) -> String {
    let are = match count {
        0 => return String::new(),
        1 => "is",
        _ => "are",
    };
    let places = counted(count, "place");
    format!("[{places} {are} in no file: in a packed library, or in what the editor makes up]\n")
}

/// The lines of each file that has places.
fn by_file(locations: Vec<Location>, scope: &CallScope) -> BTreeMap<File, BTreeSet<usize>> {
    let mut by_file: BTreeMap<File, BTreeSet<usize>> = BTreeMap::new();
    let guard = scope.workspace.guard();
    for Location { path, line } in locations {
        let file = File {
            is_outside: guard.root_of(&path).is_none(),
            display: guard.display(&path),
            path,
        };
        by_file.entry(file).or_default().insert(line);
    }
    by_file
}

impl File {
    fn heading(&self) -> String {
        match self.is_outside {
            // Nobody opens it by this name, and it may be anything.
            true => format!("{} (outside of the workspace)", visible(&self.display)),
            false => on_one_line(&self.display),
        }
    }
}

/// The texts of the files of which a line is shown, and of no others; the last one is kept, for lines of a file stand
/// together.
struct Texts<'a> {
    scope: &'a CallScope,
    unread: Unread,
    last: Option<(&'a File, Option<Rope>)>,
}

impl<'a> Texts<'a> {
    fn new(scope: &'a CallScope, tool: &str) -> Texts<'a> {
        Texts {
            unread: scope.unread(tool),
            scope,
            last: None,
        }
    }

    /// A line as it is shown: of a file that may not be read without asking, that there is one.
    fn line(&mut self, file: &'a File, line: usize) -> String {
        if self.last.as_ref().is_none_or(|(last, _)| *last != file) {
            self.last = Some((file, self.read(&file.path)));
        }
        match &self.last {
            Some((_, Some(text))) if line < text.len_lines() => shown(&line_of(text, line)),
            Some((_, Some(_))) => String::new(),
            _ => "…".to_owned(),
        }
    }

    fn read(&self, path: &Path) -> Option<Rope> {
        let workspace = &self.scope.workspace;
        let path = workspace.resolve(path.to_str()?, Access::Read).ok()?;
        if self.unread.contains(&path.real) {
            return None;
        }
        let text = workspace.find_text(&path).ok()??;
        Some(text.snapshot.rope().clone())
    }
}
