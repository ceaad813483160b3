//! What the configuration file of a repository may set before anybody trusted the repository: what grants nothing.
//!
//! Cloning a repository must not be enough to send the user's key elsewhere, to run a command, to loosen a mode or to
//! raise what a run may cost. A value equal to the one in force is never an issue. Decides about one entry at a time.

use std::path::Path;

use serde_json::Value;

use super::schema::ModeName;

/// Why the project's file may not set `key` to `value`, over the value `below` that is in force without it.
/// `None`: it may.
pub fn refusal(
    key: &str,
    value: &Value,
    below: Option<&Value>,
    root: &Path,
) -> Option<&'static str> {
    if below == Some(value) {
        return None;
    }
    match key {
        "provider" if value != "scripted" => {
            Some("it would send the workspace to a service with your key")
        }
        "provider" | "model" => None,
        "script" => {
            let path = root.join(value.as_str().unwrap_or_default());
            (!stays_inside(&path, root))
                .then_some("a project's script must be a file of the workspace")
        }
        "base_url" => Some("it would send the workspace and your key to another host"),
        "api_key_env" => Some("it would send another of your secrets to the provider"),
        "api_key_command" => Some("it would run a command"),
        "max_tokens" | "thinking_budget" | "max_turns" | "idle_timeout" => {
            let raises = below
                .and_then(Value::as_u64)
                .is_none_or(|limit| value.as_u64() > Some(limit));
            raises.then_some("a project may lower this limit, not raise it")
        }
        "mode" => {
            let looser = match (mode(value), below.and_then(mode)) {
                (Some(wanted), Some(limit)) => wanted < limit,
                (Some(wanted), None) => wanted < ModeName::Default,
                (None, _) => true,
            };
            looser.then_some("a project may make the mode stricter, not looser")
        }
        // A new key grants nothing until somebody thought about it here.
        _ => Some("a project's file may not set it"),
    }
}

fn mode(value: &Value) -> Option<ModeName> {
    serde_json::from_value(value.clone()).ok()
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
