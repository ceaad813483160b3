//! What is run, or configures what is run, at a later time, told by its path alone.

use std::ffi::OsStr;
use std::path::Path;

use crate::guard::name::{folded, is_one_of};
use crate::sandbox::is_obeyed;

/// What counts besides the names that are protected in a sandbox: there, tools that keep them have to write them.
const MORE: &[&str] = &[".direnv", ".gitmodules"];

/// Whether what is written there is run, or configures what is run, at a later time: such a change is asked for in
/// every mode.
pub(crate) fn runs_or_configures(path: &Path) -> bool {
    path.components().any(|part| counts(part.as_os_str())) || is_git_hook(path)
}

fn counts(name: &OsStr) -> bool {
    is_obeyed(name) || is_one_of(&folded(name), MORE)
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
            "/w/.helix/languages.toml",
            "/w/.zed/settings.json",
            "/w/.gemini/settings.json",
            "/w/.opencode/agent/a.md",
            "/w/opencode.json",
            "/w/.windsurf/hooks.json",
            "/w/.kiro/hooks/a",
            "/w/.fleet/run.json",
            "/w/mew.code-workspace",
            "/w/.gitmodules",
            "/w/.direnv/python",
            "/h/.config/fish/config.fish",
            "/srv/project.git/hooks/post-receive",
            "/srv/project.git/config",
        ] {
            assert!(runs_or_configures(Path::new(path)), "{path}");
        }
        for path in [
            "/w/envrc",
            "/w/vscode/a",
            "/w/src/helix/a",
            "/w/src/zed.rs",
            "/w/src/mcp.json",
            "/w/.gitignore",
            "/w/.github/workflows/a.yml",
            "/w/a.claude",
            "/w/src/hooks/a.ts",
            "/w/a.git",
        ] {
            assert!(!runs_or_configures(Path::new(path)), "{path}");
        }
    }
}
