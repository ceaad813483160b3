//! A machine whose processes have numbers of their own, as in a container: whatever holds outside holds there.

use std::process::{Command, Stdio};

/// In it, the session that the first process came with began outside and counts as number 0.
fn contained() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--pid", "--fork"]);
    command.args(["--mount-proc", "--kill-child"]);
    command
}

#[test]
fn what_lost_its_supervisor_is_ended_in_a_container_too() {
    let made = contained().arg("true").stderr(Stdio::null()).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("this system makes no namespaces, so there is nothing to be seen");
        return;
    }
    let output = contained()
        .arg(std::env::current_exe().unwrap())
        .args(["--nocapture", "--exact"])
        .arg("ends::a_supervisor_that_is_none_is_told_from_a_command")
        .arg("orphans::a_command_that_kills_its_supervisor_is_ended_all_the_same")
        .arg("orphans::a_storm_of_processes_that_killed_its_supervisor_is_ended")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("3 passed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Parts of `/proc` are covered in many containers, and then no other one may be mounted. The sandbox mounts none: it is the
/// visible one that a command gets, read-only.
#[test]
fn commands_are_confined_where_no_proc_may_be_mounted() {
    const COVER: &str = "mount --bind /dev/null /proc/interrupts && exec \"$@\"";
    let covered = |words: &[&str]| {
        let mut command = contained();
        command.args(["sh", "-c", COVER, "-"]).args(words);
        command
    };
    let unshare = ["unshare", "--user", "--map-root-user", "--pid", "--fork"];
    let succeeds = |words: &[&str]| {
        let made = covered(words).stderr(Stdio::null()).status();
        made.is_ok_and(|status| status.success())
    };
    if !succeeds(&[&unshare[..], &["true"]].concat()) {
        println!("this system makes no namespaces, so there is nothing to be seen");
        return;
    }
    assert!(!succeeds(
        &[&unshare[..], &["--mount-proc", "true"]].concat()
    ));
    // With the right to namespaces, and where it takes one of users to have others.
    let without_rights = ["setpriv", "--bounding-set=-all,+setfcap", "--inh-caps=-all"];
    for rights in [&[][..], &without_rights[..]] {
        let output = covered(rights)
            .arg(std::env::current_exe().unwrap())
            .args(["--nocapture", "--exact"])
            .arg("sandboxed::it_writes_what_it_may_and_nothing_of_the_sandbox_is_left")
            .arg("sandboxed::it_is_ended_like_any_other")
            .arg("sandboxed::it_cannot_reach_its_supervisor")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && told.contains("3 passed"),
            "{rights:?}: {told}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
