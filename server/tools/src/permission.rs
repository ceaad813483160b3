//! Whether a call may happen, decided from the mode and the effects of the call alone. Knows no tool by name and asks
//! nobody.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::effect::{Effect, EffectBound};
use crate::port::Review;

/// How much the agent may do unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reads freely; each change is shown first.
    #[default]
    Default,
    /// Changes to files are applied at once and reviewed later.
    AcceptEdits,
    /// Reads only.
    Plan,
    /// Does everything unasked.
    Bypass,
    /// Does only what needs no question.
    DontAsk,
}

impl Mode {
    /// Every mode, in the order in which they are offered.
    pub const ALL: [Mode; 5] = [
        Mode::Default,
        Mode::AcceptEdits,
        Mode::Plan,
        Mode::Bypass,
        Mode::DontAsk,
    ];

    /// The name as it stands in JSON and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AcceptEdits => "accept_edits",
            Mode::Plan => "plan",
            Mode::Bypass => "bypass",
            Mode::DontAsk => "dont_ask",
        }
    }

    /// Whether tools with this bound are offered to the model at all.
    pub fn offers(self, bound: &EffectBound) -> bool {
        self != Mode::Plan || bound.is_read_only()
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A mode of that name does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no mode `{0}`; the modes are default, accept_edits, plan, bypass and dont_ask")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Mode, UnknownMode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.as_str() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It happens; a change is reviewed as said.
    Allow(Review),
    /// A person decides. For a change the review is the question.
    Ask(Review),
    /// It does not happen, for this reason.
    Deny(String),
}

impl Verdict {
    fn severity(&self) -> u8 {
        match self {
            Verdict::Allow(_) => 0,
            Verdict::Ask(_) => 1,
            Verdict::Deny(_) => 2,
        }
    }
}

/// Decides on a call by its effects: the strictest verdict of any of them.
pub fn decide(mode: Mode, effects: &[Effect]) -> Verdict {
    effects.iter().map(|effect| decide_one(mode, effect)).fold(
        Verdict::Allow(Review::After),
        |strictest, verdict| {
            if verdict.severity() > strictest.severity() {
                verdict
            } else {
                strictest
            }
        },
    )
}

fn decide_one(mode: Mode, effect: &Effect) -> Verdict {
    let paths = match effect {
        Effect::Read(_) => return Verdict::Allow(Review::After),
        Effect::Write(paths) => paths.as_slice(),
        _ => &[],
    };
    let question = || Verdict::Ask(Review::Before);
    match mode {
        Mode::Plan => {
            Verdict::Deny("The mode `plan` allows no changes: describe them instead.".to_owned())
        }
        Mode::DontAsk => Verdict::Deny(
            "This needs the user's consent, and the mode `dont_ask` asks no questions.".to_owned(),
        ),
        Mode::Default => question(),
        Mode::AcceptEdits | Mode::Bypass if paths.iter().any(|path| runs_or_configures(path)) => {
            question()
        }
        Mode::AcceptEdits if !matches!(effect, Effect::Write(_)) => question(),
        Mode::AcceptEdits | Mode::Bypass => Verdict::Allow(Review::After),
    }
}

/// Whether what is written there is run, or configures what is run, at a later time: such a change is asked for in
/// every mode.
fn runs_or_configures(path: &Path) -> bool {
    const FOLDERS: &[&str] = &[
        ".claude",
        ".vscode",
        ".idea",
        ".githooks",
        ".husky",
        ".devcontainer",
    ];
    const FILES: &[&str] = &[
        ".mewcode.yaml",
        ".mewcode.yml",
        ".mcp.json",
        ".envrc",
        ".gitconfig",
        ".gitmodules",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
    ];
    let is = |name: &std::ffi::OsStr, list: &[&str]| {
        list.iter().any(|entry| name.eq_ignore_ascii_case(entry))
    };
    let in_folder = path.parent().is_some_and(|parent| {
        parent
            .components()
            .any(|part| is(part.as_os_str(), FOLDERS))
    });
    in_folder
        || path
            .file_name()
            .is_some_and(|name| is(name, FILES) || is(name, FOLDERS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::EffectKind;

    fn write(path: &str) -> Vec<Effect> {
        vec![Effect::Write(vec![path.into()])]
    }

    /// `allow`, `ask` or `deny`, with the review where there is one.
    fn verdict(mode: Mode, effects: &[Effect]) -> &'static str {
        match decide(mode, effects) {
            Verdict::Allow(Review::Before) => "allow before",
            Verdict::Allow(Review::After) => "allow after",
            Verdict::Ask(Review::Before) => "ask before",
            Verdict::Ask(Review::After) => "ask after",
            Verdict::Deny(_) => "deny",
        }
    }

    #[test]
    fn the_table_of_modes_and_effects() {
        let read = vec![Effect::Read(vec!["/w/a".into()])];
        let table = [
            (Mode::Default, "ask before", "ask before", "ask before"),
            (Mode::AcceptEdits, "allow after", "ask before", "ask before"),
            (Mode::Plan, "deny", "deny", "deny"),
            (Mode::Bypass, "allow after", "ask before", "allow after"),
            (Mode::DontAsk, "deny", "deny", "deny"),
        ];
        for (mode, a_file, a_configuration, a_process) in table {
            assert_eq!(verdict(mode, &read), "allow after", "{mode}: reading");
            assert_eq!(
                verdict(mode, &write("/w/src/a.rs")),
                a_file,
                "{mode}: a file"
            );
            assert_eq!(
                verdict(mode, &write("/w/.vscode/tasks.json")),
                a_configuration,
                "{mode}: configuration"
            );
            assert_eq!(
                verdict(mode, &[Effect::Process]),
                a_process,
                "{mode}: a process"
            );
        }
    }

    #[test]
    fn the_strictest_effect_decides() {
        let effects = [
            Effect::Read(vec![]),
            write("/w/a")[0].clone(),
            write("/w/.envrc")[0].clone(),
        ];
        assert_eq!(verdict(Mode::AcceptEdits, &effects), "ask before");
        assert_eq!(verdict(Mode::AcceptEdits, &[]), "allow after");
    }

    #[test]
    fn what_runs_later_is_known_by_folder_and_name() {
        for path in [
            "/w/.claude/agents/a.md",
            "/w/sub/.MCP.json",
            "/w/.envrc",
            "/w/.mewcode.yaml",
            "/h/.zshrc",
            "/w/.vscode",
        ] {
            assert!(runs_or_configures(Path::new(path)), "{path}");
        }
        for path in ["/w/envrc", "/w/vscode/a", "/w/src/mcp.json", "/w/a.claude"] {
            assert!(!runs_or_configures(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn names_of_modes_are_read_back() {
        for mode in Mode::ALL {
            assert_eq!(mode.as_str().parse::<Mode>(), Ok(mode));
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
        }
        insta::assert_snapshot!("auto".parse::<Mode>().unwrap_err(), @"there is no mode `auto`; the modes are default, accept_edits, plan, bypass and dont_ask");
    }

    #[test]
    fn plan_mode_offers_only_what_reads() {
        let reads = EffectBound::new([EffectKind::Read]);
        let writes = EffectBound::new([EffectKind::Read, EffectKind::Write]);
        assert!(
            Mode::Plan.offers(&reads)
                && !Mode::Plan.offers(&writes)
                && Mode::Default.offers(&writes)
        );
    }
}
