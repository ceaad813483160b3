//! What the files of a workspace may set before anybody trusted it: what grants nothing.
//!
//! Cloning a repository must not be enough to send the user's key elsewhere, to run a command, to loosen a mode or a
//! sandbox, or to raise what a run may cost. A value equal to the one in force is never an issue. Decides about one
//! entry at a time, and says in words what it would do.

use std::path::Path;

use serde_json::Value;

use super::schema::{ModeName, SandboxName};

/// What becomes of a setting in a workspace's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It grants nothing, so it counts.
    Free,
    /// It counts once the workspace is trusted.
    Grant {
        /// What it does then, to follow "it would".
        words: String,
    },
    /// It never counts, for this reason.
    Never(&'static str),
}

/// What becomes of `key: value`, or of an item of a list, over the value `below` that is in force without it.
pub fn judge(key: &str, value: &Value, below: Option<&Value>, root: &Path) -> Judgement {
    if below == Some(value) {
        return Judgement::Free;
    }
    let text = shown(value);
    let grant = |words: String| Judgement::Grant { words };
    match key {
        // A script plays where there is no model, but not unasked in place of the user's.
        "provider" if value == "scripted" => match below {
            None => Judgement::Free,
            Some(own) => grant(format!(
                "play a script in place of your provider `{}`",
                shown(own)
            )),
        },
        "provider" => grant(format!(
            "send the workspace to the provider `{text}` with your key"
        )),
        "model" => Judgement::Free,
        "script" => {
            let path = root.join(value.as_str().unwrap_or_default());
            match stays_inside(&path, root) {
                true => Judgement::Free,
                false => Judgement::Never("a project's script must be a file of the workspace"),
            }
        }
        "base_url" => grant(format!("send the workspace and your key to {text}")),
        "api_key_env" => grant(format!(
            "send the environment variable `{text}` to the provider as your key"
        )),
        "api_key_command" => grant(format!("run the command `{text}` to get your key")),
        "mode" => match stricter::<ModeName>(value, below, ModeName::Default) {
            true => Judgement::Free,
            false => grant(format!("loosen the mode to `{text}`")),
        },
        "sandbox" => match stricter::<SandboxName>(value, below, SandboxName::WorkspaceWrite) {
            true => Judgement::Free,
            false => grant(format!("loosen the sandbox of commands to `{text}`")),
        },
        "sensitive" => match value
            .as_str()
            .unwrap_or_default()
            .trim_start()
            .strip_prefix('!')
        {
            None => Judgement::Free,
            Some(name) => grant(format!("have files called `{name}` read unasked")),
        },
        "writable" => grant(format!("let commands write in {text}")),
        "environment" => grant(format!(
            "pass the environment variable `{text}` to commands"
        )),
        "web_proxy" => grant(format!("have `web_fetch` go through {text}")),
        "max_tokens"
        | "thinking_budget"
        | "max_turns"
        | "idle_timeout"
        | "limits.memory_mib"
        | "limits.processes"
        | "limits.file_size_mib"
        | "limits.output_mib" => match raises(key, value, below) {
            true if text == "0" => grant(format!("lift the limit `{key}`")),
            true => grant(format!("raise `{key}` to {text}")),
            false => Judgement::Free,
        },
        // What is kept of other workspaces would be removed with it.
        "limits.session_artifacts_mib" | "limits.artifacts_mib" | "limits.artifact_days" => {
            grant(format!("set `{key}` to {text}"))
        }
        // A new key grants nothing until somebody thought about it here.
        _ => Judgement::Never("a project's file may not set it"),
    }
}

/// Whether the value is as strict as the one below, or as `default` without one.
fn stricter<Name: serde::de::DeserializeOwned + Ord>(
    value: &Value,
    below: Option<&Value>,
    default: Name,
) -> bool {
    let name = |value: &Value| serde_json::from_value::<Name>(value.clone()).ok();
    let limit = below.and_then(name).unwrap_or(default);
    name(value).is_some_and(|wanted| wanted >= limit)
}

