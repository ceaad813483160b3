//! Which files hold secrets, told by their names alone. The one list of them, and what the settings add to it.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::guard::name::{folded, is_one_of};

/// Files that hold keys or passwords, by their whole name.
const FILES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".dockercfg",
    ".htpasswd",
    ".vault-token",
    ".terraformrc",
    "credentials.tfrc.json",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    "rclone.conf",
];

/// What private keys and stores of secrets end in.
const EXTENSIONS: &[&str] = &[
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "env",
];

/// Folders that hold secrets, whatever the files in them are called.
const FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".password-store",
    "keyrings",
];

/// Files that hold secrets in this folder only: the folder's name and the file's.
const FILES_OF_FOLDERS: &[(&str, &[&str])] = &[
    (".docker", &["config.json"]),
    (".kube", &["config"]),
    (".cargo", &["credentials", "credentials.toml"]),
    (".gem", &["credentials"]),
    (".m2", &["settings.xml", "settings-security.xml"]),
    (".composer", &["auth.json"]),
    ("gh", &["hosts.yml"]),
    (
        "gcloud",
        &[
            "credentials.db",
            "access_tokens.db",
            "application_default_credentials.json",
        ],
    ),
];

/// What stands for the secrets in a file that is there to be copied.
const EXAMPLES: &[&str] = &[
    "example", "sample", "template", "dist", "defaults", "schema",
];

/// The names that the settings add to the list, and take off it.
#[derive(Debug)]
pub(super) struct Sensitive {
    patterns: Gitignore,
}

impl Default for Sensitive {
    fn default() -> Sensitive {
        Sensitive {
            patterns: Gitignore::empty(),
        }
    }
}

impl Sensitive {
    /// Reads patterns of gitignore. One with `!` in front takes a name off the list; one with a slash in it counts in every
    /// folder too, but `/` in front is the root of the file system and `~/` the home folder.
    ///
    /// # Errors
    ///
    /// The number of the pattern that is none, and why.
    pub(super) fn read(
        patterns: &[String],
        home: Option<&Path>,
    ) -> Result<Sensitive, (usize, String)> {
        let mut builder = GitignoreBuilder::new("/");
        let fault = |index: usize, error: ignore::Error| (index, error.to_string());
        builder
            .case_insensitive(true)
            .map_err(|error| fault(0, error))?;
        builder.allow_unclosed_class(false);
        for (index, pattern) in patterns.iter().enumerate() {
            let (mark, path) = match pattern.strip_prefix('!') {
                Some(path) => ("!", path),
                None => ("", pattern.as_str()),
            };
            if path.trim().is_empty() || path.starts_with('#') {
                return Err((index, "the name of a file is expected".to_owned()));
            }
            let inner = path.trim_end_matches('/');
            let line = if let Some(rest) = path.strip_prefix("~/") {
                let Some(home) = home else {
                    return Err((index, "no home folder is known for `~`".to_owned()));
                };
                format!("{mark}{}/{rest}", literal(home))
            } else if inner.contains('/') && !inner.starts_with('/') {
                format!("{mark}**/{path}")
            } else {
                pattern.clone()
            };
            builder
                .add_line(None, &line)
                .map_err(|error| fault(index, error))?;
        }
        let last = patterns.len().saturating_sub(1);
        let patterns = builder.build().map_err(|error| fault(last, error))?;
        Ok(Sensitive { patterns })
    }

    /// Whether the file at this real path is one that holds secrets.
    pub(super) fn contains(&self, path: &Path) -> bool {
        if self.patterns.is_empty() {
            return is_sensitive(path);
        }
        let relative = crate::lexical::normal(path.strip_prefix("/").unwrap_or(path));
        if relative.has_root() || relative.as_os_str().is_empty() {
            return is_sensitive(path);
        }
        match self.patterns.matched_path_or_any_parents(&relative, false) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => is_sensitive(path),
        }
    }
}

/// A path as a pattern that matches nothing else.
fn literal(path: &Path) -> String {
    let special = |letter: char| "*?[]{}!\\".contains(letter);
    let path = path.to_string_lossy();
    path.chars()
        .flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter]))
        .collect()
}

