//! What the tools share that ask the user's own language servers: the arguments that name a place, and the asking. Knows no
//! single question.

use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::pointed::Pointer;
use crate::blocking::on_a_thread;
use crate::contract::{CallScope, Limits};
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::port::{BoxFuture, Place, Query, QueryAnswer};
use crate::result::ToolResult;
use crate::schema::Parameters;

/// The text of an answer is not longer.
pub(super) const MAX_BYTES: usize = 32 * 1024;

/// What is said of the line and the symbol in each description.
pub(super) const ABOUT_PLACES: &str = "\
`line` and `symbol` name the place: the symbol is looked for in that line, as a word of its own";

/// Arguments that name a place.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceArguments {
    /// The file, relative to the workspace or absolute.
    pub(super) path: String,
    /// The line in which the symbol stands, from 1.
    pub(super) line: i64,
    /// The symbol, as it stands in that line.
    pub(super) symbol: String,
    /// Which one is meant if it stands there several times, from 1.
    pub(super) occurrence: Option<i64>,
}

impl PlaceArguments {
    /// Their schema.
    pub(super) fn parameters() -> Parameters {
        Parameters::of::<PlaceArguments>().alias("file_path", "path")
    }

    /// The file as it was given, and its real path.
    pub(super) fn path(&self, scope: &CallScope) -> Result<ResolvedPath, ToolError> {
        scope.workspace.resolve(&self.path, Access::Read)
    }

    /// Every path that leads to the file.
    pub(super) fn ways(&self, scope: &CallScope, path: &ResolvedPath) -> Vec<std::path::PathBuf> {
        scope.workspace.ways(&self.path, path)
    }

    /// The symbol.
    pub(super) fn symbol(&self) -> &str {
        self.symbol.trim()
    }

    /// The place in the text of now.
    pub(super) fn place(&self, scope: &CallScope, path: &ResolvedPath) -> Result<Place, ToolError> {
        let text = scope.workspace.text(path)?.snapshot;
        let pointer = Pointer {
            line: self.line,
            symbol: self.symbol.clone(),
            occurrence: self.occurrence,
        };
        pointer.find(path, &text)
    }
}

/// The limits of each of these tools.
pub(super) const LIMITS: Limits = Limits {
    bytes: MAX_BYTES,
    lines: None,
    default_timeout_ms: 30_000,
    maximum_timeout_ms: 30_000,
};

/// Asks, and makes a result of the answer where it may block.
pub(super) fn answered(
    scope: CallScope,
    query: impl FnOnce(&CallScope) -> Result<Query, ToolError> + Send + 'static,
    tell: impl FnOnce(&CallScope, QueryAnswer) -> Result<ToolResult, ToolError> + Send + 'static,
) -> BoxFuture<'static, ToolResult> {
    async move {
        let looking = scope.clone();
        let query = match on_a_thread(move || query(&looking)).await {
            Ok(query) => query,
            Err(error) => return ToolResult::error(error),
        };
        let answer = tokio::select! {
            biased;
            () = scope.cancel.cancelled() => return ToolResult::interrupted("The call was cancelled."),
            answer = scope.workspace.editor().query(query) => answer,
        };
        match answer {
            Ok(answer) => on_a_thread(move || tell(&scope, answer)).await.into(),
            Err(error) => ToolResult::error(error),
        }
    }
    .boxed()
}

/// Asks, and blocks until there is an answer or the call is to end: for planning, which has a thread of its own.
pub(super) fn now(scope: &CallScope, query: Query) -> Result<QueryAnswer, ToolError> {
    futures::executor::block_on(async {
        tokio::select! {
            biased;
            () = scope.cancel.cancelled() => Err(ToolError::unavailable("The call was cancelled.")),
            answer = scope.workspace.editor().query(query) => answer,
        }
    })
}

#[cfg(test)]
mod tests;
