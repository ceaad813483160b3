//! The text of an output as a person would see it: invalid UTF-8 replaced, escape sequences gone, what a progress bar
//! wrote over itself reduced to what stands there at last. Pure.

use super::capture::{Piece, Source};

/// The furthest column that the cursor is moved to: whoever moves it further draws a screen.
const COLUMNS: usize = 4096;

/// A line of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it came from.
    pub source: Source,
    /// Its text, without its end.
    pub text: String,
}

/// The text of some bytes. No control character is in it but tabs and line feeds, and every line feed is one of the
/// output's own.
pub fn plain(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => {
                show(line, &mut text);
                text.push('\n');
            }
            None => show(line, &mut text),
        }
    }
    text
}

/// The lines of an output, in the order in which they were begun. A line has one source: what the other one wrote
/// meanwhile is a line of its own.
pub fn lines(pieces: &[Piece]) -> Vec<Line> {
    let mut begun: Vec<(Source, Vec<u8>)> = Vec::new();
    // The lines that are not ended yet, of output and error.
    let mut open: [Option<usize>; 2] = [None, None];
    for piece in pieces {
        let open = &mut open[usize::from(piece.source == Source::Error)];
        for part in piece.bytes.split_inclusive(|&byte| byte == b'\n') {
            let index = *open.get_or_insert_with(|| {
                begun.push((piece.source, Vec::new()));
                begun.len() - 1
            });
            match part.strip_suffix(b"\n") {
                Some(part) => {
                    begun[index].1.extend(part);
                    *open = None;
                }
                None => begun[index].1.extend(part),
            }
        }
    }
    begun
        .into_iter()
        .map(|(source, bytes)| {
            let mut text = String::with_capacity(bytes.len());
            show(&bytes, &mut text);
            Line { source, text }
        })
        .collect()
}

/// Adds what is seen of a line. Each one is looked at for itself, so that a sequence that is never ended hides one line at
/// most.
fn show(line: &[u8], text: &mut String) {
    let line = String::from_utf8_lossy(line);
    if !line.chars().any(|char| char != '\t' && char.is_control()) {
        text.push_str(&line);
        return;
    }
    let mut screen = Screen::default();
    vte::Parser::new().advance(&mut screen, line.as_bytes());
    let mut shown = &screen.cells[..];
    // What was blanked to make room for something shorter is not part of the line.
    while let (true, [rest @ .., ' ']) = (screen.moved, shown) {
        shown = rest;
    }
    text.extend(shown);
}

/// One line of a terminal.
#[derive(Default)]
struct Screen {
    cells: Vec<char>,
    column: usize,
    /// Whether the cursor was anywhere but behind the last character.
    moved: bool,
}

impl Screen {
    fn go(&mut self, column: usize) {
        self.column = column.min(COLUMNS.max(self.cells.len()));
        self.moved = true;
    }
}

impl vte::Perform for Screen {
    fn print(&mut self, char: char) {
        // A parser gives this one, which deletes nothing, as text.
        if char.is_control() {
            return;
        }
        if self.column > self.cells.len() {
            self.cells.resize(self.column, ' ');
        }
        match self.cells.get_mut(self.column) {
            Some(cell) => *cell = char,
            None => self.cells.push(char),
        }
        self.column += 1;
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\t' => {
                if self.column >= self.cells.len() {
                    self.cells.resize(self.column, ' ');
                    self.cells.push('\t');
                }
                self.column += 1;
            }
            b'\r' => self.go(0),
            0x08 => self.go(self.column.saturating_sub(1)),
            _ => {}
        }
    }

    fn csi_dispatch(
        &mut self,
        parameters: &vte::Params,
        _intermediates: &[u8],
        _ignore: bool,
        action: char,
    ) {
        let first = parameters
            .iter()
            .next()
            .and_then(|values| values.first().copied())
            .unwrap_or(0);
        let count = usize::from(first.max(1));
        match (action, first) {
            ('C', _) => self.go(self.column.saturating_add(count)),
            ('D', _) => self.go(self.column.saturating_sub(count)),
            ('G', _) => self.go(count - 1),
            ('K', 0) => self.cells.truncate(self.column),
            ('K', 1) => {
                let end = (self.column + 1).min(self.cells.len());
                self.cells[..end].fill(' ');
                self.moved = true;
            }
            ('K', 2) => self.cells.clear(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
