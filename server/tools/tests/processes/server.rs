//! A server that is killed takes its commands with it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::scene::{Scene, gone, marked, present, printed};

/// What tells the test binary that it is the server, and how its commands are marked.
const SERVER: &str = "MEWCODE_SERVER_MARK";

const LINES: [&str; 4] = [
    "sleep 1000 & setsid --fork sleep 1000; echo ready; wait",
    "( ( sleep 1000 & ) & ); nohup sleep 1000 >/dev/null 2>&1 & echo ready; sleep 1000",
    "trap '' TERM HUP INT; echo ready; while :; do sleep 1000; done",
    "yes & echo ready; sleep 1000 & kill -STOP $!; wait",
];

/// The server: the same binary, told by its environment. As a test of its own it does nothing.
#[tokio::test(flavor = "multi_thread")]
async fn server() {
    let Ok(mark) = std::env::var(SERVER) else {
        return;
    };
    let scene = Scene::marked(TempDir::new().unwrap(), mark);
    for terminal in [None, Some(Default::default())] {
        for line in LINES {
            let mut spec = scene.spec(line);
            spec.terminal = terminal;
            spec.background = true;
            let running = scene.start(spec).await;
            printed(&running, "ready").await;
        }
    }
    println!("\nserver ready");
    std::future::pending::<()>().await;
}

/// Killed in any case, also by a test that fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn nothing_is_left_of_a_server_that_is_killed() {
    let mark = format!("killed-{}", std::process::id());
    let server = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "server::server", "--nocapture"])
        .env(SERVER, &mark)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut server = Killed(server);
    let output = BufReader::new(server.0.stdout.take().unwrap());
    let ready = output
        .lines()
        .any(|line| line.unwrap().contains("server ready"));
    assert!(ready);
    let present = present(&mark, 2 * (4 + 4 + 3 + 4));
    server.0.kill().unwrap();
    server.0.wait().unwrap();
    // A supervisor ends last: when those that are there now are gone, no other can come.
    for (pid, _) in present {
        gone(pid);
    }
    assert_eq!(marked(&mark), []);
}
