//! The command line: what `mewcode` takes, and with which status it ends.
//!
//! Statuses: 0 all well · 1 it ran and did not succeed · 2 misuse: a wrong argument, configuration or script, told in
//! one sentence on stderr, with nothing on stdout and nothing done. Arguments that a tool does not take are misuse too, but
//! told by the result that `mewcode call` prints. Each command is a module of its own, which says where it differs.

mod call;
mod demo;
mod doctor;
mod permissions;
mod run;
mod terminal;
mod tools;
mod trust;

use std::fmt::Display;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::notice::Notices;
use mewcode_tools::permission::Mode;
use mewcode_tools::runtime::CallContext;
use tokio_util::sync::CancellationToken;

use crate::config::{Layers, ModeName, Permissions, ProviderName, RuleSetting, Settings};
use crate::trust::Trust;

/// MewCode, a coding agent that runs as a language server beside your editor.
#[derive(Debug, Parser)]
#[command(
    name = "mewcode",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    lsp: LspArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the Language Server Protocol on stdin and stdout (what an editor starts; also without a command).
    Lsp(LspArguments),
    /// Show the main job on a sample workspace: no key, no network, nothing of yours is touched.
    Demo,
    /// Run one prompt without an editor, on the files of a folder.
    Run(run::RunArguments),
    /// Call one tool and print its result as JSON.
    Call(call::CallArguments),
    /// Print the name, description, schema and contract of each tool.
    Tools(tools::ToolsArguments),
    /// Say what would happen to a command and why, or show all rules.
    Permissions(permissions::PermissionsArguments),
    /// Show what the files of a workspace would grant, and trust it with that.
    Trust(trust::TrustArguments),
    /// Say what is found on this machine and what is missing.
    Doctor(doctor::DoctorArguments),
}

#[derive(Debug, Args)]
struct LspArguments {
    #[command(flatten)]
    settings: SettingsArguments,
    /// What the permission mode is.
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// Accepted for clients that say which transport they use; there is no other.
    #[arg(long, hide = true)]
    stdio: bool,
    /// Accepted for clients that pass it; the one of `initialize` counts.
    #[arg(long = "clientProcessId", hide = true)]
    client_process_id: Option<u32>,
}

/// The settings that more than one command takes as flags.
#[derive(Debug, Default, Args)]
struct SettingsArguments {
    /// Who plays the model.
    #[arg(long, value_enum)]
    provider: Option<ProviderName>,
    /// The script that the provider `scripted` plays.
    #[arg(long, value_name = "FILE")]
    script: Option<String>,
    /// The model's name.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The most turns of the model in one run.
    #[arg(long, value_name = "NUMBER")]
    max_turns: Option<u32>,
}

impl SettingsArguments {
    fn settings(self, mode: Option<ModeName>) -> Settings {
        Settings {
            provider: self.provider,
            script: self.script,
            model: self.model,
            max_turns: self.max_turns,
            mode,
            ..Settings::default()
        }
    }
}

/// The rules that a command takes as flags, besides those of the configuration.
#[derive(Debug, Default, Args)]
struct RuleArguments {
    /// Allow what this rule covers, for instance `bash(cargo test:*)`; may be given more than once.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Deny what this rule covers, whatever allows it; may be given more than once.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
}

impl RuleArguments {
    fn permissions(self) -> Option<Permissions> {
        let list = |rules: Vec<String>| {
            let rules: Vec<_> = rules.into_iter().map(RuleSetting::Text).collect();
            Some(rules).filter(|rules| !rules.is_empty())
        };
        let permissions = Permissions {
            allow: list(self.allow),
            ask: None,
            deny: list(self.deny),
        };
        Some(permissions).filter(|permissions| *permissions != Permissions::default())
    }
}

/// The folder that a command works in.
#[derive(Debug, Args)]
struct RootArgument {
    /// The workspace: paths start there and stay inside.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
}

impl RootArgument {
    /// The real path of the folder.
    fn real(&self) -> Result<PathBuf, Misuse> {
        let shown = self.root.display();
        let real = self
            .root
            .canonicalize()
            .map_err(|error| Misuse::new(format!("--root {shown}: {error}")))?;
        if real.is_dir() {
            Ok(real)
        } else {
            Err(Misuse::new(format!("--root {shown}: is not a folder")))
        }
    }
}

