//! The one way in which output is cut: by lines, then by bytes, never inside a character, never silently, and never
//! when it fits. Knows nothing of where the text comes from.

use std::cmp::Reverse;
use std::ops::Range;

use crate::result::{Rest, Truncation};

/// How much may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Lines.
    pub lines: usize,
    /// Bytes, the mark of a cut included.
    pub bytes: usize,
}

/// Which part of a text that is too long is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The beginning.
    Head,
    /// The beginning and the end: where the end matters, as in the output of a command.
    HeadAndTail,
}

/// A text that was brought within a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The text, with a mark where something is missing.
    pub text: String,
    /// What is missing; none: nothing.
    pub truncation: Option<Truncation>,
}

/// What is left of a bound while lines are taken one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    left: Bound,
}

/// Whether a line fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// All of it.
    Whole,
    /// No line more, or not all of it: so many bytes of it would fit.
    Bytes(usize),
}

impl Budget {
    pub(crate) fn new(bound: Bound) -> Budget {
        Budget { left: bound }
    }

    /// Takes a line of so many bytes, if it fits.
    pub(crate) fn take(&mut self, bytes: usize) -> Fit {
        if self.left.lines == 0 {
            return Fit::Bytes(0);
        }
        if bytes > self.left.bytes {
            return Fit::Bytes(self.left.bytes);
        }
        self.left.lines -= 1;
        self.left.bytes -= bytes;
        Fit::Whole
    }
}

/// Brings a text within a bound. `rest` says where the whole is.
pub fn cut(text: &str, bound: Bound, keep: Keep, rest: Rest) -> Cut {
    let total_lines = count_lines(text);
    if total_lines <= bound.lines && text.len() <= bound.bytes {
        return Cut {
            text: text.to_owned(),
            truncation: None,
        };
    }
    let nothing_shown = Truncation {
        shown_lines: 0,
        shown_bytes: 0,
        total_lines,
        total_bytes: text.len(),
        rest,
    };
    // No mark is longer than that of a text of which nothing is shown; a line cut in two needs a break before it.
    let mark_bytes = mark(&nothing_shown).len() + 1;
    let bytes = bound.bytes.saturating_sub(mark_bytes);
    let (head, tail) = match keep {
        Keep::Head => (
            take_head(
                text,
                Bound {
                    lines: bound.lines,
                    bytes,
                },
            ),
            "",
        ),
        Keep::HeadAndTail => {
            let tail = take_tail(
                text,
                Bound {
                    lines: bound.lines / 2,
                    bytes: bytes / 2,
                },
            );
            let left = Bound {
                lines: bound.lines - count_lines(tail).min(bound.lines),
                bytes: bytes - tail.len(),
            };
            (take_head(&text[..text.len() - tail.len()], left), tail)
        }
    };
    joined(head, tail, nothing_shown)
}

/// A beginning and an end with the mark of what is missing between them. `nothing_shown` has the totals.
fn joined(head: &str, tail: &str, nothing_shown: Truncation) -> Cut {
    let truncation = Truncation {
        shown_lines: count_lines(head) + count_lines(tail),
        shown_bytes: head.len() + tail.len(),
        ..nothing_shown
    };
    let mark = mark(&truncation);
    let mut shown = String::with_capacity(head.len() + 1 + mark.len() + tail.len());
    shown.push_str(head);
    if !head.is_empty() && !head.ends_with('\n') {
        shown.push('\n');
    }
    shown.push_str(&mark);
    shown.push_str(tail);
    Cut {
        text: shown,
        truncation: Some(truncation),
    }
}

/// Brings a text within a bound of which only the beginning and the end are at hand, and which has so many lines and bytes
/// in all.
pub fn cut_ends(head: &str, tail: &str, total: Bound, bound: Bound, rest: Rest) -> Cut {
    let nothing_shown = Truncation {
        shown_lines: 0,
        shown_bytes: 0,
        total_lines: total.lines,
        total_bytes: total.bytes,
        rest,
    };
    let bytes = bound.bytes.saturating_sub(mark(&nothing_shown).len() + 1);
    let half = Bound {
        lines: bound.lines / 2,
        bytes: bytes / 2,
    };
    joined(take_head(head, half), take_tail(tail, half), nothing_shown)
}

