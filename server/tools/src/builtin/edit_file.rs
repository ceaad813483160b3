//! `edit_file`: replaces text that is named literally. Several replacements land together or not at all.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::meant::{Meant, Replaced};
use super::omission;
use super::secrets::restored;
use crate::contract::{
    CallScope, Change, Idempotency, Limits, Plan, Recovery, Risk, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::Access;
use crate::port::{Destination, FileEdit};
use crate::schema::{self, Parameters};

mod numbers;
mod refusals;
mod replace;

use replace::Replacer;

const DESCRIPTION: &str = "\
Replaces text in a file. Read the file first. Give `old_string` exactly as it stands in the file, white space and indentation included \
and without the line numbers that read_file shows. It must stand there only once: add lines around it to make it unique, or set \
`replace_all`. Text that differs only in white space at line ends, in one shift of the indentation of all its lines, or in typographic \
quotes, dashes and spaces is found too if there is one such place; the answer then names it (`matched: indentation`). Nothing else is \
guessed. `new_string` is taken literally. To change several places of one file use `edits`: they are made one after the other and land \
together or not at all. If the user changed the file meanwhile, your edit still lands as long as it does not touch what the user \
changed. Write out all code: never a remark in place of code that is to stay. The answer shows the diff of what landed. For a new file \
or a rewrite of a whole one use write_file.";

/// See the module.
pub(super) struct EditFile {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace or absolute.
    path: String,
    /// The text to replace: exactly as it stands in the file.
    old_string: Option<String>,
    /// The text to put in its place; empty to delete.
    new_string: Option<String>,
    /// Whether to replace every occurrence of `old_string` instead of its only one. Default: false.
    replace_all: Option<bool>,
    /// Several replacements, in place of `old_string` and `new_string`.
    edits: Option<Vec<Replacement>>,
    /// The sha256 of the text that the edit is meant for, all 64 digits or the first 12, as read_file shows them. If
    /// the file has another text by then, the edit is refused unless only you changed it or the user's changes do not
    /// touch it.
    base_hash: Option<String>,
}

/// One replacement.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Replacement {
    /// The text to replace: exactly as it stands in the file after the replacements before this one.
    old_string: String,
    /// The text to put in its place; empty to delete.
    new_string: String,
    /// Whether to replace every occurrence. Default: false.
    replace_all: Option<bool>,
}

impl EditFile {
    pub(super) fn new() -> EditFile {
        let contract = ToolContract {
            name: "edit_file".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>().alias("file_path", "path"),
            effect_bound: EffectBound::new([EffectKind::Write]),
            idempotency: Idempotency::CompareAndSwap,
            risk: Risk::Medium,
            limits: Limits {
                bytes: 16 * 1024,
                lines: Some(400),
                default_timeout_ms: 60_000,
                maximum_timeout_ms: 60_000,
            },
            recovery: Recovery::CompareFileHash,
            version: 1,
        };
        EditFile { contract }
    }
}

impl Tool for EditFile {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let path = scope.workspace.resolve(&arguments.path, Access::Write)?;
        let ways = scope.workspace.ways(&arguments.path, &path);
        let base_hash = arguments.base_hash.clone();
        let mut replacements = replacements(arguments)?;
        for it in &mut replacements {
            for text in [&mut it.old_string, &mut it.new_string] {
                *text = restored(std::mem::take(text), &path, scope)?;
            }
        }
        let replacer = Replacer::new(replacements, &path)?;
        if let Some(digits) = &base_hash {
            check_digits(digits)?;
        }
        let current = scope.workspace.text(&path)?.snapshot;
        let meant = Meant {
            path: &path,
            current: &current,
            base_hash: base_hash.as_deref(),
        };
        let Replaced {
            edit,
            notes,
            final_newline,
        } = meant.replaced(scope.ledger.as_deref(), |text| replacer.replaced(text))?;
        let file = FileEdit {
            path: path.real,
            display: path.display,
            base: current,
            existed: true,
            edit,
            final_newline,
            destination: Destination::Same,
        };
        let effects = vec![Effect::Write(ways)];
        Ok(Plan {
            effects,
            timeout: None,
            work: Work::Change(Change {
                files: vec![file],
                notes,
            }),
        })
    }
}

/// The replacements in either form in which they may be given.
fn replacements(arguments: Arguments) -> Result<Vec<Replacement>, ToolError> {
    let single = arguments.old_string.is_some()
        || arguments.new_string.is_some()
        || arguments.replace_all.is_some();
    match (arguments.edits, arguments.old_string, arguments.new_string) {
        (Some(_), _, _) if single => Err(ToolError::invalid_arguments(
            "Give either `edits` or `old_string`, `new_string` and `replace_all`, not both.",
        )),
        (Some(edits), _, _) if edits.is_empty() => {
            Err(ToolError::invalid_arguments("`edits` is empty."))
        }
        (Some(edits), _, _) => Ok(edits),
        (None, Some(old_string), Some(new_string)) => Ok(vec![Replacement {
            old_string,
            new_string,
            replace_all: arguments.replace_all,
        }]),
        (None, Some(_), None) => Err(ToolError::invalid_arguments("`new_string` is missing.")
            .suggest("Give `new_string` too; an empty one deletes the text.")),
        (None, None, _) => Err(
            ToolError::invalid_arguments("`old_string` or `edits` is missing.")
                .suggest("Give `old_string` and `new_string`, or `edits`."),
        ),
    }
}

fn check_digits(digits: &str) -> Result<(), ToolError> {
    if matches!(digits.len(), 12 | 64) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(ToolError::invalid_arguments(format!(
        "`base_hash` must be the 64 digits of a sha256 or its first 12, not `{digits}`."
    ))
    .suggest("Copy it from the first line of read_file's answer, or leave it out."))
}

#[cfg(test)]
mod tests;
