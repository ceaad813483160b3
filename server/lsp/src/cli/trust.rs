//! `mewcode trust`: what the files of a workspace would grant, and whether they may.
//!
//! Statuses: 0 nothing is left out of force (or, with `--revoke`, it is forgotten) · 1 something is, for nobody trusted
//! it.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::process::ExitCode;

use clap::Args;
use mewcode_tools::process;

use super::terminal::{Style, Terminal, printable};
use super::{FAILED, Misuse, RootArgument, layers, print_lines};
use crate::config::{Config, Settings};
use crate::trust::{Grant, Trust, TrustState};

/// Arguments of `mewcode trust`.
#[derive(Debug, Args)]
pub struct TrustArguments {
    #[command(flatten)]
    root: RootArgument,
    /// Show what would be granted, and ask nothing.
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    show: bool,
    /// Forget that the workspace was trusted, and the rules that were always allowed in it.
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Trust it without being asked.
    #[arg(long)]
    yes: bool,
}

/// Shows, asks and remembers.
pub fn run(arguments: &TrustArguments) -> Result<ExitCode, Misuse> {
    let root = arguments.root.real()?;
    let trust = Trust::of_user();
    if arguments.revoke {
        let was = trust.revoke(&root).map_err(Misuse::new)?;
        let shown = root.display();
        print_lines(&match was {
            true => format!("{shown} is not trusted any more.\n"),
            false => format!("{shown} was not trusted.\n"),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::load(&layers(&root, Settings::default()))?;
    let state = config.trust_state();
    let shown = root.display().to_string();
    print_lines(&page(&shown, &state, &config.grants, Terminal::stdout()));
    let Some(question) = config.trust_question() else {
        return Ok(match state {
            TrustState::Impossible(_) => ExitCode::from(FAILED),
            _ => ExitCode::SUCCESS,
        });
    };
    if arguments.show {
        return Ok(ExitCode::from(FAILED));
    }
    // Whatever allowed the command: trust is a person's to give.
    if std::env::var_os(process::MARK).is_some() {
        return Err(Misuse::new(
            "a command that MewCode runs cannot trust a workspace; do it in a terminal of your own",
        ));
    }
    if !(arguments.yes || asked(&question.title)?) {
        return Ok(ExitCode::from(FAILED));
    }
    trust.trust(&root, &config.grants).map_err(Misuse::new)?;
    print_lines("It is trusted with this now.\n");
    Ok(ExitCode::SUCCESS)
}

fn page(root: &str, state: &TrustState, grants: &[Grant], terminal: Terminal) -> String {
    let mut text = format!(
        "{}: {}\n",
        terminal.paint(Style::Title, &printable(root)),
        printable(&state.to_string())
    );
    for (in_force, title) in [
        (true, "In force:"),
        (false, "Not in force, its files would:"),
    ] {
        let grants: Vec<_> = grants
            .iter()
            .filter(|grant| grant.in_force == in_force)
            .collect();
        if grants.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{title}");
        for grant in grants {
            let place = format!("({})", grant.place);
            let _ = writeln!(
                text,
                "  {} {}",
                printable(&grant.words),
                terminal.paint(Style::Faint, &printable(&place))
            );
        }
    }
    text
}

/// Asks on the terminal. Nothing but a clear yes is one.
fn asked(question: &str) -> Result<bool, Misuse> {
    if !std::io::stdin().is_terminal() {
        eprintln!("mewcode: nobody is there to be asked; `mewcode trust --yes` trusts it.");
        return Ok(false);
    }
    print_lines(&format!("{question} [y/N] "));
    // What is not flushed is printed with the next line, which only looks odd.
    let _ = std::io::stdout().flush();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Misuse::new(format!("the answer cannot be read: {error}")))?;
    Ok(is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for yes in ["y\n", "Y", " yes\n"] {
            assert!(is_yes(yes), "{yes:?}");
        }
        for no in ["", "\n", "n\n", "yy\n", "yes please\n", "j\n", "true\n"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }
}
