//! Wrappers that are put in front of a command, and their options.

use super::{Runs, Wrapped, joined, rest_of};
use crate::command::assignment;
use crate::command::program::Program;
use crate::command::variables::{Influence, influence};
use crate::command::word::Value;

/// A program whose arguments end in a command.
struct Prefix {
    name: &'static str,
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value.
    valued: &'static [&'static str],
    /// How many operands stand before the command.
    operands: usize,
    harmless: bool,
    covers: bool,
}

const fn harmless(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Prefix {
    Prefix {
        name,
        flags,
        valued,
        operands,
        harmless: true,
        covers: false,
    }
}

const fn needs_rule(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Prefix {
    Prefix {
        name,
        flags,
        valued,
        operands,
        harmless: false,
        covers: false,
    }
}

const fn covers(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Prefix {
    Prefix {
        name,
        flags,
        valued,
        operands,
        harmless: false,
        covers: true,
    }
}

const TABLE: &[Prefix] = &[
    harmless(
        "timeout",
        &["--foreground", "--preserve-status", "-v", "--verbose"],
        &["-k", "--kill-after", "-s", "--signal"],
        1,
    ),
    harmless(
        "gtimeout",
        &["--foreground", "--preserve-status", "-v"],
        &["-k", "--kill-after", "-s", "--signal"],
        1,
    ),
    harmless("time", &["-p"], &[], 0),
    harmless("nice", &[], &["-n", "--adjustment"], 0),
    harmless(
        "ionice",
        &["-t", "--ignore"],
        &["-c", "--class", "-n", "--classdata"],
        0,
    ),
    harmless("nohup", &[], &[], 0),
    harmless(
        "stdbuf",
        &[],
        &["-i", "--input", "-o", "--output", "-e", "--error"],
        0,
    ),
    harmless("command", &[], &[], 0),
    harmless("builtin", &[], &[], 0),
    needs_rule(
        "env",
        &[
            "-i",
            "--ignore-environment",
            "-",
            "-0",
            "--null",
            "-v",
            "--debug",
        ],
        &["-u", "--unset", "-C", "--chdir", "-S", "--split-string"],
        0,
    ),
    needs_rule("exec", &["-c", "-l"], &["-a"], 0),
    needs_rule(
        "setsid",
        &["-c", "--ctty", "-f", "--fork", "-w", "--wait"],
        &[],
        0,
    ),
    needs_rule(
        "flock",
        &[
            "-s",
            "-x",
            "-e",
            "-n",
            "-u",
            "-o",
            "-v",
            "-F",
            "--shared",
            "--exclusive",
            "--nonblock",
        ],
        &["-w", "--timeout", "-E"],
        1,
    ),
    needs_rule(
        "strace",
        &[
            "-f", "-ff", "-q", "-qq", "-c", "-C", "-t", "-tt", "-T", "-v", "-y", "-yy", "-x", "-k",
        ],
        &["-e", "-o", "-p", "-s", "-u", "-E", "-P", "-a", "-O", "-S"],
        0,
    ),
    needs_rule(
        "ltrace",
        &["-f", "-c", "-S", "-t", "-i"],
        &["-e", "-o", "-p", "-s", "-u", "-n", "-l"],
        0,
    ),
    needs_rule("taskset", &["-a", "--all-tasks"], &[], 1),
    needs_rule("chrt", &["-b", "-f", "-i", "-o", "-r"], &[], 1),
    needs_rule(
        "numactl",
        &[],
        &["-N", "-m", "-C", "--cpunodebind", "--membind"],
        0,
    ),
    needs_rule("prlimit", &[], &[], 0),
    needs_rule("unbuffer", &["-p"], &[], 0),
    needs_rule("catchsegv", &[], &[], 0),
    needs_rule("valgrind", &[], &[], 0),
    needs_rule("eatmydata", &[], &[], 0),
    needs_rule("fakeroot", &[], &[], 0),
    needs_rule("faketime", &["-f", "-m"], &[], 1),
    needs_rule(
        "caffeinate",
        &["-d", "-i", "-m", "-s", "-u"],
        &["-t", "-w"],
        0,
    ),
    needs_rule("rlwrap", &[], &[], 0),
    needs_rule("proxychains", &["-q"], &["-f"], 0),
    needs_rule("proxychains4", &["-q"], &["-f"], 0),
    needs_rule("torsocks", &["-i", "-q"], &[], 0),
    needs_rule(
        "xvfb-run",
        &["-a", "--auto-servernum"],
        &["-s", "--server-args", "-n"],
        0,
    ),
    needs_rule("dbus-run-session", &["--"], &[], 0),
    needs_rule("cpulimit", &["-z", "-i"], &["-l", "-p", "-e"], 0),
    needs_rule(
        "entr",
        &["-a", "-c", "-d", "-n", "-p", "-r", "-s", "-z"],
        &[],
        0,
    ),
    needs_rule("busybox", &[], &[], 0),
    needs_rule("toybox", &[], &[], 0),
    needs_rule("tini", &["-s", "-g", "-v"], &["-p", "-e"], 0),
    needs_rule("dumb-init", &["-c", "-v"], &["-r"], 0),
    needs_rule("ld.so", &[], &["--library-path", "--preload", "--argv0"], 0),
    needs_rule(
        "ld-linux-x86-64.so.2",
        &[],
        &["--library-path", "--preload", "--argv0"],
        0,
    ),
    needs_rule(
        "ld-linux-aarch64.so.1",
        &[],
        &["--library-path", "--preload", "--argv0"],
        0,
    ),
    covers(
        "sudo",
        &[
            "-A",
            "-b",
            "-E",
            "-e",
            "-H",
            "-i",
            "-k",
            "-K",
            "-n",
            "-P",
            "-S",
            "-s",
            "--stdin",
            "--login",
            "--preserve-env",
        ],
        &[
            "-C", "-D", "-g", "-h", "-p", "-R", "-r", "-t", "-T", "-U", "-u", "--user", "--group",
            "--chdir", "--prompt",
        ],
        0,
    ),
    covers("doas", &["-L", "-n", "-s"], &["-a", "-C", "-u"], 0),
    covers(
        "pkexec",
        &["--disable-internal-agent", "--keep-cwd"],
        &["--user"],
        0,
    ),
    covers("gosu", &[], &[], 1),
    covers("su-exec", &[], &[], 1),
    covers("runuser", &[], &["-u"], 0),
    covers("chroot", &["--skip-chdir"], &["--userspec", "--groups"], 1),
    covers(
        "unshare",
        &[
            "-m",
            "-u",
            "-i",
            "-n",
            "-p",
            "-U",
            "-C",
            "-T",
            "-f",
            "-r",
            "-c",
            "--fork",
            "--map-root-user",
            "--mount",
            "--net",
            "--pid",
            "--user",
        ],
        &["-S", "-G", "-R", "-w", "--root", "--wd"],
        0,
    ),
    covers(
        "nsenter",
        &["-a", "-m", "-u", "-i", "-n", "-p", "-U", "-C", "-F"],
        &["-t", "--target", "-S", "-G"],
        0,
    ),
    covers("bwrap", &[], &[], 0),
    covers("firejail", &[], &[], 0),
    covers(
        "systemd-run",
        &[
            "--scope", "--user", "--pty", "--wait", "-P", "-t", "-q", "-d", "-G",
        ],
        &["-p", "-u", "--unit", "--uid", "-M", "-E"],
        0,
    ),
    covers("cgexec", &[], &["-g"], 0),
];

/// What a wrapper runs that is put in front of a command; absent if it is none.
pub(super) fn prefix(program: &Program, arguments: &[Value]) -> Option<Wrapped> {
    let prefix = TABLE.iter().find(|prefix| program.is(prefix.name))?;
    let takes_assignments = ["env", "sudo", "doas", "runuser"].contains(&prefix.name);
    let mut wrapped = Wrapped {
        harmless: prefix.harmless,
        covers: prefix.covers,
        ..Wrapped::default()
    };
    let mut at = 0;
    let mut operands = prefix.operands;
    let mut plain = true;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if !word.known {
            wrapped.doubt = Some("has arguments that are not known, and runs what they say");
        }
        if prefix.name == "command" && ["-v", "-V"].contains(&text) {
            // It only tells what would be run.
            return (at + 1 < arguments.len()).then_some(wrapped);
        }
        if ["-S", "--split-string"].contains(&text) && prefix.name == "env" {
            let text = joined(arguments.get(at + 1..).unwrap_or_default());
            return Some(script_of(wrapped, text));
        }
        if let Some(split) = text
            .strip_prefix("-S")
            .or(text.strip_prefix("--split-string="))
            && prefix.name == "env"
        {
            let mut rest = vec![rest_of(word, text.len() - split.len())];
            rest.extend_from_slice(&arguments[at + 1..]);
            return Some(script_of(wrapped, joined(&rest)));
        }
        if prefix.name == "flock" && ["-c", "--command"].contains(&text) {
            let text = joined(arguments.get(at + 1..).unwrap_or_default());
            return Some(script_of(wrapped, text));
        }
        if text == "--" {
            at += 1;
            at += operands;
            break;
        }
        if text.starts_with('-') && (text.len() > 1 || prefix.flags.contains(&"-")) {
            plain = false;
            at += option(prefix, text, &mut wrapped);
            continue;
        }
        if takes_assignments && let Some((name, _)) = assignment(text) {
            plain &= influence(name) == Influence::Harmless;
            if influence(name) != Influence::Harmless {
                wrapped.doubt = Some("sets variables that may change what it runs");
            }
            at += 1;
            continue;
        }
        if operands > 0 {
            operands -= 1;
            at += 1;
            if prefix.name == "flock" && arguments.get(at).is_some_and(|next| next.text == "-c") {
                operands = 0;
            }
            continue;
        }
        break;
    }
    if prefix.name == "env" && plain {
        wrapped.harmless = true;
    }
    let command = arguments.get(at..).unwrap_or_default();
    if command.is_empty() {
        return None;
    }
    wrapped.runs.push(Runs::Words(command.to_vec()));
    Some(wrapped)
}

fn script_of(mut wrapped: Wrapped, text: Value) -> Wrapped {
    wrapped.runs.push(Runs::Script {
        text,
        positional: Vec::new(),
    });
    wrapped.harmless = false;
    wrapped
}

/// How many words an option is; one that is not known leaves a doubt where the command begins.
fn option(prefix: &Prefix, text: &str, wrapped: &mut Wrapped) -> usize {
    if prefix.flags.contains(&text) {
        return 1;
    }
    if prefix.valued.contains(&text) {
        return 2;
    }
    let with_value = prefix.valued.iter().any(|option| {
        let long = option.starts_with("--");
        text.strip_prefix(option)
            .is_some_and(|rest| !long || rest.starts_with('='))
    });
    let number = text[1..].chars().all(|c| c.is_ascii_digit());
    let understood = with_value || prefix.name == "nice" && number;
    if !understood {
        wrapped.doubt = Some("has an option that is not known, and runs a command");
    }
    1
}
