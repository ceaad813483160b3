//! What is read and written.

use mewcode_tools::sandbox::Profile;

use crate::scene::{Scene, Way, each};

const REFUSED: &[&str] = &["Read-only file system", "Permission denied"];

fn text(scene: &Scene, path: &str) -> String {
    std::fs::read_to_string(scene.path(path)).unwrap()
}

#[test]
fn the_workspace_and_temporary_folders_are_written() {
    each(&Way::ALL, |scene| {
        let output = scene.works(
            "echo b > src/b && mkdir -p src/c/d && mv src/b src/c/d/b && ln src/c/d/b src/hard && chmod 755 src/c/d/b \
             && cat src/c/d/b && echo t > \"$(mktemp)\" && cat ../../outside/file && echo > /dev/null",
        );
        assert_eq!(output, "b\noutside");
        assert!(scene.inside("src/hard").is_file());
        if scene.way != Way::Landlock {
            scene.works(
                "echo x > new && mv new renamed && rm renamed && mkdir folder && rmdir folder",
            );
        }
    });
}

#[test]
fn nothing_is_written_outside() {
    each(&Way::ALL, |scene| {
        for line in [
            "echo x > ../../outside/new",
            "echo x > ../../outside/file",
            "echo x >> ../../outside/folder/file",
            "rm ../../outside/file",
            "truncate -s 0 ../../outside/file",
            "mv ../../outside/folder ../../outside/moved",
            "mkdir ../../outside/new",
            "ln -s /etc src/link && echo x > src/link/mewcode-test",
            "echo x > ~/.bashrc",
            "cp src/a ../new",
        ] {
            scene.is_refused(line, REFUSED);
        }
        if scene.way != Way::Landlock {
            for line in [
                "chmod 777 ../../outside/file",
                "touch -d 2001-01-01 ../../outside/file",
            ] {
                scene.is_refused(line, REFUSED);
            }
        }
        // Not even by another name.
        let line = "ln ../../outside/file src/hard && echo x > src/hard";
        scene.is_refused(
            line,
            &["cross-device", "Permission denied", "Read-only file system"],
        );
        assert_eq!(text(&scene, "outside/file"), "outside");
        assert_eq!(text(&scene, "outside/folder/file"), "outside");
        assert!(!scene.path("outside/new").exists() && !scene.path("place/new").exists());
    });
}

#[test]
fn what_is_closed_is_not_read() {
    each(&Way::ALL, |mut scene| {
        let words = ["No such file or directory", "Permission denied"];
        for line in [
            "cat ../../state/key",
            "cat ~/.ssh/id_ed25519",
            "cat ~/.netrc",
            "cat /proc/self/root\"$PWD\"/../../state/key",
            "cat ../../state/k*",
        ] {
            let outcome = scene.run(line);
            assert!(!outcome.output.contains("a key of") && !outcome.output.contains("a password"));
            assert_ne!(outcome.code, 0, "{line}");
            assert!(
                words.iter().any(|words| outcome.output.contains(words)),
                "{line}: {outcome:?}"
            );
        }
        // Nor if it is in a folder that is written, and moved with it.
        scene.policy.writable = vec![scene.path("")];
        let outcome =
            scene.run("cat ../../state/key; mv ../../state ../../moved; cat ../../moved/key");
        assert!(!outcome.output.contains("a key of"), "{outcome:?}");
        assert!(scene.path("state/key").is_file());
    });
}

#[test]
fn a_workspace_in_a_closed_folder_is_open() {
    each(&Way::ALL, |mut scene| {
        scene.write("state/scratch/src/a", "a");
        scene.hand_over();
        scene.policy.roots = vec![scene.path("state/scratch")];
        let output = scene.works("cat src/a && echo b > src/b && cat src/b");
        assert_eq!(output, "ab\n");
        assert_eq!(text(&scene, "state/scratch/src/b"), "b\n");
        assert_ne!(scene.run("cat ../key").code, 0);
    });
}

