//! `rename_symbol`: another name for a symbol, wherever it is used. The user's own language servers say what is to change;
//! it is a change of files like any other.

use mewcode_core::position::PositionEncoding;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;

use super::asked::{self, ABOUT_PLACES, PlaceArguments};
use super::found::files;
use crate::contract::{
    CallScope, Change, Idempotency, Limits, Plan, Recovery, Risk, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::port::{Destination, FileEdit, Query, RenamedFile};
use crate::schema;

mod fitted;

use fitted::Misfit;

/// The tool whose rules say which files are not read.
const READ: &str = "read_file";

/// See the module.
pub(super) struct RenameSymbol {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    #[serde(flatten)]
    place: PlaceArguments,
    /// What it is to be called.
    new_name: String,
}

impl RenameSymbol {
    pub(super) fn new() -> RenameSymbol {
        let description = format!(
            "Renames a symbol wherever it is used, in all files at once, by asking the language servers that the user's editor \
             runs what is to change. {ABOUT_PLACES}. All of it lands together or not at all, and the answer shows the diff of \
             each file. You need not have read the files. Comments, strings, documentation and file names are left as they are: \
             search for the old name afterwards. Where no language server can rename, use edit_file or apply_patch."
        );
        let contract = ToolContract {
            effect_bound: EffectBound::new([EffectKind::Read, EffectKind::Write]),
            idempotency: Idempotency::CompareAndSwap,
            risk: Risk::Medium,
            limits: Limits {
                bytes: 16 * 1024,
                lines: Some(400),
                default_timeout_ms: 60_000,
                maximum_timeout_ms: 60_000,
            },
            recovery: Recovery::CompareFileHash,
            ..asked::contract::<Arguments>("rename_symbol", description)
        };
        RenameSymbol { contract }
    }
}

impl Tool for RenameSymbol {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let Arguments { place, new_name } = schema::parse(arguments)?;
        let new_name = new_name.trim().to_owned();
        if new_name.is_empty() || new_name.contains('\n') {
            return Err(ToolError::invalid_arguments("`new_name` must be a name."));
        }
        let place = place.resolve(scope)?;
        // A plan is made before anybody is asked, and what it refuses is told with lines of the text.
        if scope.unread(READ).contains(&place.path.real) {
            return Err(ToolError::not_read(format!(
                "`{}` is not read without the user's permission, so nothing is renamed from there.",
                place.path.display
            ))
            .suggest("Name a place in another file, or edit the file yourself."));
        }
        let query = Query::Rename(place.find(scope)?, new_name.clone());
        let answer = asked::now(scope, query)?;
        let symbol = place.symbol();
        if answer.left_out > 0 {
            return Err(ToolError::too_large(format!(
                "`{symbol}` is used in so many places that the editor does not tell them all. Nothing was changed."
            )));
        }
        let mut edits = Vec::new();
        let mut written = Vec::new();
        let mut seen = HashSet::new();
        for file in &answer.edits {
            let (path, ways) = writable(file, scope)?;
            if !seen.insert(path.real.clone()) {
                return Err(ToolError::unavailable(format!(
                    "The renaming would change `{}` twice over. Nothing was changed.",
                    path.display
                )));
            }
            if let Some(edit) = edit_of(&path, file, answer.encoding, symbol, scope)? {
                edits.push(edit);
                written.extend(ways);
            }
        }
        if edits.is_empty() {
            return Err(ToolError::no_change(format!(
                "The editor's language servers find nothing to change for `{symbol}` to be called `{new_name}`."
            ))
            .suggest("Check that the place is right, or make the edits yourself."));
        }
        edits.sort_by(|one, other| one.display.cmp(&other.display));
        // The diff shows the texts.
        let read = place.ways.iter().chain(&written).cloned().collect();
        let note = format!("`{symbol}` is `{new_name}` now in {}.", files(edits.len()));
        Ok(Plan {
            effects: vec![Effect::Read(read), Effect::Write(written)],
            timeout: None,
            work: Work::Change(Change {
                files: edits,
                notes: vec![note],
            }),
        })
    }
}

/// The file, if it may be changed: a part of a renaming is worth nothing.
fn writable(
    file: &RenamedFile,
    scope: &CallScope,
) -> Result<(ResolvedPath, Vec<std::path::PathBuf>), ToolError> {
    let shown = scope.workspace.guard().display(&file.path);
    let Some(given) = file.path.to_str() else {
        return Err(ToolError::unavailable(format!(
            "The renaming would change `{shown}`, whose name is no text. Nothing was changed."
        )));
    };
    let path = scope
        .workspace
        .resolve(given, Access::Write)
        .map_err(|error| error.at(&format!("The renaming would change `{shown}`")))?;
    let ways = scope.workspace.ways(given, &path);
    Ok((path, ways))
}

/// What becomes of one file; none if it stays as it is.
fn edit_of(
    path: &ResolvedPath,
    file: &RenamedFile,
    encoding: PositionEncoding,
    symbol: &str,
    scope: &CallScope,
) -> Result<Option<FileEdit>, ToolError> {
    let base = match &file.text {
        Some(text) => text.clone(),
        None => scope.workspace.text(path)?.snapshot,
    };
    let edit = fitted::edit_of(&base, file, encoding, symbol).map_err(|misfit| {
        let what = match misfit {
            Misfit::NoPlace => format!("does not fit the text of `{}`", path.display),
            Misfit::OtherLine(line) => format!(
                "would change line {line} of `{}`, where nothing is called `{symbol}`",
                path.display
            ),
        };
        ToolError::unavailable(format!(
            "The renaming {what}: the language server may know another text of it. Nothing was changed."
        ))
    })?;
    Ok((!edit.is_empty()).then(|| FileEdit {
        path: path.real.clone(),
        display: path.display.clone(),
        existed: true,
        edit,
        final_newline: base.text().final_newline(),
        destination: Destination::Same,
        base,
    }))
}
