//! Colour for people, where somebody looks: on a terminal, unless `NO_COLOR` is set or the terminal is a dumb one.
//!
//! Also the one place that keeps text from elsewhere from steering the terminal. Knows nothing of what is printed.

use std::borrow::Cow;
use std::io::IsTerminal;

/// How output is painted.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    colour: bool,
}

/// What a piece of output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Good news, added lines.
    Good,
    /// Bad news, removed lines.
    Bad,
    /// Something to look at.
    Notice,
    /// A title.
    Title,
    /// What matters less.
    Faint,
}

impl Terminal {
    /// For standard output.
    pub fn stdout() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Terminal {
            colour: wanted && able && std::io::stdout().is_terminal(),
        }
    }

    /// Without any colour.
    #[cfg(test)]
    pub fn plain() -> Self {
        Terminal { colour: false }
    }

    /// The text in the style, if colour is used.
    pub fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Good => "32",
            Style::Bad => "31",
            Style::Notice => "33",
            Style::Title => "1",
            Style::Faint => "2",
        };
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// The text without control characters other than line breaks and tabs: a model or a file must not move the cursor,
/// set a title or hide what stands there.
pub fn printable(text: &str) -> Cow<'_, str> {
    let harmless = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|character| {
                if harmless(character) {
                    character
                } else {
                    '\u{fffd}'
                }
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_of_others_are_defused() {
        assert_eq!(printable("a\x1b[2Jb\r\tc\n"), "a\u{fffd}[2Jb\u{fffd}\tc\n");
        assert!(matches!(printable("plain 🐈\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_is_painted_without_colour() {
        assert_eq!(Terminal::plain().paint(Style::Bad, "x"), "x");
        assert_eq!(
            Terminal { colour: true }.paint(Style::Bad, "x"),
            "\x1b[31mx\x1b[0m"
        );
    }
}
