//! What the tools share that ask the user's own language servers: what they declare, the arguments that name a place, and
//! the asking. Knows no single question.

use std::path::PathBuf;

use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::pointed::Pointer;
use crate::blocking::on_a_thread;
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
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

/// What a tool declares that asks, tells the answer, and changes nothing. `A` are its arguments.
pub(super) fn contract<A: JsonSchema>(name: &str, description: String) -> ToolContract {
    ToolContract {
        name: name.to_owned(),
        description,
        parameters: Parameters::of::<A>().alias("file_path", "path"),
        effect_bound: EffectBound::new([EffectKind::Read]),
        idempotency: Idempotency::Pure,
        risk: Risk::Low,
        limits: Limits {
            bytes: MAX_BYTES,
            lines: None,
            default_timeout_ms: 30_000,
            maximum_timeout_ms: 30_000,
        },
        recovery: Recovery::Rerun,
        version: 1,
    }
}

// Arguments that name a place, alone or among others. A doc comment would stand in the schema.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlaceArguments {
    /// The file, relative to the workspace or absolute.
    path: String,
    /// The line in which the symbol stands, from 1.
    line: i64,
    /// The symbol, as it stands in that line.
    symbol: String,
    /// Which one is meant if it stands there several times, from 1.
    occurrence: Option<i64>,
}

impl PlaceArguments {
    /// The place in a file that is there or not.
    pub(super) fn resolve(self, scope: &CallScope) -> Result<NamedPlace, ToolError> {
        let path = scope.workspace.resolve(&self.path, Access::Read)?;
        Ok(NamedPlace {
            ways: scope.workspace.ways(&self.path, &path),
            path,
            pointer: Pointer {
                line: self.line,
                symbol: self.symbol.trim().to_owned(),
                occurrence: self.occurrence,
            },
        })
    }
}

/// A place as a call names it.
pub(super) struct NamedPlace {
    /// The file.
    pub(super) path: ResolvedPath,
    /// Every path that leads to it.
    pub(super) ways: Vec<PathBuf>,
    pointer: Pointer,
}

/// Which texts an answer shows, besides what servers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// None.
    NoFiles,
    /// Lines of any file of the workspace.
    AnyFile,
}

impl NamedPlace {
    /// The symbol.
    pub(super) fn symbol(&self) -> &str {
        &self.pointer.symbol
    }

    /// The place in the text of now.
    pub(super) fn find(&self, scope: &CallScope) -> Result<Place, ToolError> {
        let text = scope.workspace.text(&self.path)?.snapshot;
        self.pointer.find(&self.path, &text)
    }

    /// The plan of a call that asks this question about the place. `tell` makes the result, with the symbol and the answer.
    pub(super) fn ask(
        self,
        scope: &CallScope,
        question: fn(Place) -> Query,
        shows: Shows,
        tell: impl FnOnce(&CallScope, &str, QueryAnswer) -> ToolResult + Send + 'static,
    ) -> Plan {
        let mut read = self.ways.clone();
        if shows == Shows::AnyFile {
            read.extend(scope.workspace.guard().roots().iter().cloned());
        }
        Plan {
            effects: vec![Effect::Read(read)],
            timeout: None,
            work: Work::Run(Box::new(Asking {
                place: self,
                question,
                tell,
            })),
        }
    }
}

/// A planned call about a place.
struct Asking<T> {
    place: NamedPlace,
    question: fn(Place) -> Query,
    tell: T,
}

impl<T> Run for Asking<T>
where
    T: FnOnce(&CallScope, &str, QueryAnswer) -> ToolResult + Send + 'static,
{
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let Asking {
            place,
            question,
            tell,
        } = *self;
        let symbol = place.symbol().to_owned();
        answered(
            scope,
            move |scope| Ok(question(place.find(scope)?)),
            move |scope, answer| tell(scope, &symbol, answer),
        )
    }
}

/// Asks, and makes a result of the answer where it may block.
pub(super) fn answered(
    scope: CallScope,
    query: impl FnOnce(&CallScope) -> Result<Query, ToolError> + Send + 'static,
    tell: impl FnOnce(&CallScope, QueryAnswer) -> ToolResult + Send + 'static,
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
            Ok(answer) => on_a_thread(move || tell(&scope, answer)).await,
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
