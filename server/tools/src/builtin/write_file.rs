//! `write_file`: a new file, or all of an existing one anew.

use mewcode_core::edit::Edit;
use mewcode_core::text::{Snapshot, Text};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::creation::{check_names_file, empty_text_like, folders_note};
use super::omission;
use super::secrets::restored;
use crate::contract::{
    CallScope, Change, Idempotency, Limits, Plan, Recovery, Risk, Tool, ToolContract, Work,
};
use crate::disk;
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::port::{Destination, FileEdit};
use crate::schema::{self, Parameters};

const DESCRIPTION: &str = "\
Writes a whole text file: a new one, with the folders that it needs, or all of an existing one anew. Before you rewrite a file that \
exists you must have read all of it; to change parts of a file use edit_file, which is safer and shorter. Permissions, line endings, \
byte order mark and encoding of a file that exists are kept; a new file is UTF-8. Write out all of the content: never a remark in place of code that is to stay. The \
answer shows the diff of what landed.";

/// See the module.
pub(super) struct WriteFile {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace or absolute.
    path: String,
    /// The whole content of the file. End it with a line break, as text files do.
    content: String,
}

impl WriteFile {
    pub(super) fn new() -> WriteFile {
        let contract = ToolContract {
            name: "write_file".to_owned(),
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
        WriteFile { contract }
    }
}

impl Tool for WriteFile {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let Arguments {
            path: given,
            content,
        } = schema::parse(arguments)?;
        check_names_file(&given)?;
        let path = scope.workspace.resolve(&given, Access::Write)?;
        if content.len() as u64 > disk::MAX_TEXT_BYTES {
            return Err(ToolError::too_large(format!(
                "The content has {} bytes, more than a file may have that is edited.",
                content.len()
            )));
        }
        let content = Text::decode(&restored(content, &path, scope)?);
        let change = match scope.workspace.find_text(&path)? {
            Some(present) => rewrite(&path, present.snapshot, &content, scope)?,
            None => create(&path, &content)?,
        };
        Ok(Plan {
            effects: vec![Effect::Write(scope.workspace.ways(&given, &path))],
            timeout: None,
            work: Work::Change(change),
        })
    }
}

fn rewrite(
    path: &ResolvedPath,
    current: Snapshot,
    content: &Text,
    scope: &CallScope,
) -> Result<Change, ToolError> {
    // In an empty file there is nothing to lose and nothing to keep to.
    let empty = current.rope().len_bytes() <= 1;
    if let Some(ledger) = &scope.ledger
        && !empty
    {
        ledger.check_rewrite(&path.real, &path.display, &current)?;
    }
    check_complete(content, &current)?;
    let edit = edit(path, &current, content)?;
    // No file loses its last line break by a rewrite.
    let final_newline = content.final_newline() || current.text().final_newline();
    if edit.is_empty() {
        return Err(ToolError::no_change(format!(
            "`{}` has just this content already.",
            path.display
        )));
    }
    Ok(Change {
        files: vec![file(path, current, true, edit, final_newline)],
        notes: Vec::new(),
    })
}

fn create(path: &ResolvedPath, content: &Text) -> Result<Change, ToolError> {
    let base = Snapshot::new(empty_text_like(content));
    let edit = edit(path, &base, content)?;
    let notes = folders_note(&[path]).into_iter().collect();
    Ok(Change {
        files: vec![file(path, base, false, edit, content.final_newline())],
        notes,
    })
}

fn edit(path: &ResolvedPath, base: &Snapshot, content: &Text) -> Result<Edit, ToolError> {
    Edit::between(base, content.rope()).map_err(|error| {
        ToolError::internal(format!(
            "The content of `{}` makes no edit: {error}.",
            path.display
        ))
    })
}

fn file(
    path: &ResolvedPath,
    base: Snapshot,
    existed: bool,
    edit: Edit,
    final_newline: bool,
) -> FileEdit {
    FileEdit {
        path: path.real.clone(),
        display: path.display.clone(),
        base,
        existed,
        edit,
        final_newline,
        destination: Destination::Same,
    }
}

/// A remark in place of code that the file has now would drop that code.
fn check_complete(content: &Text, current: &Snapshot) -> Result<(), ToolError> {
    let content = content.rope().to_string();
    let present = |line: &str| {
        current
            .rope()
            .lines()
            .any(|old| old.to_string().trim() == line.trim())
    };
    let Some(line) = omission::first(&content, present) else {
        return Ok(());
    };
    Err(ToolError::invalid_arguments(format!(
        "The content has `{}` in place of code; it would be written just so, and the code would be gone.",
        line.trim()
    ))
    .suggest("Write out all of the content, or change parts of the file with edit_file."))
}

#[cfg(test)]
mod tests;