/// Lines of a text that are worth more than the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferred {
    /// 0-based. Ranges do not overlap.
    pub lines: Range<usize>,
    /// Those of a higher rank are taken first, and those of the same rank in their order.
    pub rank: u8,
}

/// As many lines at the end as an excerpt always has: there a program says what came of it all.
const EXCERPT_TAIL: usize = 5;

/// What an excerpt shows besides the preferred lines and the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Nothing: they are noise.
    LeftOut,
    /// The beginning and the end, as far as there is room.
    WhereThereIsRoom,
}

/// Brings a text within a bound by showing the preferred lines. The first line is `head` with how much is missing and
/// where the whole is; a mark stands for the lines of each gap.
pub fn excerpt(
    text: &str,
    bound: Bound,
    preferred: &[Preferred],
    others: Others,
    head: &str,
    rest: Rest,
) -> Cut {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.len() <= bound.lines && text.len() <= bound.bytes {
        return Cut {
            text: text.to_owned(),
            truncation: None,
        };
    }
    let mut truncation = Truncation {
        shown_lines: 0,
        shown_bytes: 0,
        total_lines: lines.len(),
        total_bytes: text.len(),
        rest,
    };
    let gap_bytes = gap_mark(lines.len()).len();
    let mut left = Bound {
        lines: bound.lines.saturating_sub(2),
        bytes: bound
            .bytes
            .saturating_sub(excerpt_head(head, &truncation).len() + gap_bytes),
    };
    let mut shown = vec![false; lines.len()];
    let mut ranked: Vec<&Preferred> = preferred.iter().collect();
    let tail = Preferred {
        lines: lines.len().saturating_sub(EXCERPT_TAIL)..lines.len(),
        rank: u8::MAX,
    };
    ranked.push(&tail);
    let half = bound.lines / 2;
    let fill = [lines.len().saturating_sub(half)..lines.len(), 0..half]
        .map(|lines| Preferred { lines, rank: 0 });
    if others == Others::WhereThereIsRoom {
        ranked.extend(&fill);
    }
    // Those of no rank stay as they are: the end comes before the beginning.
    ranked.sort_by_key(|preferred| {
        let start = if preferred.rank == 0 {
            0
        } else {
            preferred.lines.start
        };
        (Reverse(preferred.rank), start)
    });
    for preferred in ranked {
        for index in preferred.lines.clone() {
            let Some(line) = lines.get(index).filter(|_| !shown[index]) else {
                continue;
            };
            // A line next to one that is shown makes no new gap; any other may.
            let joins = index > 0 && shown[index - 1] || shown.get(index + 1) == Some(&true);
            let (more_lines, more_bytes) = if joins { (0, 0) } else { (1, gap_bytes) };
            let bytes = line.len() + 1 + more_bytes;
            if left.lines < 1 + more_lines || left.bytes < bytes {
                break;
            }
            left.lines -= 1 + more_lines;
            left.bytes -= bytes;
            shown[index] = true;
        }
    }
    let mut body = String::new();
    let mut gap = 0;
    for (line, shown) in lines.iter().zip(&shown) {
        if !shown {
            gap += 1;
            continue;
        }
        if gap > 0 {
            body.push_str(&gap_mark(gap));
            gap = 0;
        }
        body.push_str(line);
        truncation.shown_lines += 1;
        truncation.shown_bytes += line.len();
    }
    if gap > 0 {
        if !body.is_empty() && !body.ends_with('\n') {
            body.push('\n');
        }
        body.push_str(&gap_mark(gap));
    }
    Cut {
        text: excerpt_head(head, &truncation) + &body,
        truncation: Some(truncation),
    }
}

fn gap_mark(lines: usize) -> String {
    let word = if lines == 1 { "line" } else { "lines" };
    format!("[… {lines} {word}]\n")
}

fn excerpt_head(head: &str, truncation: &Truncation) -> String {
    let mark = mark(truncation);
    format!("[{head}; {}", mark.strip_prefix('[').unwrap_or(&mark))
}

/// Lines of a text as a reader counts them: the last one counts whether or not it is ended.
pub(crate) fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
        + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

