//! An outline as a person or a model reads it.

use super::{Definition, Outline};
use alloc::string::String;
use core::fmt::Write;
use ropey::Rope;

/// Signatures are cut to so many characters.
const MAX_SIGNATURE_CHARS: usize = 120;

/// The line of a definition's name, without what opens its body; cut if it is long. Empty: it says no more than the
/// name, or not even that.
pub fn signature(definition: &Definition<'_>, rope: &Rope) -> String {
    let line = definition.line().0;
    if line >= rope.len_lines() {
        return String::new();
    }
    let mut text = String::new();
    // More is never shown, and a line may be as long as the file.
    for char in rope
        .line(line)
        .chars()
        .skip_while(|char| char.is_whitespace())
    {
        if char == '\n' || text.len() > 8 * MAX_SIGNATURE_CHARS {
            break;
        }
        text.push(char);
    }
    let mut shown = text.trim_end();
    loop {
        let shorter = shown.trim_end_matches(['{', ':']).trim_end();
        if shorter.len() == shown.len() || shorter.is_empty() {
            break;
        }
        shown = shorter;
    }
    if shown == definition.name() {
        return String::new();
    }
    match shown.char_indices().nth(MAX_SIGNATURE_CHARS) {
        None => shown.into(),
        // The beginning of a line as long as a file says nothing of what stands far behind it.
        Some((at, _)) if !shown[..at].contains(definition.name()) => String::new(),
        Some((at, _)) => {
            let mut cut: String = shown[..at].trim_end().into();
            cut.push('…');
            cut
        }
    }
}

/// A line for each definition: its lines, from 1, its kind and name, and its signature; what it contains stands
/// below it, further in.
pub fn render(outline: &Outline, rope: &Rope) -> String {
    let mut text = String::new();
    for definition in outline.definitions() {
        let lines = definition.lines();
        let (first, last) = (lines.start.0 + 1, lines.end.0.max(lines.start.0 + 1));
        let range = if first == last {
            alloc::format!("{first}")
        } else {
            alloc::format!("{first}-{last}")
        };
        let indent = 2 * definition.depth();
        let _ = write!(
            text,
            "{range:<9} {:indent$}{} {}",
            "",
            definition.kind(),
            definition.name()
        );
        let signature = signature(&definition, rope);
        if !signature.is_empty() {
            let _ = write!(text, " — {signature}");
        }
        text.push('\n');
    }
    text
}
