//! What was probably in a command's way, told from its line and its output: the sandbox, or a limit. Good guesses, for the
//! sake of a better answer.

use super::output::Output;
use crate::command::{self, Surroundings};
use crate::host::CommandSettings;
use crate::process::{Cause, Exit, LimitHit, Running, Size};
use crate::sandbox::{self, Policy, Profile, Refusal};

/// What programs say when they may not write on to a file.
const FILE_TOO_LARGE: &[&str] = &["File size limit exceeded", "File too large", "EFBIG"];

/// What the sandbox probably refused.
pub(super) fn by_the_sandbox(running: &Running, output: &str, policy: &Policy) -> Option<Refusal> {
    let ending = running.ending();
    let code = match ending.as_ref().and_then(|ending| ending.exit) {
        Some(Exit::Code(code)) => Some(code),
        _ => None,
    };
    let is_hidden = code == Some(0)
        && policy.profile == Profile::WorkspaceWrite
        && hides_failures(running.line());
    let refusal = sandbox::refusal(output, code.filter(|_| !is_hidden), policy);
    let has_ended = ending.is_some_and(|ending| ending.cause == Cause::Exited);
    // A program that there is not needs no network either.
    let has_failed = code != Some(0) && code != Some(127);
    let without_success = has_ended && (has_failed || output.trim().is_empty());
    let network = || {
        (without_success && needs_network(running, policy))
            .then(|| sandbox::no_network(policy))
            .flatten()
    };
    refusal.or_else(network)
}

/// Whether a line can exit with 0 although a part of it failed: of several parts the last one gives the code.
fn hides_failures(line: &str) -> bool {
    let mut line = line.trim().to_owned();
    // These join parts that all have to succeed, or are redirections.
    for harmless in ["&&", ">&", "&>", "<&"] {
        line = line.replace(harmless, " ");
    }
    line.contains(['|', ';', '&', '\n', '`']) || line.contains("$(")
}

fn needs_network(running: &Running, policy: &Policy) -> bool {
    let surroundings = Surroundings {
        workdir: running.workdir().to_owned(),
        home: policy.home.clone(),
        is_root: policy.roots.iter().any(|root| root == running.workdir()),
    };
    policy.profile != Profile::Off && command::analyse(running.line(), &surroundings).network
}

/// The limits that it reached without being ended for it, a sentence each.
pub(super) fn by_limits(
    running: &Running,
    output: &Output,
    settings: &CommandSettings,
) -> Vec<String> {
    let mut notes = Vec::new();
    let was_ended = running
        .ending()
        .is_some_and(|ending| matches!(ending.cause, Cause::Limit(_)));
    let says_so = || {
        FILE_TOO_LARGE
            .iter()
            .any(|text| output.plain.contains(text))
    };
    if let Some(limit) = settings
        .limits
        .file_size
        .filter(|_| !was_ended && says_so())
    {
        notes.push(format!(
            "It seems that {}: the setting `limits.file_size_mib`.",
            LimitHit::FileSize { limit }
        ));
    }
    let captured = running.output();
    let is_full = captured.artifact_bytes >= settings.artifact_bytes
        && captured.artifact_bytes < captured.bytes;
    if let Some(artifact) = running.artifact().filter(|_| is_full) {
        notes.push(format!(
            "Of its output the first {} are in {}, and nothing of the rest is kept but its end: that is the limit that \
             `limits.output_mib` sets.",
            Size(captured.artifact_bytes),
            artifact.display()
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_can_hide_a_failure() {
        for line in [
            "touch /usr/x; echo \"exit: $?\"",
            "touch /usr/x || true",
            "curl -s x | head -1",
            "touch /usr/x\necho done",
            "touch /usr/x & wait",
            "echo $(touch /usr/x)",
        ] {
            assert!(hides_failures(line), "{line}");
        }
        for line in ["cargo test", "cd a && make 2>&1", "make &> log\n", "ls"] {
            assert!(!hides_failures(line), "{line}");
        }
    }
}
