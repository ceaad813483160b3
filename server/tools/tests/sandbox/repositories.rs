//! Repositories: read everywhere, written only when that was asked for, and never their hooks and configuration.

use crate::scene::{Scene, Way, each};

const REFUSED: &[&str] = &["Read-only file system", "Permission denied", "busy"];

/// A repository in the workspace, one in `deep/er`, a linked working tree in `tree`, and a submodule in `module`.
fn repository(way: Way) -> Scene {
    let scene = Scene::new(way);
    scene.freely(
        "git init -q && git add src && git commit -qm one && git init -q deep/er && git -C deep/er commit -q --allow-empty -m one \
         && git worktree add -q tree -b other && git init -q ../../outside/module && \
         git -C ../../outside/module commit -q --allow-empty -m one && \
         git -c protocol.file.allow=always submodule --quiet add ../../outside/module module && git commit -qm two",
    );
    scene
}

#[test]
fn repositories_are_read_and_not_written() {
    for way in Way::tried(&Way::ALL) {
        let scene = repository(way);
        let output = scene.works("echo b >> src/a && git status --short && git diff --stat && git log --oneline && git -C deep/er status -s");
        assert!(
            output.contains("M src/a") && output.contains("two") && output.contains("1 insertion"),
            "{output}"
        );
        for line in [
            "touch .git/hooks/post-commit",
            "echo x >> .git/config",
            "git config a.b c",
            "git commit -qam three",
            "git add src",
            "rm -rf .git",
            "mv .git src/",
            "mv .git git && mkdir .git",
            "mv src/a .git/hooks/pre-commit",
            "touch deep/er/.git/hooks/post-commit",
            "git -C deep/er commit --allow-empty -m two",
            "mv deep/er/.git deep/er/git",
            "mv deep moved",
            "mv deep/er deep/moved",
            "echo 'gitdir: ../src' > tree/.git",
            "rm tree/.git",
            "rm module/.git",
            "echo x > src/new && mv src/new module/.git",
        ] {
            scene.is_refused(line, REFUSED);
        }
        let line = "ln .git/config src/config && echo x > src/config";
        scene.is_refused(line, &["cross-device", "Permission denied"]);
        scene.freely("git checkout -q src && git fsck --no-dangling");
        let hooks =
            scene.freely("ls .git/hooks deep/er/.git/hooks | grep -v sample | grep commit; true");
        assert_eq!(hooks, "");
    }
}

#[test]
fn a_repository_is_written_when_asked_for_but_not_what_runs() {
    for way in Way::tried(&Way::WITH_NAMESPACES) {
        let mut scene = repository(way);
        scene.policy.git = true;
        scene.works(
            "echo b >> src/a && git commit -qam three && git checkout -q -b branch && git tag v1 && git stash list && git gc -q \
             && git -C deep/er commit -q --allow-empty -m two && (cd tree && git commit -q --allow-empty -m three) \
             && (cd module && git commit -q --allow-empty -m two) && git add module && git commit -qm four",
        );
        let log = scene.freely("git log --oneline --all; git -C deep/er log --oneline; git fsck --no-dangling; git status --short");
        for subject in ["three", "four", "two"] {
            assert!(log.contains(subject), "{log}");
        }
        for line in [
            "touch .git/hooks/post-commit",
            "rm -rf .git/hooks && mkdir .git/hooks && touch .git/hooks/post-commit",
            "mv .git/hooks src/",
            "echo x >> .git/config",
            "git config a.b c",
            "echo x > .git/config.worktree",
            "echo x > .git/info/attributes",
            "mv .git/info .git/other",
            "echo /elsewhere > .git/commondir",
            "rm .git/commondir",
            "mv .git git",
            "touch deep/er/.git/hooks/post-commit",
            "echo x >> .git/modules/module/config",
            "touch .git/modules/module/hooks/post-commit",
            "mv .git/modules .git/other",
            "echo /elsewhere > .git/worktrees/tree/commondir",
            "echo x > .git/worktrees/tree/config.worktree",
            "echo 'gitdir: ../src' > tree/.git",
        ] {
            scene.is_refused(line, REFUSED);
        }
        // Nothing of ours stays in it.
        let kept = scene.freely(
            "find .git deep/er/.git -name commondir -o -name config.worktree -o -name attributes",
        );
        assert_eq!(kept, ".git/worktrees/tree/commondir\n");
    }
}

#[test]
fn without_namespaces_no_repository_is_opened() {
    let mut scene = repository(Way::Landlock);
    scene.policy.git = true;
    let outcome = scene.run("true");
    assert_eq!(outcome.code, 125);
    assert!(
        outcome
            .output
            .contains("run the command with the sandbox off"),
        "{outcome:?}"
    );
}

#[test]
fn a_root_inside_a_repository_has_it_written_too() {
    for way in Way::tried(&Way::WITH_NAMESPACES) {
        let mut scene = repository(way);
        scene.policy.roots = vec![scene.inside("src")];
        scene.is_refused("echo b >> a && git commit -qam three", REFUSED);
        scene.policy.git = true;
        scene.works("git commit -qam three && git log --oneline");
        scene.is_refused("touch ../.git/hooks/post-commit", REFUSED);
    }
}

#[test]
fn no_other_repository_is_opened_by_an_entry_that_leads_there() {
    for way in Way::tried(&Way::WITH_NAMESPACES) {
        let mut scene = repository(way);
        scene.freely(
            "mkdir -p src/x src/y src/z deep/hooks && \
             echo 'gitdir: ../../../../outside/module/.git' > src/x/.git && ln -s ../../../../outside/module/.git src/y/.git && \
             echo 'gitdir: ../../../../state' > src/z/.git && ln -s ../../../../outside/module/.git .git/modules/other",
        );
        scene.policy.git = true;
        scene.works("git commit -q --allow-empty -m three");
        for line in [
            "touch ../../outside/module/.git/index.lock",
            "git -C src/x commit --allow-empty -m x",
            "touch src/y/.git/HEAD.lock",
            "touch .git/modules/other/new",
        ] {
            scene.is_refused(line, REFUSED);
        }
        assert_ne!(scene.run("cat ../../state/key").code, 0);
    }
}

#[test]
fn hooks_elsewhere_are_protected() {
    for way in Way::tried(&Way::WITH_NAMESPACES) {
        let scene = repository(way);
        scene.freely("git config core.hooksPath tools/hooks && mkdir -p tools/hooks && git config include.path ../more");
        for line in [
            "touch tools/hooks/pre-commit",
            "mv tools src/",
            "echo x > more",
        ] {
            scene.is_refused_by_the_system(line);
        }
    }
}

#[test]
fn a_repository_that_was_made_is_told() {
    each(&Way::WITH_NAMESPACES, |scene| {
        let outcome =
            scene.run("git init -q src/new && git init -q --bare src/bare && mkdir src/empty");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let told = outcome.finished["repositories"].as_array().unwrap();
        let expected =
            ["src/new/.git", "src/bare"].map(|path| scene.inside(path).display().to_string());
        assert_eq!(told.len(), 2, "{outcome:?}");
        assert!(
            expected
                .iter()
                .all(|path| told.iter().any(|told| told == path)),
            "{outcome:?}"
        );
        assert_eq!(
            scene.run("true").finished["repositories"]
                .as_array()
                .unwrap()
                .len(),
            0
        );
    });
}
