//! Commands under a terminal.

use mewcode_tools::process::{Cause, Exit, Source, Stop, TerminalSize};

use crate::scene::{Scene, pieces, printed, text};

fn size(rows: u16, columns: u16) -> Option<TerminalSize> {
    Some(TerminalSize { rows, columns })
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_a_terminal_of_the_size_that_was_asked_for() {
    let scene = Scene::new();
    let mut spec =
        scene.spec("tty; stty size; test -t 0 -a -t 1 -a -t 2 && echo all; echo err >&2; exit 7");
    spec.terminal = size(33, 111);
    let (running, ending) = scene.run(spec).await;
    let shown = text(&running);
    assert!(shown.starts_with("/dev/pts/"), "{shown}");
    assert!(shown.ends_with("\n33 111\nall\nerr\n"), "{shown}");
    assert_eq!(ending.exit, Some(Exit::Code(7)));
    assert!(
        pieces(&running)
            .iter()
            .all(|piece| piece.source == Source::Output)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_size_is_told() {
    let scene = Scene::new();
    let mut spec =
        scene.spec("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done");
    spec.terminal = size(24, 80);
    let running = scene.start(spec).await;
    printed(&running, "ready").await;
    running
        .resize(TerminalSize {
            rows: 50,
            columns: 132,
        })
        .unwrap();
    scene.end(&running).await;
    assert!(text(&running).ends_with("50 132\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_keys() {
    for (key, exit) in [
        (&b"\x03"[..], Exit::Signal(2)),
        (b"\x1c", Exit::Signal(3)),
        (b"\x04", Exit::Code(0)),
    ] {
        let scene = Scene::new();
        let mut spec = scene.spec("echo ready; exec cat");
        spec.terminal = size(24, 80);
        let running = scene.start(spec).await;
        printed(&running, "ready").await;
        running.input(b"typed\r".to_vec()).unwrap();
        // Once as the terminal's echo, once from the program.
        printed(&running, "typed\r\ntyped\r\n").await;
        running.input(key.to_vec()).unwrap();
        let ending = scene.end(&running).await;
        assert_eq!(ending.exit, Some(exit));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_its_input_is_a_key_too() {
    let scene = Scene::new();
    let mut spec = scene.spec("echo ready; cat; echo over");
    spec.terminal = size(24, 80);
    let running = scene.start(spec).await;
    printed(&running, "ready").await;
    running.close_input().unwrap();
    scene.end(&running).await;
    assert!(text(&running).ends_with("over\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_at_its_prompt_is_ended_in_good_order() {
    let scene = Scene::new();
    let mut spec = scene.spec("exec bash --norc -i");
    spec.terminal = size(24, 80);
    spec.background = true;
    let running = scene.start(spec).await;
    printed(&running, r"bash-\d").await;
    running.input(b"sleep 1000 &\r".to_vec()).unwrap();
    printed(&running, r"\[1\] \d+").await;
    // When this is seen, the program that is to be stopped runs.
    running
        .input(b"sh -c 'echo here; exec cat'\r".to_vec())
        .unwrap();
    printed(&running, r"\nhere\r\n").await;
    running.input(b"\x1a".to_vec()).unwrap();
    printed(&running, "Stopped").await;
    running.stop(Stop::Stopped);
    let ending = scene.end(&running).await;
    assert_eq!(ending.cause, Cause::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn much_output_of_a_terminal_is_whole() {
    let scene = Scene::new();
    let mut spec = scene.spec("seq 1 30000");
    spec.terminal = size(24, 80);
    let (running, _) = scene.run(spec).await;
    let expected: String = (1..=30_000).map(|number| format!("{number}\n")).collect();
    assert!(text(&running) == expected);
}
