//! What a file that is still to be created needs, and what is said of that.

use std::collections::BTreeSet;
use std::path::Path;

use mewcode_core::text::{LineEnding, LineEndings, Text};

use crate::disk;
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::names;

/// An empty text whose line ending and byte order mark are those of the content. Mixed endings of new content become
/// LF.
pub(super) fn empty_text_like(content: &Text) -> Text {
    let bom = if content.bom() { "\u{feff}" } else { "" };
    let ending = match content.endings() {
        LineEndings::Uniform(LineEnding::CrLf) => "\r\n",
        LineEndings::Uniform(LineEnding::Lf) | LineEndings::Mixed(_) => "\n",
    };
    Text::decode(&format!("{bom}{ending}")).with_final_newline(false)
}

/// Whether a path, as it was given, can be that of a new file: one that ends as a folder's does would become a file of
/// that name, which is not what was meant.
pub(super) fn check_names_file(given: &str) -> Result<(), ToolError> {
    if given.ends_with(std::path::is_separator) {
        let mut error = ToolError::is_directory(given);
        error.message = format!("`{given}` ends as the path of a folder does, not of a file.");
        return Err(error);
    }
    Ok(())
}

/// Which folders must be created for these files; none: all are there.
pub(super) fn folders_note(paths: &[&ResolvedPath]) -> Option<String> {
    let folders: BTreeSet<String> = paths
        .iter()
        .flat_map(|path| {
            let missing = disk::missing_folders(&path.real);
            missing.into_iter().map(|folder| relative_to(path, &folder))
        })
        .collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let whom = if paths.len() == 1 { "it" } else { "them" };
    match folders.as_slice() {
        [] => None,
        [only] => Some(format!("The folder `{only}` was created for {whom}.")),
        several => Some(format!(
            "The folders {} were created for {whom}.",
            names::all(several)
        )),
    }
}

/// A folder on the way to the file, as it is shown.
fn relative_to(path: &ResolvedPath, folder: &Path) -> String {
    let below = path
        .real
        .strip_prefix(folder)
        .map_or(0, |rest| rest.components().count());
    let shown: Vec<&str> = path.display.split('/').collect();
    shown[..shown.len().saturating_sub(below)].join("/")
}
