//! From which words of a failed command a refusal of the sandbox is known, and from which it is not.

use super::*;

fn policy(profile: Profile) -> Policy {
    Policy {
        profile,
        roots: vec!["/w".into()],
        closed: vec!["/h/.mewcode".into()],
        home: Some("/h".into()),
        ..Policy::default()
    }
}

/// The path and the reason, in short.
fn shown(profile: Profile, output: &str) -> String {
    let Some(refusal) = recognise(output, Some(1), &policy(profile), false) else {
        return "not the sandbox".to_owned();
    };
    let reason = match refusal.reason {
        NETWORK => "network",
        CLOSED => "closed",
        READ_ONLY => "read only",
        OUTSIDE => "outside",
        REPOSITORY => "repository",
        HOOKS => "hooks",
        NAMED => "named",
        HELD => "held",
        SYSTEM_CALL => "system call",
        other => other,
    };
    match refusal.path {
        Some(path) => format!("{} {reason}", path.display()),
        None => reason.to_owned(),
    }
}

#[test]
fn what_programs_say_when_the_sandbox_refuses_is_recognised() {
    let table = [
        ("bash: line 1: /etc/x: Permission denied", "/etc/x outside"),
        (
            "bash: line 1: .git/config: Read-only file system",
            ".git/config repository",
        ),
        (
            "touch: cannot touch '/opt/x y': Permission denied",
            "/opt/x y outside",
        ),
        (
            "fatal: Unable to create '/w/.git/index.lock': Read-only file system",
            "/w/.git/index.lock repository",
        ),
        (
            "error: could not lock config file .git/config: Read-only file system",
            ".git/config repository",
        ),
        (
            "mv: cannot move '.git' to 'x': Device or resource busy",
            ".git repository",
        ),
        (
            "fatal: cannot copy '/usr/share/git-core/templates/description' to '/w/.git/description': Read-only file system",
            "/w/.git/description repository",
        ),
        (
            "rm: cannot remove 'sub/.git': Device or resource busy",
            "sub/.git repository",
        ),
        (
            "mkdir: cannot create directory ‘.vscode’: File exists",
            ".vscode named",
        ),
        ("bash: line 1: .claude: Is a directory", ".claude named"),
        (
            "OSError: [Errno 30] Read-only file system: '/w/.vscode/tasks.json'",
            "/w/.vscode/tasks.json named",
        ),
        (
            "PermissionError: [Errno 13] Permission denied: '/usr/lib/x'",
            "/usr/lib/x outside",
        ),
        (
            "Error: EACCES: permission denied, open '/opt/x'",
            "/opt/x outside",
        ),
        (
            "PermissionError: [Errno 1] Operation not permitted",
            "system call",
        ),
        (
            "bash: line 1: kill: (1) - Operation not permitted",
            "system call",
        ),
        (
            "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get \"http://x/json\": dial unix /var/run/docker.sock: socket: operation not permitted",
            "system call",
        ),
        (
            "unshare: unshare failed: Operation not permitted",
            "system call",
        ),
        (
            "cat: /h/.mewcode/key: No such file or directory",
            "/h/.mewcode/key closed",
        ),
        (
            "cat: /h/.ssh/id_ed25519: No such file or directory",
            "/h/.ssh/id_ed25519 closed",
        ),
        ("cat: /h/.netrc: Permission denied", "/h/.netrc closed"),
        ("curl: (6) Could not resolve host: example.org", "network"),
        ("OSError: [Errno 101] Network is unreachable", "network"),
        ("npm error code EAI_AGAIN", "network"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "network"),
    ];
    for (output, expected) in table {
        assert_eq!(shown(Profile::WorkspaceWrite, output), expected, "{output}");
    }
}

#[test]
fn other_failures_are_not_taken_for_the_sandbox() {
    for output in [
        "",
        "error: expected one of `:` or `|`, found `x`",
        "cat: missing: No such file or directory",
        "bash: line 1: ./run: Permission denied",
        "chown: changing ownership of 'src/a': Operation not permitted",
        "mkdir: cannot create directory ‘src’: File exists",
        "cat: src: Is a directory",
        "rm: cannot remove '/mnt/x': Device or resource busy",
        "git@example.org: Permission denied (publickey).",
    ] {
        assert_eq!(
            shown(Profile::WorkspaceWrite, output),
            "not the sandbox",
            "{output}"
        );
    }
    assert_eq!(
        refusal(
            "/etc/x: Permission denied",
            Some(0),
            &policy(Profile::WorkspaceWrite)
        ),
        None
    );
    assert_eq!(
        refusal("/etc/x: Permission denied", Some(1), &policy(Profile::Off)),
        None
    );
}

