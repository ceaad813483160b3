//! How long a large output takes through a command, against a shell that lets the same program write to `cat` and that to
//! a file: the ratio is what counts. `cat` from file to file is shown besides: the system copies that by itself, and no
//! byte of it goes through a pipe.
//!
//! `cargo bench -p mewcode-tools --bench output`; with `MEGABYTES` in the environment, of another size than 2048.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench fails by panicking"
)]

#[cfg(unix)]
fn main() {
    bench::main();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod bench {
    use std::fs::{self, File};
    use std::io::{BufWriter, Write};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use mewcode_tools::process::{CommandSpec, Launcher, Processes};
    use tempfile::TempDir;

    const ROUNDS: usize = 5;

    pub fn main() {
        let megabytes = std::env::var("MEGABYTES").map_or(2048, |size| size.parse().unwrap());
        let folder = TempDir::new().unwrap();
        let source = folder.path().join("source");
        fill(&source, megabytes);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let processes = Processes::new(Launcher::new(env!("CARGO_BIN_EXE_mewcode-supervise")));
        let mut ratios = Vec::new();
        println!(
            "{megabytes} MiB, {ROUNDS} rounds, in turn; in parentheses the work of the processors"
        );
        for _ in 0..ROUNDS {
            let copy = measured(|| shell(folder.path(), "cat source > copy"));
            let peer = measured(|| shell(folder.path(), "cat source | cat > copy"));
            let ours =
                measured(|| runtime.block_on(command(&processes, folder.path(), megabytes << 20)));
            let ratio = ours.0 / peer.0;
            println!(
                "file to file {:.2} s ({:.2} s)   through cat {:.2} s ({:.2} s)   command {:.2} s ({:.2} s)   ratio {ratio:.2} ({:.2})",
                copy.0,
                copy.1,
                peer.0,
                peer.1,
                ours.0,
                ours.1,
                ours.1 / peer.1,
            );
            ratios.push(ratio);
        }
        ratios.sort_by(f64::total_cmp);
        println!("median ratio {:.2}", ratios[ROUNDS / 2]);
    }

    /// How long something took, and what it had of the processors; in seconds.
    fn measured(work_on: impl FnOnce() -> Duration) -> (f64, f64) {
        let begun = work();
        let time = work_on();
        (time.as_secs_f64(), work() - begun)
    }

    /// What this process and its children have had of the processors, in seconds: less of a matter of luck than the time
    /// on a machine that others use too.
    fn work() -> f64 {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        let ticks: f64 = fields
            .split(' ')
            .skip(11)
            .take(4)
            .filter_map(|field| field.parse::<f64>().ok())
            .sum();
        ticks / 100.0
    }

    fn fill(path: &Path, megabytes: u64) {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
        let line = b"   Compiling something v0.1.0 (/home/user/workspace/something)\n";
        let mut left = (megabytes << 20) as usize;
        while left > 0 {
            let length = left.min(line.len());
            file.write_all(&line[..length]).unwrap();
            left -= length;
        }
        file.flush().unwrap();
    }

    fn shell(folder: &Path, line: &str) -> Duration {
        let begun = Instant::now();
        let status = Command::new("sh")
            .args(["-c", line])
            .current_dir(folder)
            .stdin(Stdio::null())
            .status()
            .unwrap();
        let time = begun.elapsed();
        assert!(status.success());
        fs::remove_file(folder.join("copy")).unwrap();
        time
    }

    async fn command(processes: &Processes, folder: &Path, bytes: u64) -> Duration {
        let artifact = folder.join("artifact");
        let mut spec = CommandSpec::new("bench", "cat source", folder);
        spec.environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
        spec.artifact = Some(artifact.clone());
        let begun = Instant::now();
        let running = processes.start(spec).await.unwrap();
        running.wait().await;
        let time = begun.elapsed();
        assert_eq!(running.output().artifact_bytes, bytes);
        fs::remove_file(artifact).unwrap();
        time
    }
}
