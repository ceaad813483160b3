//! A child process that must end by itself in time, with what it printed.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Runs a command to its end and returns everything that it printed, stdout before stderr. At the deadline it is ended and the test
/// fails.
pub fn run_within(mut command: Command, limit: Duration) -> (ExitStatus, String) {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let mut streams: Vec<Box<dyn Read + Send>> = Vec::new();
    streams.extend(
        child
            .stdout
            .take()
            .map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    );
    streams.extend(
        child
            .stderr
            .take()
            .map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    );
    let (sender, printed) = mpsc::channel();
    for (number, mut stream) in streams.into_iter().enumerate() {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            let _ = sender.send((number, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    drop(sender);
    let process = child.id();
    let (ended, exit) = mpsc::channel();
    thread::spawn(move || {
        let _ = ended.send(child.wait());
    });
    let status = exit.recv_timeout(limit);
    if status.is_err() {
        // It has not been waited for, so the id is still its own.
        if let Some(process) = rustix::process::Pid::from_raw(process as i32) {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
    }
    // A grandchild that keeps a stream open must not keep the test.
    let mut texts = [String::new(), String::new()];
    while let Ok((number, text)) = printed.recv_timeout(Duration::from_secs(5)) {
        texts[number] = text;
    }
    let printed = texts.concat();
    match status {
        Ok(status) => (status.expect("a child can be waited for"), printed),
        Err(_) => panic!("{command:?} still ran after {limit:?}; it printed: {printed}"),
    }
}
