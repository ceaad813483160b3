//! Programs that are no wrappers by profession, but run what an option or an operand says.

use super::{Runs, Wrapped, joined, language, rest_of, script, shell, values_of};
use crate::command::git;
use crate::command::program::Program;
use crate::command::stream::Stream;
use crate::command::word::Value;

pub(super) fn unwrap(program: &Program, arguments: &[Value], input: &Stream) -> Option<Wrapped> {
    match program.name.as_str() {
        "xargs" => xargs(arguments, input),
        "parallel" => Some(Wrapped {
            doubt: Some("makes commands of what it reads"),
            ..spread(arguments, input)
        }),
        "find" | "gfind" => find(arguments),
        "fd" | "fdfind" => after_option(arguments, &["-x", "--exec", "-X", "--exec-batch"]),
        "rg" => options(arguments, &["--pre", "--hostname-bin"]),
        "git" => scripts(git::look(arguments).scripts),
        "tar" | "gtar" | "bsdtar" => tar(arguments),
        "rsync" => options(arguments, &["-e", "--rsh", "--rsync-path"]),
        "sort" => options(arguments, &["--compress-program"]),
        "zip" => options(arguments, &["-TT", "--unzip-command"]),
        "man" => options(arguments, &["-P", "--pager", "-H", "--html"]),
        "wget" => options(arguments, &["--use-askpass"]),
        "ssh" | "mosh" | "rsh" => ssh(arguments),
        "scp" | "sftp" => options(arguments, &["-S"]),
        "su" | "runuser" => {
            shell::with_option(arguments, &["-c", "--command"]).map(|wrapped| Wrapped {
                covers: true,
                ..wrapped
            })
        }
        "script" => shell::with_option(arguments, &["-c", "--command", "-qc", "-qec", "-ec"]),
        "nix-shell" => shell::with_option(arguments, &["--run", "--command"]),
        "watch" => watch(arguments),
        "hyperfine" => Some(Wrapped {
            runs: arguments
                .iter()
                .filter(|word| !word.text.starts_with('-'))
                .cloned()
                .map(script)
                .collect(),
            ..Wrapped::default()
        }),
        "at" | "batch" => Some(shell::from_standard_input(input)),
        "crontab" if arguments.last().is_some_and(|word| word.text == "-") => {
            Some(Wrapped::doubtful("runs commands later"))
        }
        "docker" | "podman" | "nerdctl" => container(arguments),
        "npm" | "pnpm" | "yarn" | "bun" => package(program, arguments),
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx" => {
            package_words(arguments, &["-p", "--package", "-w", "--from", "--with"])
        }
        "poetry" | "pipenv" | "uv" | "hatch" | "pdm" | "rye" | "conda" => named(arguments, "run"),
        "bundle" | "mise" | "direnv" | "asdf" => named(arguments, "exec"),
        "make" | "gmake" => make(arguments),
        "go" => options(
            arguments,
            &[
                "-exec",
                "--exec",
                "-toolexec",
                "--toolexec",
                "-vettool",
                "--vettool",
            ],
        ),
        "cargo" => configured(arguments, &["--config"]),
        "pylint" => configured(arguments, &["--init-hook"]),
        "awk" | "gawk" | "mawk" | "nawk" => Some(language::awk(arguments)),
        "sed" | "gsed" => language::sed(arguments),
        "vim" | "nvim" | "vi" | "ex" | "view" | "vimdiff" | "gvim" => language::editor(arguments),
        "less" | "more" | "most" => language::editor(arguments),
        "ed" | "red" => Some(Wrapped::doubtful("takes commands from its input")),
        "gdb" | "lldb" => language::debugger(arguments),
        "sqlite3" | "psql" | "mysql" => language::database(arguments),
        _ => None,
    }
}

fn scripts(scripts: Vec<String>) -> Option<Wrapped> {
    let runs: Vec<Runs> = scripts
        .into_iter()
        .map(|text| script(Value::literal(text)))
        .collect();
    (!runs.is_empty()).then(|| Wrapped {
        runs,
        ..Wrapped::default()
    })
}

/// The values of these options are run.
fn options(arguments: &[Value], names: &[&str]) -> Option<Wrapped> {
    let runs: Vec<Runs> = names
        .iter()
        .flat_map(|name| values_of(arguments, name))
        .map(script)
        .collect();
    (!runs.is_empty()).then(|| Wrapped {
        runs,
        ..Wrapped::default()
    })
}

/// All that follows one of these options is a command.
fn after_option(arguments: &[Value], names: &[&str]) -> Option<Wrapped> {
    let at = arguments
        .iter()
        .position(|word| names.contains(&word.text.as_str()))?;
    let mut words = arguments.get(at + 1..)?.to_vec();
    words.push(unknown("{}", &Stream::default()));
    Some(Wrapped::words(&words))
}

fn unknown(text: &str, stream: &Stream) -> Value {
    Value {
        text: text.to_owned(),
        expanded: true,
        stream: stream.clone(),
        ..Value::default()
    }
}