#[test]
fn with_read_only_nothing_is_written_but_a_temporary_folder_of_its_own() {
    each(&Way::ALL, |mut scene| {
        scene.policy.profile = Profile::ReadOnly;
        for line in [
            "echo x > src/a",
            "echo x > new",
            "echo x > /tmp/other-file",
            "rm src/a",
        ] {
            scene.is_refused(line, REFUSED);
        }
        let output = scene.works(
            "echo t > \"$TMPDIR/x\" && cat \"$TMPDIR/x\" src/a && mktemp && echo \"$TMPDIR\"",
        );
        let temporary = output.lines().last().unwrap();
        assert!(
            output.starts_with("t\na\n") && temporary.contains("mewcode-"),
            "{output}"
        );
        assert!(
            !std::path::Path::new(temporary).exists(),
            "it goes with the command"
        );
        assert_eq!(scene.path("state/notes").read_dir().unwrap().count(), 0);
        // No stand-ins where nothing is written.
        assert_eq!(scene.works("ls -A"), "src\n");
    });
}

#[test]
fn what_something_runs_or_obeys_is_not_written() {
    each(&Way::ALL, |scene| {
        scene.write("place/workspace/.vscode/tasks.json", "{}");
        scene.write("place/workspace/.mcp.json", "{}");
        scene.write("place/workspace/.Husky/pre-commit", "");
        scene.hand_over();
        let words = ["Read-only file system", "Permission denied", "busy"];
        for line in [
            "echo x > .vscode/tasks.json",
            "echo x > .vscode/settings.json",
            "echo x > .mcp.json",
            "rm .mcp.json",
            "mv .vscode src/",
            "mv .mcp.json src/",
            "echo x > src/new && mv src/new .mcp.json",
            "rm -rf .vscode",
            "echo x > .Husky/pre-commit",
        ] {
            scene.is_refused(line, &words);
        }
        let line = "ln .mcp.json src/hard && echo x > src/hard";
        scene.is_refused(line, &["cross-device", "Permission denied"]);
        assert_eq!(text(&scene, "place/workspace/.mcp.json"), "{}");
        assert_eq!(text(&scene, "place/workspace/.vscode/tasks.json"), "{}");
    });
}

#[test]
fn what_something_would_run_or_obey_does_not_appear() {
    const NAMES: &[&str] = &[
        ".git", ".mewcode", ".claude", ".codex", ".cursor", ".vscode", ".idea", ".helix", ".zed",
    ];
    const ATTEMPTS: &[&str] = &[
        "mkdir NAME",
        "echo x > NAME",
        "mkdir -p src/d && echo x > src/d/x && mv -T src/d NAME",
        "echo x > src/e && mv -T src/e NAME",
        "ln src/a NAME && test -f NAME",
        "ln -sT ../../outside NAME",
        "rmdir NAME && mkdir NAME",
        "rm -rf NAME && echo x > NAME",
        "echo x > NAME/settings.json",
    ];
    const REFUSED: &[&str] = &[
        "File exists",
        "Permission denied",
        "Is a directory",
        "busy",
        "cannot overwrite",
        "Read-only file system",
        "No such file",
    ];
    each(&Way::ALL, |scene| {
        for name in NAMES {
            let attempts = ATTEMPTS.iter().map(|line| line.replace("NAME", name));
            let lines: Vec<String> = attempts
                .map(|line| format!("({line}) 2>&1 && echo 'done: {line}' || echo"))
                .collect();
            let output = scene.works(&lines.join("\n"));
            assert!(!output.contains("done: "), "{:?}: {output}", scene.way);
            let refusals = output.lines().filter(|line| !line.is_empty());
            for line in refusals.clone() {
                assert!(REFUSED.iter().any(|words| line.contains(words)), "{line}");
            }
            assert!(refusals.count() >= ATTEMPTS.len(), "{output}");
            assert!(!scene.inside(name).exists(), "{name}");
        }
    });
}

