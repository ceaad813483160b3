//! What a call touches. Permission, review, scheduling and audit look at effects and at nothing else, so none of them
//! can read another argument than the tool does.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sandbox::Profile;

/// One effect of one call. Paths are real; those that lead to one of them through links are there as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Reads files or folders.
    Read(Vec<PathBuf>),
    /// Creates, changes or removes files or folders.
    Write(Vec<PathBuf>),
    /// Runs a command.
    Process(Command),
    /// Talks to these domains.
    Network(Vec<String>),
    /// Asks a host for a page. What is asked for may tell it something.
    Fetch {
        /// The host, as rules know it.
        host: String,
        /// The whole of it, as it is asked for.
        url: String,
    },
    /// Changes the index or the references of a repository.
    GitIndex,
    /// May touch anything in the workspace.
    Workspace,
}

/// A command that a call runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The command line, as the shell gets it.
    pub line: String,
    /// The real path of the folder that it runs in.
    pub workdir: PathBuf,
    /// Whether it is proven to do nothing but read; else nobody knows what it touches.
    pub reads_only: bool,
    /// How the system confines it.
    pub sandbox: Profile,
    /// Files that nobody named, that hold secrets or are not to be read, and that it may show all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_show: Vec<PathBuf>,
    /// Whether it goes on when the call is over.
    #[serde(default)]
    pub background: bool,
    /// It gets no shell of its own: a program that runs already is given the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<Box<Typed>>,
}

/// How a line is typed into a command that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    /// The id of that command.
    pub into: String,
    /// The line that it was started with, without secrets.
    pub program: String,
    /// The last line that it printed, without secrets.
    pub printed: Option<String>,
    /// What was typed before and belongs to the line.
    pub before: String,
    /// What is typed now.
    pub text: String,
    /// The keys that are pressed then, by name.
    pub keys: Vec<String>,
    /// Whether the input is ended then.
    pub closes: bool,
    /// Why the program may get another line than the command's, as the end of a sentence that begins with the line.
    pub unknown: Option<String>,
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
    /// See [`Effect::Network`] and [`Effect::Fetch`].
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
            Effect::Process(_) => EffectKind::Process,
            Effect::Network(_) | Effect::Fetch { .. } => EffectKind::Network,
            Effect::GitIndex => EffectKind::GitIndex,
            Effect::Workspace => EffectKind::Workspace,
        }
    }

    /// Whether it matters which of the two happens first, so that they must not happen at the same time. Symmetric; in
    /// doubt it matters, which costs time and nothing else.
    pub fn conflicts(&self, other: &Effect) -> bool {
        use Effect::*;
        match (self, other) {
            (Workspace, _) | (_, Workspace) => true,
            // What is fetched from elsewhere is the same, whatever happens here.
            (Network(_) | Fetch { .. }, _) | (_, Network(_) | Fetch { .. }) => false,
            (Process(ours), Process(theirs)) => !(ours.reads_only && theirs.reads_only),
            (Process(command), Read(_) | GitIndex) | (Read(_) | GitIndex, Process(command))
                if command.reads_only =>
            {
                false
            }
            // Files that it makes, ports, build caches; or what it reads while that is changed.
            (Process(_), _) | (_, Process(_)) => true,
            (Read(_), Read(_)) => false,
            (Write(ours), Read(theirs) | Write(theirs)) | (Read(ours), Write(theirs)) => {
                overlap(ours, theirs)
            }
            // What is staged or committed is what the files held at that moment. Reading them changes nothing of it.
            (GitIndex, GitIndex | Write(_)) | (Write(_), GitIndex) => true,
            (GitIndex, Read(_)) | (Read(_), GitIndex) => false,
        }
    }
}

/// Whether any effect of one call conflicts with any of another.
pub fn conflict(ours: &[Effect], theirs: &[Effect]) -> bool {
    ours.iter()
        .any(|our| theirs.iter().any(|their| our.conflicts(their)))
}

/// Whether a path of one side is one of the other side, or contains one.
fn overlap(ours: &[PathBuf], theirs: &[PathBuf]) -> bool {
    ours.iter().any(|our| {
        theirs
            .iter()
            .any(|their| contains(our, their) || contains(their, our))
    })
}

/// Whether `inner` is `outer` or below it, by components. The empty path contains every path. Letter case does not
/// count: some file systems take two spellings for one file, and for the others it only costs time.
fn contains(outer: &Path, inner: &Path) -> bool {
    let folded = |component: Component<'_>| component.as_os_str().to_string_lossy().to_lowercase();
    let mut inner = inner.components();
    outer.components().all(|own| {
        inner
            .next()
            .is_some_and(|other| own == other || folded(own) == folded(other))
    })
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
            || self.0.contains(&EffectKind::Workspace) && effect.kind() != EffectKind::Network
    }

    /// The effects of a call of which nothing more is known: all that the bound allows, everywhere.
    pub fn worst(&self) -> Vec<Effect> {
        let everywhere = || vec![PathBuf::new()];
        self.0
            .iter()
            .map(|kind| match kind {
                EffectKind::Read => Effect::Read(everywhere()),
                EffectKind::Write => Effect::Write(everywhere()),
                EffectKind::Process => Effect::Process(Command::default()),
                EffectKind::Network => Effect::Network(Vec::new()),
                EffectKind::GitIndex => Effect::GitIndex,
                EffectKind::Workspace => Effect::Workspace,
            })
            .collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
