//! Runs a command as its supervisor would: `mewcode-confined POLICY FOLDER LINE`, with the policy as JSON. What came of it
//! is the last line of the error output, as JSON. For tests only.

#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a test's program fails by panicking"
)]

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Command, ExitCode};

    use mewcode_tools::sandbox;

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [policy, folder, line] = arguments.as_slice() else {
        eprintln!("usage: mewcode-confined POLICY FOLDER LINE");
        return ExitCode::from(2);
    };
    if policy == "enter" {
        let plan = serde_json::from_str(folder).expect("a plan");
        if let Err(error) = sandbox::enter(&plan) {
            eprintln!("{error}");
            return ExitCode::from(125);
        }
        let error = Command::new("/bin/bash").args(["-c", line]).exec();
        eprintln!("{error}");
        return ExitCode::from(126);
    }
    let mut policy: sandbox::Policy = serde_json::from_str(policy).expect("a policy");
    if policy.home.as_deref() == Some("".as_ref()) {
        policy.home = None;
    }
    let prepared = match sandbox::prepare(&policy) {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(125);
        }
    };
    let plan = serde_json::to_string(prepared.plan()).expect("a plan");
    let own = std::env::current_exe().expect("a path");
    let status = Command::new(own)
        .args(["enter", plan.as_str(), line.as_str()])
        .current_dir(folder)
        .envs(
            prepared
                .environment()
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .status()
        .expect("itself");
    let finished = prepared.finish();
    let texts = |paths: &[std::path::PathBuf]| -> Vec<String> {
        let texts = paths.iter().map(|path| path.display().to_string());
        texts.collect()
    };
    eprintln!(
        "{}",
        serde_json::json!({
            "repositories": texts(&finished.repositories),
            "obeyed": texts(&finished.obeyed),
            "faults": finished.faults,
        })
    );
    let code = status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(255))
}

#[cfg(not(unix))]
fn main() {}
