//! `mewcode permissions`: what would happen to a call and why, and all rules with their places. Runs nothing.

mod explain;
mod list;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Misuse;

/// Arguments of `mewcode permissions`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = false)]
pub struct PermissionsArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what would happen to a command, or to a call of a tool, and why, rule by rule.
    Explain(explain::ExplainArguments),
    /// Show the rules of all layers, and what the workspace's files would allow once it is trusted.
    List(list::ListArguments),
}

/// Explains or lists.
pub fn run(arguments: PermissionsArguments) -> Result<ExitCode, Misuse> {
    match arguments.command {
        Command::Explain(arguments) => explain::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
    }
}
