//! What a policy means, in lines for people.

use std::path::PathBuf;

use super::error::Unavailable;
use super::plan::Mechanism;
use super::protected::ALWAYS;
use super::support::{Support, available};
use super::{Policy, Profile};

/// What a policy means on this system, line by line.
pub fn describe(policy: &Policy) -> Vec<String> {
    lines(policy, available())
}

fn lines(policy: &Policy, support: Result<Support, Unavailable>) -> Vec<String> {
    if policy.profile == Profile::Off {
        return vec!["sandbox: off: commands may do what you may do".to_owned()];
    }
    let support = match support {
        Ok(support) => support,
        Err(why) => {
            return vec![format!(
                "sandbox: {} is asked for, but {why}: no command can be run so",
                policy.profile.as_str()
            )];
        }
    };
    let mut lines = vec![format!("sandbox: {}", policy.profile.as_str())];
    if policy.profile == Profile::ReadOnly {
        lines.push("writes: nothing but a temporary folder of its own".to_owned());
    } else {
        let written = list(policy.roots.iter().chain(&policy.writable));
        lines.push(format!("writes: {written}, and temporary folders"));
        let repositories = if policy.git {
            "hooks and configuration of repositories"
        } else {
            "`.git` at any depth"
        };
        lines.push(format!(
            "protected: {repositories}; in each root {}; and what else there is in it that something runs or obeys \
             (.mewcode.yaml, .mcp.json, .envrc, …)",
            ALWAYS[1..].join(", ")
        ));
        if support.mechanism == Mechanism::Namespaces {
            lines.push(
                "where one of these folders is absent, an empty one stands in for it as long as a command runs"
                    .to_owned(),
            );
        }
        if support.mechanism == Mechanism::Landlock {
            lines.push(
                "this system has no namespaces for it: nothing can be made, renamed or removed right in a root, only below \
                 its folders that hold nothing protected"
                    .to_owned(),
            );
            lines.push("modes, owners and times of files elsewhere can be changed".to_owned());
        }
    }
    let secrets = policy.home.as_ref().map(|home| {
        format!(
            "keys and passwords in {} (.ssh, .aws, .netrc, …)",
            home.display()
        )
    });
    let mut closed: Vec<String> = policy
        .closed
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    closed.extend(secrets);
    if !closed.is_empty() {
        lines.push(format!("not even read: {}", closed.join(", ")));
    }
    lines.push(if support.own_network {
        "network: none but its own loopback".to_owned()
    } else {
        "network: none".to_owned()
    });
    if !support.confines_signals() {
        lines.push(
            "processes: others of yours can be signalled (this Linux is older than 6.12)"
                .to_owned(),
        );
    }
    lines.push(format!("by: {}", means(support)));
    lines
}

fn means(support: Support) -> String {
    match support.mechanism {
        Mechanism::Namespaces => format!(
            "{}namespaces, Landlock {} and seccomp",
            if support.user_namespace { "user " } else { "" },
            support.landlock
        ),
        Mechanism::Landlock => format!("Landlock {} and seccomp", support.landlock),
        Mechanism::Seatbelt => "Seatbelt".to_owned(),
        Mechanism::Nothing => "nothing".to_owned(),
    }
}

fn list<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> String {
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    paths.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(policy: &Policy, support: Result<Support, Unavailable>) -> String {
        lines(policy, support).join("\n")
    }

    #[test]
    fn a_policy_is_described_as_it_is_enforced() {
        let support = Support {
            mechanism: Mechanism::Namespaces,
            landlock: 6,
            user_namespace: true,
            own_network: true,
        };
        let mut policy = Policy {
            profile: Profile::WorkspaceWrite,
            roots: vec!["/w".into()],
            writable: vec!["/h/.cache".into()],
            closed: vec!["/h/.mewcode".into()],
            home: Some("/h".into()),
            ..Policy::default()
        };
        insta::assert_snapshot!(shown(&policy, Ok(support)), @"
        sandbox: workspace_write
        writes: /w, /h/.cache, and temporary folders
        protected: `.git` at any depth; in each root .mewcode, .claude, .codex, .cursor, .vscode, .idea, .helix, .zed; and what else there is in it that something runs or obeys (.mewcode.yaml, .mcp.json, .envrc, …)
        where one of these folders is absent, an empty one stands in for it as long as a command runs
        not even read: /h/.mewcode, keys and passwords in /h (.ssh, .aws, .netrc, …)
        network: none but its own loopback
        by: user namespaces, Landlock 6 and seccomp
        ");
        let weaker = Support {
            mechanism: Mechanism::Landlock,
            landlock: 4,
            user_namespace: false,
            own_network: false,
        };
        policy.profile = Profile::ReadOnly;
        insta::assert_snapshot!(shown(&policy, Ok(weaker)), @"
        sandbox: read_only
        writes: nothing but a temporary folder of its own
        not even read: /h/.mewcode, keys and passwords in /h (.ssh, .aws, .netrc, …)
        network: none
        processes: others of yours can be signalled (this Linux is older than 6.12)
        by: Landlock 4 and seccomp
        ");
        insta::assert_snapshot!(shown(&policy, Err(Unavailable::OldLandlock(1))), @"sandbox: read_only is asked for, but this Linux's Landlock is of version 1, and 3 is needed (kernel 6.2 or newer): no command can be run so");
    }
}
