//! Which arguments of known programs are files, and whether they are written. Knows names of programs and options, and
//! nothing of what is on the disk.

use super::program::Program;
use super::word::{Glob, Value};

/// Programs whose operands are all written, but for as many at the start.
const WRITE_ALL: &[(&str, usize)] = &[
    ("rm", 0),
    ("rmdir", 0),
    ("unlink", 0),
    ("shred", 0),
    ("truncate", 0),
    ("touch", 0),
    ("mkdir", 0),
    ("mkfifo", 0),
    ("mknod", 0),
    ("tee", 0),
    ("sponge", 0),
    ("rimraf", 0),
    ("chmod", 1),
    ("chown", 1),
    ("chgrp", 1),
    ("gzip", 0),
    ("gunzip", 0),
    ("xz", 0),
    ("bzip2", 0),
    ("zstd", 0),
    ("mkfs", 0),
    ("wipefs", 0),
    ("rustfmt", 0),
    ("stylua", 0),
];

/// Programs that write their last operand. With `true` they take the others away.
const WRITE_LAST: &[(&str, bool)] = &[
    ("cp", false),
    ("gcp", false),
    ("mv", true),
    ("gmv", true),
    ("ln", false),
    ("install", false),
    ("rsync", false),
    ("scp", false),
    ("ditto", false),
];

/// Programs that read their operands, but for as many at the start.
const READ_ALL: &[(&str, usize)] = &[
    ("cat", 0),
    ("tac", 0),
    ("head", 0),
    ("tail", 0),
    ("less", 0),
    ("more", 0),
    ("wc", 0),
    ("nl", 0),
    ("od", 0),
    ("xxd", 0),
    ("hexdump", 0),
    ("strings", 0),
    ("base64", 0),
    ("md5sum", 0),
    ("sha1sum", 0),
    ("sha256sum", 0),
    ("sha512sum", 0),
    ("cksum", 0),
    ("cut", 0),
    ("paste", 0),
    ("sort", 0),
    ("uniq", 0),
    ("diff", 0),
    ("cmp", 0),
    ("comm", 0),
    ("file", 0),
    ("stat", 0),
    ("du", 0),
    ("ls", 0),
    ("tree", 0),
    ("rev", 0),
    ("fold", 0),
    ("column", 0),
    ("bat", 0),
    ("zcat", 0),
    ("jq", 1),
    ("yq", 1),
    ("grep", 1),
    ("egrep", 1),
    ("fgrep", 1),
    ("rg", 1),
    ("sed", 1),
    ("awk", 1),
    ("gawk", 1),
    ("readlink", 0),
    ("realpath", 0),
    ("source", 0),
    (".", 0),
];

/// Options with a file that is written.
const OUTPUTS: &[(&str, &[&str])] = &[
    (
        "curl",
        &[
            "-o",
            "--output",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--output-dir",
        ],
    ),
    (
        "wget",
        &[
            "-O",
            "--output-document",
            "-o",
            "--output-file",
            "-a",
            "-P",
            "--directory-prefix",
        ],
    ),
    ("sort", &["-o", "--output"]),
    ("gcc", &["-o"]),
    ("g++", &["-o"]),
    ("cc", &["-o"]),
    ("c++", &["-o"]),
    ("clang", &["-o"]),
    ("clang++", &["-o"]),
    ("ld", &["-o"]),
    ("rustc", &["-o", "--out-dir"]),
    ("tar", &["-C", "--directory"]),
    ("unzip", &["-d"]),
    ("tree", &["-o"]),
    ("base64", &["-o", "--output"]),
    ("openssl", &["-out"]),
    ("cp", &["-t", "--target-directory"]),
    ("mv", &["-t", "--target-directory"]),
    ("ln", &["-t", "--target-directory"]),
    ("install", &["-t", "--target-directory"]),
    ("git", &["--output", "--separate-git-dir", "--directory"]),
    ("rsync", &["--log-file"]),
    ("patch", &["-o", "--output", "-d", "--directory"]),
    ("strace", &["-o"]),
    ("time", &["-o", "--output"]),
    ("xmllint", &["--output"]),
    ("pandoc", &["-o", "--output"]),
    ("split", &[]),
    ("ssh-keygen", &["-f"]),
    ("script", &["-O"]),
];

