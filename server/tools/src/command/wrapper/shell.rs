//! Shells and interpreters: what they run from an argument, from a file, or from their input.

use super::{Runs, Wrapped, joined, rest_of};
use crate::command::program::Program;
use crate::command::stream::Stream;
use crate::command::word::Value;

/// Shells whose scripts are read as bash's.
const SHELLS: &[&str] = &["bash", "rbash"];

/// Shells whose scripts are read as bash's as long as they have nothing that is bash's own.
const PLAIN_SHELLS: &[&str] = &["sh", "dash", "ksh", "ash", "mksh", "hush"];

/// What plain shells read in another way: `&>` starts something in the background, what follows is a command of its own;
/// a quote after `$` is closed by the next one, whatever stands before that.
const OF_BASH: &[&str] = &["&>", "|&", "$'", "$\"", "<<<", "<(", ">(", "=(", "[["];

/// Shells with a language of their own.
const OTHER_SHELLS: &[&str] = &[
    "zsh",
    "fish",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
    "nu",
    "xonsh",
    "elvish",
    "cmd",
];

/// An interpreter: its options that take code, those that take another value, and those that say that the code is
/// elsewhere.
struct Interpreter {
    name: &'static str,
    code: &'static [&'static str],
    valued: &'static [&'static str],
    elsewhere: &'static [&'static str],
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        name: "python",
        code: &["-c"],
        valued: &["-W", "-X"],
        elsewhere: &["-m", "-V", "--version"],
    },
    Interpreter {
        name: "pypy",
        code: &["-c"],
        valued: &["-W", "-X"],
        elsewhere: &["-m", "--version"],
    },
    Interpreter {
        name: "perl",
        code: &["-e", "-E"],
        valued: &["-I", "-M"],
        elsewhere: &["-v"],
    },
    Interpreter {
        name: "ruby",
        code: &["-e"],
        valued: &["-I", "-r"],
        elsewhere: &["-v", "--version"],
    },
    Interpreter {
        name: "node",
        code: &["-e", "-p", "--eval", "--print", "-pe"],
        valued: &["-r", "--require", "--import"],
        elsewhere: &["--test", "-v", "--version"],
    },
    Interpreter {
        name: "nodejs",
        code: &["-e", "-p", "--eval", "--print", "-pe"],
        valued: &["-r", "--require"],
        elsewhere: &["-v", "--version"],
    },
    Interpreter {
        name: "bun",
        code: &["-e", "--eval", "-p"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "deno",
        code: &["eval"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "php",
        code: &["-r", "-B", "-R", "-E"],
        valued: &["-d", "-c"],
        elsewhere: &["-v", "-m", "-i"],
    },
    Interpreter {
        name: "lua",
        code: &["-e"],
        valued: &["-l"],
        elsewhere: &["-v"],
    },
    Interpreter {
        name: "luajit",
        code: &["-e"],
        valued: &["-l"],
        elsewhere: &["-v"],
    },
    Interpreter {
        name: "tclsh",
        code: &[],
        valued: &[],
        elsewhere: &[],
    },
    Interpreter {
        name: "expect",
        code: &["-c"],
        valued: &[],
        elsewhere: &["-v"],
    },
    Interpreter {
        name: "osascript",
        code: &["-e"],
        valued: &["-l"],
        elsewhere: &[],
    },
    Interpreter {
        name: "rscript",
        code: &["-e"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "julia",
        code: &["-e", "-E", "--eval", "--print"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "groovy",
        code: &["-e"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "elixir",
        code: &["-e", "--eval"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "guile",
        code: &["-c"],
        valued: &[],
        elsewhere: &["--version"],
    },
    Interpreter {
        name: "emacs",
        code: &["--eval", "-eval", "--execute"],
        valued: &[],
        elsewhere: &["--version"],
    },
];

pub(super) fn unwrap(program: &Program, arguments: &[Value], input: &Stream) -> Option<Wrapped> {
    let name = program.name.as_str();
    if ["source", "."].contains(&name) && program.is_bare {
        return Some(sourced(arguments, input));
    }
    if SHELLS.contains(&program.family()) {
        return Some(shell(arguments, input));
    }
    if PLAIN_SHELLS.contains(&program.family()) {
        let mut wrapped = shell(arguments, input);
        let differs = wrapped.runs.iter().any(|runs| match runs {
            Runs::Script { text, .. } => OF_BASH.iter().any(|sign| text.text.contains(sign)),
            _ => false,
        });
        if differs {
            wrapped.doubt = Some("runs a script that not every shell reads in the same way");
        }
        return Some(wrapped);
    }
    if OTHER_SHELLS.contains(&name) || OTHER_SHELLS.contains(&program.family()) {
        let mut wrapped = shell(arguments, input);
        wrapped.harmless = false;
        wrapped.doubt = Some("runs a script in another shell's language");
        return Some(wrapped);
    }
    let interpreter = INTERPRETERS
        .iter()
        .find(|interpreter| interpreter.name == program.family())?;
    interpret(interpreter, arguments, input)
}

fn is_input(text: &str) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(&text)
}

/// What comes from the input, as a word.
fn from_input(input: &Stream) -> Value {
    Value {
        text: input.text.clone().unwrap_or_default(),
        known: input.text.is_some() && !input.guessed,
        stream: input.clone(),
        ..Value::default()
    }
}

/// A script of the shell; the words are what `$0`, `$1` and so on stand for in it.
fn scripted(text: Value, rest: &[Value]) -> Wrapped {
    Wrapped {
        harmless: true,
        runs: vec![Runs::Script {
            text,
            positional: rest.iter().map(|word| word.text.clone()).collect(),
        }],
        ..Wrapped::default()
    }
}

fn shell(arguments: &[Value], input: &Stream) -> Wrapped {
    let mut at = 0;
    let mut strange = None;
    let mut takes_script = false;
    let mut reads_input = false;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if !text.starts_with(['-', '+']) || text.len() == 1 {
            break;
        }
        at += 1;
        let flags = &text[1..];
        if let Some(long) = text.strip_prefix("--") {
            match long {
                "norc" | "noprofile" | "posix" | "verbose" => {}
                "rcfile" | "init-file" => {
                    at += 1;
                    strange = Some("reads a file before it begins");
                }
                "command" | "Command" => takes_script = true,
                _ if long.starts_with("command=") => {
                    return scripted(rest_of(word, "--command=".len()), &arguments[at..]);
                }
                _ => strange = Some("has an option that is not known, and runs a script"),
            }
            continue;
        }
        takes_script |= flags.contains('c') || flags.eq_ignore_ascii_case("command");
        reads_input |= flags.contains('s');
        if flags.contains(['o', 'O']) {
            at += 1;
        }
        if flags.contains(['i', 'l', 'O', 'a']) {
            strange = Some("reads the user's files before it begins, or changes how it reads");
        }
    }
    let rest = arguments.get(at..).unwrap_or_default();
    let mut wrapped = match rest {
        [script, rest @ ..] if takes_script => scripted(script.clone(), rest),
        [] if takes_script => Wrapped::doubtful("has no script"),
        [file, ..] if !reads_input && !is_input(&file.text) => match file.is_process {
            true => scripted(from_input(&file.stream), rest),
            false => Wrapped {
                runs: vec![Runs::File(file.clone())],
                ..Wrapped::default()
            },
        },
        rest if reads_input => {
            let named = [&[Value::literal("sh")], rest].concat();
            scripted(from_input(input), &named)
        }
        rest => scripted(from_input(input), rest),
    };
    if strange.is_some() {
        wrapped.doubt = strange;
    }
    wrapped
}

/// `source` and `.`: they run a file in this shell.
fn sourced(arguments: &[Value], input: &Stream) -> Wrapped {
    let mut wrapped = match arguments {
        [file, ..] if file.is_process => scripted(from_input(&file.stream), arguments),
        [file, ..] if is_input(&file.text) => scripted(from_input(input), arguments),
        [file, ..] => Wrapped {
            runs: vec![Runs::File(file.clone())],
            ..Wrapped::default()
        },
        [] => Wrapped::default(),
    };
    wrapped.harmless = false;
    wrapped.doubt = Some("runs a file in the same shell, where it may change everything after it");
    wrapped
}

fn interpret(interpreter: &Interpreter, arguments: &[Value], input: &Stream) -> Option<Wrapped> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        let next = arguments.get(at + 1);
        if interpreter.code.contains(&text) {
            runs.extend(next.cloned().map(Runs::Code));
            at += 2;
            if interpreter.name == "python" {
                // The rest are arguments of the code.
                break;
            }
            continue;
        }
        if interpreter.elsewhere.contains(&text) {
            return (!runs.is_empty()).then(|| Wrapped {
                runs,
                ..Wrapped::default()
            });
        }
        if interpreter.valued.contains(&text) {
            at += 2;
            continue;
        }
        let long = interpreter
            .code
            .iter()
            .filter(|option| option.starts_with("--"));
        let attached = long
            .filter_map(|option| text.strip_prefix(option)?.strip_prefix('='))
            .next();
        if let Some(code) = attached {
            runs.push(Runs::Code(rest_of(word, text.len() - code.len())));
        } else if text.starts_with('-') && !text.starts_with("--") && text.len() > 1 {
            // Flags in one word, of which the last takes code, or has it attached.
            let takes = |option: &&&str| option.len() == 2 && text[1..].contains(&option[1..]);
            if let Some(option) = interpreter.code.iter().find(takes) {
                let at_option = text.rfind(&option[1..]).map_or(text.len(), |at| at + 1);
                if at_option == text.len() {
                    runs.extend(next.cloned().map(Runs::Code));
                    at += 1;
                } else {
                    runs.push(Runs::Code(rest_of(word, at_option)));
                }
            }
        } else if !text.starts_with('-') || is_input(text) {
            break;
        }
        at += 1;
    }
    let rest = arguments.get(at..).unwrap_or_default();
    if runs.is_empty() {
        match rest.first() {
            Some(file) if file.is_process => runs.push(Runs::Code(from_input(&file.stream))),
            Some(file) if !is_input(&file.text) => runs.push(Runs::File(file.clone())),
            _ => runs.push(Runs::Code(from_input(input))),
        }
    }
    Some(Wrapped {
        runs,
        ..Wrapped::default()
    })
}

/// The script of `su -c`, `script -c` and the like.
pub(super) fn with_option(arguments: &[Value], options: &[&str]) -> Option<Wrapped> {
    let at = arguments
        .iter()
        .position(|word| options.contains(&word.text.as_str()))?;
    let script = joined(arguments.get(at + 1..at + 2)?);
    Some(Wrapped::script(script))
}

/// What a program takes from its input as a script.
pub(super) fn from_standard_input(input: &Stream) -> Wrapped {
    Wrapped::script(from_input(input))
}
