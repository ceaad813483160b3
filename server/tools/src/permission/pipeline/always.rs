//! What asks in every mode, whatever rules allow: secrets, what runs or configures later, git commands that lose or publish
//! something, and leaving the sandbox.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Judge, shown};
use crate::guard;
use crate::permission::Mode;
use crate::permission::decision::{Said, Stage};
use crate::permission::facts::Analysed;
use crate::permission::protected::runs_or_configures;
use crate::sandbox::Profile;
use crate::unseen::visible;

impl Judge<'_> {
    /// What asks in every mode, whatever rules allow.
    pub(super) fn always(&mut self) {
        let mut reasons = Vec::new();
        let facts = self.facts;
        let is_sensitive = |path: &&PathBuf| self.compiled.sensitive.contains(path);
        let secrets = facts.reads.iter().chain(&facts.writes).filter(is_sensitive);
        reasons.extend(secrets.map(|path| format!("{} may hold secrets", shown(path))));
        for path in &facts.writes {
            if runs_or_configures(path) || !facts.commands.is_empty() && is_closed(path) {
                reasons.push(format!(
                    "what is written to {} is run, or configures what is run, at a later time",
                    shown(path)
                ));
            }
        }
        for one in &facts.commands {
            reasons.extend(one.command.may_show.iter().map(|path| {
                format!(
                    "it may show {}, which may hold secrets or is not to be read; what stands behind `--` limits it",
                    shown(path)
                )
            }));
        }
        if self.request.mode != Mode::Bypass {
            for Analysed { command, analysis } in &facts.commands {
                for discard in &analysis.discards {
                    let text = visible(&discard.text);
                    reasons.push(format!("`{text}`: {}", discard.why));
                }
                if looseness(command.sandbox) > looseness(self.compiled.settings.sandbox) {
                    reasons.push(match command.sandbox {
                        Profile::Off => "it runs outside the sandbox".to_owned(),
                        profile => format!(
                            "it runs with the sandbox `{}`, which confines less",
                            profile.as_str()
                        ),
                    });
                }
            }
        }
        if reasons.is_empty() {
            self.step(
                Stage::Always,
                None,
                Said::Nothing,
                "nothing that is asked for in every mode",
            );
        }
        let mut seen = HashSet::new();
        reasons.retain(|reason| seen.insert(reason.clone()));
        for reason in reasons {
            self.step(Stage::Always, None, Said::Ask, reason);
        }
    }
}

/// Whether a path is in a folder of git's or of MewCode's, which file tools never write.
fn is_closed(path: &Path) -> bool {
    path.components()
        .any(|part| guard::is_closed(part.as_os_str()))
}

fn looseness(profile: Profile) -> u8 {
    match profile {
        Profile::ReadOnly => 0,
        Profile::WorkspaceWrite => 1,
        Profile::Off => 2,
    }
}
