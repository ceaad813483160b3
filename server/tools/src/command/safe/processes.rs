//! The arguments of `ps`, which are read in two ways. Runs nothing.

use crate::command::word::Value;

/// Whether `ps` may show what is in the environment of others: `e` does, without a dash, and with one where the others are
/// not what the dash promises, for then all are read anew without.
pub(super) fn shows_environments(arguments: &[Value]) -> bool {
    let (mut dashed, mut bare) = (String::new(), String::new());
    let mut words = arguments.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some(long) if long.starts_with('-') => {}
            Some(letters) => {
                dashed.push_str(letters);
                // A format, or the name of a program, is never read as letters.
                if letters.ends_with(['o', 'C']) {
                    words.next();
                }
            }
            None => bare.push_str(word),
        }
    }
    bare.contains('e') || dashed.contains('e') && dashed.contains(['u', 'x', 'p'])
}
