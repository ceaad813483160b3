//! What is protected in a workspace, told from the folders that are there.

use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::super::Profile;
use super::super::survey::survey;
use super::*;

/// A folder with a root `w` in it.
struct Scene {
    root: PathBuf,
    policy: Policy,
    _folder: TempDir,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("w")).unwrap();
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let policy = Policy {
            profile: Profile::WorkspaceWrite,
            roots: vec![root.join("w")],
            ..Policy::default()
        };
        Scene {
            root,
            policy,
            _folder: folder,
        }
    }

    fn layout(&self) -> Layout {
        let survey = survey(&self.policy.roots).unwrap();
        Layout::workspace_write(&self.policy, &[], &survey).unwrap()
    }

    /// All of a layout but the names that are always kept from a root.
    fn shown(&self) -> String {
        let layout = self.layout();
        let relative = |path: &Path| path.strip_prefix(&self.root).unwrap().display().to_string();
        let list = |name: &str, paths: &mut dyn Iterator<Item = String>| {
            format!("{name}: {}\n", paths.collect::<Vec<_>>().join(" "))
        };
        let usual: Vec<PathBuf> = ALWAYS
            .iter()
            .map(|name| self.policy.roots[0].join(name))
            .collect();
        let absent = layout
            .absent
            .iter()
            .filter(|(path, _)| !usual.contains(path));
        let absent = absent.map(|(path, kind)| match kind {
            StandIn::Folder => format!("{}/", relative(path)),
            StandIn::File(content) => format!("{}={content:?}", relative(path)),
        });
        [
            list(
                "writable",
                &mut layout.writable.iter().map(|path| relative(path)),
            ),
            list(
                "protected",
                &mut layout.protected.iter().map(|path| relative(path)),
            ),
            list("absent", &mut absent.into_iter()),
            list(
                "closed",
                &mut layout.closed.iter().map(|path| relative(path)),
            ),
            list("held", &mut layout.held().iter().map(|path| relative(path))),
        ]
        .concat()
    }
}

const REPOSITORY: [(&str, &str); 3] = [
    ("w/.git/HEAD", "ref: refs/heads/main"),
    ("w/.git/config", "[core]\n\thooksPath = tools/hooks\n"),
    ("w/.git/info/exclude", ""),
];

