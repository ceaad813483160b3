//! The table: what was measured, ours, the peer's, their ratio, the goal, and whether it is met.

use std::fmt;
use std::time::Instant;

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Megabytes, 1024 × 1024 bytes.
    Megabytes,
}

/// What a figure is held to.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    /// At most so many times the peer's.
    Times(f64),
    /// At most the peer's and so much more.
    Plus(f64),
    /// At most so much.
    Under(f64),
    /// Nothing: it is told as context.
    None,
}

/// One line of the table.
#[derive(Debug)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The unit of both figures.
    pub unit: Unit,
    /// Our figure.
    pub ours: f64,
    /// What the peer is, and its figure.
    pub peer: Option<(&'static str, f64)>,
    /// What ours is held to.
    pub goal: Goal,
}

/// All lines, printed one by one as they come and again as a table.
#[derive(Debug, Default)]
pub struct Report(Vec<Row>);

impl Report {
    /// Adds a line.
    pub fn add(&mut self, row: Row) {
        eprintln!("{row}");
        self.0.push(row);
    }
}

impl Unit {
    fn show(self, figure: f64) -> String {
        let unit = match self {
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
        };
        let decimals = if figure < 10.0 { 2 } else { 1 };
        format!("{figure:.decimals$} {unit}")
    }
}

impl Row {
    /// The most that the goal allows.
    fn limit(&self) -> Option<f64> {
        let peer = self.peer.map(|(_, figure)| figure);
        match self.goal {
            Goal::Times(factor) => Some(peer? * factor),
            Goal::Plus(more) => Some(peer? + more),
            Goal::Under(limit) => Some(limit),
            Goal::None => None,
        }
    }

    fn cells(&self) -> [String; 6] {
        let peer = self
            .peer
            .map(|(name, figure)| format!("{} ({name})", self.unit.show(figure)));
        let ratio = self
            .peer
            .map(|(_, figure)| format!("{:.2}", self.ours / figure));
        let goal = match self.goal {
            Goal::Times(factor) => format!("≤ {factor} ×"),
            Goal::Plus(more) => format!("≤ peer + {}", self.unit.show(more)),
            Goal::Under(limit) => format!("≤ {}", self.unit.show(limit)),
            Goal::None => String::new(),
        };
        let met = match self.limit() {
            None => "",
            Some(limit) if self.ours <= limit => "yes",
            Some(_) => "NO",
        };
        [
            self.what.clone(),
            self.unit.show(self.ours),
            peer.unwrap_or_default(),
            ratio.unwrap_or_default(),
            goal,
            met.to_owned(),
        ]
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.cells().join(" | "))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["what", "ours", "peer", "ratio", "goal", "met"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(heads)
            .chain(self.0.iter().map(Row::cells))
            .collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths = [0, 1, 2, 3, 4, 5].map(width);
        for (number, row) in rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(widths) {
                write!(formatter, "| {cell:width$} ")?;
            }
            writeln!(formatter, "|")?;
            if number == 0 {
                let rule: String = widths.map(|width| format!("| {:-<width$} ", "")).concat();
                writeln!(formatter, "{rule}|")?;
            }
        }
        Ok(())
    }
}

/// The median.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// How long the work took, in milliseconds.
pub fn milliseconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}