fn mark(truncation: &Truncation) -> String {
    let bytes = truncation
        .total_bytes
        .saturating_sub(truncation.shown_bytes);
    let lines = truncation
        .total_lines
        .saturating_sub(truncation.shown_lines);
    let missing = if lines == 0 {
        format!("{bytes} bytes")
    } else {
        let word = if lines == 1 { "line" } else { "lines" };
        format!("{lines} {word} ({bytes} bytes)")
    };
    match &truncation.rest {
        Rest::Next {
            offset,
            byte_offset: None,
        } => format!("[{missing} not shown; go on with offset {offset}]\n"),
        Rest::Next {
            offset,
            byte_offset: Some(bytes),
        } => {
            format!("[{missing} not shown; go on with offset {offset}, byte_offset {bytes}]\n")
        }
        Rest::Artifact { path } => format!("[{missing} not shown; the whole is in {path}]\n"),
        Rest::NotKept => format!("[{missing} not shown]\n"),
    }
}

/// The longest beginning that fits: whole lines, or a part of the first if not even that fits.
fn take_head(text: &str, bound: Bound) -> &str {
    let mut budget = Budget::new(bound);
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        match budget.take(line.len()) {
            Fit::Whole => end += line.len(),
            Fit::Bytes(bytes) if end == 0 => return &text[..floor_boundary(text, bytes)],
            Fit::Bytes(_) => break,
        }
    }
    &text[..end]
}

/// The longest end that fits: whole lines, or a part of the last if not even that fits.
fn take_tail(text: &str, bound: Bound) -> &str {
    let mut budget = Budget::new(bound);
    let mut start = text.len();
    while start > 0 {
        let before = &text.as_bytes()[..start - 1];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |index| index + 1);
        match budget.take(start - line_start) {
            Fit::Whole => start = line_start,
            Fit::Bytes(bytes) if start == text.len() => {
                return &text[ceil_boundary(text, text.len() - bytes)..];
            }
            Fit::Bytes(_) => break,
        }
    }
    &text[start..]
}

/// The last character boundary at or before `index`.
pub(crate) fn floor_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len()))
        .rev()
        .find(|index| text.is_char_boundary(*index))
        .unwrap_or(0)
}

