//! A measured process: started over pipes or sockets, its CPU time and memory as the kernel counts them.
//!
//! Reads `/proc`, so it works on Linux only.

use crate::peers::Peer;
use std::fs;
use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The language server.
    Mewcode,
    /// Something to compare it with.
    Peer(Peer),
}

/// How it is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// As Neovim and Helix do.
    Pipes,
    /// As Node, and so VS Code, does.
    Sockets,
}

/// A running process and the two ends of its wire.
pub struct Child {
    process: std::process::Child,
    /// To its standard input.
    pub input: Box<dyn Write>,
    /// From its standard output.
    pub output: BufReader<Box<dyn Read>>,
}

impl Child {
    /// Starts a program with `home` as its home and working folder, so that no configuration of the user counts.
    pub fn start(program: Program, wire: Wire, home: &Path) -> Self {
        let mut command = match program {
            Program::Mewcode => Command::new(env!("CARGO_BIN_EXE_mewcode")),
            Program::Peer(peer) => {
                let this = std::env::current_exe().expect("the path of this program");
                let mut command = Command::new(this);
                command.arg(peer.argument());
                command
            }
        };
        command
            .current_dir(home)
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join("state"));
        match wire {
            Wire::Pipes => {
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut process = command.spawn().expect("the program starts");
                let input = process.stdin.take().expect("a piped input");
                let output = process.stdout.take().expect("a piped output");
                Self::new(process, input, output)
            }
            Wire::Sockets => {
                let (input, its_input) = UnixStream::pair().expect("a socket pair");
                let (output, its_output) = UnixStream::pair().expect("a socket pair");
                command
                    .stdin(Stdio::from(std::os::fd::OwnedFd::from(its_input)))
                    .stdout(Stdio::from(std::os::fd::OwnedFd::from(its_output)));
                let process = command.spawn().expect("the program starts");
                Self::new(process, input, output)
            }
        }
    }

    fn new(
        process: std::process::Child,
        input: impl Write + 'static,
        output: impl Read + 'static,
    ) -> Self {
        Self {
            process,
            input: Box::new(input),
            output: BufReader::new(Box::new(output)),
        }
    }

    /// The CPU time of its living threads so far. Exact while they sleep.
    pub fn cpu(&self) -> Duration {
        let tasks = self.proc("task");
        let nanoseconds = fs::read_dir(&tasks)
            .expect("the threads of a living process")
            .flatten()
            .filter_map(|task| fs::read_to_string(task.path().join("schedstat")).ok())
            .filter_map(|line| line.split(' ').next()?.parse::<u64>().ok())
            .sum();
        Duration::from_nanos(nanoseconds)
    }

    /// Its memory in bytes: every resident page, shared libraries included.
    pub fn resident(&self) -> u64 {
        self.rollup("Rss:")
    }

    fn rollup(&self, key: &str) -> u64 {
        let rollup = fs::read_to_string(self.proc("smaps_rollup")).expect("a living process");
        let line = rollup.lines().find_map(|line| line.strip_prefix(key));
        let kilobytes = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        kilobytes.expect("a figure in kB") * 1024
    }

    fn proc(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.process.id())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The bare server does not end with its input.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
