//! Ways into the workspace, and ways that only look so.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;

/// A folder with `project/src/a.rs`, `project/.git/config`, `project/.mewcode/skill`, `secret/key` and `home`.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "project/src/a.rs",
            "project/.git/config",
            "project/sub/.git/hooks/x",
            "project/.mewcode/skill",
            "secret/key",
            "home/x",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text\n").unwrap();
        }
        Scene { folder }
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    fn places(&self) -> Places {
        Places {
            home: Some(self.path("home")),
            scratch: Some(self.path("state/scratch")),
            closed: vec![self.path("state")],
        }
    }

    fn guard(&self, roots: &[&str]) -> PathGuard {
        let roots: Vec<PathBuf> = roots.iter().map(|root| self.path(root)).collect();
        PathGuard::new(&roots, &self.places())
    }

    #[cfg(unix)]
    fn link(&self, from: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.path(from)).unwrap();
    }

    /// The error text without what differs from run to run.
    fn told(&self, error: &ToolError) -> String {
        error
            .to_string()
            .replace(self.path("").to_str().unwrap(), "/T/")
    }
}

fn kind(guard: &PathGuard, path: &str, access: Access) -> Result<String, ErrorKind> {
    guard
        .resolve(path, access)
        .map(|resolved| resolved.display)
        .map_err(|error| error.kind)
}

#[test]
fn relative_and_absolute_paths_meet_in_the_same_real_path() {
    let scene = Scene::new();
    let guard = scene.guard(&["project"]);
    let absolute = scene.path("project/src/a.rs");
    for given in [
        "src/a.rs",
        "./src/../src/a.rs",
        "src//a.rs",
        absolute.to_str().unwrap(),
    ] {
        let resolved = guard.resolve(given, Access::Write).unwrap();
        assert_eq!(
            resolved,
            ResolvedPath {
                real: absolute.clone(),
                display: "src/a.rs".to_owned()
            },
            "{given}"
        );
    }
    assert_eq!(kind(&guard, ".", Access::Read), Ok(".".to_owned()));
}

#[test]
fn names_are_compared_by_component() {
    let scene = Scene::new();
    fs::create_dir_all(scene.path("projects")).unwrap();
    let guard = scene.guard(&["project"]);
    assert_eq!(
        kind(&guard, "../projects/x", Access::Read),
        Err(ErrorKind::OutsideWorkspace)
    );
    assert_eq!(kind(&guard, "a..go", Access::Write), Ok("a..go".to_owned()));
    assert_eq!(
        kind(&guard, "src/..a/b", Access::Write),
        Ok("src/..a/b".to_owned())
    );
    assert_eq!(
        kind(&guard, ".gitignore", Access::Write),
        Ok(".gitignore".to_owned())
    );
    assert_eq!(
        kind(&guard, ".github/workflows/ci.yml", Access::Write),
        Ok(".github/workflows/ci.yml".to_owned())
    );
}

#[test]
fn what_leads_out_is_refused_and_explained() {
    let scene = Scene::new();
    let guard = scene.guard(&["project"]);
    let error = guard.resolve("../secret/key", Access::Read).unwrap_err();
    insta::assert_snapshot!(scene.told(&error), @"outside_workspace: `../secret/key` leads to `/T/secret/key`, which is outside the workspace (`/T/project`). Use a path inside the workspace; ask the user to add the folder to the workspace if it is needed.");
    let error = guard.resolve("/etc/passwd", Access::Read).unwrap_err();
    insta::assert_snapshot!(scene.told(&error), @"outside_workspace: `/etc/passwd` is outside the workspace (`/T/project`). Use a path inside the workspace; ask the user to add the folder to the workspace if it is needed.");
    assert_eq!(
        kind(&guard, "new/../../secret/new", Access::Write),
        Err(ErrorKind::OutsideWorkspace)
    );
}

#[test]
fn a_file_still_to_be_created_is_judged_by_where_it_would_be() {
    let scene = Scene::new();
    let guard = scene.guard(&["project"]);
    assert_eq!(
        kind(&guard, "new/deep/../file.rs", Access::Write),
        Ok("new/file.rs".to_owned())
    );
    let error = guard.resolve("src/a.rs/b", Access::Write).unwrap_err();
    insta::assert_snapshot!(scene.told(&error), @"not_found: `src/a.rs/b` does not exist: `/T/project/src/a.rs` is a file, not a folder. Check the name and call again.");
}

