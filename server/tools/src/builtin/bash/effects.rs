//! What a command line touches, told from its text, and how far it is confined. Runs nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use globset::Glob;

use super::{searched, tracked};
use crate::command::{self, Analysis, Safety, Surroundings};
use crate::contract::CallScope;
use crate::effect::{Command, Effect};
use crate::guard::{self, Access};
use crate::sandbox::Profile;

/// What a command line touches.
pub(super) struct Touched {
    pub(super) effects: Vec<Effect>,
    /// How it is confined.
    pub(super) profile: Profile,
    /// Whether it may write the repository by git.
    pub(super) git: bool,
    /// Whether it is proven to do nothing but read.
    pub(super) reads_only: bool,
    /// The folders of which it reads all files, then.
    pub(super) searched: Vec<PathBuf>,
}

/// What this command line touches in this folder. `outside`: it asks to be run without confinement.
pub(super) fn of(line: &str, workdir: &Path, outside: bool, scope: &CallScope) -> Touched {
    let settings = scope.host.policy.settings();
    let surroundings = Surroundings {
        workdir: workdir.to_owned(),
        home: settings.home.clone(),
        is_root: scope
            .workspace
            .guard()
            .roots()
            .iter()
            .any(|root| root == workdir),
    };
    let analysis = command::analyse(line, &surroundings);
    let (mut reads, writes) = (read_paths(&analysis), written_paths(&analysis));
    reads.extend(secrets_meant(&analysis, scope));
    let searches = matches!(analysis.safety, Safety::Proven { searches: true, .. });
    // What it finds is kept from it by the sandbox alone; but not what links lead to that it follows.
    let strays = || follows_links(&analysis) && searched::leads_out(&reads);
    let kept = !searches || settings.sandbox != Profile::Off && !outside && !strays();
    // No sandbox keeps from git what the repository holds.
    let shown = tracked::unread(&analysis.shown, &scope.unread("read_file"));
    let reads_only = matches!(analysis.safety, Safety::Proven { .. })
        && kept
        && !shown.perhaps
        && writes.is_empty()
        && reads.iter().all(|path| is_free(path, scope));
    let profile = match settings.sandbox {
        _ if outside => Profile::Off,
        Profile::Off => Profile::Off,
        _ if reads_only => Profile::ReadOnly,
        profile => profile,
    };
    let searched = match reads_only && searches {
        true => reads.iter().cloned().collect(),
        false => Vec::new(),
    };
    let mut effects = vec![Effect::Process(Command {
        line: line.to_owned(),
        workdir: workdir.to_owned(),
        reads_only,
        sandbox: profile,
        may_show: shown.certain,
        ..Command::default()
    })];
    if !reads.is_empty() {
        effects.push(Effect::Read(reads.into_iter().collect()));
    }
    if !writes.is_empty() {
        effects.push(Effect::Write(writes.into_iter().collect()));
    }
    if analysis.repository {
        effects.push(Effect::GitIndex);
    }
    // Confined, it reaches none.
    if analysis.network && profile == Profile::Off {
        effects.push(Effect::Network(Vec::new()));
    }
    Touched {
        effects,
        profile,
        git: analysis.repository,
        reads_only,
        searched,
    }
}

/// Whether it follows the links in folders that it searches.
fn follows_links(analysis: &Analysis) -> bool {
    analysis.parts.iter().any(|part| {
        let is = |text: &str| part.words.iter().any(|word| word.text == text);
        let name = part.words.first().map(|word| word.text.as_str());
        name.is_some_and(|name| name == "diff" || name.ends_with("/diff"))
            && !is("--no-dereference")
    })
}

/// Whether the path is in the workspace, open to tools, and holds no secrets by its name.
fn is_free(path: &Path, scope: &CallScope) -> bool {
    let boundary = scope.workspace.guard();
    let inside = path
        .to_str()
        .is_some_and(|path| boundary.resolve(path, Access::Read).is_ok());
    inside && !scope.host.policy.is_sensitive(path)
}

fn read_paths(analysis: &Analysis) -> BTreeSet<PathBuf> {
    let named = analysis
        .reads
        .iter()
        .filter_map(|target| target.path.as_ref());
    let proven = match &analysis.safety {
        Safety::Proven { reads, .. } => reads.as_slice(),
        Safety::Unproven { .. } => &[],
    };
    named.chain(proven).map(|path| real(path)).collect()
}

fn written_paths(analysis: &Analysis) -> BTreeSet<PathBuf> {
    let named = analysis
        .writes
        .iter()
        .filter_map(|target| target.path.as_ref());
    named.map(|path| real(path)).collect()
}

/// The files that there are, hold secrets, and are meant by words of the command or by a pattern as the last part of one.
fn secrets_meant(analysis: &Analysis, scope: &CallScope) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in &analysis.mentions {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let pattern = name.contains(['*', '?', '[']).then(|| Glob::new(&name));
        match (pattern, path.parent()) {
            (Some(Ok(pattern)), Some(folder)) => {
                let pattern = pattern.compile_matcher();
                // One that cannot be read gives the shell no names either.
                let entries = folder.read_dir().into_iter().flatten().flatten();
                let hidden = name.starts_with('.');
                let fitting = entries.filter(|entry| {
                    let entry = entry.file_name();
                    let shows = hidden || !entry.as_encoded_bytes().starts_with(b".");
                    shows && pattern.is_match(entry)
                });
                found.extend(fitting.map(|entry| real(&entry.path())));
            }
            _ => found.push(real(path)),
        }
    }
    found.retain(|path| scope.host.policy.is_sensitive(path) && path.exists());
    found
}

/// The path as it really is; where that cannot be told, as it is named.
fn real(path: &Path) -> PathBuf {
    guard::trail(path).map_or_else(|_| path.to_owned(), |trail| trail.path)
}
