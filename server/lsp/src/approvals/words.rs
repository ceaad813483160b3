//! Foreign words in titles and messages: nothing in them is hidden, reorders what is seen, or is cut without a mark.

use mewcode_tools::unseen;

/// The text in one line, with everything that would not be seen, or would change what is seen, written out.
pub fn visible(text: &str) -> String {
    unseen::visible(text.trim_end())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden() {
        assert_eq!(
            visible("ls\nrm\u{1b}[2K \u{202e}x\u{200b}\u{e0041}é😀\n"),
            "ls\\nrm\\u{1b}[2K \\u{202e}x\\u{200b}\\u{e0041}é😀"
        );
        assert_eq!(visible_lines("a\r\nb\u{7}\n"), "a\nb\\u{7}");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("éàü", 3), "éàü");
        assert_eq!(cut("éàüxy", 3), "éàü… (+2 characters)");
    }
}