#[test]
fn with_read_only_a_root_is_not_written_either() {
    let refused = |output| shown(Profile::ReadOnly, output);
    assert_eq!(
        refused("touch: cannot touch 'a': Permission denied"),
        "a read only"
    );
    assert_eq!(refused("/tmp/x: Permission denied"), "/tmp/x read only");
}

#[test]
fn the_model_is_told_what_to_do() {
    let said = |output, code| {
        let policy = policy(Profile::WorkspaceWrite);
        refusal(output, code, &policy).unwrap().to_string()
    };
    insta::assert_snapshot!(said("touch: cannot touch '/etc/x': Permission denied", Some(1)), @r#"`/etc/x` was refused by the sandbox (workspace_write): nothing is written in it but the workspace's folders and the temporary ones. If it is needed, call again with `sandbox: "off"`: the user will be asked."#);
    insta::assert_snapshot!(said("curl: (6) Could not resolve host: a.b", Some(6)), @r#"Something that the command did was probably refused by the sandbox (workspace_write): there is no network in it, and nothing that others serve on this machine can be reached. If it is needed, call again with `sandbox: "off"`: the user will be asked."#);
    insta::assert_snapshot!(said("", Some(159)), @r#"Something that the command did was probably refused by the sandbox (workspace_write): programs for another processor interface (32 bits) cannot be run in it. If it is needed, call again with `sandbox: "off"`: the user will be asked."#);
}

#[test]
fn where_folders_are_written_in_pieces_their_top_is_not() {
    let policy = policy(Profile::WorkspaceWrite);
    for (output, top) in [
        ("touch: cannot touch 'new': Permission denied", true),
        ("mv: cannot move '/w' to '/tmp/x': Permission denied", true),
        ("touch: cannot touch 'src/new': Permission denied", false),
    ] {
        let refusal = recognise(output, Some(1), &policy, true);
        assert_eq!(
            refusal.is_some_and(|refusal| refusal.reason == TOP),
            top,
            "{output}"
        );
        assert_eq!(recognise(output, Some(1), &policy, false), None, "{output}");
    }
}

proptest::proptest! {
    #[test]
    fn no_output_is_too_strange(before in "\\PC{0,20}", path in "['\"`‘]?[a-z/. ]{0,8}['\"`’]?", sign in 0..SIGNS.len(), after in "\\PC{0,20}") {
        let output = format!("{before}{path}: {}{after}\n", SIGNS[sign].0);
        for profile in [Profile::ReadOnly, Profile::WorkspaceWrite] {
            for in_pieces in [false, true] {
                if let Some(refusal) = recognise(&output, Some(1), &policy(profile), in_pieces) {
                    proptest::prop_assert!(refusal.to_string().contains("sandbox: \"off\""));
                }
            }
        }
    }
}

#[test]
fn of_a_command_that_did_its_work_only_a_refused_write_is_believed() {
    let successful =
        |output| recognise(output, Some(0), &policy(Profile::WorkspaceWrite), false).is_some();
    for output in [
        "touch: cannot touch '/usr/x': Read-only file system",
        "OSError: [Errno 30] Read-only file system: '/usr/x'",
        "fatal: Unable to create '/w/.git/index.lock': Read-only file system",
    ] {
        assert!(successful(output), "{output}");
    }
    for output in [
        "The disk became a Read-only file system.",
        "x: Read-only file system",
        "thread 'main' panicked: Connection refused",
        "test permission_denied ... ok",
        "cat: /etc/shadow: Permission denied",
        "ok",
        "",
    ] {
        assert!(!successful(output), "{output}");
    }
    let reading = "touch: cannot touch '/usr/x': Read-only file system";
    assert_eq!(
        recognise(reading, Some(0), &policy(Profile::ReadOnly), false),
        None
    );
}
