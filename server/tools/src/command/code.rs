//! Programs in other languages, given as text: searched for calls that remove what must stay, and for commands that
//! they hand to a shell. Understands none of these languages.

use std::sync::LazyLock;

use regex::Regex;

use super::danger::{FORK_BOMB, NETWORK_INTO_SHELL, Place, Ruin, ruin};
use super::stream::{base64, hexadecimal};
use super::word::{Value, unescape};

/// Longer programs are searched up to here.
const MAX_BYTES: usize = 64 * 1024;

/// Programs within programs are followed so deep.
const MAX_DEPTH: usize = 3;

/// What was found in a program.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub dangers: Vec<String>,
    /// What it may hand to a shell.
    pub scripts: Vec<String>,
}

/// Built from a text that stands here, so it is valid; were it not, nothing would be found and the tests would fail.
fn pattern(text: &'static str) -> Option<Regex> {
    Regex::new(text).ok()
}

static REMOVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?:rmtree|rm_rf|rm_r|remove_tree|rmSync|rmdirSync|removeSync|emptyDirSync|remove_dir_all|removedirs|fs\.rm|fs\.promises\.rm|fsp\.rm|rimraf|remove_entry(?:_secure)?|deltree|delete-directory)\s*\(?\s*([^,;\n]{1,200})"#,
    )
});

static RUNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)system|popen|subprocess|exec|spawn|child_process|qx|%x|shell|`|run\(|\|\s*getline|\bsh\b|Kernel|IO\.|open\(",
    )
});

static FETCHES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?is)(?:\beval|\bexec|compile|instance_eval|Function)\s*\(?.{0,80}(?:urlopen|requests\.get|urllib|http\.get|fetch\(|Net::HTTP|open-uri|open\(.https?:|file_get_contents\(.https?:|LWP|get\(.https?:|curl)",
    )
});

static FORKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?s)while\s*\(?\s*(?:True|1|true)\s*\)?\s*[:{]?.{0,20}fork|fork\s+while\s+(?:fork|1|true)|loop\s*\{\s*fork|fork\s*\(\)\s*while",
    )
});

fn is_match(pattern: &Option<Regex>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}

/// Searches a program.
pub(super) fn look(code: &str, place: &Place) -> Seen {
    let mut seen = Seen::default();
    look_into(code, place, 0, &mut seen);
    seen
}

fn look_into(code: &str, place: &Place, depth: usize, seen: &mut Seen) {
    let mut end = code.len().min(MAX_BYTES);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let code = &code[..end];
    if let Some(removes) = &*REMOVES {
        for found in removes.captures_iter(code) {
            let argument = found.get(1).map_or("", |argument| argument.as_str());
            if let Some(ruin) = ruined(argument, place) {
                seen.dangers
                    .push(format!("It would remove {}.", ruin.describe()));
            }
        }
    }
    if is_match(&FETCHES, code) {
        seen.dangers.push(NETWORK_INTO_SHELL.to_owned());
    }
    if is_match(&FORKS, code) {
        seen.dangers.push(FORK_BOMB.to_owned());
    }
    let literals = literals(code);
    let device = literals.iter().find_map(|literal| {
        let opens = code.contains("open") || code.contains("write");
        opens
            .then(|| super::danger::write(&Value::literal(&literal.text), place))
            .flatten()
    });
    seen.dangers
        .extend(device.filter(|why| why.contains("device")));
    if is_match(&RUNS, code) {
        // Each by itself, and those in one list together: `["rm", "-rf", "/"]`.
        let mut list: Vec<String> = Vec::new();
        for literal in &literals {
            seen.scripts.push(literal.text.clone());
            if !literal.follows {
                flush(&mut list, seen);
            }
            list.push(quoted(&literal.text));
        }
        flush(&mut list, seen);
    }
    if depth < MAX_DEPTH {
        for literal in &literals {
            let text = literal.text.as_str();
            let decoded = (text.len() >= 8)
                .then(|| base64(text).or_else(|| hexadecimal(text)))
                .flatten();
            if let Some(decoded) =
                decoded.filter(|text| text.chars().all(|c| !c.is_control() || c.is_whitespace()))
            {
                seen.scripts.push(decoded.clone());
                look_into(&decoded, place, depth + 1, seen);
            }
        }
    }
}

fn flush(list: &mut Vec<String>, seen: &mut Seen) {
    if list.len() > 1 {
        seen.scripts.push(list.join(" "));
    }
    list.clear();
}

/// A word for a shell that means exactly this.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./~*=:,+@%".contains(c);
    match text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// What the argument of a call that removes stands for.
fn ruined(argument: &str, place: &Place) -> Option<Ruin> {
    const HOMES: &[&str] = &[
        "expanduser(\"~\")",
        "expanduser('~')",
        "Path.home()",
        "homedir()",
        "environ[\"HOME\"]",
        "environ['HOME']",
        "getenv(\"HOME\")",
        "getenv('HOME')",
        "process.env.HOME",
        "ENV[\"HOME\"]",
        "ENV['HOME']",
        "Dir.home",
        "$ENV{HOME}",
        "getenv(\"HOME\"",
    ];
    const FOLDERS: &[&str] = &[
        "getcwd()",
        "process.cwd()",
        "Path.cwd()",
        "Dir.pwd",
        "os.curdir",
    ];
    let argument = argument.trim();
    if HOMES.iter().any(|home| argument.contains(home))
        && !argument.contains('+')
        && !argument.contains("join")
    {
        return Some(Ruin::Home);
    }
    if FOLDERS.iter().any(|folder| argument.contains(folder))
        && !argument.contains('+')
        && !argument.contains("join")
    {
        return Some(Ruin::Folder);
    }
    let literal = literals(argument).into_iter().next()?;
    let text = match literal.text.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", place.home.as_ref()?.display()),
        None => literal.text,
    };
    ruin(&Value::literal(text), place)
}

/// A text in quotes.
struct Literal {
    text: String,
    /// Only a comma stands between it and the one before.
    follows: bool,
}

fn literals(code: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut rest = code;
    let mut between = String::new();
    while let Some(at) = rest.find(['"', '\'', '`']) {
        between.push_str(&rest[..at]);
        let quote = &rest[at..=at];
        let inside = &rest[at + 1..];
        let mut end = None;
        let mut escaped = false;
        for (index, character) in inside.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if inside[index..].starts_with(quote) => {
                    end = Some(index);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else { break };
        found.push(Literal {
            text: unescape(&inside[..end]),
            follows: !found.is_empty() && between.trim() == ",",
        });
        between.clear();
        rest = &inside[end + 1..];
    }
    found
}
