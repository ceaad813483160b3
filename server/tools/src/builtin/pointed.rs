//! From a line and a name to a place in a file: a model knows lines and names, and no columns. Knows nobody who is asked
//! about the place.

use mewcode_core::position::{ByteOffset, LineIndex, LineRange};
use mewcode_core::text::Snapshot;
use ropey::Rope;

use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::port::Place;

/// So many other lines with the name are told.
const MAX_LINES: usize = 5;

/// So many places in a line are told.
const MAX_PLACES: usize = 8;

/// More of a line is not shown.
const SHOWN_CHARACTERS: usize = 200;

/// What a call points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    /// From 1.
    pub(super) line: i64,
    pub(super) symbol: String,
    /// From 1; none: it stands there once.
    pub(super) occurrence: Option<i64>,
}

impl Pointer {
    /// The place in a text.
    pub(super) fn find(&self, path: &ResolvedPath, text: &Snapshot) -> Result<Place, ToolError> {
        let symbol = self.symbol.trim();
        if symbol.is_empty() || symbol.contains('\n') {
            return Err(ToolError::invalid_arguments(
                "`symbol` must be a name as it stands in the line.",
            ));
        }
        let rope = text.rope();
        let lines = text.text().line_count();
        let index = usize::try_from(self.line)
            .ok()
            .filter(|line| (1..=lines).contains(line));
        let Some(number) = index else {
            return Err(ToolError::invalid_arguments(format!(
                "`line` {} is not in `{}`, which has the lines 1 to {lines}.",
                self.line, path.display
            )));
        };
        let line = line_of(rope, number - 1);
        let found = occurrences(&line, symbol);
        let at = match (self.occurrence, found.as_slice()) {
            (_, []) => return Err(absent(path, rope, number, &line, symbol)),
            (None, [at]) => *at,
            (None, _) => return Err(ambiguous(path, number, &line, symbol, &found)),
            (Some(which), _) => usize::try_from(which - 1)
                .ok()
                .and_then(|index| found.get(index).copied())
                .ok_or_else(|| {
                    ToolError::invalid_arguments(format!(
                        "`occurrence` {which} is none of the {} in line {number}.",
                        found.len()
                    ))
                })?,
        };
        let start = LineRange::new(number - 1, number).bytes(rope).start.0;
        Ok(Place {
            path: path.real.clone(),
            text: text.clone(),
            offset: ByteOffset(start + at),
        })
    }
}

/// A line, from 0, without its end.
pub(super) fn line_of(rope: &Rope, line: usize) -> String {
    let bytes = LineRange {
        start: LineIndex(line),
        end: LineIndex(line + 1),
    }
    .bytes(rope);
    let text = rope.byte_slice(bytes.to_range()).to_string();
    text.trim_end_matches('\n').to_owned()
}

/// A line as it is shown: without its indentation, and not too long.
pub(super) fn shown(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(SHOWN_CHARACTERS) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

/// Where a name stands in a line as a word of its own, in bytes.
fn occurrences(line: &str, symbol: &str) -> Vec<usize> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let begins = symbol.starts_with(is_part);
    let ends = symbol.ends_with(is_part);
    line.match_indices(symbol)
        .map(|(at, _)| at)
        .filter(|at| {
            let before = line[..*at].chars().next_back().is_some_and(is_part);
            let after = line[at + symbol.len()..]
                .chars()
                .next()
                .is_some_and(is_part);
            !(begins && before || ends && after)
        })
        .collect()
}

fn absent(path: &ResolvedPath, rope: &Rope, number: usize, line: &str, symbol: &str) -> ToolError {
    let mut others: Vec<usize> = (0..rope.len_lines())
        .filter(|index| !occurrences(&line_of(rope, *index), symbol).is_empty())
        .map(|index| index + 1)
        .collect();
    others.sort_by_key(|other| other.abs_diff(number));
    let all = others.len();
    others.truncate(MAX_LINES);
    others.sort_unstable();
    let named: Vec<String> = others.iter().map(usize::to_string).collect();
    let elsewhere = match named.as_slice() {
        [] => "nor anywhere else in the file".to_owned(),
        [one] => format!("but in line {one}"),
        named if all > named.len() => {
            format!(
                "but in {all} others, of which the nearest are {}",
                named.join(", ")
            )
        }
        named => format!("but in the lines {}", named.join(", ")),
    };
    ToolError::no_match(format!(
        "`{symbol}` is not in line {number} of `{}` (`{}`), {elsewhere}.",
        path.display,
        shown(line)
    ))
    .suggest("Give the line in which the name stands now, and the name alone.")
    .with("lines", others)
}

