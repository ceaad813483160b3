//! How well a name fits what was asked for.

use super::{Definition, Kind};
use alloc::string::String;
use alloc::vec::Vec;

/// What is asked for: a name, perhaps with names that qualify it.
#[derive(Debug, Clone)]
pub struct Pattern {
    name: String,
    lower: String,
    letters: u32,
    qualifiers: Vec<String>,
}

/// How well a name fits; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// It is the name.
    Exact,
    /// It is the name but for upper and lower case.
    IgnoringCase,
    /// It begins with the name, but perhaps for upper and lower case.
    Prefix,
    /// It contains the name, but perhaps for upper and lower case.
    Part,
    /// It contains the letters of the name in their order, over so many bytes more than there are letters.
    Subsequence(u16),
}

/// Which characters a text has: a bit for each ASCII letter of either case, one for digits, one for all others. What
/// changes its kind with its case counts as nothing.
pub(super) fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |letters, byte| match byte {
        b'a'..=b'z' => letters | 1 << (byte - b'a'),
        b'A'..=b'Z' => letters | 1 << (byte - b'A'),
        b'0'..=b'9' => letters | 1 << 26,
        // `K` of the sign for kelvin is a `k` in lower case.
        0x80.. => letters,
        _ => letters | 1 << 27,
    })
}

/// Words that stand for a place and name none.
const PLACES: [&str; 4] = ["crate", "self", "super", "this"];

impl Pattern {
    /// The pattern for a name that is taken as it is.
    pub fn plain(name: &str) -> Self {
        Self {
            name: name.into(),
            lower: name.to_lowercase(),
            letters: letters(name),
            qualifiers: Vec::new(),
        }
    }

    /// The pattern for a name that may be qualified: `Type::method`, `module.Type.method`, `Type#method`.
    pub fn qualified(name: &str) -> Self {
        let mut parts: Vec<&str> = name
            .split([':', '.', '#'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let Some(last) = parts.pop() else {
            return Self::plain(name);
        };
        Self {
            qualifiers: parts
                .into_iter()
                .filter(|part| !PLACES.contains(part))
                .map(String::from)
                .collect(),
            ..Self::plain(last)
        }
    }

    /// The name without what qualifies it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name in lower case.
    pub fn lower(&self) -> &str {
        &self.lower
    }

    /// Whether a name with these letters may fit.
    pub(super) fn may_fit(&self, letters: u32) -> bool {
        self.letters & !letters == 0
    }

    /// How well a name fits; none: not at all.
    pub fn rank(&self, name: &str) -> Option<Rank> {
        if name == self.name {
            return Some(Rank::Exact);
        }
        if name.len() < self.name.len() && name.is_ascii() {
            return None;
        }
        let start = find_ignoring_case(name, &self.lower);
        match start {
            Some(0)
                if name
                    .chars()
                    .flat_map(char::to_lowercase)
                    .eq(self.lower.chars()) =>
            {
                Some(Rank::IgnoringCase)
            }
            Some(0) => Some(Rank::Prefix),
            Some(_) => Some(Rank::Part),
            None => spread(name, &self.lower).map(Rank::Subsequence),
        }
    }

    /// Whether the definition stands where the qualifiers say: each names a container, or a folder or file of `path`,
    /// in their order. The innermost one must be the type, if the definition has one.
    pub fn fits_place(&self, definition: &Definition<'_>, path: &str) -> bool {
        let mut wanted = self.qualifiers.iter().rev().peekable();
        let mut qualifiers = definition.qualifiers().peekable();
        if let (Some(wanted), Some(innermost)) = (wanted.peek(), qualifiers.peek()) {
            let of_type = definition.kind() == Kind::Method;
            if of_type
                && !parts_from_end(innermost)
                    .next()
                    .is_some_and(|it| same_name(it, wanted))
            {
                return false;
            }
        }
        let folders = path
            .rsplit('/')
            .map(|part| part.split('.').next().unwrap_or(part));
        let places = qualifiers.flat_map(parts_from_end).chain(folders);
        for place in places {
            match wanted.peek() {
                None => return true,
                Some(name) if same_name(place, name) => {
                    wanted.next();
                }
                Some(_) => {}
            }
        }
        wanted.peek().is_none()
    }
}

/// The parts of a name that is itself qualified, `a::b`, `App\Models`, `target.unix`, the last first.
fn parts_from_end(name: &str) -> impl Iterator<Item = &str> {
    name.rsplit(['.', ':', '\\'])
        .filter(|part| !part.is_empty())
}

/// Whether a place has this name; type arguments do not count, and `-` is `_`, as in the names of packages.
fn same_name(place: &str, name: &str) -> bool {
    let plain = |text: &str| -> String {
        let end = text.find(['<', '[']).unwrap_or(text.len());
        text[..end].trim().to_lowercase().replace('-', "_")
    };
    plain(place) == plain(name)
}

/// Where a text contains another one that is in lower case, but for its case; in bytes.
fn find_ignoring_case(text: &str, lower: &str) -> Option<usize> {
    if text.is_ascii() && lower.is_ascii() {
        let (text, lower) = (text.as_bytes(), lower.as_bytes());
        let last = text.len().checked_sub(lower.len())?;
        return (0..=last).find(|at| text[*at..*at + lower.len()].eq_ignore_ascii_case(lower));
    }
    // Rare: positions in the lowered text do, for only the start counts.
    text.to_lowercase().find(lower)
}

/// Over how many bytes more than it has the letters of a name in lower case stand in a text, in their order.
fn spread(text: &str, lower: &str) -> Option<u16> {
    let mut left = lower.chars().peekable();
    let mut start = None;
    for (at, char) in text.char_indices() {
        let Some(wanted) = left.peek() else { break };
        if char.to_lowercase().next() == Some(*wanted) {
            left.next();
            let start = *start.get_or_insert(at);
            if left.peek().is_none() {
                let span = at + char.len_utf8() - start;
                return Some(u16::try_from(span.saturating_sub(lower.len())).unwrap_or(u16::MAX));
            }
        }
    }
    None
}
