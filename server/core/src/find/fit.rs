//! What must be done to new text so that it takes the place of what was matched as it would have taken that of the
//! needle.
//!
//! Knows the new text and how the match differs from the needle.

use super::shift::{Shift, is_blank};
use alloc::borrow::Cow;

/// How new text is fitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fit {
    /// Not at all.
    AsItIs,
    /// So many blank lines of the needle are not in the file; the new text loses as many where it has them.
    BlankLines {
        /// Before its first line.
        above: usize,
        /// After its last line.
        below: usize,
    },
    /// It is indented as the file is.
    Shifted(Shift),
}

impl Fit {
    pub(super) fn apply<'a>(&self, new: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Self::AsItIs => Some(Cow::Borrowed(new)),
            Self::BlankLines { above, below } => {
                Some(Cow::Borrowed(without_blank_lines(new, *above, *below)))
            }
            Self::Shifted(shift) => shift.text(new),
        }
    }
}

fn without_blank_lines(new: &str, above: usize, below: usize) -> &str {
    let mut rest = new;
    for _ in 0..above {
        match rest.split_once('\n') {
            Some((line, after)) if is_blank(line) => rest = after,
            _ => break,
        }
    }
    for _ in 0..below {
        let Some(lines) = rest.strip_suffix('\n') else {
            break;
        };
        let start = lines.rfind('\n').map_or(0, |at| at + 1);
        if !is_blank(&lines[start..]) {
            break;
        }
        rest = &rest[..start];
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_blank_lines_go() {
        let cases = [
            ("\n\na\n\n\n", 1, 1, "\na\n\n"),
            ("\n\na\n\n\n", 2, 2, "a\n"),
            ("\n\na\n\n\n", 9, 9, "a\n"),
            ("a\n", 1, 1, "a\n"),
            ("  \na", 1, 1, "a"),
            ("", 1, 1, ""),
            ("\n\n", 1, 1, ""),
            ("a\n\nb\n", 1, 1, "a\n\nb\n"),
        ];
        for (new, above, below, expected) in cases {
            assert_eq!(without_blank_lines(new, above, below), expected, "{new:?}");
        }
    }
}
