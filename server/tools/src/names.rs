//! Names that are close to a name that does not exist, for errors that help. Never used to guess.

/// At most this many are offered.
const MAX_OFFERED: usize = 3;

/// The candidates that a caller may have meant by `wanted`, closest first.
pub fn close<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = plain(wanted);
    let bound = 1 + plain.len() / 4;
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let distance = distance(&plain, &self::plain(candidate), bound)?;
            Some((distance, candidate))
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .take(MAX_OFFERED)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// Case, `-`, `_`, `.` and blanks do not count: `ReadFile` is meant for `read_file`.
fn plain(name: &str) -> Vec<char> {
    name.chars()
        .filter(|char| !matches!(char, '-' | '_' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The number of insertions, deletions and replacements between the two, if it is at most `bound`.
fn distance(a: &[char], b: &[char], bound: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > bound {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[b.len()]).filter(|distance| *distance <= bound)
}

/// "`a`, `b` or `c`".
pub fn either(names: &[&str]) -> String {
    list(names, "or")
}

/// "`a`, `b` and `c`".
pub(crate) fn all(names: &[&str]) -> String {
    list(names, "and")
}

fn list(names: &[&str], last_word: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} {last_word} {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_found_and_far_ones_are_not() {
        let names = ["read_file", "edit_file", "write_file", "grep"];
        assert_eq!(close("ReadFile", names), ["read_file"]);
        assert_eq!(close("read_fil", names), ["read_file"]);
        assert_eq!(close("edit", names), Vec::<&str>::new());
        assert_eq!(close("gerp", names), ["grep"]);
        assert_eq!(
            close("mian.rs", ["main.rs", "man.rs", "lib.rs"]),
            ["man.rs", "main.rs"]
        );
    }

    #[test]
    fn choices_read_as_a_sentence() {
        assert_eq!(either(&["a"]), "`a`");
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(all(&["a", "b"]), "`a` and `b`");
    }
}
