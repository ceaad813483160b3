//! Removal of whole trees, by whatever program.

use super::{Place, Ruin, ruin};
use crate::command::program::Program;
use crate::command::word::Value;

/// What is dangerous about a command that removes.
pub(super) fn look(program: &Program, arguments: &[Value], place: &Place) -> Option<String> {
    match program.name.as_str() {
        "rm" | "grm" | "srm" | "rimraf" | "trash" | "del" => {
            let recursive = program.is("rimraf")
                || program.is("trash")
                || has_flag(arguments, &['r', 'R'], "--recursive");
            recursive
                .then(|| removed(operands(arguments), place))
                .flatten()
        }
        "rmdir" => None,
        "mv" | "gmv" => {
            let operands: Vec<&Value> = operands(arguments).collect();
            let sources = operands.len().saturating_sub(1);
            let ruined = operands
                .iter()
                .take(sources)
                .find_map(|word| ruin(word, place));
            ruined.map(|ruin| format!("It would move {} away.", ruin.describe()))
        }
        "find" | "gfind" => find(arguments, place),
        "fd" | "fdfind" => None,
        "rsync" => {
            let deletes = arguments.iter().any(|word| word.text.starts_with("--del"));
            let target = operands(arguments).last()?;
            let ruined = ruin(target, place).filter(|ruin| deletes && *ruin != Ruin::Folder)?;
            Some(format!("It would remove {}.", ruined.describe()))
        }
        "shred" | "wipe" => {
            let ruined = operands(arguments).find_map(|word| ruin(word, place));
            ruined.map(|ruin| format!("It would destroy {}.", ruin.describe()))
        }
        _ => None,
    }
}

/// Whether one of these flags is given: alone, among others, or long and cut short.
pub(super) fn has_flag(arguments: &[Value], short: &[char], long: &str) -> bool {
    arguments
        .iter()
        .take_while(|word| word.text != "--")
        .any(|word| {
            let text = word.text.as_str();
            match text.strip_prefix("--") {
                Some(name) => {
                    name.len() > 1 && long.starts_with(text)
                        || text == long
                        || long == "--recursive" && name == "r"
                }
                None => text.starts_with('-') && text[1..].contains(short),
            }
        })
}

/// The words that are no options.
pub(super) fn operands(arguments: &[Value]) -> impl Iterator<Item = &Value> {
    let end = arguments
        .iter()
        .position(|word| word.text == "--")
        .unwrap_or(arguments.len());
    let before = arguments[..end]
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    before.chain(arguments.iter().skip(end + 1))
}

pub(in crate::command) fn removed<'a>(
    mut paths: impl Iterator<Item = &'a Value>,
    place: &Place,
) -> Option<String> {
    paths.find_map(|word| {
        let ruined = ruin(word, place);
        let keys = place.home.as_ref().is_some_and(|home| {
            let path = crate::lexical::normal(&place.folder.join(&word.text));
            path == home.join(".ssh") || path == home.join(".gnupg")
        });
        match ruined {
            Some(ruin) => Some(format!("It would remove {}.", ruin.describe())),
            None if keys => Some("It would remove the user's keys.".to_owned()),
            None => None,
        }
    })
}

/// `find … -delete` or `-exec rm`, and no more than that.
fn find(arguments: &[Value], place: &Place) -> Option<String> {
    const FILTERS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-regex",
        "-iregex",
        "-newer",
        "-mtime",
        "-mmin",
        "-atime",
        "-ctime",
        "-size",
        "-empty",
        "-user",
        "-inum",
        "-samefile",
    ];
    let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    let runs = |pair: &[&str]| {
        let name = pair[1].rsplit('/').next().unwrap_or(pair[1]);
        ["-exec", "-execdir"].contains(&pair[0]) && ["rm", "grm", "unlink", "shred"].contains(&name)
    };
    let deletes = texts.contains(&"-delete");
    if !deletes && !texts.windows(2).any(runs) {
        return None;
    }
    let filtered = texts
        .windows(2)
        .any(|pair| FILTERS.contains(&pair[0]) && !["*", "/*", ".*"].contains(&pair[1]));
    let starts: Vec<&Value> = arguments
        .iter()
        .take_while(|word| !word.text.starts_with(['-', '(', '!']))
        .collect();
    let here = Value::literal(".");
    let starts = if starts.is_empty() {
        vec![&here]
    } else {
        starts
    };
    if filtered {
        return None;
    }
    // `rm` in the folder where the line starts is asked for like any other.
    let counts = |start: &&Value| deletes || ruin(start, place) != Some(Ruin::Folder);
    removed(starts.into_iter().filter(counts), place)
}
