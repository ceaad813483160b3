//! `definition`: where a symbol is defined, as the user's own language servers know it.

use serde_json::Value;

use super::asked::{self, ABOUT_PLACES, PlaceArguments};
use super::found::Window;
use super::locations::Telling;
use crate::contract::{
    CallScope, Idempotency, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::port::{BoxFuture, Query};
use crate::result::ToolResult;
use crate::schema;

const NAME: &str = "definition";

/// No symbol has more definitions that are worth to be told.
const LIMIT: usize = 50;

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
        let contract = ToolContract {
            name: NAME.to_owned(),
            description,
            parameters: PlaceArguments::parameters(),
            effect_bound: EffectBound::new([EffectKind::Read]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: asked::LIMITS,
            recovery: Recovery::Rerun,
            version: 1,
        };
        Definition { contract }
    }
}

impl Tool for Definition {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let place: PlaceArguments = schema::parse(arguments)?;
        let path = place.path(scope)?;
        let mut paths = place.ways(scope, &path);
        paths.extend(scope.workspace.guard().roots().iter().cloned());
        Ok(Plan {
            effects: vec![Effect::Read(paths)],
            timeout: None,
            work: Work::Run(Box::new(Finding { place, path })),
        })
    }
}

/// A planned call.
struct Finding {
    place: PlaceArguments,
    path: ResolvedPath,
}

impl Run for Finding {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let symbol = self.place.symbol().to_owned();
        asked::answered(
            scope,
            move |scope| Ok(Query::Definition(self.place.place(scope, &self.path)?)),
            move |scope, answer| {
                let telling = Telling {
                    what: "definition",
                    symbol: &symbol,
                    window: Window {
                        offset: 0,
                        limit: LIMIT,
                    },
                    tool: NAME,
                };
                Ok(telling.tell(scope, answer))
            },
        )
    }
}
