//! What a language server would change in a file, as an edit of the text that the file has. A server may know another text:
//! so each of its places must be one of this text, and have to do with the symbol. Knows no tool.

use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::position::{
    ByteOffset, ByteRange, LineRange, Position, PositionEncoding, offset_of, position_of,
};
use mewcode_core::text::Snapshot;
use mewcode_core::wire::{logical_offset, wire_position};

use crate::port::RenamedFile;

/// Why what a server would change is no edit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misfit {
    /// A place is not in the text, or two of them overlap.
    NoPlace,
    /// On this line, from 1, nothing has to do with the symbol.
    OtherLine(usize),
}

/// The least edit of `base` that does what a server wants: some send a text anew as a whole.
pub(super) fn edit_of(
    base: &Snapshot,
    file: &RenamedFile,
    encoding: PositionEncoding,
    symbol: &str,
) -> Result<Edit, Misfit> {
    // A byte order mark of the disk is none of the editor's text.
    let is_open = file.text.is_some();
    let at = |position| offset_at(base, position, encoding, is_open).ok_or(Misfit::NoPlace);
    let symbol = bare(symbol);
    let replacement = |(start, end, text): &(Position, Position, String)| {
        let (start, end) = (at(*start)?, at(*end)?);
        if start > end {
            return Err(Misfit::NoPlace);
        }
        let range = ByteRange { start, end };
        if !is_about(base, range, &symbol) {
            return Err(Misfit::OtherLine(base.rope().byte_to_line(start.0) + 1));
        }
        Ok(Replacement {
            range,
            text: text.clone(),
        })
    };
    let replacements = file.edits.iter().map(replacement);
    let replacements = replacements.collect::<Result<Vec<_>, _>>()?;
    Edit::new(base, replacements)
        .and_then(|edit| edit.apply(base))
        .and_then(|after| Edit::between(base, after.rope()))
        .map_err(|_| Misfit::NoPlace)
}

/// The byte at a position; none, if the text has no such place, not even within a character.
fn offset_at(
    base: &Snapshot,
    position: Position,
    encoding: PositionEncoding,
    is_open: bool,
) -> Option<ByteOffset> {
    let (offset, back) = if is_open {
        let offset = logical_offset(base.text(), position, encoding)?;
        (offset, wire_position(base.text(), offset, encoding))
    } else {
        let offset = offset_of(base.rope(), position, encoding);
        (offset, position_of(base.rope(), offset, encoding))
    };
    (back == position).then_some(offset)
}

/// Whether a place has to do with the symbol: it is a form of it or a part of it, or stands in a line with one. A place of
/// another text hardly ever does.
fn is_about(base: &Snapshot, range: ByteRange, symbol: &str) -> bool {
    let rope = base.rope();
    let old = bare(&rope.byte_slice(range.to_range()).to_string());
    if old.contains(symbol) || !old.is_empty() && symbol.contains(&old) {
        return true;
    }
    let first = rope.byte_to_line(range.start.0);
    let last = rope.byte_to_line(range.end.0);
    let lines = LineRange::new(first, last + 1).bytes(rope);
    bare(&rope.byte_slice(lines.to_range()).to_string()).contains(symbol)
}

/// A name without what its forms differ in: `MyShop`, `my-shop` and `my_shop` are one. Of an operator nothing is left.
fn bare(text: &str) -> String {
    let letters = text.chars().filter(|char| char.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
