//! What is written to a command: how much waits for it, and what stands on its line. Knows no keys and no shell.

/// What is written to a command.
#[derive(Default)]
pub(super) struct Typed {
    pub open: bool,
    /// How many bytes it has not been given yet.
    pub waiting: usize,
    pub line: Line,
}

/// What has been typed into a command since its last whole line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The text, as far as it could be followed.
    pub text: String,
    /// Why it may be another, as the end of a sentence that begins with the line; none: it is this.
    pub unknown: Option<&'static str>,
}