/// The layers of the configuration for a folder, with what the flags say.
fn layers(root: &Path, command_line: Settings) -> Layers<'static> {
    Layers {
        home: std::env::home_dir(),
        root: Some(root.to_owned()),
        options: None,
        command_line,
        trust: Trust::of_user(),
    }
}

/// A call that a person makes, and has decided on by that.
fn by_hand() -> CallContext {
    CallContext {
        session: "command-line".to_owned(),
        // Of several that are made at once each has its own: what belongs to a call is called by it.
        call: std::process::id().to_string(),
        mode: Mode::Bypass,
        ledger: None,
        cancel: CancellationToken::new(),
        reason: String::new(),
        notices: Notices::default(),
    }
}

/// A wrong argument, configuration or script: one sentence, and status 2.
#[derive(Debug)]
struct Misuse(String);

impl Misuse {
    fn new(message: impl Display) -> Self {
        Misuse(message.to_string())
    }
}

impl From<crate::config::ConfigError> for Misuse {
    fn from(error: crate::config::ConfigError) -> Self {
        Misuse::new(error)
    }
}

/// The disk as the editor of a command. What a process that is no more left half done is put in order first, and told.
fn disk() -> DiskEditor {
    for told in crate::config::recover() {
        eprintln!("mewcode: {}", terminal::printable(&told));
    }
    DiskEditor::new(crate::config::journal())
}

/// A runtime for a command's asynchronous part.
fn runtime() -> Result<tokio::runtime::Runtime, Misuse> {
    let built = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    built.map_err(|error| Misuse::new(format!("the process cannot be set up: {error}")))
}

/// Writes to standard output. A reader that went away is no fault.
fn print_lines(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}

const FAILED: u8 = 1;
const MISUSE: u8 = 2;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            // A closed pipe, as in `mewcode --help | head -1`, is nobody's fault.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => return misuse(&Misuse::new(sentence(&error))),
    };
    let ended = match arguments.command.unwrap_or(Command::Lsp(arguments.lsp)) {
        Command::Lsp(arguments) => return serve(arguments),
        Command::Demo => demo::run(),
        Command::Run(arguments) => run::run(arguments),
        Command::Call(arguments) => call::run(arguments),
        Command::Tools(arguments) => tools::run(&arguments),
        Command::Permissions(arguments) => permissions::run(arguments),
        Command::Trust(arguments) => trust::run(&arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
    };
    match ended {
        Ok(status) => status,
        Err(error) => misuse(&error),
    }
}

fn serve(arguments: LspArguments) -> ExitCode {
    if std::io::stdin().is_terminal() {
        // Somebody typed `mewcode` to see what it does. It waits for a client all the same.
        eprintln!(
            "mewcode: this is a language server, and it waits for an editor on stdin; see `mewcode --help`."
        );
    }
    crate::server::serve(arguments.settings.settings(arguments.mode))
}

fn misuse(error: &Misuse) -> ExitCode {
    eprintln!("mewcode: {}", terminal::printable(&error.0));
    ExitCode::from(MISUSE)
}

/// clap's message as one sentence: without its headline, its layout and its usage, but with the way to it.
fn sentence(error: &clap::Error) -> String {
    let plain = error.render().to_string();
    let body = plain.strip_prefix("error: ").unwrap_or(&plain);
    let ends = ["\n\nUsage:", "\n\nFor more information"];
    let body = ends
        .iter()
        .fold(body, |body, end| body.split(end).next().unwrap_or(body));
    let words = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let paragraphs: Vec<_> = body.split("\n\n").map(words).collect();
    let first = std::env::args().nth(1);
    let all = Arguments::command();
    let command = first
        .and_then(|name| all.find_subcommand(name))
        .map(|found| format!(" {}", found.get_name()));
    format!(
        "{} (see `mewcode{} --help`)",
        paragraphs.join("; "),
        command.unwrap_or_default()
    )
}
