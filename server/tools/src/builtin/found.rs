//! What the tools that search share: where they search, which part of the hits they show, and how they tell what they
//! could not read. Knows no pattern.

use std::fmt::Write;
use std::path::PathBuf;

use crate::blocking::on_a_thread;
use crate::contract::CallScope;
use crate::effect::Effect;
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::overlay::Workspace;
use crate::port::BoxFuture;
use crate::result::ToolResult;
use crate::search::{Listing, Options, Problem, SearchError};

/// So many of the things that could not be read are named.
const MAX_NAMED: usize = 5;

/// Where a call searches.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    path: Option<ResolvedPath>,
    /// Everything that is looked through.
    places: Vec<PathBuf>,
    options: Options,
}

impl Scope {
    pub(super) fn new(
        workspace: &Workspace,
        path: Option<&str>,
        hidden: bool,
        ignored: bool,
    ) -> Result<Scope, ToolError> {
        let given = path;
        let path = given
            .map(|path| workspace.resolve(path, Access::Read))
            .transpose()?;
        if path.is_none() && workspace.guard().roots().is_empty() {
            // The guard says why nothing is open.
            workspace.resolve(".", Access::Read)?;
        }
        let options = Options { hidden, ignored };
        let places = match (given, &path) {
            (Some(given), Some(path)) => workspace.ways(given, path),
            _ => workspace.guard().roots().to_vec(),
        };
        Ok(Scope {
            path,
            places,
            options,
        })
    }

    /// Everything that is looked through.
    pub(super) fn effects(&self) -> Vec<Effect> {
        vec![Effect::Read(self.places.clone())]
    }

    pub(super) fn list(&self, scope: &CallScope) -> Result<Listing, SearchError> {
        scope
            .workspace
            .files(self.path.as_ref(), self.options, &scope.cancel)
    }

    /// Whether the call names this very file.
    pub(super) fn names(&self, file: &std::path::Path) -> bool {
        self.path.as_ref().is_some_and(|path| path.real == file)
    }

    /// Where, in a sentence.
    pub(super) fn describe(&self) -> String {
        match &self.path {
            Some(path) if path.display != "." => format!("`{}`", path.display),
            _ => "the workspace".to_owned(),
        }
    }

    /// What was not looked at, after the number of files that were.
    pub(super) fn describe_left_out(&self) -> &'static str {
        match (self.options.hidden, self.options.ignored) {
            (true, true) => "",
            (true, false) => ", ignored ones left out",
            (false, true) => ", hidden ones left out",
            (false, false) => ", hidden and ignored ones left out",
        }
    }
}

/// Which of the hits are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) offset: usize,
    pub(super) limit: usize,
}

pub(super) fn window(
    limit: Option<i64>,
    offset: Option<i64>,
    default: usize,
) -> Result<Window, ToolError> {
    let limit = match limit {
        None => default,
        Some(limit @ 1..) => limit as usize,
        Some(_) => return Err(ToolError::invalid_arguments("`limit` must be at least 1.")),
    };
    let offset = usize::try_from(offset.unwrap_or(0))
        .map_err(|_| ToolError::invalid_arguments("`offset` must not be negative."))?;
    Ok(Window { offset, limit })
}

/// Runs a search where it may block.
pub(super) fn searched(
    search: impl FnOnce() -> Result<ToolResult, SearchError> + Send + 'static,
) -> BoxFuture<'static, ToolResult> {
    Box::pin(async move {
        match on_a_thread(search).await {
            Ok(result) => result,
            Err(SearchError::Cancelled) => ToolResult::interrupted("The call was cancelled."),
            Err(SearchError::Failed(error)) => ToolResult::error(error),
        }
    })
}

/// Says what could not be read: how many, and the first of them by name.
pub(super) fn tell_problems(content: &mut String, problems: &[Problem]) {
    if problems.is_empty() {
        return;
    }
    let named: Vec<String> = problems
        .iter()
        .take(MAX_NAMED)
        .map(|problem| format!("`{}`: {}", on_one_line(&problem.display), problem.reason))
        .collect();
    let more = match problems.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let _ = writeln!(
        content,
        "[{} not be read and may hold more: {}{more}]",
        match problems.len() {
            1 => "1 place could".to_owned(),
            count => format!("{count} places could"),
        },
        named.join("; ")
    );
}

/// A number of files.
pub(super) fn files(count: usize) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// A path as it is shown on a line of its own: a line break in a name would make two of one.
pub(super) fn on_one_line(path: &str) -> String {
    if !path.contains(char::is_control) {
        return path.to_owned();
    }
    let escaped = path.chars().map(|char| match char.is_control() {
        true => char.escape_default().to_string(),
        false => char.to_string(),
    });
    escaped.collect()
}
