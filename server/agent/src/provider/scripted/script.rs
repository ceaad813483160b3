//! The format of a script, and every way in which a file can fail to be one.
//!
//! ```yaml
//! turns:
//!   - text: I will read it.            # optional
//!     calls:                           # optional
//!       - tool: read_file
//!         args: {path: src/main.rs}    # optional
//!     expect:                          # optional: judges the results of these calls, in order
//!       - status: ok                   # ok | failed | denied | interrupted | unknown_outcome
//!         error_kind: no_match         # optional
//!         contains: fn main            # optional: somewhere in the text that the model gets
//! ```
//!
//! Must not know how turns are played.

use std::path::{Path, PathBuf};

use mewcode_tools::result::{ErrorKind, Status};
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

/// A script that was read.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) file: PathBuf,
    pub(super) turns: Vec<Turn>,
}

/// One turn of the model.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) text: Option<String>,
    pub(super) calls: Vec<Call>,
    pub(super) expect: Vec<Expectation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    turns: Spanned<Vec<Spanned<TurnFile>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnFile {
    text: Option<String>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    expect: Vec<Spanned<Expectation>>,
}

/// A call that the turn makes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) args: Map<String, Value>,
}

/// What the result of a call must be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expectation {
    pub(super) status: Status,
    pub(super) error_kind: Option<ErrorKind>,
    pub(super) contains: Option<String>,
}

/// Why a file cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("The script {file} cannot be read: {error}. Check `script` in the configuration; a relative path starts at the folder of the configuration file.", file = .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is read, but is no script.
    #[error("{file}:{line}:{column}: {message}", file = .file.display())]
    Invalid {
        /// The file.
        file: PathBuf,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
        /// What is wrong there.
        message: String,
    },
}

impl Script {
    pub(super) fn open(file: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(file).map_err(|error| ScriptError::Unreadable {
            file: file.to_path_buf(),
            error,
        })?;
        Self::parse(file, &text)
    }

    pub(super) fn parse(file: &Path, text: &str) -> Result<Self, ScriptError> {
        let invalid = |location: serde_saphyr::Location, message: String| ScriptError::Invalid {
            file: file.to_path_buf(),
            line: location.line(),
            column: location.column(),
            message,
        };
        let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
        let script: ScriptFile =
            serde_saphyr::from_str_with_options(text, options).map_err(|error| {
                let location = error.location().unwrap_or(serde_saphyr::Location::UNKNOWN);
                invalid(location, words(&error))
            })?;
        if script.turns.value.is_empty() {
            return Err(invalid(
                script.turns.referenced,
                "a script needs at least one turn".into(),
            ));
        }
        let mut turns = Vec::new();
        for (index, turn) in script.turns.value.into_iter().enumerate() {
            let place = turn.referenced;
            let turn = turn.value;
            if turn.text.is_none() && turn.calls.is_empty() {
                return Err(invalid(
                    place,
                    format!("turn {} has neither `text` nor `calls`", index + 1),
                ));
            }
            if let Some(surplus) = turn.expect.get(turn.calls.len()) {
                return Err(invalid(
                    surplus.referenced,
                    format!(
                        "turn {} expects {} results, but makes {} calls; each entry of `expect` judges one call",
                        index + 1,
                        turn.expect.len(),
                        turn.calls.len()
                    ),
                ));
            }
            let expect = turn
                .expect
                .into_iter()
                .map(|expectation| expectation.value)
                .collect();
            turns.push(Turn {
                text: turn.text,
                calls: turn.calls,
                expect,
            });
        }
        Ok(Self {
            file: file.to_path_buf(),
            turns,
        })
    }

    pub(super) fn past_the_end(&self, turn: usize) -> String {
        format!(
            "{}: turn {} was asked for, but the script ends with turn {}. Add turns to it, or start a new session, \
             which begins with turn 1.",
            self.file.display(),
            turn + 1,
            self.turns.len()
        )
    }
}

/// The error without its place, which is told before it.
fn words(error: &serde_saphyr::Error) -> String {
    let error = error.without_snippet();
    if matches!(error, serde_saphyr::Error::MultipleDocuments { .. }) {
        return "a second YAML document begins here, but a script is one".into();
    }
    let text = error.to_string();
    let place = error
        .location()
        .map(|location| format!(" at line {}, column {}", location.line(), location.column()))
        .unwrap_or_default();
    text.strip_suffix(&place).unwrap_or(&text).to_string()
}
