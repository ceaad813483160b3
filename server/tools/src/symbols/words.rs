//! Whether a text may hold a name that has the letters of another one in their order: a look at bytes that spares
//! parsing. Knows no language.

/// Whether one word of the text has these letters in their order, in whatever case: a word of a program, or, if names
/// are not single words, a line. `lower` is in lower case; where it is not ASCII, every text may hold it.
pub(super) fn has_word_with(text: &[u8], lower: &str, words: bool) -> bool {
    let wanted = lower.as_bytes();
    let Some(first) = wanted.first() else {
        return true;
    };
    if !lower.is_ascii() {
        return true;
    }
    let mut rest = text;
    while let Some(at) = memchr::memchr2(*first, first.to_ascii_uppercase(), rest) {
        // As much of the word as is ahead: letters before this one cannot help.
        rest = &rest[at..];
        let mut found = 0;
        let mut length = 0;
        for byte in rest {
            if ends(*byte, words) {
                break;
            }
            length += 1;
            if found < wanted.len() && byte.to_ascii_lowercase() == wanted[found] {
                found += 1;
            }
        }
        if found == wanted.len() {
            return true;
        }
        rest = &rest[length.max(1)..];
    }
    false
}

/// Whether a byte ends a word, or a line. What stands in no word of most languages but in names of some counts to the
/// word: `valid?`, `operator+`, `~Shape`, `--accent`, `pre-commit`.
fn ends(byte: u8, words: bool) -> bool {
    match words {
        true => matches!(
            byte,
            b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'{' | b'}' | b';' | b',' | b'"' | b'\''
        ),
        false => byte == b'\n',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_letters_in_their_order() {
        let has = |text: &str, lower: &str| has_word_with(text.as_bytes(), lower, true);
        assert!(has("fn parse_arguments() {", "psarg"));
        assert!(has("fn PARSE() {", "prs"));
        assert!(has("x", "x"));
        assert!(has("first secondwanted", "scw"));
        assert!(!has("first second", "fd"), "in two words");
        assert!(has_word_with(b"first second\n", "fd", false), "in one line");
        assert!(!has_word_with(b"first\nsecond\n", "fd", false));
        assert!(!has("esrap", "parse"));
        assert!(!has("", "a"));
        assert!(has("anything", "é"), "what is not ASCII is not told apart");
        assert!(has("pxa pab", "pab"), "a word in vain before it");
    }
}
