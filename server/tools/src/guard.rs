//! The boundary of the workspace: a path is made real, then judged by its components. Every caller of every tool is
//! behind it, below permissions. Reads links and folders, never the content of a file; knows nothing of open buffers.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::ToolError;

pub(crate) mod name;

use name::folded;

/// As many links as a system follows before it calls them a loop.
const MAX_LINKS: usize = 40;

/// What a caller wants to do at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Look.
    Read,
    /// Create, change or remove.
    Write,
}

/// A path inside the boundary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResolvedPath {
    /// Without links, `.` and `..`; the file itself need not exist.
    pub real: PathBuf,
    /// As it is shown and may be given again: relative to the first root with `/`, else absolute.
    pub display: String,
}

/// Places beside the roots that the boundary depends on.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The user's home. A root that contains it is not opened.
    pub home: Option<PathBuf>,
    /// What is open in place of a root that is not.
    pub scratch: Option<PathBuf>,
    /// MewCode's own state and configuration, closed wherever they are.
    pub closed: Vec<PathBuf>,
}

impl Places {
    /// The home of the user who runs the process, and nothing else.
    pub fn of_user() -> Places {
        Places {
            home: std::env::home_dir(),
            ..Places::default()
        }
    }
}

/// The boundary.
#[derive(Clone, Debug)]
pub struct PathGuard {
    roots: Vec<PathBuf>,
    scratch: Option<PathBuf>,
    closed: Vec<PathBuf>,
    /// Roots that were not opened because they hold a home directory or everything.
    refused: Vec<PathBuf>,
}

impl PathGuard {
    /// Draws the boundary around these roots. A root that is `/` or contains the home directory is not opened.
    pub fn new(roots: &[PathBuf], places: &Places) -> PathGuard {
        let real = |path: &PathBuf| make_real(path).map_or_else(|_| path.clone(), |real| real.path);
        let home = places.home.as_ref().map(real);
        let scratch = places.scratch.as_ref().map(real);
        let too_wide = |root: &PathBuf| {
            root.parent().is_none() || home.as_ref().is_some_and(|home| home.starts_with(root))
        };
        let (refused, mut open): (Vec<_>, Vec<_>) = roots.iter().map(real).partition(too_wide);
        if !refused.is_empty() && open.is_empty() {
            open.extend(scratch.clone());
        }
        PathGuard {
            roots: open,
            scratch,
            closed: places.closed.iter().map(real).collect(),
            refused,
        }
    }

    /// The open roots, real; relative paths start at the first.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Whether nothing but the scratch folder is open, because the workspace is `/` or a home directory.
    pub fn is_internal(&self) -> bool {
        !self.refused.is_empty()
            && self
                .roots
                .iter()
                .all(|root| Some(root) == self.scratch.as_ref())
    }

    /// How a real path is shown.
    pub fn display(&self, real: &Path) -> String {
        let Some(relative) = self
            .roots
            .first()
            .and_then(|root| real.strip_prefix(root).ok())
        else {
            return real.display().to_string();
        };
        let parts: Vec<_> = relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        if parts.is_empty() {
            ".".to_owned()
        } else {
            parts.join("/")
        }
    }

    /// Makes a path real and judges it.
    pub fn resolve(&self, path: &str, access: Access) -> Result<ResolvedPath, ToolError> {
        if path.is_empty() || path.contains('\0') {
            return Err(ToolError::invalid_arguments(
                "A path must not be empty or contain a NUL character.",
            ));
        }
        if path == "~" || path.starts_with("~/") {
            return Err(
                ToolError::invalid_arguments(format!("`{path}`: `~` is not expanded."))
                    .suggest("Give a path relative to the workspace, or an absolute one."),
            );
        }
        let base = self.roots.first().ok_or_else(|| self.nothing_open())?;
        let real = make_real(&base.join(path)).map_err(|fault| fault.explain(path))?;
        let root = self
            .root_of(&real.path)
            .ok_or_else(|| self.outside(path, &real.path))?;
        for place in real.links.iter().chain([&real.path]) {
            self.check_closed(path, place, root, access)?;
        }
        Ok(ResolvedPath {
            display: self.display(&real.path),
            real: real.path,
        })
    }

