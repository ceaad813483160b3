//! Patterns of paths, in gitignore's syntax: `*.rs` is a name at any depth, `src/**` and `/src/**` start at the root of
//! the workspace, `~/` at the home folder, `//` at the root of the file system.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Fault;
use crate::lexical::normal;

/// The real roots of the workspace.
type Roots<'a> = &'a [PathBuf];

/// A pattern of paths.
#[derive(Clone, Debug)]
pub(in crate::permission) struct PathPattern {
    anchor: Anchor,
    /// The folders and the file that it names without any wildcard, from where it starts: what is above holds what the
    /// pattern matches. None: that may be anywhere.
    fixed: Option<PathBuf>,
    exact: Gitignore,
    /// The same where letter case does not count: some file systems take two spellings for one file.
    folded: Gitignore,
}

/// Where the paths start that the pattern is compared with.
#[derive(Clone, Debug)]
enum Anchor {
    /// At a root of the workspace; what is in none is compared as a whole where that is the strict way.
    Root,
    Folder(PathBuf),
}

impl PathPattern {
    pub(super) fn read(text: &str, home: Option<&Path>) -> Result<PathPattern, Fault> {
        if text.starts_with('!') {
            return Err(Fault::at(
                1,
                "a pattern of a rule takes nothing away: no `!` is expected in front",
            ));
        }
        if text.starts_with('#') {
            return Err(Fault::at(1, "`\\#` is expected for a name that begins so"));
        }
        let (anchor, line) = if text == "~" || text.starts_with("~/") {
            let Some(home) = home else {
                return Err(Fault::at(1, "no home folder is known for `~`"));
            };
            let rest = text.strip_prefix("~/").unwrap_or("**");
            (Anchor::Folder(home.to_owned()), format!("/{rest}"))
        } else if let Some(absolute) = text.strip_prefix("//") {
            (Anchor::Folder(PathBuf::from("/")), format!("/{absolute}"))
        } else if let Some(rest) = text.strip_prefix("./") {
            (Anchor::Root, format!("/{rest}"))
        } else {
            (Anchor::Root, text.to_owned())
        };
        Ok(PathPattern {
            anchor,
            fixed: fixed(&line),
            exact: compile(&line, false)?,
            folded: compile(&line, true)?,
        })
    }

    /// Whether the pattern allows the path.
    pub(in crate::permission) fn allows(&self, path: &Path, roots: Roots<'_>) -> bool {
        let path = normal(path);
        match &self.anchor {
            Anchor::Root => roots
                .iter()
                .filter_map(|root| path.strip_prefix(root).ok())
                .any(|relative| is_matched(&self.exact, relative, false)),
            Anchor::Folder(folder) => path
                .strip_prefix(folder)
                .is_ok_and(|relative| is_matched(&self.exact, relative, false)),
        }
    }

    /// Whether the path is a folder above what the pattern matches, so that to change the one is to change the other.
    pub(in crate::permission) fn is_below(&self, path: &Path, roots: Roots<'_>) -> bool {
        let path = normal(path);
        let Some(fixed) = &self.fixed else {
            return false;
        };
        let starts = match &self.anchor {
            Anchor::Root => roots,
            Anchor::Folder(folder) => std::slice::from_ref(folder),
        };
        starts
            .iter()
            .any(|start| start.join(fixed).starts_with(&path))
    }

    /// The folders and files in which all is that the pattern matches, as far as that can be told without looking
    /// through the whole disk.
    pub(in crate::permission) fn starts(&self, roots: Roots<'_>) -> Vec<PathBuf> {
        let fixed = self.fixed.as_deref();
        match &self.anchor {
            Anchor::Root => roots
                .iter()
                .map(|root| fixed.map_or_else(|| root.clone(), |fixed| root.join(fixed)))
                .collect(),
            Anchor::Folder(folder) => fixed.map(|fixed| folder.join(fixed)).into_iter().collect(),
        }
    }

    /// Whether the path may be one that the pattern forbids.
    pub(in crate::permission) fn forbids(&self, path: &Path, roots: Roots<'_>) -> bool {
        let path = normal(path);
        let is_matched = |relative: &Path| {
            is_matched(&self.folded, relative, false) || is_matched(&self.folded, relative, true)
        };
        match &self.anchor {
            Anchor::Root => {
                let mut inside = roots
                    .iter()
                    .filter_map(|root| path.strip_prefix(root).ok())
                    .peekable();
                match inside.peek() {
                    Some(_) => inside.any(is_matched),
                    None => is_matched(path.strip_prefix("/").unwrap_or(&path)),
                }
            }
            Anchor::Folder(folder) => path.strip_prefix(folder).is_ok_and(is_matched),
        }
    }
}

/// The names at the beginning of a pattern that starts at one place.
fn fixed(line: &str) -> Option<PathBuf> {
    let inner = line.trim_end_matches('/');
    let names = inner.strip_prefix('/').unwrap_or(inner).split('/');
    let plain: PathBuf = names
        .take_while(|name| !name.contains(['*', '?', '[', '\\']))
        .collect();
    (inner.contains('/') && !plain.as_os_str().is_empty()).then_some(plain)
}

fn compile(line: &str, folded: bool) -> Result<Gitignore, Fault> {
    let fault = |error: ignore::Error| Fault::at(1, format!("no pattern of gitignore: {error}"));
    // Relative paths are given to it, so that no root is taken off.
    let mut builder = GitignoreBuilder::new("/");
    builder.case_insensitive(folded).map_err(fault)?;
    builder.allow_unclosed_class(false);
    builder.add_line(None, line).map_err(fault)?;
    let pattern = builder.build().map_err(fault)?;
    if pattern.is_empty() {
        return Err(Fault::at(1, "a path is expected"));
    }
    Ok(pattern)
}

/// Whether the pattern matches the path or a folder above it.
fn is_matched(pattern: &Gitignore, relative: &Path, is_folder: bool) -> bool {
    if relative.as_os_str().is_empty() {
        return false;
    }
    // What begins with a root is none of the relative paths that are asked for here.
    !relative.has_root()
        && pattern
            .matched_path_or_any_parents(relative, is_folder)
            .is_ignore()
}