/// The files that a command names, and whether it writes them.
pub(super) fn named(program: &Program, arguments: &[Value]) -> Vec<(Value, bool)> {
    let name = program.name.as_str();
    let mut found = Vec::new();
    if name == "dd" {
        for word in arguments {
            for (start, writes) in [("of=", true), ("if=", false)] {
                if word.text.starts_with(start) {
                    found.push((after(word, start.len()), writes));
                }
            }
        }
        return found;
    }
    if let Some((_, options)) = OUTPUTS.iter().find(|(program, _)| *program == name) {
        found.extend(
            outputs(arguments, options)
                .into_iter()
                .map(|value| (value, true)),
        );
    }
    let operands: Vec<&Value> = operands(arguments).collect();
    if let Some((_, skip)) = WRITE_ALL.iter().find(|(program, _)| *program == name) {
        found.extend(
            operands
                .iter()
                .skip(*skip)
                .map(|word| ((*word).clone(), true)),
        );
    }
    if let Some((_, takes)) = WRITE_LAST.iter().find(|(program, _)| *program == name)
        && let Some((last, others)) = operands.split_last()
    {
        found.extend(others.iter().map(|word| ((*word).clone(), *takes)));
        found.push(((*last).clone(), true));
    }
    if let Some((_, skip)) = READ_ALL.iter().find(|(program, _)| *program == name) {
        let edits = ["sed", "yq"].contains(&name) && has_in_place(arguments);
        found.extend(
            operands
                .iter()
                .skip(*skip)
                .map(|word| ((*word).clone(), edits)),
        );
    }
    if ["perl", "ruby"].contains(&name) && has_in_place(arguments) {
        found.extend(operands.iter().map(|word| ((*word).clone(), true)));
    }
    match name {
        "git" => found.extend(of_git(arguments)),
        "find" => {
            let writes = |pair: &&[Value]| {
                ["-fprint", "-fprint0", "-fprintf", "-fls"].contains(&pair[0].text.as_str())
            };
            let pairs = arguments.windows(2).filter(writes);
            found.extend(pairs.map(|pair| (pair[1].clone(), true)));
        }
        _ => {}
    }
    if name == "tar"
        && let Some(archive) = archive(arguments)
    {
        found.push(archive);
    }
    if name == "zip"
        && let Some(first) = operands.first()
    {
        found.push(((*first).clone(), true));
    }
    found.retain(|(value, writes)| {
        !(*writes
            && ["/dev/null", "/dev/stdout", "/dev/stderr", "-"].contains(&value.text.as_str()))
    });
    found
}

/// The files that what is fetched gets the names of its addresses: those that nobody named.
pub(super) fn fetched(program: &Program, arguments: &[Value]) -> Vec<String> {
    let short = |word: &&Value| word.text.starts_with('-') && !word.text.starts_with("--");
    let by_name = match program.name.as_str() {
        "wget" | "wget2" | "aria2c" | "axel" => true,
        "curl" => arguments.iter().any(|word| {
            word.text.starts_with("--remote-name") || short(&word) && word.text.contains('O')
        }),
        _ => false,
    };
    let folder = outputs(
        arguments,
        &["-P", "--directory-prefix", "--output-dir", "-d"],
    );
    let folder = folder.first().map_or("", |folder| folder.text.as_str());
    let addresses = arguments
        .iter()
        .filter(|word| by_name && !word.text.starts_with('-'));
    let name = |word: &Value| {
        let path = word.text.split(['?', '#']).next()?;
        let (_, name) = path.rsplit_once('/')?;
        (!name.is_empty()).then(|| format!("{folder}/{name}"))
    };
    let named = addresses.filter_map(name);
    named
        .map(|name| name.trim_start_matches('/').to_owned())
        .collect()
}

