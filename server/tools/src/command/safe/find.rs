//! The arguments of `find`, which are a language of their own. Runs nothing.

use super::{EXPANDED, OPTION, Unproven};
use crate::command::word::{Glob, Value};

const TESTS: &[&str] = &[
    "-not",
    "!",
    "-and",
    "-a",
    "-or",
    "-o",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-xdev",
    "-mount",
    "-depth",
    "-true",
    "-false",
    "(",
    ")",
    "-ls",
    "-nouser",
    "-nogroup",
    "-daystart",
    "-P",
];

const TESTS_WITH_VALUE: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-type",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-regex",
    "-iregex",
    "-regextype",
    "-user",
    "-group",
    "-perm",
    "-links",
    "-inum",
    "-printf",
];

/// Proves that `find` only tests and prints; gives where it starts.
pub(super) fn starts(arguments: &[Value]) -> Result<Vec<Value>, Unproven> {
    let mut starts = Vec::new();
    let mut words = arguments.iter();
    let mut tests = false;
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let is_test = text.starts_with('-') || ["(", ")", "!"].contains(&text);
        if !is_test && !tests {
            if word.glob == Glob::Leading {
                return Err(EXPANDED);
            }
            starts.push(word.clone());
            continue;
        }
        tests |= text != "-P";
        if !word.known {
            return Err(EXPANDED);
        }
        if TESTS_WITH_VALUE.contains(&text) {
            if !words.next().is_some_and(|value| value.known) {
                return Err(EXPANDED);
            }
        } else if !TESTS.contains(&text) {
            return Err(OPTION);
        }
    }
    if starts.is_empty() {
        starts.push(Value::literal("."));
    }
    Ok(starts)
}
