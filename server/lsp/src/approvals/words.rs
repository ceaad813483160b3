//! Foreign words in titles and messages: nothing in them is hidden, reorders what is seen, or is cut without a mark.

use std::fmt::Write as _;

/// The text in one line, with everything that would not be seen, or would change what is seen, written out.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.trim_end().chars() {
        match character {
            '\n' => shown.push('⏎'),
            '\t' => shown.push(' '),
            hidden if is_hidden(hidden) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(hidden));
            }
            seen => shown.push(seen),
        }
    }
    shown
}

/// The same with its line breaks.
pub fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(visible).collect();
    lines.join("\n")
}

/// As many characters of the text as fit, with a mark that says how many are missing.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let missing = text[end..].chars().count();
            format!("{}… (+{missing} characters)", &text[..end])
        }
    }
}

/// Control characters, what changes the direction of text, and what has no width.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0e}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden() {
        assert_eq!(
            visible("ls\n\trm\u{1b}[2K \u{202e}x\u{200b}\u{e0041}é😀\n"),
            "ls⏎ rm\\u{1b}[2K \\u{202e}x\\u{200b}\\u{e0041}é😀"
        );
        assert_eq!(visible_lines("a\r\nb\u{7}\n"), "a\nb\\u{7}");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("éàü", 3), "éàü");
        assert_eq!(cut("éàüxy", 3), "éàü… (+2 characters)");
    }
}
