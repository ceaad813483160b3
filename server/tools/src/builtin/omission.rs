//! New text that stands for code which the caller did not write out: `// ... rest unchanged`. Written as it is, it
//! would drop that code. Judges single lines; knows no file.

/// What a remark begins with, in the languages that have remarks.
const OPENERS: &[&str] = &[
    "<!--", "{/*", "/**", "/*", "///", "//", "##", "#", "--", ";;", ";", "%", "'", "*",
];

/// What stands around a remark where there is no language: `[... rest of the file ...]`.
const BRACKETS: &[char] = &['[', '(', '<', '{'];

/// What a remark may end with.
const CLOSERS: &[&str] = &["-->", "*/}", "**/", "*/", "]", ")", ">", "}"];

/// Phrases by which a remark with dots says that something is left out.
const PHRASES: &[&str] = &[
    "rest of",
    "the rest",
    "rest unchanged",
    "rest remains",
    "rest stays",
    "rest is the same",
    "remaining",
    "existing",
    "unchanged",
    "same as before",
    "same as above",
    "as before",
    "stays the same",
    "remains the same",
    "previous code",
    "original code",
    "other code",
    "more code",
    "code here",
    "omitted",
    "for brevity",
    "unmodified",
    "keep the",
    "no changes",
];

/// The first line of `new` that stands for omitted code and that `old` does not have.
pub(super) fn first(new: &str, old: impl Fn(&str) -> bool) -> Option<&str> {
    new.lines()
        .find(|line| stands_for_omitted_code(line) && !old(line))
}

fn stands_for_omitted_code(line: &str) -> bool {
    let line = line.trim();
    let Some(mut remark) = remark(line) else {
        return false;
    };
    for closer in CLOSERS {
        remark = remark.strip_suffix(closer).unwrap_or(remark).trim();
    }
    if !(begins_with_dots(remark) || remark.ends_with("...") || remark.ends_with('…'))
        || remark.len() > 120
    {
        return false;
    }
    let words = remark
        .trim_matches(|char: char| matches!(char, '.' | '…') || char.is_whitespace())
        .to_lowercase();
    PHRASES.iter().any(|phrase| words.contains(phrase))
}

/// What a line says that is a remark and nothing else.
fn remark(line: &str) -> Option<&str> {
    if let Some(opener) = OPENERS.iter().find(|opener| line.starts_with(**opener)) {
        let rest = &line[opener.len()..];
        // `--existing ...` is an option, `#existing` a heading or a colour.
        return (rest.starts_with(char::is_whitespace) || begins_with_dots(rest))
            .then(|| rest.trim());
    }
    let rest = line.strip_prefix(BRACKETS)?.trim();
    // `{...existing, name}` is code: in prose, the dots are followed by several words.
    let prose =
        |char: char| char.is_alphanumeric() || char.is_whitespace() || "'.…)]>}".contains(char);
    let words = rest.trim_matches(|char: char| !char.is_alphanumeric());
    (words.contains(' ') && rest.chars().all(prose)).then_some(rest)
}

fn begins_with_dots(text: &str) -> bool {
    text.starts_with("...") || text.starts_with('…')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_for_omitted_code_are_known_in_every_dress() {
        for line in [
            "// ... rest unchanged",
            "    // ... existing code ...",
            "# ... rest of the function",
            "/* … unchanged … */",
            "<!-- ... remaining items ... -->",
            "{/* ... existing props ... */}",
            "-- ... rest of the query stays the same",
            "// rest of the code ...",
            "[... rest of file unchanged ...]",
            "# …same as before…",
            "// ... (other code omitted for brevity)",
        ] {
            assert!(stands_for_omitted_code(line), "{line}");
        }
    }

    #[test]
    fn code_and_ordinary_remarks_are_not() {
        for line in [
            "...",
            "    ...",
            "let rest = [...existing];",
            "return { ...existing, name };",
            "// The rest of the file is generated.",
            "# existing users keep their name",
            "[...rest]",
            "f(...remaining)",
            "{...existing}",
            "{ ...existing, name }",
            "[...remaining, ...existing],",
            "(...existing) => existing",
            "--existing ...",
            "<existing ...props>",
            "#existing...",
            "'existing' ...",
            "// wait ...",
            "def f(): ...",
            "({ ...unchanged }) => unchanged",
            "",
        ] {
            assert!(!stands_for_omitted_code(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_was_there_before_is_no_omission() {
        let new = "a\n// ... rest unchanged\n";
        assert_eq!(first(new, |_| false), Some("// ... rest unchanged"));
        assert_eq!(first(new, |line| line == "// ... rest unchanged"), None);
    }
}