#[test]
fn a_plain_root_is_written_but_for_names() {
    let scene = Scene::new(&[
        ("w/.Vscode/tasks.json", ""),
        ("w/.bashrc", ""),
        ("w/src/.envrc", ""),
    ]);
    insta::assert_snapshot!(scene.shown(), @"
    writable: w
    protected: w/.Vscode w/.bashrc
    absent: 
    closed: 
    held:
    ");
    let layout = scene.layout();
    assert_eq!(layout.absent.len(), ALWAYS.len());
    assert!(layout.absent.values().all(|kind| *kind == StandIn::Folder));
}

#[test]
fn a_repository_is_protected_with_what_it_runs_elsewhere() {
    let scene = Scene::new(&REPOSITORY);
    insta::assert_snapshot!(scene.shown(), @"
    writable: w
    protected: w/.git
    absent: w/tools/
    closed: 
    held:
    ");
}

#[test]
fn hooks_that_the_user_has_in_every_working_tree_are_protected() {
    let mut scene = Scene::new(&[
        ("w/.git/HEAD", ""),
        ("w/sub/.git/HEAD", ""),
        ("w/sub/.hooks/pre-commit", ""),
        ("home/.gitconfig", "[core]\n\thooksPath = .hooks\n"),
        ("home/.config/git/config", "[core]\n\thooksPath = ~/hooks\n"),
    ]);
    scene.policy.home = Some(scene.root.join("home"));
    insta::assert_snapshot!(scene.shown(), @"
    writable: w
    protected: w/.git w/sub/.git w/sub/.hooks
    absent: w/.hooks/
    closed: 
    held: w/sub
    ");
}

#[test]
fn a_repository_that_is_written_has_its_hooks_and_configuration_protected() {
    let mut scene = Scene::new(&REPOSITORY);
    scene.policy.git = true;
    let path = |path: &str| scene.root.join(path);
    for folder in [
        "w/.git/modules/a/b/hooks",
        "w/.git/modules/a/b/info",
        "w/.git/worktrees/x",
    ] {
        std::fs::create_dir_all(path(folder)).unwrap();
    }
    std::fs::write(path("w/.git/modules/a/b/HEAD"), "").unwrap();
    std::fs::write(path("w/.git/worktrees/x/HEAD"), "").unwrap();
    std::fs::write(path("w/.git/worktrees/x/commondir"), "../..\n").unwrap();
    insta::assert_snapshot!(scene.shown(), @r#"
    writable: w w/.git
    protected: w/.git/config w/.git/modules/a/b/hooks w/.git/worktrees/x/commondir
    absent: w/.git/commondir=".\n" w/.git/config.worktree="" w/.git/hooks/ w/.git/info/attributes="" w/.git/modules/a/b/commondir=".\n" w/.git/modules/a/b/config="" w/.git/modules/a/b/config.worktree="" w/.git/modules/a/b/info/attributes="" w/.git/worktrees/x/config.worktree="" w/tools/
    closed: 
    held: w/.git w/.git/info w/.git/modules w/.git/modules/a w/.git/modules/a/b w/.git/modules/a/b/info w/.git/worktrees w/.git/worktrees/x
    "#);
}

#[test]
fn nested_repositories_hold_the_folders_on_the_way() {
    let scene = Scene::new(&[
        ("w/a/b/.git/HEAD", ""),
        ("w/c/.git", "gitdir: ../stores/c"),
        ("w/d/.git", "gitdir: ../later/d"),
        ("w/stores/c/HEAD", ""),
        ("w/project.git/HEAD", ""),
        ("w/project.git/objects/x", ""),
        ("w/project.git/refs/x", ""),
        ("w/project.git/config", ""),
    ]);
    insta::assert_snapshot!(scene.shown(), @r#"
    writable: w
    protected: w/a/b/.git w/c/.git w/d/.git w/project.git/config w/stores/c
    absent: w/later/ w/project.git/hooks/
    closed: 
    held: w/a w/a/b w/c w/d w/project.git w/stores
    "#);
}

#[test]
fn links_are_protected_with_where_they_lead() {
    let scene = Scene::new(&[("w/shared/vscode/tasks.json", ""), ("outside/claude/x", "")]);
    let root = scene.root.join("w");
    symlink("shared/vscode", root.join(".vscode")).unwrap();
    symlink("../outside/claude", root.join(".claude")).unwrap();
    symlink("later/idea", root.join(".idea")).unwrap();
    symlink(".envrc", root.join(".envrc")).unwrap();
    insta::assert_snapshot!(scene.shown(), @r#"
    writable: w
    protected: w/.claude w/.envrc w/.idea w/.vscode w/shared/vscode
    absent: w/later/
    closed: 
    held: w/shared
    "#);
}

#[test]
fn a_root_in_a_folder_that_is_written_is_held() {
    let mut scene = Scene::new(&[
        ("x/y/w/a", ""),
        ("state/key", ""),
        ("state/notes/x", ""),
        ("state/scratch/x", ""),
    ]);
    let path = |path: &str| scene.root.join(path);
    scene.policy.writable = vec![path(""), path("absent"), path("state/scratch")];
    scene.policy.roots = vec![path("x/y/w")];
    scene.policy.closed = vec![path("state"), path("absent")];
    scene.policy.notes = path("state/notes");
    insta::assert_snapshot!(scene.shown(), @r#"
    writable:  state/scratch x/y/w
    protected: 
    absent: 
    closed: state
    held: state state/scratch x x/y x/y/w
    "#);
}

#[test]
fn an_entry_opens_what_leads_back_to_it_and_no_other_repository() {
    let mut scene = Scene::new(&[
        ("main/.git/HEAD", ""),
        ("main/.git/objects/x", ""),
        ("main/.git/refs/x", ""),
        ("main/.git/worktrees/w/HEAD", ""),
        ("main/.git/worktrees/w/commondir", "../.."),
        ("main/.git/worktrees/w/gitdir", "../../../../w/.git"),
        ("main/.git/modules/m/HEAD", ""),
        (
            "main/.git/modules/m/config",
            "[core]\n\tworktree = ../../../../w/module",
        ),
        ("w/.git", "gitdir: ../main/.git/worktrees/w"),
        ("w/module/.git", "gitdir: ../../main/.git/modules/m"),
        ("w/foreign/.git", "gitdir: ../../other/.git"),
        ("w/named/.git", "gitdir: ../.vscode"),
        ("w/.vscode/tasks.json", ""),
        ("other/.git/HEAD", ""),
        ("other/.git/objects/x", ""),
        ("other/.git/refs/x", ""),
        ("other/.git/gitdir", "elsewhere"),
    ]);
    scene.policy.git = true;
    let layout = scene.layout();
    let opened: Vec<String> = layout
        .writable
        .iter()
        .map(|path| {
            path.strip_prefix(&scene.root)
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    insta::assert_snapshot!(opened.join(" "), @"main/.git main/.git/modules/m main/.git/worktrees/w w");
    assert!(layout.protected.contains(&scene.root.join("w/.vscode")));
}
