//! `apply_patch`: several files at once, as a text that names each place by its lines. All of it is placed before
//! anything changes, and it lands together or not at all.

use mewcode_core::patch::Patch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::secrets::restored;
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Tool, ToolContract, Work,
};
use crate::disk;
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::schema::{self, Parameters};

mod hunks;
mod sections;

const DESCRIPTION: &str = "\
Changes several files together or not at all: edits, adds, moves and deletes them. `patch` is a text like this:

*** Begin Patch
*** Update File: src/shop.py
@@ class Shop:
@@     def price(self):
         total = self.sum()
-        return total
+        return round(total, 2)
*** Update File: src/util.py
*** Move to: src/lib/util.py
*** Add File: docs/note.md
+# Note
*** Delete File: old.py
*** End Patch

One section for each file. A hunk of an updated file shows lines as they stand in the file, white space included: ` ` before each \
line that stays, `-` before each that goes, `+` before each that comes. Show about three lines that stay above and below a change. \
There are no line numbers: the lines of a hunk must stand in one place only. If they stand in several, put `@@ ` and a whole line \
above the hunk, such as the head of its class or function; several `@@` lines are nested. Begin each further hunk with `@@`. \
`*** End of File` below a hunk ties it to the end of the file. A hunk of `+` lines alone goes below its `@@` line, or at the end of \
the file. `*** Move to:` needs no hunks. Each line of an added file begins with `+`. Read a file before you update, move or delete \
it; what is added or moved to must not exist. `*** End Patch` must stand at the end. Write out all code: never a remark in place of \
code that is to stay. The answer shows the diff of what landed.";

/// See the module.
pub(super) struct ApplyPatch {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The patch, from `*** Begin Patch` to `*** End Patch`. Paths in it are relative to the workspace or absolute.
    patch: String,
}

impl ApplyPatch {
    pub(super) fn new() -> ApplyPatch {
        let contract = ToolContract {
            name: "apply_patch".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>(),
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
        ApplyPatch { contract }
    }
}

impl Tool for ApplyPatch {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let Arguments { patch } = schema::parse(arguments)?;
        if patch.len() as u64 > disk::MAX_TEXT_BYTES {
            return Err(ToolError::too_large(format!(
                "The patch has {} bytes, more than a file may have that is edited.",
                patch.len()
            )));
        }
        let patch = restored_patch(patch, scope)?;
        let patch = parse(&patch)?;
        let targets = sections::resolve(&patch, &scope.workspace)?;
        let ways = targets
            .iter()
            .flat_map(|target| target.ways(&scope.workspace));
        let effects = vec![Effect::Write(ways.collect())];
        Ok(Plan {
            effects,
            timeout: None,
            work: Work::Change(sections::change(&targets, scope)?),
        })
    }
}

/// The patch with what the marks of each section stand for in its file.
fn restored_patch(text: String, scope: &CallScope) -> Result<String, ToolError> {
    if !scope.host.redactor.has_mark(&scope.session, &text) {
        return Ok(text);
    }
    let patch = parse(&text)?;
    let targets = sections::resolve(&patch, &scope.workspace)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts: Vec<usize> = targets.iter().map(|target| target.line() - 1).collect();
    let mut restored_text: String = lines[..starts.first().copied().unwrap_or(0)].concat();
    for (index, target) in targets.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(lines.len());
        let section = lines[starts[index]..end].concat();
        restored_text += &restored(section, target.path(), scope)?;
    }
    Ok(restored_text)
}

fn parse(patch: &str) -> Result<Patch<'_>, ToolError> {
    Patch::parse(patch).map_err(|error| {
        let line = error.line;
        ToolError::patch_invalid(format!("{}.", capitalised(&error.to_string())))
            .suggest("Nothing was changed. Correct the patch and send the whole of it again.")
            .with("patch_line", line)
    })
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

#[cfg(test)]
mod tests;