#[test]
fn arguments_that_are_no_paths_are_refused() {
    let scene = Scene::new();
    let guard = scene.guard(&["project"]);
    for path in ["", "a\0b", "~/x", "~"] {
        assert_eq!(
            kind(&guard, path, Access::Read),
            Err(ErrorKind::InvalidArguments),
            "{path:?}"
        );
    }
}

#[test]
fn mewcode_folders_are_closed_and_git_folders_are_closed_to_writing_at_any_depth() {
    let scene = Scene::new();
    let guard = scene.guard(&["project"]);
    for path in [
        ".mewcode/skill",
        "src/.mewcode/x",
        ".MewCode/x",
        ".mewcode",
        ".mewcode./x",
        ".mew\u{200d}code/x",
    ] {
        assert_eq!(
            kind(&guard, path, Access::Read),
            Err(ErrorKind::ForbiddenPath),
            "{path}"
        );
    }
    for path in [
        ".git/config",
        "sub/.git/hooks/x",
        "new/.git/hooks/pre-commit",
        ".GIT/config",
        ".g\u{200c}it/config",
        ".git /config",
        ".git",
    ] {
        assert_eq!(
            kind(&guard, path, Access::Write),
            Err(ErrorKind::ForbiddenPath),
            "{path}"
        );
    }
    assert!(kind(&guard, ".git/config", Access::Read).is_ok());
    assert!(kind(&guard, ".mewcode/../src/a.rs", Access::Write).is_ok());
    insta::assert_snapshot!(guard.resolve("sub/.git/hooks/x", Access::Write).unwrap_err(), @"forbidden_path: `sub/.git/hooks/x` is in a `.git` folder, which is closed to writing. Use git itself to change a repository.");
}

#[test]
fn a_root_inside_a_closed_folder_of_another_root_opens_nothing() {
    let scene = Scene::new();
    let guard = scene.guard(&["project", "project/.git"]);
    let config = scene.path("project/.git/config");
    assert_eq!(
        kind(&guard, config.to_str().unwrap(), Access::Write),
        Err(ErrorKind::ForbiddenPath)
    );
}

#[test]
fn several_roots_are_open_and_files_of_further_ones_are_shown_absolute() {
    let scene = Scene::new();
    let guard = scene.guard(&["project", "secret"]);
    let key = scene.path("secret/key");
    let resolved = guard.resolve("../secret/key", Access::Write).unwrap();
    assert_eq!(resolved.display, key.to_str().unwrap());
    assert_eq!(
        guard.resolve(&resolved.display, Access::Write).unwrap(),
        resolved,
        "what is shown can be given again"
    );
}

#[test]
fn a_workspace_that_holds_a_home_opens_only_the_scratch_folder() {
    let scene = Scene::new();
    for root in ["home", ""] {
        let guard = scene.guard(&[root]);
        assert!(guard.is_internal());
        assert_eq!(guard.roots(), [scene.path("state/scratch")]);
        assert_eq!(
            kind(&guard, "note.txt", Access::Write),
            Ok("note.txt".to_owned())
        );
        let home = scene.path("home/x");
        assert_eq!(
            kind(&guard, home.to_str().unwrap(), Access::Read),
            Err(ErrorKind::OutsideWorkspace)
        );
    }
    let root = PathGuard::new(&[PathBuf::from("/")], &scene.places());
    insta::assert_snapshot!(scene.told(&root.resolve("/etc/passwd", Access::Read).unwrap_err()), @"outside_workspace: `/etc/passwd` is closed: the workspace is `/` or a home folder, so only the scratch folder `/T/state/scratch` is open. Ask the user to open the folder of a project.");
    let nothing = PathGuard::new(&[PathBuf::from("/")], &Places::default());
    insta::assert_snapshot!(nothing.resolve("x", Access::Read).unwrap_err(), @"outside_workspace: The workspace is `/`, which is too wide to be opened to tools, and there is no scratch folder. Ask the user to open the folder of a project.");
    insta::assert_snapshot!(PathGuard::new(&[], &Places::default()).resolve("x", Access::Read).unwrap_err(), @"outside_workspace: No folder is open. Ask the user to open a folder.");
}