    /// Makes the path of a file real that is to be removed or moved away, and judges it. A link is refused: its file
    /// would go, and the link would stay.
    pub fn resolve_itself(&self, path: &str) -> Result<ResolvedPath, ToolError> {
        let resolved = self.resolve(path, Access::Write)?;
        // Without a slash at the end, which would lead through the link.
        let given = |root: &PathBuf| root.join(path).components().collect::<PathBuf>();
        if self
            .roots
            .first()
            .map(given)
            .is_some_and(|given| given.is_symlink())
        {
            return Err(ToolError::conflict(format!(
                "`{path}` is a link to `{}`: removing or moving it so would take the file and leave the link. Nothing was changed.",
                resolved.display
            ))
            .suggest("Name the file itself, or remove the link with a command."));
        }
        Ok(resolved)
    }

    /// The real path, and those inside the workspace that lead to it through links: rules are about all of them.
    pub fn ways(&self, given: &str, resolved: &ResolvedPath) -> Vec<PathBuf> {
        let mut ways = vec![resolved.real.clone()];
        let real = self.roots.first().map(|root| make_real(&root.join(given)));
        // What has no real form any more was made real before: the real path stands for it.
        if let Some(Ok(real)) = real {
            let inside = real
                .ways
                .into_iter()
                .filter(|way| self.root_of(way).is_some());
            ways.extend(inside);
        }
        ways
    }

    /// The outermost root that contains the path, so that a root inside another one opens nothing that the outer
    /// closes.
    pub(crate) fn root_of(&self, real: &Path) -> Option<&Path> {
        let containing = self.roots.iter().filter(|root| real.starts_with(root));
        containing
            .min_by_key(|root| root.components().count())
            .map(PathBuf::as_path)
    }

    /// What belongs to MewCode itself, wherever it is, real.
    pub(crate) fn closed(&self) -> &[PathBuf] {
        &self.closed
    }

    /// What belongs to MewCode itself in a folder, real.
    pub(crate) fn closed_in(&self, folder: &Path) -> Vec<PathBuf> {
        let in_scratch = |place: &Path| {
            self.scratch
                .as_ref()
                .is_some_and(|scratch| place.starts_with(scratch))
        };
        let closed = self.closed.iter();
        closed
            .filter(|closed| closed.starts_with(folder) && !in_scratch(closed))
            .cloned()
            .collect()
    }

    fn check_closed(
        &self,
        given: &str,
        place: &Path,
        root: &Path,
        access: Access,
    ) -> Result<(), ToolError> {
        let in_scratch = self
            .scratch
            .as_ref()
            .is_some_and(|scratch| place.starts_with(scratch));
        if !in_scratch && self.closed.iter().any(|closed| place.starts_with(closed)) {
            return Err(ToolError::forbidden_path(format!(
                "`{given}` belongs to MewCode itself and is closed to tools."
            )));
        }
        let Ok(relative) = place.strip_prefix(root) else {
            return Ok(());
        };
        let contains = |name: &str| {
            relative
                .components()
                .any(|part| folded(part.as_os_str()) == name)
        };
        if contains(".mewcode") {
            return Err(ToolError::forbidden_path(format!(
                "`{given}` is in a `.mewcode` folder, which is closed to tools."
            )));
        }
        if access == Access::Write && contains(".git") {
            return Err(ToolError::forbidden_path(format!(
                "`{given}` is in a `.git` folder, which is closed to writing."
            ))
            .suggest("Use git itself to change a repository."));
        }
        Ok(())
    }

    fn nothing_open(&self) -> ToolError {
        match self.refused.first() {
            Some(root) => ToolError::outside_workspace(format!(
                "The workspace is `{}`, which is too wide to be opened to tools, and there is no scratch folder.",
                root.display()
            ))
            .suggest("Ask the user to open the folder of a project."),
            None => ToolError::outside_workspace("No folder is open.").suggest("Ask the user to open a folder."),
        }
    }

    fn outside(&self, given: &str, real: &Path) -> ToolError {
        let roots: Vec<String> = self
            .roots
            .iter()
            .map(|root| format!("`{}`", root.display()))
            .collect();
        let leads = if Path::new(given) == real {
            String::new()
        } else {
            format!(" leads to `{}`, which", real.display())
        };
        if self.is_internal() {
            return ToolError::outside_workspace(format!(
                "`{given}`{leads} is closed: the workspace is `/` or a home folder, so only the scratch folder {} is open.",
                roots.join(", ")
            ))
            .suggest("Ask the user to open the folder of a project.");
        }
        ToolError::outside_workspace(format!(
            "`{given}`{leads} is outside the workspace ({}).",
            roots.join(", ")
        ))
    }
}

/// A path without links, and the links that were passed on the way.
pub(crate) struct Real {
    pub(crate) path: PathBuf,
    pub(crate) links: Vec<PathBuf>,
    /// The whole path as it was at each of the links.
    pub(crate) ways: Vec<PathBuf>,
}

