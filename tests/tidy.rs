//! Checks of the tree itself: what the documentation promises about it, so that drift fails the build.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "tidy/extension.rs"]
mod extension;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository")
}

fn output(command: &mut Command) -> String {
    let output = command
        .current_dir(root())
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// All files that git knows or would know, relative, with their text; binary files are left out, and so is what tests
/// work on.
fn files() -> Vec<(String, String)> {
    let listed = output(Command::new("git").args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
    ]));
    let mut files: Vec<(String, String)> = listed
        .lines()
        .filter(|path| !is_data(path))
        .filter_map(|path| Some((path.to_owned(), fs::read_to_string(root().join(path)).ok()?)))
        .collect();
    files.sort();
    assert!(files.len() > 20, "git lists the files");
    files
}

fn sources(endings: &[&str]) -> Vec<(String, String)> {
    files()
        .into_iter()
        .filter(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
        .collect()
}

/// Is it a text that a test works on, whatever its ending says?
fn is_data(path: &str) -> bool {
    let scenario = path.starts_with("tests/scenarios/") && path != "tests/scenarios/README.md";
    scenario || path.contains("/symbols/samples/") || path.contains("/summary/samples/")
}

/// Is it the tests of another file, or of a crate? The end-to-end tests are sources like any other.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs")
        || path.ends_with("_test.lua")
        || path.ends_with(".test.ts")
        || path.starts_with("server/") && path.contains("/tests/")
}

/// Fails with all findings at once.
fn none(what: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{what}:\n  {}", findings.join("\n  "));
}

/// The packages of the workspace and what `cargo metadata` resolved.
struct Packages {
    metadata: Value,
    /// Names by package id.
    names: BTreeMap<String, String>,
}

impl Packages {
    fn load() -> Self {
        let version = output(Command::new("rustc").arg("-vV"));
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .expect("rustc names its host")
            .to_owned();
        let arguments = [
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            &host,
        ];
        let metadata: Value =
            serde_json::from_str(&output(Command::new(env!("CARGO")).args(arguments)))
                .expect("JSON");
        let names = metadata["packages"]
            .as_array()
            .expect("packages")
            .iter()
            .map(|package| (text(&package["id"]), text(&package["name"])))
            .collect();
        Self { metadata, names }
    }

