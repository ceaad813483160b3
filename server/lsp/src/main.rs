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
mod transport;
mod uri;

fn main() -> std::process::ExitCode {
    cli::main()
}
