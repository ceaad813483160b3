//! What a model writes over a secret that it was never shown: its marks become the real text where the file has it. Knows
//! no format of edits.

use mewcode_core::text::Snapshot;

use crate::contract::CallScope;
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::truncate::floor_boundary;

/// The text with what its marks stand for in the file that it is for.
pub(super) fn restored(
    text: String,
    path: &ResolvedPath,
    scope: &CallScope,
) -> Result<String, ToolError> {
    let redactor = &scope.host.redactor;
    // Hardly any text has a mark; for the others the file need not be read.
    if !redactor.has_mark(&scope.session, &text) {
        return Ok(text);
    }
    let present = scope.workspace.find_text(path)?;
    let present = present.map_or_else(String::new, |present| present.snapshot.text().wire());
    match redactor.restore(&scope.session, &text, &present) {
        Ok(restored) => Ok(restored.into_owned()),
        Err(missing) => Err(ToolError::invalid_arguments(format!(
            "`{}` stands for a secret that `{}` does not hold; it is not written into other files. Nothing was changed.",
            missing.mark, path.display
        ))
        .suggest("Leave the secret where it is, and refer to it as the program does; or ask the user to put it there.")),
    }
}

/// The refusal of a text that is for no file and has a mark.
pub(super) fn refuse_marks(text: &str, scope: &CallScope) -> Result<(), ToolError> {
    if !scope.host.redactor.has_mark(&scope.session, text) {
        return Ok(());
    }
    Err(ToolError::invalid_arguments(
        "A mark `‹redacted: …›` stands for a secret that you were not shown; commands do not get it. Nothing was run.",
    )
    .suggest("Let the command take the secret from where it is: a file, or a variable."))
}

/// Takes out of a page of numbered lines what only the text around it tells to be a secret: the lines of a private key,
/// and the rest of a key where the page begins with a line (0-based) from a byte on.
pub(super) fn look_around(
    text: &Snapshot,
    (line, byte): (usize, usize),
    page: &mut String,
    scope: &CallScope,
) {
    let redactor = &scope.host.redactor;
    let text = text.text().wire();
    if text.contains("PRIVATE KEY") {
        // They are known from now on, wherever they stand.
        redactor.redact(&scope.session, &text);
    }
    let (Some(number), true) = (page.find('\t'), byte > 0) else {
        return;
    };
    let before = text.split('\n').nth(line).unwrap_or_default();
    let before = &before[..floor_boundary(before, byte)];
    let whole = format!("{before}{}", &page[number + 1..]);
    let part = before.len()..whole.len();
    let shown = redactor.redact_part(&scope.session, &whole, part);
    *page = format!("{}{shown}", &page[..=number]);
}

#[cfg(test)]
mod tests;
