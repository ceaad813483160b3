//! The binary `mewcode`: a language server, and the command line around it.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod apply;
mod approvals;
mod cli;
mod client;
mod code_actions;
mod commands;
mod config;
mod definitions;
mod documents;
mod editor;
mod held;
mod host;
mod lenses;
mod peer;
mod process;
mod progress;
mod protocol;
mod review;
mod server;
mod sessions;
mod show;
mod state;
mod time;
mod transport;
mod trust;
mod uri;

fn main() -> std::process::ExitCode {
    // Before anything is set up: this program is also what stands between itself and a command.
    if let Some(code) = mewcode_tools::process::step() {
        return code;
    }
    cli::main()
}
