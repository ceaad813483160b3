//! Foreign text made fit to be shown as Markdown: it stays readable, but it commands nothing.
//!
//! Control characters and direction overrides go; a link that leads elsewhere than to http(s) or a file loses its link; a
//! tag with attributes becomes text; a fence that is left open is closed. Links are undone inside code, too: whether a
//! viewer agrees with us on where code begins is not to be relied on.

/// Where links may lead.
const SCHEMES: [&str; 3] = ["http://", "https://", "file://"];

/// Tags that can do something, given attributes.
const TAGS: [&str; 20] = [
    "a", "area", "audio", "base", "button", "embed", "form", "frame", "iframe", "img", "input",
    "link", "math", "meta", "object", "script", "source", "style", "svg", "video",
];

/// A whole text of Markdown.
pub(super) fn markdown(text: &str) -> String {
    let text = visible(text);
    let mut shown = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let mark = fence_mark(line);
        let in_code = fence.is_some() || mark.is_some();
        defuse(line, in_code, &mut shown);
        fence = match (fence, mark) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => None,
            (open, _) => open,
        };
    }
    if let Some(open) = fence {
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown.push_str(open);
    }
    shown
}

/// A text in one line of words.
pub(super) fn words(text: &str) -> String {
    let text = visible(text);
    let line: Vec<&str> = text.split_whitespace().collect();
    let mut shown = String::new();
    defuse(&line.join(" "), false, &mut shown);
    shown
}

/// A short text as code.
pub(super) fn code(text: &str) -> String {
    let text = visible(text).replace('\n', " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    if fence.len() == 1 {
        format!("`{text}`")
    } else {
        format!("{fence} {text} {fence}")
    }
}

/// A block of code.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!(
        "{fence}{language}\n{}\n{fence}\n",
        text.trim_end_matches('\n')
    )
}

/// Without the characters that terminals obey or that reorder what is seen.
fn visible(text: &str) -> String {
    let hidden = |character: char| {
        character.is_control() && !matches!(character, '\n' | '\t')
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars()
        .filter(|character| !hidden(*character))
        .collect()
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default()
}

/// The fence at the beginning of a line, if there is one.
fn fence_mark(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    let first = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '`' | '~'))?;
    let (mark, info) = rest.split_at(rest.len() - rest.trim_start_matches(first).len());
    let is_fence =
        line.len() - rest.len() < 4 && mark.len() >= 3 && !(first == '`' && info.contains('`'));
    is_fence.then_some(mark)
}

/// Appends a line to `shown`, with what is live in it made text by a backslash.
fn defuse(line: &str, in_code: bool, shown: &mut String) {
    let mut rest = line;
    // The definition of a reference is a link, too.
    let definition = line.trim_start_matches([' ', '\t', '>']);
    if definition.starts_with('[')
        && let Some((_, target)) = definition.split_once("]:")
        && !is_harmless(target)
    {
        shown.push_str(&line[..line.len() - definition.len()]);
        shown.push('\\');
        rest = definition;
    }
    while let Some(at) = rest.find(['<', '(']) {
        shown.push_str(&rest[..at]);
        let (mark, after) = rest[at..].split_at(1);
        let is_live = if mark == "(" {
            shown.ends_with(']') && !is_harmless(after)
        } else {
            is_autolink(after) && !is_harmless(after) || !in_code && is_tag(after)
        };
        if is_live {
            shown.push('\\');
        }
        shown.push_str(mark);
        rest = after;
    }
    shown.push_str(rest);
}

/// Whether a link with this target, and whatever follows it, leads to http(s) or a file.
fn is_harmless(target: &str) -> bool {
    let target = target.trim_start().trim_start_matches('<');
    let end =
        target.find(|character: char| character.is_whitespace() || matches!(character, ')' | '>'));
    let target = match end {
        Some(end) => &target[..end],
        // The target may follow on the next line.
        None if target.is_empty() => return false,
        None => target,
    };
    let lower = target.to_ascii_lowercase();
    if SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) {
        return true;
    }
    // A scheme ends in a colon, which can be spelt as an entity or after a backslash, and comes before the path.
    let head = target.split(['/', '#', '?']).next().unwrap_or_default();
    !head.contains([':', '&', '\\'])
}

/// Whether what follows a `<` is `scheme:something>`. A path of a program, `std::fmt`, is not taken for one.
fn is_autolink(after: &str) -> bool {
    let Some((link, _)) = after.split_once('>') else {
        return false;
    };
    let Some((scheme, target)) = link.split_once(':') else {
        return false;
    };
    let allowed =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
    scheme.len() > 1
        && scheme.chars().all(allowed)
        && !target.starts_with(':')
        && !link.contains(char::is_whitespace)
}