/// Whether the value of a limit is higher than the one below. Of what a command may use, 0 and nothing mean no limit.
fn raises(key: &str, value: &Value, below: Option<&Value>) -> bool {
    let is_open = key.starts_with("limits.");
    let most = |value: Option<&Value>| match value.and_then(Value::as_u64) {
        Some(0) | None if is_open => u64::MAX,
        number => number.unwrap_or(0),
    };
    most(Some(value)) > most(below)
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the path is inside the root once links are followed. One that does not exist is judged by its name alone,
/// and fails to be read later.
fn stays_inside(path: &Path, root: &Path) -> bool {
    use std::path::Component;
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(real), Ok(root)) => real.starts_with(root) && real.is_file(),
        _ => path.strip_prefix(root).is_ok_and(|inner| {
            inner
                .components()
                .all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `free`, `grant` or `never`.
    fn judged(key: &str, value: Value, below: Option<Value>) -> &'static str {
        match judge(key, &value, below.as_ref(), Path::new("/w")) {
            Judgement::Free => "free",
            Judgement::Grant { words } => {
                assert!(!words.is_empty());
                "grant"
            }
            Judgement::Never(_) => "never",
        }
    }

    #[test]
    fn what_tightens_is_free_and_what_loosens_is_a_grant() {
        let table = [
            ("mode", json!("plan"), Some(json!("default")), "free"),
            ("mode", json!("default"), Some(json!("plan")), "grant"),
            ("mode", json!("bypass"), None, "grant"),
            ("mode", json!("dont_ask"), None, "free"),
            ("sandbox", json!("read_only"), None, "free"),
            ("sandbox", json!("workspace_write"), None, "free"),
            ("sandbox", json!("off"), None, "grant"),
            (
                "sandbox",
                json!("workspace_write"),
                Some(json!("read_only")),
                "grant",
            ),
            (
                "sandbox",
                json!("workspace_write"),
                Some(json!("off")),
                "free",
            ),
            ("sandbox", json!("off"), Some(json!("off")), "free"),
            ("max_turns", json!(5), Some(json!(9)), "free"),
            ("max_turns", json!(10), Some(json!(9)), "grant"),
            ("thinking_budget", json!(0), Some(json!(2048)), "free"),
            ("thinking_budget", json!(2048), Some(json!(0)), "grant"),
            ("limits.memory_mib", json!(512), Some(json!(0)), "free"),
            ("limits.memory_mib", json!(0), Some(json!(512)), "grant"),
            ("limits.memory_mib", json!(1024), Some(json!(512)), "grant"),
            ("limits.memory_mib", json!(512), None, "free"),
            ("limits.processes", json!(0), Some(json!(0)), "free"),
            ("limits.artifacts_mib", json!(1), Some(json!(4096)), "grant"),
            ("sensitive", json!("*.secret"), None, "free"),
            ("sensitive", json!("!.env"), None, "grant"),
            ("sensitive", json!(" !.env"), None, "grant"),
            ("environment", json!("AWS_PROFILE"), None, "grant"),
            ("writable", json!("/"), None, "grant"),
            ("web_proxy", json!("http://evil"), None, "grant"),
            ("provider", json!("anthropic"), None, "grant"),
            ("provider", json!("scripted"), None, "free"),
            (
                "provider",
                json!("scripted"),
                Some(json!("anthropic")),
                "grant",
            ),
            ("base_url", json!("https://evil"), None, "grant"),
            ("api_key_command", json!("curl evil"), None, "grant"),
            ("script", json!("/elsewhere.yaml"), None, "never"),
            ("something_new", json!(true), None, "never"),
        ];
        for (key, value, below, expected) in table {
            assert_eq!(
                judged(key, value.clone(), below.clone()),
                expected,
                "{key}: {value} over {below:?}"
            );
        }
    }

    #[test]
    fn no_key_was_forgotten() {
        for key in super::super::keys::keys() {
            if key.name.starts_with("permissions.") {
                continue;
            }
            let value = match key.minimum {
                Some(_) => json!(4_000_000),
                None => json!("x"),
            };
            // A script of that name would be in the workspace.
            let judged = judge(&key.name, &value, None, Path::new("/w"));
            assert_ne!(
                judged,
                Judgement::Never("a project's file may not set it"),
                "{}",
                key.name
            );
        }
    }
}