/// The first character boundary at or after `index`.
pub(crate) fn ceil_boundary(text: &str, index: usize) -> usize {
    (index..text.len())
        .find(|index| text.is_char_boundary(*index))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: usize) -> String {
        (1..=lines).map(|line| format!("line {line}\n")).collect()
    }

    fn shown(text: &str, lines: usize, bytes: usize, keep: Keep) -> String {
        cut(text, Bound { lines, bytes }, keep, Rest::NotKept).text
    }

    #[test]
    fn what_fits_exactly_is_not_marked() {
        let text = numbered(10);
        let bound = Bound {
            lines: 10,
            bytes: text.len(),
        };
        assert_eq!(
            cut(&text, bound, Keep::Head, Rest::NotKept),
            Cut {
                text: text.clone(),
                truncation: None
            }
        );
        let unended = text.trim_end();
        assert_eq!(shown(unended, 10, unended.len(), Keep::Head), unended);
        assert_eq!(shown("", 0, 0, Keep::Head), "");
    }

    #[test]
    fn one_line_too_many_is_cut_and_counted() {
        insta::assert_snapshot!(shown(&numbered(4), 3, 1000, Keep::Head), @"
        line 1
        line 2
        line 3
        [1 line (7 bytes) not shown]
        ");
        insta::assert_snapshot!(shown(&numbered(40), 4, 1000, Keep::HeadAndTail), @"
        line 1
        line 2
        [36 lines (281 bytes) not shown]
        line 39
        line 40
        ");
        insta::assert_snapshot!(shown(&numbered(40), 5, 1000, Keep::HeadAndTail), @"
        line 1
        line 2
        line 3
        [35 lines (274 bytes) not shown]
        line 39
        line 40
        ");
    }

    #[test]
    fn bytes_bound_the_text_with_its_mark() {
        for bytes in [60, 200, 333, 1000] {
            for keep in [Keep::Head, Keep::HeadAndTail] {
                for text in [
                    numbered(1000),
                    "é".repeat(2000),
                    format!("{}\nend\n", "x".repeat(3000)),
                ] {
                    let cut = cut(&text, Bound { lines: 500, bytes }, keep, Rest::NotKept);
                    assert!(cut.text.len() <= bytes, "{} > {bytes}", cut.text.len());
                    let truncation = cut.truncation.unwrap();
                    assert_eq!(truncation.total_bytes, text.len());
                    assert!(truncation.shown_bytes <= bytes);
                }
            }
        }
    }

    #[test]
    fn characters_are_never_split() {
        let text = "é😀".repeat(200);
        for bytes in 60..80 {
            let head = shown(&text, 10, bytes, Keep::Head);
            assert!(text.starts_with(head.split('\n').next().unwrap()));
            shown(&text, 10, bytes, Keep::HeadAndTail);
        }
    }

    #[test]
    fn a_single_long_line_keeps_both_its_ends() {
        let line = format!("begin{}end", "-".repeat(5000));
        let text = shown(&line, 10, 300, Keep::HeadAndTail);
        assert!(
            text.starts_with("begin-") && text.ends_with("-end"),
            "{text}"
        );
    }

    fn preferred(lines: Range<usize>, rank: u8) -> Preferred {
        Preferred { lines, rank }
    }

    #[test]
    fn of_a_text_whose_middle_is_not_at_hand_both_ends_are_shown() {
        let total = Bound {
            lines: 1_000_000,
            bytes: 20_000_000,
        };
        let bound = Bound {
            lines: 4,
            bytes: 1000,
        };
        let cut = cut_ends("a\nb\nc\n", "x\ny\nz\n", total, bound, Rest::NotKept);
        insta::assert_snapshot!(cut.text, @"
        a
        b
        [999996 lines (19999992 bytes) not shown]
        y
        z
        ");
        assert_eq!(cut.truncation.unwrap().shown_lines, 4);
    }

    #[test]
    fn an_excerpt_has_the_preferred_lines_and_the_end() {
        let preferred = [preferred(9..11, 1), preferred(20..21, 2)];
        let bound = Bound {
            lines: 20,
            bytes: 1000,
        };
        let shown = |text: &str, others| {
            excerpt(text, bound, &preferred, others, "a test", Rest::NotKept).text
        };
        insta::assert_snapshot!(shown(&numbered(40), Others::LeftOut), @"
        [a test; 32 lines (247 bytes) not shown]
        [… 9 lines]
        line 10
        line 11
        [… 9 lines]
        line 21
        [… 14 lines]
        line 36
        line 37
        line 38
        line 39
        line 40
        ");
        let short = numbered(20);
        assert_eq!(shown(&short, Others::LeftOut), short);
        insta::assert_snapshot!(shown(&numbered(40), Others::WhereThereIsRoom), @"
        [a test; 27 lines (207 bytes) not shown]
        [… 9 lines]
        line 10
        line 11
        [… 9 lines]
        line 21
        [… 9 lines]
        line 31
        line 32
        line 33
        line 34
        line 35
        line 36
        line 37
        line 38
        line 39
        line 40
        ");
    }

    #[test]
    fn an_excerpt_keeps_its_bound_and_the_higher_rank() {
        let text = numbered(400);
        let wanted: Vec<Preferred> = (0..100)
            .map(|index| preferred(index * 4..index * 4 + 2, u8::from(index == 80)))
            .collect();
        for (lines, bytes) in [(30, 10_000), (1000, 400), (10, 200), (3, 90), (0, 0)] {
            let bound = Bound { lines, bytes };
            let others = Others::WhereThereIsRoom;
            let cut = excerpt(&text, bound, &wanted, others, "x", Rest::NotKept);
            let marks = 90;
            assert!(cut.text.len() <= bytes.max(marks), "{}", cut.text);
            assert!(cut.text.lines().count() <= lines.max(2), "{}", cut.text);
            let truncation = cut.truncation.unwrap();
            assert!(truncation.shown_lines <= lines);
            assert_eq!(
                (truncation.total_lines, truncation.total_bytes),
                (400, text.len())
            );
            if lines > 20 {
                assert!(cut.text.contains("line 321\n"), "{}", cut.text);
            }
        }
    }

    #[test]
    fn the_mark_names_where_the_whole_is() {
        let bound = Bound {
            lines: 1,
            bytes: 1000,
        };
        let artifact = Rest::Artifact {
            path: "out.log".to_owned(),
        };
        insta::assert_snapshot!(cut("a\nb\n", bound, Keep::Head, artifact).text, @"
        a
        [1 line (2 bytes) not shown; the whole is in out.log]
        ");
        let next = Rest::Next {
            offset: 2,
            byte_offset: None,
        };
        insta::assert_snapshot!(cut("a\nb\n", bound, Keep::Head, next).text, @"
        a
        [1 line (2 bytes) not shown; go on with offset 2]
        ");
    }
}
