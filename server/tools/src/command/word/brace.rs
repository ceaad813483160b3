//! Brace expansion: `{a,b}` and `{1..3}`. Knows letters only.

use super::Letter;

/// More words are not made of one.
const MAX_WORDS: usize = 256;

/// The words that a word with braces stands for; absent if they are too many.
pub(super) fn expand(letters: &[Letter]) -> Option<Vec<Vec<Letter>>> {
    let mut done = Vec::new();
    let mut left = vec![letters.to_vec()];
    let mut rounds = 0;
    while let Some(word) = left.pop() {
        rounds += 1;
        if done.len() + left.len() > MAX_WORDS || rounds > 4 * MAX_WORDS {
            return None;
        }
        match first_brace(&word) {
            Some((start, end, alternatives)) => {
                // The last one first, since the newest is taken next.
                for alternative in alternatives.into_iter().rev() {
                    let mut whole = word[..start].to_vec();
                    whole.extend(alternative);
                    whole.extend_from_slice(&word[end..]);
                    left.push(whole);
                }
            }
            None => done.push(word),
        }
    }
    Some(done)
}

/// The first braces that stand for something: where they begin and end, and what they stand for.
fn first_brace(word: &[Letter]) -> Option<(usize, usize, Vec<Vec<Letter>>)> {
    let starts = (0..word.len()).filter(|at| word[*at] == Letter::Plain('{'));
    for start in starts {
        let mut depth = 0usize;
        let mut commas = vec![start];
        for (at, letter) in word.iter().enumerate().skip(start + 1) {
            match letter {
                Letter::Plain('{') => depth += 1,
                Letter::Plain(',') if depth == 0 => commas.push(at),
                Letter::Plain('}') if depth > 0 => depth -= 1,
                Letter::Plain('}') => {
                    if let Some(alternatives) = alternatives(word, &commas, at) {
                        return Some((start, at + 1, alternatives));
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

fn alternatives(word: &[Letter], commas: &[usize], end: usize) -> Option<Vec<Vec<Letter>>> {
    if commas.len() == 1 {
        return sequence(&word[commas[0] + 1..end]);
    }
    let ends = commas.iter().skip(1).chain(std::iter::once(&end));
    let parts = commas.iter().zip(ends);
    Some(
        parts
            .map(|(from, to)| word[from + 1..*to].to_vec())
            .collect(),
    )
}

fn sequence(inside: &[Letter]) -> Option<Vec<Vec<Letter>>> {
    let text: Option<String> = inside
        .iter()
        .map(|letter| match letter {
            Letter::Plain(character) => Some(*character),
            _ => None,
        })
        .collect();
    let text = text?;
    let mut ends = text.split("..");
    let (first, last) = (ends.next()?, ends.next()?);
    let word = |text: String| text.chars().map(Letter::Plain).collect();
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let (low, high) = (first.min(last), first.max(last));
        let high = high.min(low.saturating_add(MAX_WORDS as i64));
        return Some(
            (low..=high)
                .map(|number| word(number.to_string()))
                .collect(),
        );
    }
    let single = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic);
    let (first, last) = (single(first)?, single(last)?);
    let (low, high) = (first.min(last), first.max(last));
    Some(
        (low..=high)
            .map(|letter| word(letter.to_string()))
            .collect(),
    )
}