/// The archive that a command unpacks (none: its input), and the folder where it does (none: the present one); absent if it
/// unpacks nothing.
pub(super) fn unpacked(
    program: &Program,
    arguments: &[Value],
) -> Option<(Option<String>, Option<String>)> {
    let first = |options: &[&str]| {
        let found = outputs(arguments, options);
        found.first().map(|value| value.text.clone())
    };
    let words = || arguments.iter().map(|word| word.text.as_str());
    match program.name.as_str() {
        "tar" | "gtar" | "bsdtar" => {
            let letters = |word: &str| !word.starts_with("--") && word.contains('x');
            let unpacks = words().next().is_some_and(letters)
                || words().any(|word| word.starts_with('-') && letters(word))
                || words().any(|word| word == "--extract" || word == "--get");
            // `xzf FILE`, without a dash, takes its values from the words that follow.
            let old = words().next().filter(|word| !word.starts_with('-'));
            let old = old.filter(|letters| letters.contains('f'));
            let archive = match old {
                Some(_) => words().nth(1).map(str::to_owned),
                None => first(&["-f", "--file"]),
            };
            let archive = archive.filter(|archive| archive != "-");
            unpacks.then(|| (archive, first(&["-C", "--directory"])))
        }
        "unzip" | "7z" | "7za" | "unar" | "unrar" => {
            let archive = words().find(|word| word.contains('.') && !word.starts_with('-'));
            Some((Some(archive?.to_owned()), first(&["-d"])))
        }
        _ => None,
    }
}

/// Programs of whose words some are text, and whose files are told by [`named`].
const SPEAKERS: &[&str] = &[
    "echo", "printf", "export", "find", "fd", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git",
    "test", "[", "alias", "unset", "mkdir",
];

