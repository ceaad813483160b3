//! What a command reads.

use mewcode_tools::process::{Exit, Input, InputError, MAX_INPUT, Source};

use crate::scene::{Scene, pieces, printed, text};

#[tokio::test(flavor = "multi_thread")]
async fn input_is_closed_unless_it_is_asked_for() {
    let scene = Scene::new();
    let (running, ending) = scene
        .run(scene.spec("cat; read line || echo nothing; readlink /proc/self/fd/0"))
        .await;
    assert_eq!(text(&running), "nothing\n/dev/null\n");
    assert_eq!(ending.exit, Some(Exit::Code(0)));
    assert_eq!(running.input(b"x".to_vec()), Err(InputError::Ended));

    let running = scene.start(scene.spec("sleep 1000")).await;
    assert_eq!(running.input(b"x".to_vec()), Err(InputError::Closed));
    assert!(!running.takes_input());
    running.stop(mewcode_tools::process::Stop::Stopped);
    scene.end(&running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_arrives_and_ends() {
    let scene = Scene::new();
    let mut spec = scene.spec("cat; echo over; until [ -e go ]; do sleep 0.01; done");
    spec.input = Input::Open;
    let running = scene.start(spec).await;
    running.input(b"one\n".to_vec()).unwrap();
    printed(&running, "one\n").await;
    running.input(b"two".to_vec()).unwrap();
    running.close_input().unwrap();
    assert_eq!(running.input(b"x".to_vec()), Err(InputError::Closed));
    std::fs::write(scene.folder.path().join("go"), "").unwrap();
    let ending = scene.end(&running).await;
    assert_eq!(ending.exit, Some(Exit::Code(0)));
    assert_eq!(text(&running), "one\ntwoover\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_read_keeps_nobody_from_ending_it() {
    let scene = Scene::new();
    let mut spec = scene.spec("echo ready; sleep 1000");
    spec.input = Input::Open;
    let running = scene.start(spec).await;
    printed(&running, "ready").await;
    assert_eq!(
        running.input(vec![0; MAX_INPUT + 1]),
        Err(InputError::TooMuch)
    );
    // More than a pipe holds, and no more after that.
    running.input(vec![b'x'; MAX_INPUT]).unwrap();
    let refused = running.input(vec![b'x'; MAX_INPUT]);
    assert_eq!(refused, Err(InputError::TooMuch));
    running.stop(mewcode_tools::process::Stop::Stopped);
    scene.end(&running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_closed_its_input_takes_no_more() {
    let scene = Scene::new();
    let mut spec = scene.spec("exec <&-; echo ready; sleep 1000");
    spec.input = Input::Open;
    let running = scene.start(spec).await;
    printed(&running, "ready").await;
    // The first shows that nobody reads, a later one is refused for it.
    let refused = async {
        while running.input(b"x".to_vec()) != Err(InputError::Closed) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::scene::PATIENCE, refused)
        .await
        .unwrap();
    running.stop(mewcode_tools::process::Stop::Stopped);
    scene.end(&running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_kept_in_the_order_in_which_it_came() {
    let scene = Scene::new();
    // Each part is printed when the one before it has been seen.
    let line = "printf one; read x; printf two >&2; read x; printf three; read x; printf four >&2";
    let mut spec = scene.spec(line);
    spec.input = Input::Open;
    let running = scene.start(spec).await;
    for part in ["one", "two", "three"] {
        printed(&running, part).await;
        running.input(b"\n".to_vec()).unwrap();
    }
    scene.end(&running).await;
    let seen: Vec<_> = pieces(&running)
        .into_iter()
        .map(|piece| (piece.source, String::from_utf8(piece.bytes).unwrap()))
        .collect();
    let expected = [
        (Source::Output, "one"),
        (Source::Error, "two"),
        (Source::Output, "three"),
        (Source::Error, "four"),
    ];
    assert_eq!(
        seen,
        expected.map(|(source, text)| (source, text.to_owned()))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn much_input_arrives_whole_as_fast_as_it_is_read() {
    let scene = Scene::new();
    let mut spec = scene.spec("cksum");
    spec.input = Input::Open;
    let running = scene.start(spec).await;
    let part: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
    for _ in 0..50 {
        while running.input(part.clone()) == Err(InputError::TooMuch) {
            tokio::task::yield_now().await;
        }
    }
    running.close_input().unwrap();
    scene.end(&running).await;
    let file = scene.folder.path().join("same");
    std::fs::write(&file, part.repeat(50)).unwrap();
    let expected = std::process::Command::new("cksum")
        .stdin(std::fs::File::open(file).unwrap())
        .output()
        .unwrap();
    assert_eq!(text(&running).as_bytes(), expected.stdout);
}
