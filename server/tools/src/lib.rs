//! The tools that a model may call, and all that stands between a call and its effect: the contract, arguments,
//! paths, permission, the workspace of open buffers over files, and the built-in tools. Does IO; knows no model and
//! no protocol.
//!
//! A call goes through [`runtime::Runtime::call`]: lookup, arguments, plan, permission, effect, result.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        reason = "a test fails by panicking"
    )
)]

pub mod artifact;
mod blocking;
pub mod builtin;
mod change;
pub mod command;
pub mod contract;
pub mod disk;
pub mod effect;
pub mod environment;
pub mod error;
pub mod fetch;
pub mod guard;
pub mod headless;
pub mod host;
pub mod ledger;
mod lexical;
pub mod names;
pub mod notice;
pub mod overlay;
pub mod permission;
pub mod port;
pub mod private;
pub mod process;
pub mod redact;
pub mod registry;
pub mod result;
pub mod runtime;
pub mod said;
pub mod sandbox;
pub mod schedule;
pub mod schema;
pub mod search;
pub mod staleness;
pub mod summary;
pub mod symbols;
#[cfg(test)]
mod testing;
pub mod truncate;
pub mod unseen;

pub use contract::{Tool, ToolContract};
pub use effect::Effect;
pub use error::{ErrorKind, ToolError};
pub use guard::{Access, PathGuard, Places, ResolvedPath};
pub use headless::DiskEditor;
pub use host::Host;
pub use ledger::Ledger;
pub use overlay::Workspace;
pub use permission::Mode;
pub use port::{
    Answer, Asker, BoxFuture, ChangeOutcome, ChangeRequest, Destination, Editor, FileEdit,
    Question, Review, RuleKeeper,
};
pub use registry::Registry;
pub use result::{FileChange, Status, ToolResult};
pub use runtime::{CallContext, PlannedCall, Refusal, Runtime};
