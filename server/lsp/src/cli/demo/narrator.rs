//! What the demo prints: acts, what people and model say, diffs, and checks that count.
//!
//! Knows nothing of the story, the server or the protocol.

use std::io::Write;

use crate::cli::terminal::{Style, Terminal, printable};

/// Tells the story on standard output and remembers which checks held.
pub struct Narrator {
    terminal: Terminal,
    acts: usize,
    held: usize,
    failed: usize,
}

impl Narrator {
    /// Nothing is told yet.
    pub fn new(terminal: Terminal) -> Self {
        Narrator {
            terminal,
            acts: 0,
            held: 0,
            failed: 0,
        }
    }

    /// The headline.
    pub fn title(&self, title: &str, below: &str) {
        self.line(&format!(
            "{}\n{}",
            self.terminal.paint(Style::Title, title),
            self.faint(below)
        ));
    }

    /// A new act.
    pub fn act(&mut self, title: &str) {
        self.acts += 1;
        let title = format!("{}  {}", self.acts, printable(title));
        self.line(&format!("\n{}", self.terminal.paint(Style::Title, &title)));
    }

    /// Somebody says or does something.
    pub fn says(&self, who: &str, what: &str) {
        let who = self.faint(&format!("{who:<7}"));
        let what = printable(what.trim_end()).replace('\n', "\n           ");
        self.line(&format!("   {who} {what}"));
    }

    /// Lines that go and lines that come, at a line number from 0.
    pub fn diff<S: AsRef<str>>(&self, line: usize, old: &[S], new: &[S]) {
        for (offset, text) in old.iter().enumerate() {
            self.marked(line + offset + 1, '-', Style::Bad, text.as_ref());
        }
        for (offset, text) in new.iter().enumerate() {
            self.marked(line + offset + 1, '+', Style::Good, text.as_ref());
        }
    }

    /// A fact that must hold; `false` makes the demo fail.
    pub fn check(&mut self, holds: bool, what: &str) {
        let (mark, style) = if holds {
            ("✓", Style::Good)
        } else {
            ("✗", Style::Bad)
        };
        *(if holds {
            &mut self.held
        } else {
            &mut self.failed
        }) += 1;
        self.line(&format!(
            "   {} {}",
            self.terminal.paint(style, mark),
            printable(what)
        ));
    }

    /// What stands behind a check, below it.
    pub fn because(&self, what: &str) {
        self.line(&format!("     {}", self.faint(&printable(what))));
    }

    /// The last line; whether all went well.
    pub fn end(&self, seconds: f64) -> bool {
        let checks = self.held + self.failed;
        let (text, style) = match self.failed {
            0 => (
                format!("All {checks} checks held, in {seconds:.1} s."),
                Style::Good,
            ),
            failed => (
                format!("{failed} of {checks} checks failed, in {seconds:.1} s."),
                Style::Bad,
            ),
        };
        self.line(&format!("\n{}", self.terminal.paint(style, &text)));
        self.failed == 0
    }

    fn marked(&self, number: usize, sign: char, style: Style, text: &str) {
        let number = self.faint(&format!("{number:>6} "));
        let text = self
            .terminal
            .paint(style, &format!("{sign} {}", printable(text)));
        self.line(&format!("   {number}{text}"));
    }

    fn faint(&self, text: &str) -> String {
        self.terminal.paint(Style::Faint, text)
    }

    fn line(&self, line: &str) {
        // A reader that went away must not end the demo with a panic; its status still counts.
        let _ = writeln!(std::io::stdout(), "{line}");
    }
}
