//! `references`: where a symbol is used, as the user's own language servers know it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::asked::{self, ABOUT_PLACES, PlaceArguments, Shows};
use super::found;
use super::locations::Telling;
use crate::contract::{CallScope, Plan, Tool, ToolContract};
use crate::error::ToolError;
use crate::port::Query;
use crate::schema;

const NAME: &str = "references";

const DEFAULT_LIMIT: usize = 100;

/// See the module.
pub(super) struct References {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    #[serde(flatten)]
    place: PlaceArguments,
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
        let contract = asked::contract::<Arguments>(NAME, description);
        References { contract }
    }
}

impl Tool for References {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let telling = Telling {
            what: "reference",
            window: found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?,
            goes_on: true,
            tool: NAME,
        };
        let place = arguments.place.resolve(scope)?;
        Ok(place.ask(
            scope,
            Query::References,
            Shows::AnyFile,
            move |scope, symbol, answer| telling.tell(scope, symbol, answer),
        ))
    }
}
