//! What stands in for protected names that are absent: there as long as a command needs it, then gone without a trace, and
//! nothing of the user's with it.

use mewcode_tools::sandbox::sweep;

use crate::scene::{Scene, Way, each};

fn names(scene: &Scene) -> Vec<String> {
    let entries = scene.inside("").read_dir().unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn assert_clean(scene: &Scene) {
    assert_eq!(names(scene), ["src"]);
    assert_eq!(
        scene.path("state/notes").read_dir().unwrap().count(),
        0,
        "no notes are left"
    );
}

#[test]
fn they_are_gone_after_the_command() {
    each(&Way::WITH_NAMESPACES, |scene| {
        assert!(scene.works("ls -A").contains(".vscode"));
        assert_clean(&scene);
        assert_ne!(scene.run("exit 3").code, 0);
        assert_clean(&scene);
    });
}

#[test]
fn the_last_command_removes_them() {
    each(&Way::WITH_NAMESPACES, |scene| {
        let first = scene.start("echo ready; until [ -e src/go-1 ]; do sleep 0.01; done");
        let second = scene.start("echo ready; until [ -e src/go-2 ]; do sleep 0.01; done");
        assert!(scene.inside(".vscode").is_dir());
        scene.freely("touch src/go-1");
        first.wait();
        assert!(
            scene.inside(".vscode").is_dir(),
            "the second still needs it"
        );
        scene.is_refused("echo x > .vscode/tasks.json", &["Read-only file system"]);
        assert!(scene.inside(".vscode").is_dir());
        scene.freely("touch src/go-2");
        second.wait();
        assert_clean(&scene);
    });
}

#[test]
fn after_everything_was_killed_the_next_command_or_start_removes_them() {
    each(&Way::WITH_NAMESPACES, |scene| {
        for next in [true, false] {
            scene.start("echo ready; sleep 1000").kill();
            assert!(scene.inside(".vscode").is_dir(), "nobody put it in order");
            if next {
                scene.works("true");
            } else {
                assert_eq!(sweep(&scene.path("state/notes")), Vec::<String>::new());
            }
            assert_clean(&scene);
        }
    });
}

#[test]
fn a_temporary_folder_is_removed_after_everything_was_killed() {
    let mut scene = Scene::new(Way::Own);
    scene.policy.profile = mewcode_tools::sandbox::Profile::ReadOnly;
    let started = scene.start("touch $TMPDIR/x; echo ready; sleep 1000");
    started.kill();
    let notes = std::fs::read_dir(scene.path("state/notes")).unwrap();
    let notes = notes
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|kind| kind == "notes"));
    let notes = std::fs::read_to_string(notes.unwrap()).unwrap();
    let (_, rest) = notes.split_once("mewcode-").unwrap();
    let folder = std::env::temp_dir().join(format!("mewcode-{}", &rest[..32]));
    assert!(folder.join("x").is_file(), "{notes}");
    assert_eq!(sweep(&scene.path("state/notes")), Vec::<String>::new());
    assert!(!folder.exists());
}

#[test]
fn what_the_user_makes_meanwhile_stays() {
    each(&Way::WITH_NAMESPACES, |scene| {
        let started = scene.start("echo ready; until [ -e src/go ]; do sleep 0.01; done");
        scene.freely(
            "echo '{}' > .vscode/tasks.json; rmdir .codex; echo '{}' > .codex; rmdir .idea; mkdir .idea; rmdir .claude; \
             ln -s src .claude; git init -q",
        );
        scene.freely("touch src/go");
        started.wait();
        assert_eq!(
            names(&scene),
            [".claude", ".codex", ".git", ".idea", ".vscode", "src"]
        );
        assert_eq!(
            std::fs::read_to_string(scene.inside(".codex")).unwrap(),
            "{}\n"
        );
        scene.freely("git status");
    });
}

#[test]
fn no_folder_stands_where_a_file_is_expected() {
    each(&Way::WITH_NAMESPACES, |scene| {
        let started = scene.start("echo ready; until [ -e src/go ]; do sleep 0.01; done");
        let folders = names(&scene);
        for name in &folders {
            let file = [".envrc", ".mcp.json", ".exrc", ".nvim.lua", ".mewcode.yaml"];
            assert!(!file.contains(&name.as_str()), "{folders:?}");
        }
        // Whoever wants one of these makes it, a command's server or not.
        scene.freely("echo '{}' > .mcp.json; echo 'use flake' > .envrc; mkdir .husky; echo 'mode: plan' > .mewcode.yaml");
        scene.freely("touch src/go");
        started.wait();
        assert_eq!(
            names(&scene),
            [".envrc", ".husky", ".mcp.json", ".mewcode.yaml", "src"]
        );
    });
}

#[test]
fn what_is_obeyed_once_it_is_allowed_may_appear_and_is_told() {
    each(&Way::WITH_NAMESPACES, |scene| {
        let outcome = scene.run("echo x > .envrc; mkdir .husky; echo '{}' > src/.mcp.json");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let expected = [".envrc", ".husky"].map(|name| scene.inside(name).display().to_string());
        assert_eq!(outcome.finished["obeyed"], serde_json::json!(expected));
        // From now on it is there, and might have been allowed.
        let outcome = scene.run("echo y > .envrc");
        assert_ne!(outcome.code, 0, "{outcome:?}");
        assert_eq!(outcome.finished["obeyed"], serde_json::json!([]));
    });
}

#[test]
fn they_are_not_committed() {
    each(&Way::WITH_NAMESPACES, |mut scene| {
        scene.freely("git init -q");
        scene.policy.git = true;
        scene.works("git add -A && git commit -qm one");
        let started = scene.start("echo ready; until [ -e src/go ]; do sleep 0.01; done");
        assert_eq!(scene.freely("git status --short"), "");
        scene.freely("git add -A && touch src/go && git add -A && git commit -qm two");
        started.wait();
        assert_eq!(scene.freely("git ls-files"), "src/a\nsrc/go\n");
        assert_eq!(names(&scene), [".git", "src"]);
    });
}