#[test]
fn a_project_in_a_home_is_open_and_a_home_beside_it_is_not() {
    let scene = Scene::new();
    fs::create_dir_all(scene.path("home/project")).unwrap();
    let guard = scene.guard(&["home", "home/project"]);
    assert!(!guard.is_internal());
    assert_eq!(kind(&guard, "a.rs", Access::Write), Ok("a.rs".to_owned()));
    assert_eq!(
        kind(&guard, "../x", Access::Read),
        Err(ErrorKind::OutsideWorkspace)
    );
}

#[test]
fn the_own_state_is_closed_wherever_it_is() {
    let scene = Scene::new();
    let places = Places {
        closed: vec![scene.path("project/state")],
        ..Places::default()
    };
    let guard = PathGuard::new(&[scene.path("project")], &places);
    assert_eq!(
        kind(&guard, "state/log", Access::Read),
        Err(ErrorKind::ForbiddenPath)
    );
}

#[cfg(unix)]
mod links {
    use super::*;

    #[test]
    fn a_link_is_judged_by_its_target() {
        let scene = Scene::new();
        scene.link("project/out", "../secret");
        scene.link("project/in", "src");
        scene.link(
            "project/absolute",
            scene.path("secret/key").to_str().unwrap(),
        );
        let guard = scene.guard(&["project"]);
        assert_eq!(
            kind(&guard, "in/a.rs", Access::Write),
            Ok("src/a.rs".to_owned())
        );
        for path in ["out/key", "absolute", "out/new/file", "in/../../secret/key"] {
            assert_eq!(
                kind(&guard, path, Access::Read),
                Err(ErrorKind::OutsideWorkspace),
                "{path}"
            );
        }
        insta::assert_snapshot!(scene.told(&guard.resolve("out/key", Access::Read).unwrap_err()), @"outside_workspace: `out/key` leads to `/T/secret/key`, which is outside the workspace (`/T/project`). Use a path inside the workspace; ask the user to add the folder to the workspace if it is needed.");
    }

    #[test]
    fn two_dots_after_a_link_lead_to_the_parent_of_its_target() {
        let scene = Scene::new();
        fs::create_dir_all(scene.path("project/deep/er")).unwrap();
        scene.link("project/short", "deep/er");
        let guard = scene.guard(&["project"]);
        assert_eq!(
            kind(&guard, "short/../x", Access::Write),
            Ok("deep/x".to_owned())
        );
    }

    #[test]
    fn a_dangling_link_is_judged_by_what_writing_through_it_would_create() {
        let scene = Scene::new();
        scene.link("project/dangling", "../secret/new");
        scene.link("project/inner", "src/new.rs");
        scene.link("project/chain", "dangling");
        let guard = scene.guard(&["project"]);
        assert_eq!(
            kind(&guard, "dangling", Access::Write),
            Err(ErrorKind::OutsideWorkspace)
        );
        assert_eq!(
            kind(&guard, "chain", Access::Write),
            Err(ErrorKind::OutsideWorkspace)
        );
        assert_eq!(
            kind(&guard, "inner", Access::Write),
            Ok("src/new.rs".to_owned())
        );
    }

    #[test]
    fn links_into_and_inside_closed_folders_are_closed() {
        let scene = Scene::new();
        scene.link("project/innocent", ".git/config");
        scene.link("project/.git/back", "../src");
        let guard = scene.guard(&["project"]);
        assert_eq!(
            kind(&guard, "innocent", Access::Write),
            Err(ErrorKind::ForbiddenPath)
        );
        assert_eq!(
            kind(&guard, ".git/back/a.rs", Access::Write),
            Err(ErrorKind::ForbiddenPath)
        );
    }

