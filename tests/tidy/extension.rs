//! Checks of the VS Code extension: what package.json contributes is there, and its parts depend one way.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::{none, root, sources};

fn manifest() -> Value {
    let path = root().join("editors/vscode/package.json");
    serde_json::from_str(&fs::read_to_string(path).expect("package.json")).expect("JSON")
}

/// The sources of the VS Code extension, by their path below `src`.
fn extension_sources() -> Vec<(String, String)> {
    let all: Vec<(String, String)> = sources(&[".ts"])
        .into_iter()
        .filter_map(|(path, source)| {
            let below = path.strip_prefix("editors/vscode/src/")?;
            Some((below.to_owned(), source))
        })
        .collect();
    assert!(all.len() > 20, "the extension has sources");
    all
}

/// What stands between `start` and the first `end` behind it, everywhere in a text.
fn between<'a>(source: &'a str, start: &'a str, end: char) -> impl Iterator<Item = &'a str> {
    source
        .split(start)
        .skip(1)
        .filter_map(move |rest| rest.split(end).next())
}

/// Every text in a JSON value, with the key that it stands under.
fn texts<'a>(value: &'a Value, key: &'a str, found: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::String(text) => found.push((key, text)),
        Value::Array(all) => all.iter().for_each(|one| texts(one, key, found)),
        Value::Object(all) => all.iter().for_each(|(key, one)| texts(one, key, found)),
        _ => {}
    }
}

/// The words in a text that begin so.
fn words<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || ".-_".contains(letter)))
        .filter(move |word| word.starts_with(start))
}

#[test]
fn what_the_extension_contributes_is_there() {
    let manifest = manifest();
    let code: String = extension_sources()
        .into_iter()
        .map(|(_, source)| source)
        .collect();
    let registered: BTreeSet<&str> = between(&code, "command('", '\'').collect();
    // Rows of trees run commands that nobody else is offered.
    let internal: BTreeSet<&str> = between(&code, "command: 'mew.", '\'').collect();
    let contributed: BTreeSet<&str> = manifest["contributes"]["commands"]
        .as_array()
        .expect("commands")
        .iter()
        .filter_map(|command| command["command"].as_str())
        .collect();
    assert!(contributed.contains("mew.prompt") && registered.contains("mew.prompt"));

    let mut findings: Vec<String> = contributed
        .difference(&registered)
        .map(|command| format!("{command} is contributed, and nothing carries it out"))
        .collect();
    findings.extend(
        registered
            .difference(&contributed)
            .filter(|command| !internal.contains(command.trim_start_matches("mew.")))
            .map(|command| format!("{command} is carried out, and nobody is offered it")),
    );
    let mut all = Vec::new();
    texts(&manifest["contributes"], "", &mut all);
    for (key, text) in all {
        findings.extend(
            words(text, "mew.")
                .filter(|command| !contributed.contains(command))
                .map(|command| format!("{command} is named, and is no command")),
        );
        if ["when", "enablement"].contains(&key) {
            findings.extend(
                words(text, "mewcode.")
                    .filter(|name| !code.contains(&format!("'{name}'")))
                    .map(|name| format!("{name}: no source sets this context or has this view")),
            );
        }
        let file = root().join("editors/vscode").join(text);
        if text.starts_with("media/") && !file.exists() {
            findings.push(format!("{text} does not exist"));
        }
    }
    none("contributions of the extension", findings);
}

#[test]
fn every_key_of_the_extension_is_in_its_readme() {
    let readme = fs::read_to_string(root().join("editors/vscode/README.md")).expect("README.md");
    let manifest = manifest();
    let capital = |key: &str| format!("{}{}", key[..1].to_uppercase(), &key[1..]);
    let mut findings = Vec::new();
    let bindings = manifest["contributes"]["keybindings"].as_array();
    for binding in bindings.expect("keybindings") {
        for key in ["key", "mac"]
            .iter()
            .filter_map(|name| binding[*name].as_str())
        {
            // The beginning of a chord stands once for several.
            for part in key.split(' ') {
                let keys: Vec<String> = part.split('+').map(capital).collect();
                let shown = format!("`{}`", keys.join("+"));
                if !readme.contains(&shown) {
                    findings.push(format!("{shown} of {}", binding["command"]));
                }
            }
        }
    }
    none("keys that editors/vscode/README.md does not name", findings);
}

/// The folders of the extension's sources: each imports those of the lines above alone. docs/architecture.md shows them.
const EXTENSION_PARTS: [&[&str]; 6] = [
    &["ui"],
    &["server"],
    &["text"],
    &[
        "apply",
        "query",
        "review",
        "approvals",
        "prompt",
        "transcript",
    ],
    &["status"],
    &["views"],
];

#[test]
fn the_parts_of_the_extension_depend_one_way() {
    let level = |part: &str| EXTENSION_PARTS.iter().position(|all| all.contains(&part));
    let mut findings = Vec::new();
    for (path, source) in extension_sources() {
        let Some((own, _)) = path.split_once('/') else {
            continue;
        };
        if level(own).is_none() {
            findings.push(format!("{path} is in no known folder"));
        }
        findings.extend(
            between(&source, "from '../", '/')
                .filter(|part| !part.contains('\''))
                .filter(|part| level(part) >= level(own))
                .map(|part| format!("{path} imports {part}")),
        );
        let head: String = source
            .lines()
            .take_while(|line| line.starts_with("//"))
            .collect();
        let loads =
            |line: &str| line.contains(" from 'vscode'") && !line.starts_with("import type ");
        if head.contains("Pure") && source.lines().any(loads) {
            findings.push(format!("{path} says that it is pure, and loads VS Code"));
        }
    }
    none("imports of the extension", findings);
}
