//! Line numbers that were copied from read_file's answer along with the text. Pure.

/// The text without its line numbers, if every line carries one and they count up by one.
pub(super) fn strip(text: &str) -> Option<String> {
    let mut expected = None;
    let mut bare = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (number, rest) = numbered(line)?;
        if expected.is_some_and(|expected| expected != number) {
            return None;
        }
        expected = Some(number.checked_add(1)?);
        bare.push_str(rest);
    }
    expected.map(|_| bare)
}

/// Whether any line carries a number.
pub(super) fn any(text: &str) -> bool {
    text.lines().any(|line| numbered(line).is_some())
}

fn numbered(line: &str) -> Option<(u64, &str)> {
    let (number, rest) = line.split_once('\t')?;
    let digits = number.trim_start_matches(' ');
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_numbers_on_every_line_are_stripped() {
        assert_eq!(
            strip("     9\tfn a() {\n    10\t\tx\n    11\t}"),
            Some("fn a() {\n\tx\n}".to_owned())
        );
        assert_eq!(strip("7\tx\n"), Some("x\n".to_owned()));
    }

    #[test]
    fn anything_else_is_left_alone() {
        for text in [
            "",
            "x",
            "1\ta\n3\tb",
            "1\ta\nb",
            "1 a",
            "\ta",
            "-1\ta",
            "99999999999999999999999\ta",
            "18446744073709551615\ta",
        ] {
            assert_eq!(strip(text), None, "{text:?}");
        }
        assert!(any("a\n 2\tb") && !any("a\nb"));
    }
}