fn ambiguous(
    path: &ResolvedPath,
    number: usize,
    line: &str,
    symbol: &str,
    found: &[usize],
) -> ToolError {
    let each: Vec<String> = found
        .iter()
        .take(MAX_PLACES)
        .enumerate()
        .map(|(index, at)| {
            let end = at + symbol.len();
            let before = tail(&line[..*at], 16);
            let after: String = line[end..].chars().take(16).collect();
            format!(
                "{}: `{}`",
                index + 1,
                format!("{before}{symbol}{after}").trim()
            )
        })
        .collect();
    let more = match found.len().saturating_sub(MAX_PLACES) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    ToolError::ambiguous_match(format!(
        "`{symbol}` stands {} times in line {number} of `{}`: {}{more}.",
        found.len(),
        path.display,
        each.join(", ")
    ))
    .suggest("Say which by `occurrence`, from 1.")
}

/// The last characters of a text.
fn tail(text: &str, characters: usize) -> &str {
    let starts = text.char_indices().rev().map(|(start, _)| start);
    let start = starts.take(characters).last().unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "def price(self):\n    self.price = price(é, price_of)\n\n    return total\n";

    fn find(line: i64, symbol: &str, occurrence: Option<i64>) -> Result<usize, String> {
        let path = ResolvedPath {
            real: "/w/shop.py".into(),
            display: "shop.py".into(),
        };
        let pointer = Pointer {
            line,
            symbol: symbol.to_owned(),
            occurrence,
        };
        let place = pointer.find(&path, &Snapshot::decode(TEXT));
        place
            .map(|it| it.offset.0)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_that_stands_once_in_its_line_is_the_place() {
        assert_eq!(find(1, "price", None), Ok(4));
        assert_eq!(
            find(2, "price_of", None).map(|at| &TEXT[at..at + 8]),
            Ok("price_of")
        );
        assert_eq!(find(2, "é", None).map(|at| &TEXT[at..at + 2]), Ok("é"));
        assert_eq!(find(1, "(", None), Ok(9), "what is no name is found too");
    }

    #[test]
    fn of_several_one_is_named() {
        assert_eq!(find(2, "price", Some(1)), Ok(26));
        assert_eq!(find(2, "price", Some(2)), Ok(34));
        insta::assert_snapshot!(find(2, "price", None).unwrap_err(), @"ambiguous_match: `price` stands 2 times in line 2 of `shop.py`: 1: `self.price = price(é, pric`, 2: `self.price = price(é, price_of)`. Say which by `occurrence`, from 1.");
        insta::assert_snapshot!(find(2, "price", Some(3)).unwrap_err(), @"invalid_arguments: `occurrence` 3 is none of the 2 in line 2. Correct the arguments and call again.");
        insta::assert_snapshot!(find(2, "price", Some(0)).unwrap_err(), @"invalid_arguments: `occurrence` 0 is none of the 2 in line 2. Correct the arguments and call again.");
    }

    #[test]
    fn a_name_that_is_elsewhere_is_told_where() {
        insta::assert_snapshot!(find(4, "price", None).unwrap_err(), @"no_match: `price` is not in line 4 of `shop.py` (`return total`), but in the lines 1, 2. Give the line in which the name stands now, and the name alone.");
        insta::assert_snapshot!(find(1, "total", None).unwrap_err(), @"no_match: `total` is not in line 1 of `shop.py` (`def price(self):`), but in line 4. Give the line in which the name stands now, and the name alone.");
        insta::assert_snapshot!(find(1, "pri", None).unwrap_err(), @"no_match: `pri` is not in line 1 of `shop.py` (`def price(self):`), nor anywhere else in the file. Give the line in which the name stands now, and the name alone.");
        insta::assert_snapshot!(find(9, "price", None).unwrap_err(), @"invalid_arguments: `line` 9 is not in `shop.py`, which has the lines 1 to 4. Correct the arguments and call again.");
    }

    #[test]
    fn of_very_many_in_a_line_the_first_are_told() {
        let path = ResolvedPath {
            real: "/w/all.min.js".into(),
            display: "all.min.js".into(),
        };
        let pointer = Pointer {
            line: 1,
            symbol: "price".to_owned(),
            occurrence: None,
        };
        let text = Snapshot::decode(&"é=price;".repeat(20_000));
        let error = pointer.find(&path, &text).unwrap_err().to_string();
        assert!(
            error.contains("stands 20000 times in line 1"),
            "{error:.200}"
        );
        assert!(
            error.contains("8: `price;é=price;é=price;é=price;é=price`, and 19992 more."),
            "{error:.1000}"
        );
        assert!(error.len() < 1000, "{}", error.len());
    }
}