/// Whether the file at this real path is one that holds secrets by its name: reading it needs the user's consent.
pub fn is_sensitive(path: &Path) -> bool {
    let Some(name) = path.file_name().map(folded) else {
        return false;
    };
    if name.ends_with(".pub") {
        return false;
    }
    if is_one_of(&name, FILES) || is_environment(&name) || has_extension(&name) {
        return true;
    }
    let Some(parent) = path.parent() else {
        return false;
    };
    // Folding each name of each path would be felt in a search; names of folders that count begin in one of few ways.
    let mut folders = parent.components().map(|part| part.as_os_str());
    if folders.any(|folder| may_count(folder) && is_one_of(&folded(folder), FOLDERS)) {
        return true;
    }
    let Some(folder) = parent.file_name() else {
        return false;
    };
    let folder = folded(folder);
    FILES_OF_FOLDERS
        .iter()
        .any(|(holder, files)| folder == *holder && is_one_of(&name, files))
}

/// `.env` and its variants, but for those that are there to be copied.
fn is_environment(name: &str) -> bool {
    match name.strip_prefix(".env") {
        Some("") => true,
        Some(rest) => rest.starts_with('.') && !names_an_example(name),
        None => false,
    }
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| is_one_of(extension, EXTENSIONS))
        && !names_an_example(name)
}

fn names_an_example(name: &str) -> bool {
    name.split(['.', '-', '_'])
        .any(|part| is_one_of(part, EXAMPLES))
}

fn may_count(folder: &std::ffi::OsStr) -> bool {
    let first = folder.as_encoded_bytes().first();
    first.is_some_and(|byte| matches!(byte, b'.' | b'k' | b'K') || !byte.is_ascii())
}

/// Where a user's secrets are kept in a home folder by these names. Settings of package managers, which hold secrets in
/// rare cases only and without which they do not work, are not among them.
pub(crate) fn stores_of_secrets(home: &Path) -> Vec<PathBuf> {
    const SETTINGS: &[&str] = &[".npmrc", ".terraformrc", "settings.xml"];
    let configuration = home.join(".config");
    let whole = FOLDERS.iter().chain(FILES).copied();
    let mut stores: Vec<PathBuf> = whole
        .filter(|name| !SETTINGS.contains(name))
        .map(|name| home.join(name))
        .collect();
    stores.push(home.join(".local/share/keyrings"));
    for (folder, files) in FILES_OF_FOLDERS {
        for file in files.iter().filter(|file| !SETTINGS.contains(file)) {
            stores.push(home.join(folder).join(file));
            stores.push(configuration.join(folder).join(file));
        }
    }
    stores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_name() {
        for path in [
            "/w/.env",
            "/w/.ENV",
            "/w/sub/.env.production",
            "/w/.env.local",
            "/w/deploy/prod.env",
            "/h/.ssh/id_ed25519",
            "/w/id_rsa",
            "/h/.ssh/config",
            "/w/tls/server.pem",
            "/w/config/master.key",
            "/w/release.keystore",
            "/h/.netrc",
            "/h/.aws/credentials",
            "/h/.aws/sso/cache/token.json",
            "/w/.npmrc",
            "/h/.docker/config.json",
            "/h/.kube/config",
            "/h/.config/gh/hosts.yml",
            "/h/.local/share/keyrings/login",
            "/h/.cargo/credentials.toml",
            "/w/.e\u{200d}nv",
        ] {
            assert!(is_sensitive(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_only_looks_so_is_free() {
        for path in [
            "/w/.env.example",
            "/w/.env.sample",
            "/w/.env.local.template",
            "/w/example.env",
            "/h/.ssh/id_ed25519.pub",
            "/w/environment.rs",
            "/w/.environment",
            "/w/key",
            "/w/src/key.rs",
            "/w/config.json",
            "/w/docker/config.json",
            "/w/config",
            "/w/src/ssh/client.rs",
            "/w/.cargo/config.toml",
            "/w/a.public.pem.md",
            "/",
            "",
        ] {
            assert!(!is_sensitive(Path::new(path)), "{path}");
        }
    }
}
