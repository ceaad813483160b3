//! Running commands: each under a supervisor that ends with the server and leaves no process behind. Knows no tool, no
//! permission and no shell syntax.
//!
//! The server starts this program again as the command's supervisor, connected by a socket. The supervisor starts it once
//! more for the step that gives up what the command must not have and becomes its shell. Output goes from the command to
//! the server without a detour.

use std::process::ExitCode;

mod attend;
mod capture;
mod confine;
mod drain;
mod ending;
mod launch;
mod message;
pub mod plain;
mod running;
mod spec;
mod supervisor;
mod system;
mod table;
mod tree;
mod typed;

pub use capture::{Captured, Chunk, Piece, Progress, Source};
pub use confine::SHELLS;
pub(crate) use ending::Size;
pub use ending::{Cause, Ending, Exit, InputError, Leftover, LimitHit, StartError, Stop};
pub use running::{Question, Running, Status, Watch};
pub use spec::{ARTIFACT_LIMIT, CommandSpec, Input, Launcher, Limits, MAX_LINE, TerminalSize};
pub use table::Processes;
pub use typed::Line;

/// The variable that has the same random value in all processes of a command. Those that got away from a supervisor that
/// was killed are found by it.
pub const MARK: &str = "MEWCODE_COMMAND";

/// How much may wait for a command to read it, in bytes.
pub const MAX_INPUT: usize = 256 * 1024;

/// The word that makes this program a supervisor.
const SUPERVISE: &str = "supervise";
/// The word that makes this program a shell.
const CONFINE: &str = "confine";

/// Does the work of a process between the server and a command, if this program was started for that: the first thing in
/// its `main`. None: it was started for something else.
pub fn step() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let word = words.next().filter(|_| words.next().is_none())?;
    if word == SUPERVISE {
        Some(supervisor::main())
    } else if word == CONFINE {
        Some(confine::main())
    } else {
        None
    }
}
