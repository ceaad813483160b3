//! The Seatbelt profile of a plan, for macOS: a text for `sandbox-exec -p`. Pure; its effect was not tried on macOS.
//!
//! Of several rules that fit the last one counts, so what is protected is denied after what is written is allowed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::plan::Plan;
use super::protected::is_repository;

/// What every program needs to run at all.
const BASE: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow ipc-posix-shm*)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.PowerManagement.control"))
(allow file-read*)
(allow file-write-data file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (literal "/dev/ptmx")
  (regex #"^/dev/ttys[0-9]+$"))
"#;

/// The profile. What it does not allow is denied: the network, writing elsewhere, other processes.
pub fn profile(plan: &Plan) -> String {
    let mut profile = BASE.to_owned();
    let is_in_repository = |path: &&PathBuf| {
        path.components()
            .any(|part| is_repository(part.as_os_str()))
    };
    for tree in plan.writable.iter().filter(|tree| !is_in_repository(tree)) {
        rule(&mut profile, "allow file-write*", &subpath(tree));
    }
    // A repository that is yet to be made, too.
    for tree in plan.writable.iter().filter(|tree| !is_in_repository(tree)) {
        let any = format!(
            "(regex #\"^{}/(.*/)?{}(/|$)\")",
            escaped(tree),
            any_case(".git")
        );
        rule(&mut profile, "deny file-write*", &any);
    }
    for tree in plan.writable.iter().filter(is_in_repository) {
        rule(&mut profile, "allow file-write*", &subpath(tree));
    }
    for path in &plan.held {
        rule(
            &mut profile,
            "deny file-write-unlink",
            &format!("(literal {})", string(path)),
        );
    }
    for path in &plan.protected {
        rule(&mut profile, "deny file-write*", &in_any_case(path));
    }
    for path in &plan.closed {
        rule(&mut profile, "deny file-read* file-write*", &subpath(path));
        for tree in plan.writable.iter().filter(|tree| tree.starts_with(path)) {
            rule(&mut profile, "allow file-read* file-write*", &subpath(tree));
        }
    }
    profile
}

fn rule(profile: &mut String, what: &str, place: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(profile, "({what} {place})");
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", string(path))
}

/// A path and all below, however its last name is written: most file systems of macOS make no difference.
fn in_any_case(path: &Path) -> String {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => format!(
            "(regex #\"^{}/{}(/|$)\")",
            escaped(parent).trim_end_matches('/'),
            any_case(&name.to_string_lossy())
        ),
        _ => subpath(path),
    }
}

/// A string of the profile's language.
fn string(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

fn escaped(path: &Path) -> String {
    path.to_string_lossy().chars().map(escape).collect()
}

fn any_case(name: &str) -> String {
    name.chars()
        .map(|letter| {
            if letter.is_ascii_alphabetic() {
                format!(
                    "[{}{}]",
                    letter.to_ascii_lowercase(),
                    letter.to_ascii_uppercase()
                )
            } else {
                escape(letter)
            }
        })
        .collect()
}

/// A character of an expression that stands for itself. A quote would end the expression: any character fits it.
fn escape(letter: char) -> String {
    match letter {
        '"' => ".".to_owned(),
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
            format!("\\{letter}")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::{Mechanism, Profile};

    fn plan() -> Plan {
        Plan {
            profile: Profile::WorkspaceWrite,
            mechanism: Mechanism::Seatbelt,
            writable: vec!["/w/a \"b\"".into(), "/private/tmp".into()],
            protected: vec!["/w/a \"b\"/.git".into(), "/w/a \"b\"/.mcp.json".into()],
            held: vec!["/private/tmp/r".into()],
            closed: vec!["/h/.mewcode".into()],
            ..Plan::default()
        }
    }

    fn own(plan: &Plan) -> String {
        profile(plan).strip_prefix(BASE).unwrap().to_owned()
    }

    #[test]
    fn what_is_protected_is_denied_last() {
        insta::assert_snapshot!(own(&plan()), @r#"
        (allow file-write* (subpath "/w/a \"b\""))
        (allow file-write* (subpath "/private/tmp"))
        (deny file-write* (regex #"^/w/a .b./(.*/)?\.[gG][iI][tT](/|$)"))
        (deny file-write* (regex #"^/private/tmp/(.*/)?\.[gG][iI][tT](/|$)"))
        (deny file-write-unlink (literal "/private/tmp/r"))
        (deny file-write* (regex #"^/w/a .b./\.[gG][iI][tT](/|$)"))
        (deny file-write* (regex #"^/w/a .b./\.[mM][cC][pP]\.[jJ][sS][oO][nN](/|$)"))
        (deny file-read* file-write* (subpath "/h/.mewcode"))
        "#);
    }

    #[test]
    fn a_repository_that_is_written_is_allowed_but_for_its_hooks() {
        let plan = Plan {
            writable: vec!["/w".into(), "/w/.git".into()],
            protected: vec!["/w/.git/hooks".into()],
            held: Vec::new(),
            closed: Vec::new(),
            ..plan()
        };
        insta::assert_snapshot!(own(&plan), @r#"
        (allow file-write* (subpath "/w"))
        (deny file-write* (regex #"^/w/(.*/)?\.[gG][iI][tT](/|$)"))
        (allow file-write* (subpath "/w/.git"))
        (deny file-write* (regex #"^/w/\.git/[hH][oO][oO][kK][sS](/|$)"))
        "#);
    }

    #[test]
    fn nothing_allows_the_network() {
        assert!(!profile(&plan()).contains("network"));
    }
}