/// Whether what follows a `<` is a tag that can do something.
fn is_tag(after: &str) -> bool {
    let end = after
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    let name = name.to_ascii_lowercase();
    let acts_alone = matches!(&*name, "script" | "style");
    TAGS.contains(&&*name) && (acts_alone || !rest.starts_with('>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_markdown_is_left_alone() {
        for text in [
            "",
            "# Title\n\n- *a* [b](https://x.org/a_(b)) [c](src/a.rs#L10) [d](FILE:///x) <https://x.org>\n",
            "`Vec<String>` and Vec<T: Display, std::fmt::Debug> if a < b (c) [i](j) []()",
            "```rust\nlet x: Vec<std::fmt::Error> = f[0](1); // <img src=x>\n```\n",
            "~~~\n```\n~~~\n[1]: https://x.org \"t\"\n",
            "<details><summary>x</summary></details> <a> é 🚀\ttab",
        ] {
            assert_eq!(markdown(text), text);
        }
    }

    #[test]
    fn links_to_elsewhere_lose_their_link() {
        for (text, expected) in [
            ("[x](command:foo)", "[x]\\(command:foo)"),
            ("![x](data:image/svg+xml,y)", "![x]\\(data:image/svg+xml,y)"),
            (
                "[x]( <JavaScript:alert(1)>)",
                "[x]\\( \\<JavaScript:alert(1)>)",
            ),
            ("[x](&#99;ommand:foo)", "[x]\\(&#99;ommand:foo)"),
            ("[x](command\\:foo)", "[x]\\(command\\:foo)"),
            ("[x](\ncommand:foo)", "[x]\\(\ncommand:foo)"),
            ("`[x](command:foo)`", "`[x]\\(command:foo)`"),
            ("```\n[x](command:foo)\n```", "```\n[x]\\(command:foo)\n```"),
            (
                "<command:foo> <vscode://x>",
                "\\<command:foo> \\<vscode://x>",
            ),
            ("a\n  [1]: command:foo", "a\n  \\[1]: command:foo"),
            (
                "> [1]: command:foo [x](command:y)",
                "> \\[1]: command:foo [x]\\(command:y)",
            ),
            ("[1]:", "\\[1]:"),
        ] {
            assert_eq!(markdown(text), expected);
        }
    }

    #[test]
    fn tags_with_attributes_become_text() {
        for (text, expected) in [
            ("<img src=x>", "\\<img src=x>"),
            ("<A\nhref='command:x'>", "\\<A\nhref='command:x'>"),
            ("<svg/onload=x>", "\\<svg/onload=x>"),
            ("<script>", "\\<script>"),
            (
                "~~~\n<img src=x>\n~~~\n<img src=x>",
                "~~~\n<img src=x>\n~~~\n\\<img src=x>",
            ),
            // No fence: it is indented code, or has a backtick after it.
            ("    ```\n<img src=x>", "    ```\n\\<img src=x>"),
            ("```a`\n<img src=x>", "```a`\n\\<img src=x>"),
            // The fence is still open: the closing one is shorter, or of another kind.
            (
                "````\n```\n~~~~\n<img src=x>\n````\n",
                "````\n```\n~~~~\n<img src=x>\n````\n",
            ),
        ] {
            assert_eq!(markdown(text), expected);
        }
    }

    #[test]
    fn terminal_escapes_and_direction_overrides_go() {
        assert_eq!(
            markdown("a\u{1b}[31mb\u{9b}c\u{202e}d\r\ne\u{7}"),
            "a[31mbcd\ne"
        );
        assert_eq!(words("a\u{1b}\n b\t<img src=x>"), "a b \\<img src=x>");
    }

    #[test]
    fn an_open_fence_is_closed() {
        assert_eq!(markdown("````x\ncode"), "````x\ncode\n````");
        assert_eq!(markdown("~~~\ncode\n"), "~~~\ncode\n~~~");
    }

    #[test]
    fn code_cannot_be_left_from_inside() {
        assert_eq!(code("read_file a.rs"), "`read_file a.rs`");
        assert_eq!(code("a ``b`` \n`"), "``` a ``b``  ` ```");
        assert_eq!(fenced("diff", "+a\n"), "```diff\n+a\n```\n");
        assert_eq!(fenced("diff", "+````\n"), "`````diff\n+````\n`````\n");
    }
}