/// Walks an absolute path as the system would; what does not exist is kept as it is written.
pub(crate) fn trail(path: &Path) -> io::Result<Real> {
    make_real(path).map_err(|fault| match fault {
        Fault::Loop => io::Error::other("it leads through a loop of symbolic links"),
        Fault::NotADirectory(_) => io::ErrorKind::NotADirectory.into(),
        Fault::Io(_, error) => error,
    })
}

/// Why a path has no real form.
enum Fault {
    Loop,
    NotADirectory(PathBuf),
    Io(PathBuf, io::Error),
}

impl Fault {
    fn explain(self, given: &str) -> ToolError {
        match self {
            Fault::Loop => {
                ToolError::not_found(format!("`{given}` leads through a loop of symbolic links."))
            }
            Fault::NotADirectory(file) => ToolError::not_found(format!(
                "`{given}` does not exist: `{}` is a file, not a folder.",
                file.display()
            )),
            Fault::Io(place, error) => ToolError::unavailable(format!(
                "`{given}`: `{}` cannot be looked at: {error}.",
                place.display()
            )),
        }
    }
}

/// One step of a path that is not walked yet.
enum Step {
    /// Start again from here: a prefix or a root.
    Anchor(OsString),
    Up,
    Down(OsString),
}

fn steps(path: &Path) -> impl DoubleEndedIterator<Item = Step> + '_ {
    path.components().filter_map(|component| match component {
        Component::Prefix(_) | Component::RootDir => {
            Some(Step::Anchor(component.as_os_str().to_owned()))
        }
        Component::CurDir => None,
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Down(name.to_owned())),
    })
}

/// Walks an absolute path from its root, link by link, as the system would. What does not exist is kept as it is
/// written, so that a file still to be created, also behind a dangling link, is judged by where it would really be.
fn make_real(path: &Path) -> Result<Real, Fault> {
    let mut ahead: VecDeque<Step> = steps(path).collect();
    let mut real = PathBuf::new();
    let mut links = Vec::new();
    let mut ways = Vec::new();
    while let Some(step) = ahead.pop_front() {
        match step {
            // `push` starts again at a root and keeps a Windows prefix before it.
            Step::Anchor(anchor) => real.push(anchor),
            Step::Up => {
                real.pop();
            }
            Step::Down(name) => {
                let next = real.join(name);
                match next.symlink_metadata() {
                    Ok(metadata) if metadata.is_symlink() => {
                        if links.len() == MAX_LINKS {
                            return Err(Fault::Loop);
                        }
                        let target = next
                            .read_link()
                            .map_err(|error| Fault::Io(next.clone(), error))?;
                        ways.push(ahead.iter().fold(next.clone(), walked));
                        for step in steps(&target).rev() {
                            ahead.push_front(step);
                        }
                        links.push(next);
                    }
                    Ok(_) => real = next,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => real = next,
                    Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                        return Err(Fault::NotADirectory(real));
                    }
                    Err(error) => return Err(Fault::Io(next, error)),
                }
            }
        }
    }
    Ok(Real {
        path: true_case(&real)?,
        links,
        ways,
    })
}

/// A path with one step more, by its text alone.
fn walked(mut path: PathBuf, step: &Step) -> PathBuf {
    match step {
        Step::Anchor(name) | Step::Down(name) => path.push(name),
        Step::Up => {
            path.pop();
        }
    }
    path
}

/// Where a file system does not distinguish case, the part that exists is written as the system writes it.
fn true_case(real: &Path) -> Result<PathBuf, Fault> {
    for ancestor in real.ancestors() {
        match ancestor.canonicalize() {
            Ok(canonical) => {
                // `ancestor` is one of `real`'s own ancestors.
                let rest = real.strip_prefix(ancestor).unwrap_or(Path::new(""));
                return Ok(if rest.as_os_str().is_empty() {
                    canonical
                } else {
                    canonical.join(rest)
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Fault::Io(ancestor.to_owned(), error)),
        }
    }
    Ok(real.to_owned())
}

/// Whether tools write nothing that is called so, nor anything in it: a folder of git's or of MewCode's.
pub(crate) fn is_closed(name: &OsStr) -> bool {
    // Folding each name of a large tree would be felt. What may be dropped in front of the dot is not ASCII.
    let first = name.as_encoded_bytes().first();
    let may_be = first.is_some_and(|first| *first == b'.' || !first.is_ascii());
    may_be && matches!(&*folded(name), ".git" | ".mewcode")
}

#[cfg(test)]
mod tests;
