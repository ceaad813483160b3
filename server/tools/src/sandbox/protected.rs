//! What is never written in a workspace by a confined command, by name: the one list. Reads nothing.

use std::ffi::OsStr;

use crate::guard;
use crate::guard::name::{folded, is_one_of};

/// The name of a repository's folder, or of the file that leads to it: protected at any depth.
pub(super) const REPOSITORY: &str = ".git";

/// What git, MewCode, an editor or an agent picks up by itself in a workspace's root, and runs or obeys unasked where the
/// user trusted the folder once: it must not appear there either. All of them are folders: what stands in for one is what
/// everybody expects there. Few, for the user sees them come and go.
pub(super) const ALWAYS: &[&str] = &[
    REPOSITORY, ".mewcode", ".claude", ".codex", ".cursor", ".vscode", ".idea", ".helix", ".zed",
];

/// What is obeyed only once the user has set it up (hooks, start files), or has allowed what is in it (MewCode, `direnv` and
/// Neovim know it by its content; others show it first), and what too few use for an empty folder to stand in for it in
/// everybody's workspace: protected where it is. One that appears is told.
const PRESENT: &[&str] = &[
    ".mewcode.yaml",
    ".mewcode.yml",
    ".mcp.json",
    ".devcontainer",
    ".devcontainer.json",
    ".gemini",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".windsurf",
    ".kiro",
    ".fleet",
    ".envrc",
    ".githooks",
    ".husky",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".pre-commit-config.yaml",
    ".gitconfig",
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
    ".vimrc",
    "config.fish",
];

/// What is like [`PRESENT`], whatever is in front: VS Code opens such a file as a workspace, with tasks and settings.
const PRESENT_ENDINGS: &[&str] = &[".code-workspace"];

/// Whether an entry of a root is protected, by whatever name some file system takes for the same.
pub(super) fn is_protected(name: &OsStr) -> bool {
    is_one_of(&folded(name), ALWAYS) || is_told(name)
}

/// Whether an entry of a root may appear, and is to be told of then.
pub(super) fn is_told(name: &OsStr) -> bool {
    let name = folded(name);
    is_one_of(&name, PRESENT) || PRESENT_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether it is a repository's name, by whatever name some file system takes for the same.
pub(super) fn is_repository(name: &OsStr) -> bool {
    // Folding every name of a large tree would be felt.
    let first = name.as_encoded_bytes().first();
    first.is_some_and(|byte| *byte == b'.' || !byte.is_ascii()) && folded(name) == REPOSITORY
}

/// What a repository's folder must have where it is protected inside a repository that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// An empty folder stands in for it.
    Folder,
    /// A file of this content, which says nothing new, stands in for it.
    File(&'static str),
    /// It is only protected where it is.
    Nothing,
}

/// What git runs, or takes commands or another repository's place from, in a repository's folder.
pub(super) const IN_REPOSITORY: &[(&str, Absent)] = &[
    ("hooks", Absent::Folder),
    ("config", Absent::File("")),
    ("config.worktree", Absent::File("")),
    ("info/attributes", Absent::File("")),
    // The folder itself, as if it said nothing: where the configuration and the hooks are.
    ("commondir", Absent::File(".\n")),
    ("gitdir", Absent::Nothing),
];

/// Whether some program runs or obeys what is called so: what is protected by its name, but for what is closed to
/// tools anyway.
pub(crate) fn is_obeyed(name: &OsStr) -> bool {
    is_protected(name) && !guard::is_closed(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_name_are_protected_like_it() {
        for name in [".git", ".GIT", ".Git.", ".g\u{200c}it"] {
            assert!(is_repository(OsStr::new(name)), "{name}");
        }
        for name in [
            ".VSCode",
            ".v\u{17f}code",
            ".mcp.json",
            ".ENVRC",
            ".bashrc",
            "config.fish",
            ".helix",
            ".Zed",
            ".gemini",
            ".opencode",
            "opencode.json",
            ".windsurf",
            ".kiro",
            ".fleet",
            "mew.Code-Workspace",
        ] {
            assert!(is_protected(OsStr::new(name)), "{name}");
        }
        for name in [
            ".Envrc",
            ".NVIM.lua",
            ".bashrc",
            ".kiro",
            "a.code-workspace",
        ] {
            assert!(is_told(OsStr::new(name)), "{name}");
        }
        for name in [".vscode", ".helix", ".git", "src", "code-workspace"] {
            assert!(!is_told(OsStr::new(name)), "{name}");
        }
        for name in [".gitignore", "git", "a.git", "src", ".github"] {
            assert!(!is_repository(OsStr::new(name)), "{name}");
            assert!(!is_protected(OsStr::new(name)), "{name}");
        }
    }
    #[test]
    fn what_is_closed_to_tools_anyway_is_not_told_as_obeyed() {
        for (name, obeyed) in [(".vscode", true), (".bashrc", true), (".GIT", false)] {
            assert_eq!(is_obeyed(OsStr::new(name)), obeyed, "{name}");
        }
    }
}