    #[test]
    fn a_link_is_not_removed_in_place_of_its_file_nor_the_file_in_place_of_it() {
        let scene = Scene::new();
        scene.link("project/link", "src/a.rs");
        scene.link("project/dangling", "src/new.rs");
        scene.link("project/folder", "src");
        let guard = scene.guard(&["project"]);
        for link in ["link", "dangling", "folder", "folder/", "./src/../link"] {
            let error = guard.resolve_itself(link).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Conflict, "{link}");
        }
        insta::assert_snapshot!(guard.resolve_itself("link").unwrap_err(), @"conflict: `link` is a link to `src/a.rs`: removing or moving it so would take the file and leave the link. Nothing was changed. Name the file itself, or remove the link with a command.");
        for file in ["src/a.rs", "folder/a.rs"] {
            assert_eq!(guard.resolve_itself(file).unwrap().display, "src/a.rs");
        }
        let outside = guard.resolve_itself("../secret/key").unwrap_err();
        assert_eq!(outside.kind, ErrorKind::OutsideWorkspace);
    }

    #[test]
    #[cfg(unix)]
    fn every_path_inside_that_leads_to_a_file_is_told() {
        let scene = Scene::new();
        scene.link("project/one", "src");
        scene.link("project/two", "one/a.rs");
        scene.link("outside", "project");
        let guard = scene.guard(&["project"]);
        let ways = |given: &str| -> Vec<String> {
            let resolved = guard.resolve(given, Access::Read).unwrap();
            let ways = guard.ways(given, &resolved);
            ways.iter().map(|way| guard.display(way)).collect()
        };
        assert_eq!(ways("src/a.rs"), ["src/a.rs"]);
        assert_eq!(ways("one/a.rs"), ["src/a.rs", "one/a.rs"]);
        assert_eq!(ways("two"), ["src/a.rs", "two", "one/a.rs"]);
        assert_eq!(ways("one/new.rs"), ["src/new.rs", "one/new.rs"]);
        let absolute = scene.path("").join("outside/one/a.rs");
        assert_eq!(ways(absolute.to_str().unwrap()), ["src/a.rs", "one/a.rs"]);
    }

    #[test]
    fn a_loop_of_links_ends() {
        let scene = Scene::new();
        scene.link("project/one", "two");
        scene.link("project/two", "one");
        let error = scene
            .guard(&["project"])
            .resolve("one", Access::Read)
            .unwrap_err();
        insta::assert_snapshot!(error, @"not_found: `one` leads through a loop of symbolic links. Check the name and call again.");
    }

    #[test]
    fn a_root_may_itself_be_a_link() {
        let scene = Scene::new();
        scene.link("alias", "project");
        let guard = scene.guard(&["alias"]);
        assert_eq!(guard.roots(), [scene.path("project")]);
        let through_alias = scene.path("alias/src/a.rs");
        assert_eq!(
            kind(&guard, through_alias.to_str().unwrap(), Access::Read),
            Ok("src/a.rs".to_owned())
        );
    }

    /// Whatever is made of folders, links and dots: what is allowed is inside and closed to nobody, and is what the
    /// system finds there.
    #[test]
    fn no_path_of_up_to_four_parts_leads_out() {
        let scene = Scene::new();
        for (link, target) in [
            ("project/out", "../secret"),
            ("project/in", "src"),
            ("project/up", ".."),
            ("project/src/back", ".."),
            ("project/dangling", "../secret/new"),
        ] {
            scene.link(link, target);
        }
        let guard = scene.guard(&["project"]);
        let root = scene.path("project");
        let parts = [
            "..", "src", "out", "in", "up", "back", "dangling", "new", ".git", "project", "secret",
        ];
        let (mut allowed, mut refused) = (0, 0);
        let mut paths: Vec<String> = vec![String::new()];
        for _ in 0..4 {
            paths = paths
                .iter()
                .flat_map(|path| parts.map(|part| format!("{path}{part}/")))
                .collect();
            for path in &paths {
                let system = root.join(path).canonicalize().ok();
                match guard.resolve(path, Access::Write) {
                    Ok(resolved) => {
                        allowed += 1;
                        assert!(
                            resolved.real.starts_with(&root),
                            "{path} leads to {resolved:?}"
                        );
                        assert!(
                            !resolved
                                .real
                                .components()
                                .any(|part| part.as_os_str() == ".git"),
                            "{path}"
                        );
                        assert!(
                            system.is_none_or(|system| system == resolved.real),
                            "{path}"
                        );
                    }
                    Err(_) => {
                        refused += 1;
                        let good =
                            |system: &PathBuf| system.starts_with(&root) && !path.contains(".git");
                        assert!(!system.as_ref().is_some_and(good), "{path} is {system:?}");
                    }
                }
            }
        }
        assert!(
            allowed > 1000 && refused > 1000,
            "{allowed} allowed, {refused} refused"
        );
    }
}
