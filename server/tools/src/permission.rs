//! Whether a call may happen, decided from the mode and the effects of the call alone. Knows no tool by name and asks
//! nobody.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::effect::{Effect, EffectBound};
use crate::guard::name::{folded, is_one_of};
use crate::port::Review;

mod policy;
mod sensitive;

pub use policy::{Action, Layer, Policy, PolicySettings, Request, RuleSource};
pub use sensitive::is_sensitive;
pub(crate) use sensitive::stores_of_secrets;

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

/// Why a call with these effects is asked for, if it is for more than what it does in general.
pub(crate) fn why_asked(effects: &[Effect]) -> Option<String> {
    let read = effects.iter().filter_map(|effect| match effect {
        Effect::Read(paths) => Some(paths),
        _ => None,
    });
    let path = read.flatten().find(|path| is_sensitive(path))?;
    Some(format!("`{}` may hold secrets", path.display()))
}

fn decide_one(mode: Mode, effect: &Effect) -> Verdict {
    let question = || Verdict::Ask(Review::Before);
    let paths = match effect {
        Effect::Read(_) => {
            return match why_asked(std::slice::from_ref(effect)) {
                None => Verdict::Allow(Review::After),
                Some(reason) if mode == Mode::DontAsk => Verdict::Deny(format!(
                    "{reason}, so reading it needs the user's consent, and the mode `dont_ask` asks no questions."
                )),
                Some(_) => question(),
            };
        }
        Effect::Write(paths) => paths.as_slice(),
        _ => &[],
    };
    let asks = |path: &std::path::PathBuf| runs_or_configures(path) || is_sensitive(path);
    match mode {
        Mode::Plan => {
            Verdict::Deny("The mode `plan` allows no changes: describe them instead.".to_owned())
        }
        Mode::DontAsk => Verdict::Deny(
            "This needs the user's consent, and the mode `dont_ask` asks no questions.".to_owned(),
        ),
        Mode::Default => question(),
        Mode::AcceptEdits | Mode::Bypass if paths.iter().any(asks) => question(),
        Mode::AcceptEdits if !matches!(effect, Effect::Write(_)) => question(),
        Mode::AcceptEdits | Mode::Bypass => Verdict::Allow(Review::After),
    }
}

/// Whether what is written there is run, or configures what is run, at a later time: such a change is asked for in
/// every mode.
fn runs_or_configures(path: &Path) -> bool {
    const FOLDERS: &[&str] = &[
        ".claude",
        ".codex",
        ".cursor",
        ".vscode",
        ".idea",
        ".githooks",
        ".husky",
        ".devcontainer",
        ".direnv",
    ];
    const FILES: &[&str] = &[
        ".mewcode.yaml",
        ".mewcode.yml",
        ".mcp.json",
        ".envrc",
        ".gitconfig",
        ".gitmodules",
        ".pre-commit-config.yaml",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
        ".exrc",
        ".nvimrc",
        ".nvim.lua",
        ".vimrc",
        "config.fish",
    ];
    let folder = path.parent().is_some_and(|parent| {
        parent
            .components()
            .any(|part| is_one_of(&folded(part.as_os_str()), FOLDERS))
    });
    folder
        || path.file_name().is_some_and(|name| {
            let name = folded(name);
            is_one_of(&name, FILES) || is_one_of(&name, FOLDERS)
        })
        || is_git_hook(path)
}

/// A bare repository's hooks and configuration: a folder of git's that is not called `.git`, which the boundary closes.
fn is_git_hook(path: &Path) -> bool {
    let names: Vec<_> = path
        .components()
        .map(|part| folded(part.as_os_str()))
        .collect();
    names.iter().enumerate().any(|(index, name)| {
        name.len() > ".git".len()
            && name.ends_with(".git")
            && names
                .get(index + 1)
                .is_some_and(|next| is_one_of(next, &["hooks", "config", "info"]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Command, EffectKind};

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
                verdict(mode, &[Effect::Process(Command::default())]),
                a_process,
                "{mode}: a process"
            );
        }
    }

    #[test]
    fn what_may_hold_secrets_is_asked_for_in_every_mode_even_to_be_read() {
        let read = [Effect::Read(vec!["/w/a".into(), "/w/.env".into()])];
        for mode in Mode::ALL {
            let reading = match mode {
                Mode::DontAsk => "deny",
                _ => "ask before",
            };
            assert_eq!(verdict(mode, &read), reading, "{mode}");
        }
        for mode in [Mode::AcceptEdits, Mode::Bypass] {
            assert_eq!(verdict(mode, &write("/w/.env")), "ask before", "{mode}");
            assert_eq!(
                verdict(mode, &write("/w/.env.example")),
                "allow after",
                "{mode}"
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
            "/w/.v\u{17f}code/tasks.json",
            "/w/.husky/pre-commit",
            "/srv/project.git/hooks/post-receive",
            "/srv/project.git/config",
        ] {
            assert!(runs_or_configures(Path::new(path)), "{path}");
        }
        for path in [
            "/w/envrc",
            "/w/vscode/a",
            "/w/src/mcp.json",
            "/w/a.claude",
            "/w/src/hooks/a.ts",
            "/w/a.git",
        ] {
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