    /// Everything that a package is built from, through all levels; its tests do not count.
    fn closure(&self, name: &str) -> BTreeSet<String> {
        let nodes: BTreeMap<String, &Value> = self.metadata["resolve"]["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .map(|node| (text(&node["id"]), node))
            .collect();
        let start = self
            .names
            .iter()
            .find(|(_, other)| *other == name)
            .unwrap_or_else(|| panic!("no package {name}"));
        let mut left = vec![start.0.clone()];
        let mut found = BTreeSet::new();
        while let Some(id) = left.pop() {
            for dependency in nodes[&id]["deps"].as_array().expect("deps") {
                let kinds = dependency["dep_kinds"].as_array().expect("kinds");
                let id = text(&dependency["pkg"]);
                if kinds.iter().any(|kind| kind["kind"] != "dev")
                    && found.insert(self.names[&id].clone())
                {
                    left.push(id);
                }
            }
        }
        found
    }

    /// What a package names in its manifest, its tests included.
    fn direct(&self, name: &str) -> BTreeSet<String> {
        let packages = self.metadata["packages"].as_array().expect("packages");
        let package = packages
            .iter()
            .find(|package| package["name"] == name)
            .expect("a package");
        package["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .map(|dependency| text(&dependency["name"]))
            .collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

const CRATES: [&str; 4] = ["mewcode-core", "mewcode-tools", "mewcode-agent", "mewcode"];

#[test]
fn dependencies_point_one_way() {
    let packages = Packages::load();
    for (level, name) in CRATES.iter().enumerate() {
        for (other_level, other) in CRATES.iter().enumerate() {
            let named = packages.direct(name).contains(*other);
            assert!(
                !named || other_level < level,
                "{name} must not depend on {other}"
            );
            // And the arrow is there, so that a misspelt name cannot pass for an absent one.
            assert!(
                named || other_level >= level || level == 2 && other_level == 0,
                "{name} depends on {other}"
            );
        }
    }
}

#[test]
fn only_the_server_names_the_protocol() {
    let packages = Packages::load();
    let protocol = |name: &String| {
        ["tower-lsp", "lsp-", "ls-types"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    for name in &CRATES[..3] {
        let found: Vec<String> = packages
            .closure(name)
            .into_iter()
            .filter(protocol)
            .collect();
        none(&format!("{name} is built from protocol crates"), found);
    }
    assert!(
        packages.closure("mewcode").iter().any(protocol),
        "the names of the protocol crates are known"
    );
}

/// Cargo refuses to build with an older Rust than a dependency names.
#[test]
fn the_rust_that_is_asked_for_is_enough() {
    let packages = Packages::load();
    let asked = |package: &Value| -> Option<(u32, u32)> {
        let mut numbers = package["rust_version"].as_str()?.split('.');
        let mut next = || numbers.next().and_then(|number| number.parse().ok());
        Some((next()?, next()?))
    };
    let all = packages.metadata["packages"].as_array().expect("packages");
    let ours = all.iter().find(|package| package["name"] == "mewcode");
    let (major, minor) = ours.and_then(asked).expect("our Rust");
    let newer = all.iter().filter(|it| asked(it) > Some((major, minor)));
    let newer = newer.map(|it| format!("{} {}", text(&it["name"]), text(&it["rust_version"])));
    none("packages that ask for a newer Rust", newer.collect());
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let said = format!("[Rust](https://rustup.rs) {major}.{minor} or later");
    assert!(readme.contains(&said), "the README says: {said}");
}

#[test]
fn core_cannot_reach_the_world() {
    let library = fs::read_to_string(root().join("server/core/src/lib.rs")).expect("the core");
    assert!(
        library.lines().any(|line| line == "#![no_std]"),
        "the core is no_std"
    );
    let mut findings = Vec::new();
    for (path, source) in sources(&[".rs"])
        .into_iter()
        .filter(|(path, _)| path.starts_with("server/core/src/"))
    {
        let lines: Vec<&str> = source.lines().map(str::trim).collect();
        for (number, line) in lines.iter().enumerate() {
            let tested = number > 0 && lines[number - 1].starts_with("#[cfg(test)]");
            if line.starts_with("extern crate std") && !tested {
                findings.push(format!("{path}:{}: {line}", number + 1));
            }
        }
    }
    none("std in the core outside its tests", findings);
}

/// Paths in backticks that begin like one of ours, and relative links.
#[test]
fn documented_paths_exist() {
    let tops = ["server/", "editors/", "tests/", "docs/", "queries/", ".ci/"];
    let mut findings = Vec::new();
    let pages = sources(&[".md"])
        .into_iter()
        .filter(|(path, _)| path.starts_with("docs/") || !path.contains('/'));
    for (page, source) in pages {
        let folder = root().join(&page).parent().expect("a folder").to_owned();
        for (number, line) in source.lines().enumerate() {
            let mut named: Vec<PathBuf> = line
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|word| tops.iter().any(|top| word.starts_with(top)))
                .filter(|word| !word.contains(['<', '*', '{', ' ', '…']))
                .map(|word| root().join(word.split([':', '#']).next().unwrap_or(word)))
                .collect();
            named.extend(
                line.split("](")
                    .skip(1)
                    .filter_map(|rest| rest.split([')', '#', ' ']).next())
                    .filter(|link| {
                        !link.is_empty() && !link.contains("://") && !link.starts_with("mailto:")
                    })
                    .map(|link| folder.join(link)),
            );
            findings.extend(
                named
                    .into_iter()
                    .filter(|path| !path.exists())
                    .map(|path| format!("{page}:{}: {}", number + 1, path.display())),
            );
        }
    }
    none("documented paths that do not exist", findings);
}

/// Every `mewcode/name` in a text.
fn methods(source: &str) -> BTreeSet<String> {
    source
        .match_indices("mewcode/")
        .filter(|(at, _)| {
            !source[..*at]
                .ends_with(|before: char| before.is_alphanumeric() || "/._-".contains(before))
        })
        .map(|(at, start)| {
            let rest = &source[at + start.len()..];
            let end = rest
                .find(|character: char| !character.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            format!("{start}{}", &rest[..end])
        })
        .filter(|method| method.len() > "mewcode/".len())
        .collect()
}

#[test]
fn own_methods_are_documented_and_spoken_by_the_plugins() {
    let read = |path: &str| {
        fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    // Only what is quoted: a comment may name methods of later days.
    let known: BTreeSet<String> = sources(&[".rs"])
        .into_iter()
        .filter(|(path, _)| path.starts_with("server/lsp/src/") && !path.ends_with("tests.rs"))
        .flat_map(|(_, source)| {
            let code = source
                .split("#[cfg(test)]")
                .next()
                .unwrap_or_default()
                .to_owned();
            let quoted: String = code
                .split('"')
                .skip(1)
                .step_by(2)
                .map(|literal| format!("{literal}\n"))
                .collect();
            methods(&quoted)
        })
        .collect();
    assert!(
        known.contains("mewcode/applyEdit"),
        "methods are found in the server: {known:?}"
    );
    let documented = methods(&read("docs/protocol.md"));
    let types: String = sources(&[".rs"])
        .into_iter()
        .filter(|(path, _)| path.starts_with("server/lsp/src/protocol"))
        .map(|(_, source)| source)
        .collect();
    let spoken_in = |ending: &str, folder: &str| -> BTreeSet<String> {
        let plugin: String = sources(&[ending])
            .into_iter()
            .filter(|(path, _)| path.starts_with(folder))
            .map(|(_, source)| source)
            .collect();
        methods(&plugin)
    };
    let plugins = [
        ("the Neovim plugin", spoken_in(".lua", "editors/nvim/l")),
        (
            "the VS Code extension",
            spoken_in(".ts", "editors/vscode/src/"),
        ),
    ];
    let says = |method: &String, direction: &str| {
        types
            .lines()
            .any(|line| line.contains(direction) && methods(line).contains(method))
    };
    let mut findings = Vec::new();
    for method in &known {
        let sent = says(method, "server to client");
        if !documented.contains(method) {
            findings.push(format!("{method} is not in docs/protocol.md"));
        }
        if !sent && !says(method, "client to server") {
            findings.push(format!(
                "{method}: protocol.rs and what is in it do not say in which direction it goes"
            ));
        }
        for (plugin, spoken) in &plugins {
            if sent && !spoken.contains(method) {
                findings.push(format!("{method}: {plugin} does not know it"));
            }
        }
    }
    findings.extend(
        documented
            .difference(&known)
            .map(|method| format!("{method} is only in docs/protocol.md")),
    );
    for (plugin, spoken) in &plugins {
        findings.extend(
            spoken
                .difference(&known)
                .map(|method| format!("{method}: only {plugin} knows it")),
        );
    }
    none("own methods", findings);
}

#[test]
fn the_extension_has_the_version_of_the_server() {
    let read = |path: &str| {
        let text = fs::read_to_string(root().join(path)).expect("it can be read");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let server = env!("CARGO_PKG_VERSION");
    let manifest = read("editors/vscode/package.json");
    assert_eq!(text(&manifest["version"]), server, "package.json");
    let lock = read("editors/vscode/package-lock.json");
    assert_eq!(text(&lock["version"]), server, "package-lock.json");
}

#[test]
fn every_source_says_what_it_is_for() {
    let findings = sources(&[".rs", ".lua", ".ts"])
        .into_iter()
        .filter(|(path, source)| {
            let start = match path.rsplit('.').next() {
                Some("rs") => "//! ",
                Some("lua") => "--",
                _ => "// ",
            };
            !source.starts_with(start) && !is_test(path)
        })
        .map(|(path, _)| path)
        .collect();
    none(
        "files that do not begin by saying what they are for",
        findings,
    );
}

#[test]
fn no_source_is_too_long() {
    let mut findings = Vec::new();
    for (path, source) in sources(&[".rs", ".lua", ".ts"]) {
        let lines = source
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default()
            .lines()
            .count();
        if lines > 500 && !is_test(&path) {
            findings.push(format!("{path}: {lines} lines"));
        }
    }
    none("files above 500 lines without their tests", findings);
}

#[test]
fn no_machine_is_named() {
    // In pieces, or this file would be a finding.
    let forbidden = [
        concat!("/wo", "rk/main"),
        concat!("/wo", "rk/shared"),
        concat!("/tmp/", "mew"),
        concat!("/ro", "ot/"),
        concat!("../sha", "red"),
        concat!("registry.", "npmjs"),
        concat!("py", "pi.org"),
        concat!("python", "hosted"),
        concat!("static.", "crates.io"),
        concat!("index.", "crates.io"),
        concat!("deb.", "debian.org"),
    ];
    let mut findings = Vec::new();
    for (path, source) in files() {
        if path.ends_with("Cargo.lock") || path.ends_with("package-lock.json") {
            continue;
        }
        for (number, line) in source.lines().enumerate() {
            // Every process has its own root there.
            let line = line
                .replace("/proc/self/root", "")
                .replace("/proc/$$/root", "");
            findings.extend(
                forbidden
                    .iter()
                    .filter(|word| line.contains(**word))
                    .map(|word| format!("{path}:{}: {word}", number + 1)),
            );
        }
    }
    none("machine paths and registry hosts", findings);
}
