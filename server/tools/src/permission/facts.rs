//! What a call would do, gathered from its effects: for commands with what their text tells. Decides nothing.

use std::path::{Path, PathBuf};

use super::policy::PolicySettings;
use crate::command::{Analysis, Safety, Surroundings, Target, analyse};
use crate::effect::{Command, Effect, Typed};
use crate::lexical::normal;

/// A command and what its text tells.
pub(super) struct Analysed<'a> {
    pub(super) command: &'a Command,
    pub(super) analysis: Analysis,
}

/// Everything that a call would do.
#[derive(Default)]
pub(super) struct Facts<'a> {
    pub(super) commands: Vec<Analysed<'a>>,
    /// Real paths, and those that lead to them by links.
    pub(super) reads: Vec<PathBuf>,
    /// Real paths, and those that lead to them by links.
    pub(super) writes: Vec<PathBuf>,
    /// Whether it reads files that are not known.
    pub(super) unknown_reads: bool,
    /// Whether it writes to places that are not known.
    pub(super) unknown_writes: bool,
    pub(super) hosts: Vec<String>,
    /// Whether it talks to hosts that are not known.
    pub(super) unknown_hosts: bool,
    pub(super) git_index: bool,
    pub(super) workspace: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(
        effects: &'a [Effect],
        settings: &PolicySettings,
        roots: &[PathBuf],
    ) -> Facts<'a> {
        let mut facts = Facts::default();
        for effect in effects {
            match effect {
                Effect::Read(paths) => facts.reads.extend(paths.iter().cloned()),
                Effect::Write(paths) => {
                    facts.unknown_writes |= paths.is_empty();
                    facts.writes.extend(paths.iter().cloned());
                }
                Effect::Process(command) => facts.add_command(command, settings, roots),
                Effect::Network(hosts) => {
                    facts.unknown_hosts |= hosts.is_empty();
                    facts.hosts.extend(hosts.iter().cloned());
                }
                Effect::Fetch { host, .. } => facts.hosts.push(host.clone()),
                Effect::GitIndex => facts.git_index = true,
                Effect::Workspace => facts.workspace = true,
            }
        }
        for paths in [&mut facts.reads, &mut facts.writes] {
            let mut seen = std::collections::HashSet::new();
            paths.retain(|path| seen.insert(path.clone()));
        }
        facts
    }

    fn add_command(&mut self, command: &'a Command, settings: &PolicySettings, roots: &[PathBuf]) {
        let surroundings = Surroundings {
            workdir: command.workdir.clone(),
            home: settings.home.clone(),
            is_root: roots.contains(&command.workdir),
        };
        let mut analysis = analyse(&command.line, &surroundings);
        if let Some(Typed {
            unknown: Some(why), ..
        }) = command.typed.as_deref()
        {
            analysis.may_be_another(&command.line, why);
        }
        self.reads.extend(known(&analysis.reads));
        if let Safety::Proven { reads, .. } = &analysis.safety {
            self.reads.extend(reads.iter().map(|path| normal(path)));
        }
        self.writes.extend(known(&analysis.writes));
        let is_unknown = |target: &Target| target.path.is_none();
        self.unknown_reads |= analysis.reads.iter().any(is_unknown);
        self.unknown_writes |= analysis.writes.iter().any(is_unknown);
        self.git_index |= analysis.repository;
        self.commands.push(Analysed { command, analysis });
    }

    /// Whether it does nothing but look, as far as its effects alone tell.
    pub(super) fn only_reads(&self) -> bool {
        self.commands.is_empty()
            && self.writes.is_empty()
            && self.hosts.is_empty()
            && !(self.unknown_writes || self.unknown_hosts || self.git_index || self.workspace)
    }
}

impl Analysed<'_> {
    /// Whether it is proven to do nothing but read, and nothing outside the workspace.
    pub(super) fn is_proven(&self, reads: &[PathBuf], roots: &[PathBuf]) -> bool {
        self.command.reads_only
            && matches!(self.analysis.safety, Safety::Proven { .. })
            && reads.iter().all(|path| is_inside(path, roots))
    }

    /// Whether it reads files that are not known, or outside the workspace.
    pub(super) fn reads_elsewhere(&self, reads: &[PathBuf], roots: &[PathBuf]) -> bool {
        self.analysis
            .reads
            .iter()
            .any(|target| target.path.is_none())
            || !reads.iter().all(|path| is_inside(path, roots))
    }
}

/// Whether a path is in the workspace, by its text.
pub(super) fn is_inside(path: &Path, roots: &[PathBuf]) -> bool {
    let path = normal(path);
    roots.iter().any(|root| path.starts_with(root))
}

fn known(targets: &[Target]) -> impl Iterator<Item = PathBuf> + '_ {
    targets
        .iter()
        .filter_map(|target| target.path.as_deref().map(normal))
}