#[test]
fn by_a_second_mount_nothing_is_written_or_read_that_must_not_be() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("only root mounts something for this");
        return;
    }
    each(&[Way::Own], |mut scene| {
        for folder in ["again", "keys", "place/workspace/mounted"] {
            std::fs::create_dir(scene.path(folder)).unwrap();
        }
        let again = format!(
            "mount --bind '{}' '{}'",
            scene.inside("").display(),
            scene.path("again").display()
        );
        let inner = format!(
            "mount -t tmpfs none '{0}' && mkdir -p '{0}/.git'",
            scene.inside("mounted").display()
        );
        let keys = format!(
            "mount --bind '{}' '{}'",
            scene.path("home").display(),
            scene.path("keys").display()
        );
        let file = format!(
            "mount --bind '{}' '{}'",
            scene.path("home/.netrc").display(),
            scene.path("file").display()
        );
        scene.write("file", "");
        scene.mounts = Some(format!("{again} && {inner} && {keys} && {file}"));
        let outcome = scene.run("cat ../../keys/.ssh/id_ed25519 ../../keys/.netrc ../../file");
        assert!(
            outcome.code != 0 && !outcome.output.contains("a key"),
            "{outcome:?}"
        );
        assert!(!outcome.output.contains("a password"), "{outcome:?}");
        scene.freely("git init -q");
        for line in [
            "echo x > ../../again/src/a",
            "touch ../../again/.git/config",
            "touch mounted/.git/x",
        ] {
            scene.is_refused(line, &["Read-only file system"]);
        }
        assert_eq!(
            scene.works("cat ../../again/src/a && echo b > mounted/b && cat mounted/b"),
            "a\nb\n"
        );
    });
}

#[test]
fn links_do_not_lead_around_what_is_protected() {
    each(&Way::WITH_NAMESPACES, |scene| {
        scene.write("place/workspace/shared/vscode/tasks.json", "{}");
        scene.hand_over();
        scene.freely(
            "ln -s shared/vscode .vscode; ln -s later/claude .claude; ln -s .mcp.json .envrc",
        );
        let words = [
            "Read-only file system",
            "busy",
            "File exists",
            "Is a directory",
        ];
        for line in [
            "echo x > .vscode/tasks.json",
            "echo x > shared/vscode/tasks.json",
            "rm .vscode",
            "ln -sfn src .vscode",
            "mv shared src/",
            "mkdir -p later/claude",
            "mkdir later",
            "rm .claude",
            "echo x > .envrc",
        ] {
            let outcome = scene.run(line);
            assert_ne!(outcome.code, 0, "{line}: {outcome:?}");
            assert!(
                words.iter().any(|words| outcome.output.contains(words)),
                "{line}: {outcome:?}"
            );
        }
        assert_eq!(
            scene.works("cat .vscode/tasks.json && readlink .vscode"),
            "{}shared/vscode\n"
        );
        assert!(!scene.inside("later").exists());
        assert_eq!(
            text(&scene, "place/workspace/shared/vscode/tasks.json"),
            "{}"
        );
    });
}

#[test]
fn a_root_in_a_folder_that_is_written_stays_in_its_place() {
    each(&Way::ALL, |mut scene| {
        scene.policy.writable = vec![scene.path("place")];
        for line in ["mv ../workspace ../moved", "cd .. && rm -rf workspace"] {
            scene.is_refused_by_the_system(line);
        }
        assert!(scene.inside("").is_dir() && !scene.path("place/moved").exists());
    });
}

#[test]
fn with_off_nothing_is_made_and_nothing_confined() {
    let mut scene = Scene::new(Way::Own);
    scene.policy.profile = Profile::Off;
    let prepared = mewcode_tools::sandbox::prepare(&scene.policy).unwrap();
    assert!(prepared.environment().is_empty());
    mewcode_tools::sandbox::enter(prepared.plan()).unwrap();
    assert_eq!(
        prepared.finish(),
        mewcode_tools::sandbox::Finished::default()
    );
    assert!(!scene.path("state/notes").exists());
    scene.works("echo x > ../../outside/new && cat ~/.netrc");
}

#[test]
fn a_root_that_is_a_link_or_absent_is_not_confined_to() {
    let mut scene = Scene::new(Way::Own);
    std::os::unix::fs::symlink("/", scene.path("link")).unwrap();
    for root in ["link", "absent"] {
        scene.policy.roots = vec![scene.path(root)];
        let prepared = mewcode_tools::sandbox::prepare(&scene.policy);
        let error = prepared.unwrap_err().to_string();
        assert!(
            error.ends_with(&format!("/{root}` is not a real folder")),
            "{error}"
        );
    }
}
