//! Finds out what a policy comes to on this system at this moment, and makes what has to exist for it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::error::SandboxError;
use super::layout::{Layout, StandIn};
use super::notes::Book;
use super::plan::{Mechanism, Plan};
use super::support::available;
use super::survey::{Survey, survey};
use super::{Policy, Profile};

/// What is ready for a command to be confined. When it is dropped, what was made for it is removed.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    environment: Vec<(String, PathBuf)>,
    books: Vec<Book>,
    /// The roots and the repositories that were in them before; nothing where nothing is written.
    before: Option<(Vec<PathBuf>, Survey)>,
}

/// What came of a command's confinement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Repositories in the roots that were not there before. What is in them can run: their hooks, their configuration.
    pub repositories: Vec<PathBuf>,
    /// What was not right in a root before, and is obeyed by a program once the user lets it (`.envrc`, `.mcp.json`, …).
    pub obeyed: Vec<PathBuf>,
    /// What could not be put in order again, a sentence each.
    pub faults: Vec<String>,
}

/// Prepares a command's confinement. To be called by who is not confined itself and outlives the command.
///
/// What must not appear in a root is kept from it by an empty folder of that name, which is there as long as a command
/// runs that needs it, and is removed by the last one; after a crash by the next call, or by [`super::sweep`].
pub fn prepare(policy: &Policy) -> Result<Prepared, SandboxError> {
    if policy.profile == Profile::Off {
        return Ok(Prepared {
            plan: Plan::default(),
            environment: Vec::new(),
            books: Vec::new(),
            before: None,
        });
    }
    let support = available()?;
    let mechanism = support.mechanism;
    if policy.notes.as_os_str().is_empty() {
        return Err(SandboxError::NoNotes);
    }
    let mut prepared = Prepared {
        plan: Plan::default(),
        environment: Vec::new(),
        books: Vec::new(),
        before: None,
    };
    let layout = if policy.profile == Profile::ReadOnly {
        let mut layout = Layout::read_only(policy)?;
        let folder = prepared.make_temporary(&policy.notes)?;
        layout.writable.insert(folder);
        layout
    } else {
        prepared.prepare_writing(policy, mechanism)?
    };
    prepared.plan = Plan {
        profile: policy.profile,
        mechanism,
        user_namespace: support.user_namespace,
        own_network: support.own_network,
        held: layout.held().into_iter().collect(),
        protected: layout
            .protected
            .into_iter()
            .chain(layout.absent.into_keys())
            .collect(),
        writable: layout.writable.into_iter().collect(),
        closed: layout.closed.into_iter().collect(),
    };
    Ok(prepared)
}

impl Prepared {
    /// What the process that is to be confined enters.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the command's environment must say.
    pub fn environment(&self) -> &[(String, PathBuf)] {
        &self.environment
    }

    /// Puts things in order when all processes of the command have ended.
    pub fn finish(mut self) -> Finished {
        let mut finished = Finished {
            faults: self.leave(),
            ..Finished::default()
        };
        if let Some((roots, before)) = self.before.take() {
            match survey(&roots) {
                Ok(after) => {
                    let new = after.since(&before);
                    let named = after.named.difference(&before.named);
                    finished.obeyed.extend(named.cloned());
                    finished
                        .repositories
                        .extend(new.into_iter().filter(|path| !is_empty(path)));
                }
                Err(error) => finished.faults.push(format!(
                    "It is not known whether the command made repositories: {error}."
                )),
            }
        }
        finished
    }

    fn leave(&mut self) -> Vec<String> {
        let books = std::mem::take(&mut self.books);
        books.into_iter().flat_map(Book::leave).collect()
    }

    fn prepare_writing(
        &mut self,
        policy: &Policy,
        mechanism: Mechanism,
    ) -> Result<Layout, SandboxError> {
        for root in &policy.roots {
            let real = root.canonicalize().ok();
            if real.as_ref() != Some(root) || !root.is_dir() {
                return Err(SandboxError::Root(root.clone()));
            }
        }
        let made = mechanism == Mechanism::Namespaces;
        if policy.git && mechanism == Mechanism::Landlock {
            return Err(SandboxError::Repository);
        }
        let mut roots = policy.roots.clone();
        roots.sort();
        roots.dedup();
        let before = survey(&roots)?;
        // From here on nothing that stands in for something goes away until this command has ended.
        if made {
            for root in &roots {
                let book = Book::open(&policy.notes, root)
                    .map_err(|error| SandboxError::path("opened", &policy.notes, error))?;
                self.books.push(book);
            }
        }
        let mut temporary = vec![std::env::temp_dir()];
        temporary.extend(["/tmp", "/var/tmp"].map(PathBuf::from));
        let mut layout = Layout::workspace_write(policy, &temporary, &before)?;
        if made {
            self.make(&roots, &mut layout)?;
        } else if layout
            .closed
            .iter()
            .chain(layout.protected.iter())
            .chain(layout.absent.keys())
            .any(|path| temporary.iter().any(|folder| path.starts_with(folder)))
        {
            // Nothing can be made right in the common ones.
            let folder = self.make_temporary(&policy.notes)?;
            layout.writable.insert(folder);
        }
        for book in &mut self.books {
            book.close();
        }
        self.before = Some((roots, before));
        Ok(layout)
    }

    /// Makes what stands in for what must not appear.
    fn make(&self, roots: &[PathBuf], layout: &mut Layout) -> Result<(), SandboxError> {
        let mut made: BTreeMap<PathBuf, StandIn> = BTreeMap::new();
        for (path, stand_in) in std::mem::take(&mut layout.absent) {
            let inside = roots.iter().position(|root| path.starts_with(root));
            let Some(book) = self.books.get(inside.unwrap_or(0)) else {
                continue;
            };
            match book.make(&path, stand_in) {
                Ok(()) => {
                    made.insert(path, stand_in);
                }
                // Somebody was faster: it is protected as what it is.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    layout.protected.insert(path);
                }
                // Where it cannot be made by us, it cannot be made by the command.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                    ) => {}
                Err(error) => return Err(SandboxError::path("made", &path, error)),
            }
        }
        layout.absent = made;
        Ok(())
    }

    /// Makes a temporary folder for this command alone.
    fn make_temporary(&mut self, notes: &Path) -> Result<PathBuf, SandboxError> {
        let parent = std::env::temp_dir();
        let parent = parent
            .canonicalize()
            .map_err(|error| SandboxError::path("looked at", &parent, error))?;
        let folder = parent.join(format!("mewcode-{}", uuid::Uuid::new_v4().simple()));
        let fault = |error| SandboxError::path("made", &folder, error);
        let mut book = Book::open(notes, &folder).map_err(fault)?;
        book.make_temporary(&folder).map_err(fault)?;
        book.close();
        self.books.push(book);
        self.environment.push(("TMPDIR".to_owned(), folder.clone()));
        Ok(folder)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // Who wants to know what could not be removed calls `finish`; it is noted and tried again anyway.
        drop(self.leave());
    }
}

/// Whether a folder holds nothing: another command's stand-in is no repository.
fn is_empty(path: &Path) -> bool {
    path.read_dir()
        .is_ok_and(|mut entries| entries.next().is_none())
}
