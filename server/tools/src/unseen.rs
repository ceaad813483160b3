//! Characters that a reader does not see, or sees in another place than they stand: which they are, the one list of them,
//! and a text in which they are written out. Knows no purpose.

use std::fmt::Write as _;

/// The text with everything in it made visible that a person would not see, or see elsewhere: control characters, marks
/// of direction, joiners, unusual blanks. They stand there by their number: `\u{202e}`.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            '\n' => shown.push_str("\\n"),
            letter if !shows_itself(letter) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "{}", letter.escape_unicode());
            }
            letter => shown.push(letter),
        }
    }
    shown
}

/// Whether a reader sees the character, and takes it for no other one.
fn shows_itself(letter: char) -> bool {
    let is_blank = letter != ' ' && letter.is_whitespace();
    // What a font makes of them is nobody's agreement.
    let is_private = matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}');
    !letter.is_control() && !is_blank && !is_private && !is_invisible(letter)
}

/// Characters without a shape of their own, control characters apart.
pub(crate) fn is_invisible(letter: char) -> bool {
    matches!(letter,
        // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul fillers, Khmer vowels, Mongolian selectors.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        // Zero width, separators and marks of direction, invisible operators, the empty Braille cell, Hangul fillers.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        // Variation selectors, the byte order mark, a Hangul filler, specials.
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        // Controls of shorthand and of musical notation, tags and further variation selectors.
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_unseen() {
        for (text, expected) in [
            ("a b", "a b"),
            ("Grüße, 世界 🦀", "Grüße, 世界 🦀"),
            ("a\u{202e}b", "a\\u{202e}b"),
            (
                "a\u{200b}\u{200d}\u{feff}b",
                "a\\u{200b}\\u{200d}\\u{feff}b",
            ),
            ("a\u{1b}[2Jb\u{7f}\u{9b}", "a\\u{1b}[2Jb\\u{7f}\\u{9b}"),
            ("a\tb\rc\nd", "a\\tb\\rc\\nd"),
            (
                "a\u{a0}b\u{3000}c\u{2028}d",
                "a\\u{a0}b\\u{3000}c\\u{2028}d",
            ),
            (
                "\u{e0041}\u{fe0f}\u{ad}\u{3164}",
                "\\u{e0041}\\u{fe0f}\\u{ad}\\u{3164}",
            ),
            ("\u{e0b0}\u{f0001}", "\\u{e0b0}\\u{f0001}"),
            ("\0", "\\u{0}"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }
}
