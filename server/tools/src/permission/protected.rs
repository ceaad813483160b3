//! What is run, or configures what is run, at a later time, told by its path alone. The one list of it.

use std::path::Path;

use crate::guard::name::{folded, is_one_of};

/// Whether what is written there is run, or configures what is run, at a later time: such a change is asked for in
/// every mode.
pub(crate) fn runs_or_configures(path: &Path) -> bool {
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
}