fn xargs(arguments: &[Value], input: &Stream) -> Option<Wrapped> {
    const VALUED: &[&str] = &[
        "-I",
        "-n",
        "-P",
        "-L",
        "-d",
        "-E",
        "-s",
        "-a",
        "--max-args",
        "--max-procs",
        "--delimiter",
        "--arg-file",
        "--replace",
        "--max-lines",
    ];
    const FLAGS: &[&str] = &[
        "-0",
        "-r",
        "-t",
        "-p",
        "-x",
        "-o",
        "-i",
        "--null",
        "--no-run-if-empty",
        "--verbose",
    ];
    let mut at = 0;
    let mut mark = None;
    let mut doubt = None;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if !text.starts_with('-') {
            break;
        }
        at += 1;
        if text == "--" {
            break;
        }
        if text == "-i" {
            mark = Some("{}".to_owned());
        } else if VALUED.contains(&text) {
            if ["-I", "--replace"].contains(&text) {
                mark = arguments.get(at).map(|word| word.text.clone());
            }
            at += 1;
        } else if let Some(own) = text.strip_prefix("-I").or(text.strip_prefix("--replace=")) {
            mark = Some(own.to_owned());
        } else {
            let attached = VALUED.iter().any(|option| text.starts_with(option));
            let cluster =
                !text.starts_with("--") && text[1..].chars().all(|c| "0rtpxo".contains(c));
            if !attached && !cluster && !FLAGS.contains(&text) {
                doubt = Some("has an option that is not known, and runs a command");
            }
        }
    }
    let command = arguments.get(at..).unwrap_or_default();
    if command.is_empty() {
        return None;
    }
    let mut wrapped = Wrapped {
        harmless: true,
        doubt,
        ..Wrapped::default()
    };
    let read = input
        .text
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let replaced = |with: Option<&str>| -> Vec<Value> {
        let mut words = command.to_vec();
        let Some(mark) = mark.as_deref().filter(|mark| !mark.is_empty()) else {
            match with {
                Some(text) => {
                    words.extend(text.split_whitespace().map(|word| unknown(word, input)))
                }
                None => words.push(unknown("{}", input)),
            }
            return words;
        };
        for word in &mut words {
            if word.text.contains(mark) {
                let text = with.map_or(word.text.clone(), |text| word.text.replace(mark, text));
                *word = unknown(&text, input);
            }
        }
        words
    };
    wrapped.runs.push(Runs::Words(replaced(None)));
    wrapped
        .runs
        .extend(read.map(|text| Runs::Guess(replaced(Some(text)))));
    Some(wrapped)
}

/// GNU parallel, whose syntax is its own: what stands before `:::` is a script, with what follows in it.
fn spread(arguments: &[Value], input: &Stream) -> Wrapped {
    let words: Vec<Value> = arguments
        .iter()
        .skip_while(|word| word.text.starts_with('-'))
        .cloned()
        .collect();
    let end = words
        .iter()
        .position(|word| word.text.starts_with(":::"))
        .unwrap_or(words.len());
    let mut whole = words[..end].to_vec();
    whole.extend(words.get(end + 1..).unwrap_or_default().iter().cloned());
    let read = input.text.as_deref().unwrap_or_default();
    whole.extend(read.split_whitespace().map(|word| unknown(word, input)));
    let mut text = joined(&whole);
    text.text = text.text.replace("{} ", "");
    text.stream.merge(input);
    Wrapped::script(text)
}

fn find(arguments: &[Value]) -> Option<Wrapped> {
    const ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
    const FILTERS: &[&str] = &[
        "-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-newer", "-mtime", "-size",
        "-empty", "-user",
    ];
    let filtered = arguments
        .iter()
        .any(|word| FILTERS.contains(&word.text.as_str()));
    let starts: Vec<&Value> = arguments
        .iter()
        .take_while(|word| !word.text.starts_with(['-', '(', '!']))
        .collect();
    let mut wrapped = Wrapped {
        harmless: false,
        ..Wrapped::default()
    };
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        at += 1;
        if !ACTIONS.contains(&word.text.as_str()) {
            continue;
        }
        let rest = &arguments[at..];
        let end = rest
            .iter()
            .position(|word| [";", "+"].contains(&word.text.as_str()))
            .unwrap_or(rest.len());
        let words: Vec<Value> = rest[..end]
            .iter()
            .map(|word| match word.text.contains("{}") {
                true => unknown(&word.text, &Stream::default()),
                false => word.clone(),
            })
            .collect();
        if !filtered {
            for start in &starts {
                let guess = words.iter().map(|word| Value {
                    text: word.text.replace("{}", &start.text),
                    ..word.clone()
                });
                wrapped.runs.push(Runs::Guess(guess.collect()));
            }
        }
        if !words.is_empty() {
            wrapped.runs.push(Runs::Words(words));
        }
        at += end;
    }
    (!wrapped.runs.is_empty()).then_some(wrapped)
}

