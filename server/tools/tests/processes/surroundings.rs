//! What a command finds when it begins: its environment, open files, signals, session and folder.

use std::fs::File;
use std::process::Command;

use mewcode_tools::process::{Input, Launcher, MARK, TerminalSize};

use crate::scene::{Scene, text};

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_is_what_was_given_and_the_mark() {
    let scene = Scene::new();
    let script = scene.folder.path().join("script");
    std::fs::write(&script, "echo the script ran; export INJECTED=1\n").unwrap();
    let mut spec = scene.spec("env -0 | tr '\\n\\0' ' \\n' | sort");
    let script = script.to_str().unwrap();
    for (name, value) in [
        ("GIVEN", "with = and\nbreak"),
        ("BASH_ENV", script),
        ("ENV", script),
    ] {
        spec.environment.push((name.into(), value.into()));
    }
    let (running, _) = scene.run(spec).await;
    let shown = text(&running);
    // Bash itself adds three.
    let names: Vec<&str> = shown
        .lines()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    assert_eq!(
        names,
        ["GIVEN", MARK, "PATH", "PWD", "SCENE", "SHLVL", "_"],
        "{shown}"
    );
    assert!(shown.contains("GIVEN=with = and break\n"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_open_but_input_and_output() {
    let scene = Scene::new();
    // What a server may have been started with: open in every program that it starts.
    let leaked = File::open("/etc/passwd").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    let open = "ls -C -w 0 /proc/$$/fd; true";
    let inherited = Command::new("bash").args(["-c", open]).output().unwrap();
    let inherited = String::from_utf8(inherited.stdout).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&leaked).to_string();
    assert!(
        inherited.split_whitespace().any(|fd| fd == number),
        "{inherited}"
    );

    for (input, terminal) in [
        (Input::Closed, None),
        (Input::Open, None),
        (Input::Closed, Some(TerminalSize::default())),
    ] {
        let mut spec = scene.spec(open);
        spec.input = input;
        spec.terminal = terminal;
        let (running, _) = scene.run(spec).await;
        let shown = text(&running);
        // 255 is where bash keeps its terminal or script.
        let open: Vec<&str> = shown.split_whitespace().filter(|fd| *fd != "255").collect();
        assert_eq!(open, ["0", "1", "2"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_leads_a_session_of_its_own_without_a_terminal() {
    let scene = Scene::new();
    let line = "ps -o pid=,pgid=,sid=,tty= -p $$; (exec < /dev/tty) 2>/dev/null || echo none; pwd";
    let (running, _) = scene.run(scene.spec(line)).await;
    let shown = text(&running);
    let mut lines = shown.lines();
    let numbers: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert!(
        numbers[0] == numbers[1] && numbers[1] == numbers[2],
        "{shown}"
    );
    assert_eq!(numbers[3], "?");
    assert_eq!(lines.next(), Some("none"));
    let folder = scene.folder.path().canonicalize().unwrap();
    assert_eq!(lines.next(), folder.to_str());
}

/// What the server was started to ignore (by `nohup`, or in the background of a script), commands do not ignore.
#[test]
fn no_signal_is_ignored() {
    let server = std::env::current_exe().unwrap();
    let script = format!(
        "trap '' HUP INT QUIT TERM USR1 TSTP; exec {} --exact surroundings::shows_ignored_signals --nocapture",
        server.display()
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("SHOW_IGNORED", "1")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let ignored = |who: &str| -> u64 {
        let set = shown.lines().find_map(|line| line.strip_prefix(who));
        let set = u64::from_str_radix(set.expect("it is shown"), 16).unwrap();
        // Those above belong to the C library.
        set & 0x7fff_ffff
    };
    assert_ne!(ignored("server "), 0, "{shown}");
    assert_eq!(ignored("command "), 0, "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_ignored_signals() {
    if std::env::var_os("SHOW_IGNORED").is_none() {
        return;
    }
    let scene = Scene::new();
    let (running, _) = scene
        // Bash ignores one itself, and gives it back to what it runs.
        .run(scene.spec("exec sed -n 's/SigIgn:\\s*/command /p' /proc/self/status"))
        .await;
    println!("\n{}", text(&running));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    println!("server {}", own.unwrap().trim());
}

#[tokio::test(flavor = "multi_thread")]
async fn this_program_is_found_although_its_file_is_gone() {
    // The launcher of a server: the tests' own program is none, so only where it points is looked at.
    let launcher = Launcher::this_program().unwrap();
    assert_eq!(launcher.program, std::path::Path::new("/proc/self/exe"));

    let scene = Scene::new();
    let copy = scene.folder.path().join("supervise");
    std::fs::copy(env!("CARGO_BIN_EXE_mewcode-supervise"), &copy).unwrap();
    let processes = mewcode_tools::process::Processes::new(Launcher::new(&copy));
    // The supervisor starts the step although the file that it was started from is removed by then.
    let running = processes
        .start(scene.spec("rm supervise; echo ok"))
        .await
        .unwrap();
    scene.end(&running).await;
    assert_eq!(text(&running), "ok\n");
}

/// The words do nothing where they are not the only argument, and where nobody is at the other end.
#[test]
fn the_steps_are_no_commands_for_people() {
    for (words, code) in [
        (&[][..], 2),
        (&["run", "supervise"][..], 2),
        (&["supervise", "--help"][..], 2),
        (&["supervise"][..], 1),
        (&["confine"][..], 126),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_mewcode-supervise"))
            .args(words)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        assert_eq!(output.stdout, b"");
    }
}
