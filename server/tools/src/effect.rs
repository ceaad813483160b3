//! What a call touches. Permission, review, scheduling and audit look at effects and at nothing else, so none of them
//! can read another argument than the tool does.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One effect of one call. Paths are real.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Reads files or folders.
    Read(Vec<PathBuf>),
    /// Creates, changes or removes files or folders.
    Write(Vec<PathBuf>),
    /// Runs a program.
    Process,
    /// Talks to these domains.
    Network(Vec<String>),
    /// Changes the index or the references of a repository.
    GitIndex,
    /// May touch anything in the workspace.
    Workspace,
}

/// An effect without its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// See [`Effect::Read`].
    Read,
    /// See [`Effect::Write`].
    Write,
    /// See [`Effect::Process`].
    Process,
    /// See [`Effect::Network`].
    Network,
    /// See [`Effect::GitIndex`].
    GitIndex,
    /// See [`Effect::Workspace`].
    Workspace,
}

impl Effect {
    /// Which kind of effect.
    pub fn kind(&self) -> EffectKind {
        match self {
            Effect::Read(_) => EffectKind::Read,
            Effect::Write(_) => EffectKind::Write,
            Effect::Process => EffectKind::Process,
            Effect::Network(_) => EffectKind::Network,
            Effect::GitIndex => EffectKind::GitIndex,
            Effect::Workspace => EffectKind::Workspace,
        }
    }
}

/// The most that any call of a tool can touch, known without arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffectBound(Vec<EffectKind>);

impl EffectBound {
    /// The bound that allows these kinds.
    pub fn new(kinds: impl IntoIterator<Item = EffectKind>) -> EffectBound {
        EffectBound(kinds.into_iter().collect())
    }

    /// The kinds.
    pub fn kinds(&self) -> &[EffectKind] {
        &self.0
    }

    /// Whether no call of the tool can change anything.
    pub fn is_read_only(&self) -> bool {
        self.0.iter().all(|kind| *kind == EffectKind::Read)
    }

    /// Whether the bound allows the effect.
    pub fn covers(&self, effect: &Effect) -> bool {
        self.0.contains(&effect.kind())
            || self.0.contains(&EffectKind::Workspace) && !matches!(effect, Effect::Network(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_covers_its_kinds_and_a_workspace_bound_all_that_is_local() {
        let write = EffectBound::new([EffectKind::Write]);
        assert!(write.covers(&Effect::Write(vec![])));
        assert!(!write.covers(&Effect::Read(vec![])));
        assert!(!write.is_read_only());
        let workspace = EffectBound::new([EffectKind::Workspace]);
        assert!(workspace.covers(&Effect::Process));
        assert!(!workspace.covers(&Effect::Network(vec![])));
        assert!(EffectBound::new([EffectKind::Read]).is_read_only());
    }
}