fn tar(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = options(
        arguments,
        &[
            "--to-command",
            "-I",
            "--use-compress-program",
            "-F",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
    )
    .unwrap_or_default();
    for action in values_of(arguments, "--checkpoint-action") {
        if let Some(command) = action.text.strip_prefix("exec=") {
            wrapped
                .runs
                .push(script(rest_of(&action, action.text.len() - command.len())));
        }
    }
    (!wrapped.runs.is_empty()).then_some(wrapped)
}

fn ssh(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = Wrapped {
        covers: true,
        ..Wrapped::default()
    };
    for option in values_of(arguments, "-o") {
        let Some((name, command)) = option.text.split_once(['=', ' ']) else {
            continue;
        };
        if ["proxycommand", "localcommand", "knownhostscommand"]
            .contains(&name.to_lowercase().as_str())
        {
            wrapped
                .runs
                .push(script(rest_of(&option, option.text.len() - command.len())));
            wrapped.doubt = Some("runs a command here to connect");
        }
    }
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        let valued = word.text.len() == 2 && "bcDEeFIiJLlmOoPpQRSWw".contains(&word.text[1..]);
        at += if valued { 2 } else { 1 };
    }
    let command = arguments.get(at + 1..).unwrap_or_default();
    if !command.is_empty() {
        wrapped.runs.push(script(joined(command)));
    }
    (!wrapped.runs.is_empty()).then_some(wrapped)
}

fn watch(arguments: &[Value]) -> Option<Wrapped> {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        at += if ["-n", "--interval"].contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    let command = arguments.get(at..).unwrap_or_default();
    (!command.is_empty()).then(|| Wrapped::script(joined(command)))
}

fn container(arguments: &[Value]) -> Option<Wrapped> {
    const VALUED: &[&str] = &[
        "-e",
        "-v",
        "-w",
        "-p",
        "-u",
        "-h",
        "-l",
        "-m",
        "--name",
        "--env",
        "--volume",
        "--workdir",
        "--publish",
        "--user",
        "--network",
        "--entrypoint",
        "--mount",
        "--platform",
        "--env-file",
        "--label",
        "--memory",
        "--cpus",
        "--hostname",
        "--add-host",
        "--cap-add",
        "--device",
        "--security-opt",
        "--net",
    ];
    let at = arguments
        .iter()
        .position(|word| ["run", "exec"].contains(&word.text.as_str()))?;
    let mut at = at + 1;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        at += if VALUED.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    let command = arguments.get(at + 1..)?;
    (!command.is_empty()).then(|| Wrapped {
        covers: true,
        ..Wrapped {
            runs: vec![Runs::Elsewhere(command.to_vec())],
            ..Wrapped::default()
        }
    })
}

fn package(program: &Program, arguments: &[Value]) -> Option<Wrapped> {
    let first = arguments.first()?;
    match first.text.as_str() {
        "exec" | "x" | "dlx" => {
            package_words(&arguments[1..], &["-p", "--package", "-w", "--workspace"])
        }
        "-e" | "--eval" if program.is("bun") => arguments.get(1).cloned().map(Wrapped::code),
        _ => configured(arguments, &["--script-shell", "--node-options"]),
    }
}

/// One of these options says what is run besides, or instead.
fn configured(arguments: &[Value], names: &[&str]) -> Option<Wrapped> {
    let mut own = arguments.iter().take_while(|word| word.text != "--");
    let is_one = |word: &Value| {
        let name = word.text.split('=').next().unwrap_or_default();
        names.contains(&name)
    };
    own.any(is_one)
        .then(|| Wrapped::doubtful("sets configuration that may change what it runs"))
}

fn package_words(arguments: &[Value], valued: &[&str]) -> Option<Wrapped> {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        if ["-c", "--call"].contains(&word.text.as_str()) {
            return arguments.get(at + 1).cloned().map(Wrapped::script);
        }
        at += if valued.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    let command = arguments.get(at..).unwrap_or_default();
    (!command.is_empty()).then(|| Wrapped {
        covers: true,
        ..Wrapped::words(command)
    })
}

/// `poetry run command`, `bundle exec command`.
fn named(arguments: &[Value], name: &str) -> Option<Wrapped> {
    let at = arguments.iter().position(|word| word.text == name)?;
    let rest = arguments.get(at + 1..)?;
    let at = rest
        .iter()
        .position(|word| word.text == "--")
        .map_or(0, |at| at + 1);
    let command = rest.get(at..)?;
    (!command.is_empty()).then(|| Wrapped {
        covers: true,
        ..Wrapped::words(command)
    })
}

fn make(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = options(arguments, &["--eval"]).unwrap_or_default();
    for word in arguments {
        if let Some(shell) = word
            .text
            .strip_prefix("SHELL=")
            .or(word.text.strip_prefix("MAKEFLAGS="))
        {
            wrapped
                .runs
                .push(script(rest_of(word, word.text.len() - shell.len())));
        }
        if word.text.starts_with(".SHELLFLAGS=") {
            wrapped.doubt = Some("changes how it runs its commands");
        }
    }
    if !wrapped.runs.is_empty() {
        wrapped.doubt = Some("changes what its commands are run with");
    }
    (wrapped.doubt.is_some()).then_some(wrapped)
}
