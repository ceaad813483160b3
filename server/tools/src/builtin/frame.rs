//! Text of strangers within the answer of a tool: it stands in a frame that says so, and nothing in it can look like the
//! frame's end.

/// A line that looks like one of the frame's is told from it: also one that only looks so, by letter case, blanks, or
/// characters that take no room.
pub(super) fn unframed(line: &str, frame: &[&str]) -> String {
    let bare = letters(line);
    match frame.iter().any(|mark| bare.contains(&letters(mark))) {
        true => format!("\\{line}"),
        false => line.to_owned(),
    }
}

fn letters(line: &str) -> String {
    line.chars()
        .filter(|char| char.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect()
}
