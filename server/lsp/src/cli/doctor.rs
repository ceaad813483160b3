//! `mewcode doctor`: what is found on this machine and what is missing.
//!
//! Looks only: it writes nothing, runs no command of the configuration, reaches no server and shows no key. Status 1 if
//! something is broken that the main job needs.

mod permissions;
mod system;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use mewcode_agent::provider::anthropic::DEFAULT_KEY_VARIABLE;

use super::terminal::{Style, Terminal, printable};
use super::{FAILED, Misuse, RootArgument, SettingsArguments, layers, print_lines};
use crate::config::{self, Config, Layers, ProviderName};

/// Arguments of `mewcode doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    #[command(flatten)]
    root: RootArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Print every key of the configuration with its meaning instead.
    #[arg(long)]
    keys: bool,
}

/// Looks and reports.
pub fn run(arguments: DoctorArguments) -> Result<ExitCode, Misuse> {
    if arguments.keys {
        print_lines(&config::markdown());
        return Ok(ExitCode::SUCCESS);
    }
    let root = arguments.root.real()?;
    let layers = layers(&root, arguments.settings.settings(None));
    let mut report = Report::default();
    configuration(&mut report, &layers);
    report.section("Editor and tools");
    system::look(&mut report);

    print_lines(&report.text(Terminal::stdout()));
    Ok(if report.is_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

/// What was found, in the order of looking.
#[derive(Default)]
pub(super) struct Report {
    lines: Vec<(Mark, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Section,
    Well,
    Notice,
    Broken,
    Detail,
}

impl Report {
    fn section(&mut self, title: &str) {
        self.lines.push((Mark::Section, title.to_owned()));
    }

    fn well(&mut self, text: impl Into<String>) {
        self.lines.push((Mark::Well, text.into()));
    }

    fn notice(&mut self, text: impl Into<String>) {
        self.lines.push((Mark::Notice, text.into()));
    }

    fn broken(&mut self, text: impl Into<String>) {
        self.lines.push((Mark::Broken, text.into()));
    }

    fn detail(&mut self, text: impl Into<String>) {
        self.lines.push((Mark::Detail, text.into()));
    }

    fn is_well(&self) -> bool {
        self.lines.iter().all(|(mark, _)| *mark != Mark::Broken)
    }

    fn text(&self, terminal: Terminal) -> String {
        let mut text = String::new();
        for (mark, line) in &self.lines {
            let line = printable(line);
            // Writing to a string cannot fail.
            let _ = match mark {
                Mark::Section if text.is_empty() => {
                    writeln!(text, "{}", terminal.paint(Style::Title, &line))
                }
                Mark::Section => writeln!(text, "\n{}", terminal.paint(Style::Title, &line)),
                Mark::Well => writeln!(text, "  {} {line}", terminal.paint(Style::Good, "✓")),
                Mark::Notice => writeln!(text, "  {} {line}", terminal.paint(Style::Notice, "!")),
                Mark::Broken => writeln!(text, "  {} {line}", terminal.paint(Style::Bad, "✗")),
                Mark::Detail => writeln!(text, "    {}", terminal.paint(Style::Faint, &line)),
            };
        }
        text
    }
}

fn configuration(report: &mut Report, layers: &Layers<'_>) {
    report.section("Configuration");
    let files = [
        layers.home.as_deref().map(config::user_file),
        layers.root.as_deref().map(config::project_file),
        layers.root.as_deref().map(config::local_file),
    ];
    let loaded = Config::load(layers);
    let claude = layers.root.as_deref().map(config::claude_files);
    for path in claude.into_iter().flatten().filter(|path| path.exists()) {
        report.well(format!("the rules of {} are read", path.display()));
    }
    for path in files.into_iter().flatten() {
        match path.exists() {
            true => report.well(format!("{} is read", path.display())),
            false => report.detail(format!("{} is not there (it need not be)", path.display())),
        }
    }
    if layers.home.is_none() {
        report.notice("there is no home folder, so no configuration of yours");
    }
    let config = match loaded {
        Ok(config) => config,
        Err(error) => return report.broken(error.to_string()),
    };
    for warning in &config.warnings {
        report.notice(warning.clone());
    }
    for shown in config.shown() {
        report.detail(format!("{}: {} ({})", shown.key, shown.value, shown.origin));
    }
    report.section("Model");
    model(report, &config);
    report.section("Permissions");
    permissions::look(report, &config, layers.root.as_deref());
}

fn model(report: &mut Report, config: &Config) {
    let settings = &config.settings;
    match settings.provider {
        None => {
            report.notice("no provider is set up; a prompt is answered by an explanation (see docs/configuration.md)");
            return;
        }
        Some(ProviderName::Scripted) => {}
        Some(ProviderName::Anthropic) => key(report, settings),
    }
    match config.open_model() {
        Ok(model) => report.well(format!(
            "provider {}, model {}",
            model.provider.name(),
            model.name
        )),
        Err(error) => report.broken(error.to_string()),
    }
}

/// Whether a key is there, without showing it or running anything.
fn key(report: &mut Report, settings: &config::Settings) {
    if settings.api_key_command.is_some() {
        report.well("the key comes from `api_key_command` (not run now)");
        return;
    }
    let name = match (&settings.api_key_env, &settings.base_url) {
        (Some(name), _) => name,
        (None, None) => DEFAULT_KEY_VARIABLE,
        (None, Some(url)) => {
            return report.notice(format!("no key is sent to {url}, for none is named"));
        }
    };
    match std::env::var_os(name) {
        Some(value) if !value.is_empty() => report.well(format!("the key is in the environment variable {name}")),
        _ => report.broken(format!(
            "the environment variable {name} holds no key: set it, or name another place by `api_key_env` or \
             `api_key_command` in ~/.mewcode/config.yaml"
        )),
    }
}

/// The nearest ancestor of a path that exists, the path itself included.
fn nearest_existing(path: &Path) -> Option<&Path> {
    path.ancestors().find(|ancestor| ancestor.exists())
}
