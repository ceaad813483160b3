//! How long a large output takes through a command, against `cat` from one file to another: the ratio is what counts.
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
        println!("{megabytes} MiB, {ROUNDS} rounds, in turn");
        for _ in 0..ROUNDS {
            let begun = work();
            let peer = cat(&source, &folder.path().join("copy"));
            let between = work();
            let ours = runtime.block_on(command(&processes, folder.path(), megabytes << 20));
            let end = work();
            let ratio = ours.as_secs_f64() / peer.as_secs_f64();
            println!(
                "cat {:.2} s (work {:.2} s)   command {:.2} s (work {:.2} s)   ratio {ratio:.2} (work {:.2})",
                peer.as_secs_f64(),
                between - begun,
                ours.as_secs_f64(),
                end - between,
                (end - between) / (between - begun),
            );
            ratios.push(ratio);
        }
        ratios.sort_by(f64::total_cmp);
        println!("median ratio {:.2}", ratios[ROUNDS / 2]);
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

    fn cat(source: &Path, copy: &Path) -> Duration {
        let copied = File::create(copy).unwrap();
        let begun = Instant::now();
        let status = Command::new("cat")
            .arg(source)
            .stdin(Stdio::null())
            .stdout(copied)
            .status()
            .unwrap();
        let time = begun.elapsed();
        assert!(status.success());
        fs::remove_file(copy).unwrap();
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