/// What else of a command's words may be the name of a file: of a program that nothing is known of each, with what may
/// stand before a name in it (`--file=NAME`, `-fNAME`, `@NAME`, `file://NAME`, `NAME:…`).
pub(super) fn mentioned(program: &Program, arguments: &[Value]) -> Vec<Value> {
    if SPEAKERS.contains(&program.name.as_str()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let may_be_named = |word: &&Value| word.known || word.glob != Glob::None;
    for word in arguments.iter().filter(may_be_named) {
        let text = word.text.as_str();
        let value = text.split_once('=').map(|(_, value)| value);
        let attached = text
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'))
            .and_then(|rest| rest.get(1..));
        for name in [Some(text), value, attached].into_iter().flatten() {
            let name = name.strip_prefix("file://").unwrap_or(name);
            if name.contains("://") {
                continue;
            }
            let pieces = name
                .split(':')
                .map(|piece| piece.trim_start_matches(['@', '<']));
            found.extend(pieces.filter(|piece| !piece.is_empty()).map(|piece| Value {
                text: piece.to_owned(),
                ..word.clone()
            }));
        }
    }
    found
}

/// What git is told to read that it need not know, and to write outside of what it keeps.
fn of_git(arguments: &[Value]) -> Vec<(Value, bool)> {
    let mut words = operands(arguments);
    let Some(command) = words.next().map(|word| word.text.as_str()) else {
        return Vec::new();
    };
    let words: Vec<&Value> = words.collect();
    let mut found = Vec::new();
    let mut add = |words: &[&Value], writes: bool| {
        found.extend(words.iter().map(|word| ((*word).clone(), writes)));
    };
    match (command, words.as_slice()) {
        ("mv", words) => add(words, true),
        ("interpret-trailers", words) => add(words, true),
        ("init" | "clone", [.., target]) => add(&[target], true),
        ("worktree", [verb, target, ..]) if verb.text == "add" => add(&[target], true),
        ("bundle", [verb, target, ..]) if verb.text == "create" => add(&[target], true),
        ("blame" | "annotate" | "diff" | "hash-object" | "apply", words) => add(words, false),
        _ => {}
    }
    if ["format-patch", "archive", "diagnose", "bugreport"].contains(&command) {
        let options = &["-o", "--output", "--output-directory"];
        let values = outputs(arguments, options).into_iter();
        found.extend(values.map(|value| (value, true)));
    }
    let long = |word: &&Value| word.text.starts_with("--contents=");
    let values = arguments.iter().filter(long);
    found.extend(values.map(|word| (after(word, "--contents=".len()), false)));
    found
}

fn after(word: &Value, from: usize) -> Value {
    Value {
        text: word.text[from..].to_owned(),
        ..word.clone()
    }
}

fn operands(arguments: &[Value]) -> impl Iterator<Item = &Value> {
    let end = arguments
        .iter()
        .position(|word| word.text == "--")
        .unwrap_or(arguments.len());
    let before = arguments[..end]
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    before.chain(arguments.iter().skip(end + 1))
}

fn outputs(arguments: &[Value], options: &[&str]) -> Vec<Value> {
    let mut found = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let name = word.text.split('=').next().unwrap_or_default();
        for option in options {
            // Most programs take the beginning of a long option for the whole.
            let is_long = option.starts_with("--") && name.len() > 2 && option.starts_with(name);
            match word.text.strip_prefix(option) {
                _ if is_long && name.len() < word.text.len() => {
                    found.push(after(word, name.len() + 1));
                }
                _ if is_long || word.text == *option => {
                    found.extend(arguments.get(at + 1).cloned());
                }
                Some(_) if option.len() == 2 => found.push(after(word, option.len())),
                _ => {}
            }
        }
        // `-so file` and `-so./file`; the first letter that takes a value, for the rest is that.
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        let takes = |letter: char| {
            let mut short = options.iter().filter(|option| option.len() == 2);
            short.any(|option| option.ends_with(letter))
        };
        let first = letters.find(|c: char| !c.is_ascii_alphabetic() || takes(c));
        if let Some(place) = first.filter(|place| *place > 0 && takes_at(letters, *place, takes)) {
            match &letters[place + 1..] {
                "" => found.extend(arguments.get(at + 1).cloned()),
                // Else it is most likely one long option of a compiler: `-Wno-error`.
                value if value.contains(['/', '.']) => found.push(after(word, place + 2)),
                _ => {}
            }
        }
    }
    found
}

fn takes_at(letters: &str, place: usize, takes: impl Fn(char) -> bool) -> bool {
    letters[place..].chars().next().is_some_and(takes)
}

fn has_in_place(arguments: &[Value]) -> bool {
    arguments.iter().any(|word| {
        let text = word.text.as_str();
        text.starts_with("--i")
            || text.starts_with('-') && !text.starts_with("--") && text.contains('i')
    })
}

/// The archive of `tar`, and whether it is written.
fn archive(arguments: &[Value]) -> Option<(Value, bool)> {
    if let Some(named) = outputs(arguments, &["--file"]).into_iter().next() {
        let reads = arguments.iter().any(|word| {
            let short = word.text.starts_with('-') && !word.text.starts_with("--");
            ["--extract", "--get", "--list"].contains(&word.text.as_str())
                || short && word.text.contains(['x', 't'])
        });
        return Some((named, !reads));
    }
    let flags = arguments.iter().position(|word| {
        let text = word.text.trim_start_matches('-');
        !word.text.starts_with("--")
            && text.contains('f')
            && text.chars().all(|c| c.is_ascii_alphabetic())
    })?;
    let writes = arguments[flags].text.contains(['c', 'r', 'u', 'A']);
    Some((arguments.get(flags + 1)?.clone(), writes))
}
