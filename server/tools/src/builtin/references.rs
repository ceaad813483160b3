//! `references`: where a symbol is used, as the user's own language servers know it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::asked::{self, ABOUT_PLACES, PlaceArguments};
use super::found::{self, Window};
use super::locations::Telling;
use crate::contract::{
    CallScope, Idempotency, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::port::{BoxFuture, Query};
use crate::result::ToolResult;
use crate::schema::{self, Parameters};

const NAME: &str = "references";

const DEFAULT_LIMIT: usize = 100;

/// See the module.
pub(super) struct References {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace or absolute.
    path: String,
    /// The line in which the symbol stands, from 1.
    line: i64,
    /// The symbol, as it stands in that line.
    symbol: String,
    /// Which one is meant if it stands there several times, from 1.
    occurrence: Option<i64>,
    /// How many references to show at most. Default: 100.
    limit: Option<i64>,
    /// How many references to leave out at the beginning: to go on where an answer ended. Default: 0.
    offset: Option<i64>,
}

impl References {
    pub(super) fn new() -> References {
        let description = format!(
            "Finds where a symbol is used, by asking the language servers that the user's editor runs: what is really this \
             symbol, and not what only has its name. The definition is among them. {ABOUT_PLACES}. The answer is grouped by \
             file, each use with its line. Use it before you change what others depend on. Where no language server answers, \
             use grep. Changes nothing."
        );
        let contract = ToolContract {
            name: NAME.to_owned(),
            description,
            parameters: Parameters::of::<Arguments>().alias("file_path", "path"),
            effect_bound: EffectBound::new([EffectKind::Read]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: asked::LIMITS,
            recovery: Recovery::Rerun,
            version: 1,
        };
        References { contract }
    }
}

impl Tool for References {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let window = found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?;
        let place = PlaceArguments {
            path: arguments.path,
            line: arguments.line,
            symbol: arguments.symbol,
            occurrence: arguments.occurrence,
        };
        let path = place.path(scope)?;
        let mut paths = place.ways(scope, &path);
        paths.extend(scope.workspace.guard().roots().iter().cloned());
        Ok(Plan {
            effects: vec![Effect::Read(paths)],
            timeout: None,
            work: Work::Run(Box::new(Finding {
                place,
                path,
                window,
            })),
        })
    }
}

/// A planned call.
struct Finding {
    place: PlaceArguments,
    path: ResolvedPath,
    window: Window,
}

impl Run for Finding {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let (symbol, window) = (self.place.symbol().to_owned(), self.window);
        asked::answered(
            scope,
            move |scope| Ok(Query::References(self.place.place(scope, &self.path)?)),
            move |scope, answer| {
                let telling = Telling {
                    what: "reference",
                    symbol: &symbol,
                    window,
                    tool: NAME,
                };
                Ok(telling.tell(scope, answer))
            },
        )
    }
}
