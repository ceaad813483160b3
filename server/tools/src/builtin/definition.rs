//! `definition`: where a symbol is defined, as the user's own language servers know it.

use serde_json::Value;

use super::asked::{self, ABOUT_PLACES, PlaceArguments, Shows};
use super::found::Window;
use super::locations::Telling;
use crate::contract::{CallScope, Plan, Tool, ToolContract};
use crate::error::ToolError;
use crate::port::Query;
use crate::schema;

const NAME: &str = "definition";

/// No symbol has more definitions that are worth to be told.
const WINDOW: Window = Window {
    offset: 0,
    limit: 50,
};

/// See the module.
pub(super) struct Definition {
    contract: ToolContract,
}

impl Definition {
    pub(super) fn new() -> Definition {
        let description = format!(
            "Finds where a symbol is defined, by asking the language servers that the user's editor runs: through imports, \
             overloads and types, and into libraries. {ABOUT_PLACES}. The answer has each definition with its file and line; \
             those outside of the workspace by their place alone. Where you have a name and no place, use find_symbol. \
             Changes nothing."
        );
        let contract = asked::contract::<PlaceArguments>(NAME, description);
        Definition { contract }
    }
}

impl Tool for Definition {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let place = schema::parse::<PlaceArguments>(arguments)?.resolve(scope)?;
        let telling = Telling {
            what: "definition",
            window: WINDOW,
            goes_on: false,
            tool: NAME,
        };
        Ok(place.ask(
            scope,
            Query::Definition,
            Shows::AnyFile,
            move |scope, symbol, answer| telling.tell(scope, symbol, answer),
        ))
    }
}
