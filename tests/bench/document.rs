//! The measured document: source-like lines, the same in every run.

use std::fmt::Write;

/// Lines of the large document.
pub const LINES: usize = 376_000;
/// A line that stands once in the large document, near its end.
pub const UNIQUE: &str = "fn the_only_one(seed: u64) -> u64 {";
/// What every [`MARK_EVERY`]th line says.
pub const MARK: &str = "    // look at this again";
/// One marked line in so many.
pub const MARK_EVERY: usize = 376;

/// About 10 MB in [`LINES`] lines.
pub fn large() -> String {
    text(LINES)
}

/// A text of so many lines.
pub fn text(lines: usize) -> String {
    let mut text = String::with_capacity(lines * 28);
    let mut random: u32 = 1;
    for line in 0..lines {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let number = random >> 16;
        let written = match line {
            _ if line == lines - lines / 50 => writeln!(text, "{UNIQUE}"),
            _ if line % MARK_EVERY == MARK_EVERY / 2 => writeln!(text, "{MARK}"),
            _ => match number % 5 {
                0 => writeln!(text, "pub fn step_{number}(seed: u64) -> u64 {{"),
                1 => writeln!(text, "    let width = seed * {number};"),
                2 => writeln!(text, "    let height = width ^ 0x{number:04x};"),
                3 => writeln!(text, "    grid.push(width + height);"),
                _ => writeln!(text, "}} // {number}"),
            },
        };
        written.expect("a string grows");
    }
    text
}
