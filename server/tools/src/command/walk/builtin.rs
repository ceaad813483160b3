//! Commands of the shell itself, by what they do to the commands after them.

use std::path::{Component, Path};

use super::Walker;
use crate::command::program::Program;
use crate::command::stream::Stream;
use crate::command::variables::is_command;
use crate::command::word::{Shell, Value, Variable};

/// What a builtin is proven to be; the error tells why it is not.
type Proof = Result<(), &'static str>;

impl Walker<'_> {
    /// What a builtin does; absent if it is none, or none that matters here.
    pub(super) fn builtin(
        &mut self,
        program: &Program,
        arguments: &[Value],
        input: &Stream,
    ) -> Option<Proof> {
        if !program.is_bare {
            return None;
        }
        let changes = Err("changes what the commands after it do");
        match program.name.as_str() {
            "cd" | "pushd" | "popd" => Some(self.change_folder(&program.name, arguments)),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(arguments);
                Some(changes)
            }
            "unset" => {
                for name in arguments.iter().filter(|name| !name.text.starts_with('-')) {
                    self.influence(&name.text);
                    self.scope.forget(&name.text);
                }
                Some(changes)
            }
            "read" | "mapfile" | "readarray" | "getopts" => {
                for name in arguments.iter().filter(|word| is_name(&word.text)) {
                    self.overwrite(name, input);
                }
                if arguments
                    .iter()
                    .any(|word| !word.known || word.text.contains('['))
                {
                    self.doubt(&program.name, "assigns variables that are not known");
                }
                if arguments.iter().any(|word| word.text.starts_with("-C")) {
                    self.doubt(&program.name, "runs a command for what it reads");
                }
                Some(changes)
            }
            "printf"
                if arguments
                    .first()
                    .is_some_and(|word| word.text.starts_with("-v")) =>
            {
                self.print_to_variable(arguments);
                Some(changes)
            }
            "printf" if may_assign(arguments) => {
                self.doubt("printf", "may assign variables by its format");
                Some(changes)
            }
            "wait" if arguments.iter().any(|word| word.text.starts_with("-p")) => {
                self.doubt("wait", "assigns a variable");
                Some(changes)
            }
            "test" | "["
                if arguments
                    .iter()
                    .any(|word| ["-v", "-R"].contains(&word.text.as_str())) =>
            {
                self.doubt(
                    &program.name,
                    "looks at a variable by an index that may run commands",
                );
                Some(changes)
            }
            "set" => {
                let harmless = |word: &Value| {
                    [
                        "-e", "-u", "-x", "-eu", "-ex", "-eux", "-euo", "-eo", "-uo", "-o", "+e",
                        "+x", "+u", "-euxo", "-exo", "pipefail",
                    ]
                    .contains(&word.text.as_str())
                };
                if !arguments.iter().all(harmless) || arguments.is_empty() {
                    self.doubt("set", "changes how the shell reads the commands after it");
                }
                Some(changes)
            }
            "shopt" | "enable" | "hash" | "bind" | "complete" | "let" | "fc" | "history" => {
                self.doubt(
                    &program.name,
                    "changes how the shell reads the commands after it",
                );
                Some(changes)
            }
            "alias" => {
                self.doubt("alias", "gives a command another meaning");
                for word in arguments {
                    if let Some((_, value)) = word.text.split_once('=') {
                        let value = Value {
                            text: value.to_owned(),
                            ..word.clone()
                        };
                        self.run_here("alias", &value);
                    }
                }
                Some(changes)
            }
            "eval" => {
                self.run_here("eval", &joined(arguments));
                Some(Err("runs a text as commands"))
            }
            "trap" => {
                if let Some(action) = arguments.iter().find(|word| word.text != "--")
                    && !action.text.starts_with('-')
                    && arguments.len() > 1
                {
                    self.run_here("trap", action);
                }
                Some(Err("runs commands later"))
            }
            "exec" if arguments.is_empty() => Some(Err("changes where everything after it goes")),
            _ => None,
        }
    }

    fn change_folder(&mut self, name: &str, arguments: &[Value]) -> Proof {
        let operands: Vec<&Value> = arguments
            .iter()
            .filter(|word| !["--", "-P", "-L"].contains(&word.text.as_str()))
            .collect();
        match (name, operands.as_slice()) {
            ("cd", [to]) if to.known && !to.text.starts_with(['-', '+']) && !to.text.is_empty() => {
                let target = self.target(to);
                let climbs = self.climbs_from_a_link(&to.text);
                self.scope.change_folder(Some(&to.text));
                self.record(target.clone(), false);
                if climbs {
                    self.scope.folder = None;
                    return Err("goes up from a folder that a link may lead to");
                }
                match target.path {
                    _ if to.expanded => Err("goes to a folder that is expanded"),
                    Some(path) => {
                        if self.quiet == 0 {
                            self.found.proven.push(path);
                        }
                        Ok(())
                    }
                    None => Err("goes to a folder that is not known"),
                }
            }
            ("pushd" | "cd", [to]) if self.quiet > 0 || to.known && name == "pushd" => {
                self.scope.change_folder(Some(&to.text));
                Err("changes the folder")
            }
            ("cd", []) => {
                let home = self.surroundings.home.clone();
                self.scope
                    .change_folder(home.as_ref().and_then(|home| home.to_str()));
                Err("goes to the home folder")
            }
            _ => {
                self.scope.change_folder(None);
                Err("goes to a folder that is not known")
            }
        }
    }

    /// Whether `cd` goes up from a folder other than the first, which is real. The shell goes back the way that it came,
    /// the system to where the folder is; if links lead to it these are two places.
    fn climbs_from_a_link(&self, to: &str) -> bool {
        let mut below = self.scope.folder.as_ref() != Some(&self.surroundings.workdir);
        Path::new(to).components().any(|part| {
            let climbs = part == Component::ParentDir;
            below |= matches!(part, Component::Normal(_) | Component::RootDir);
            climbs && below
        })
    }

    fn declare(&mut self, arguments: &[Value]) {
        for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
            let (name, value) = match word.text.split_once('=') {
                Some((name, value)) => (name.trim_end_matches('+'), Some(value)),
                None => (word.text.as_str(), None),
            };
            if !is_name(name) {
                self.doubt(&word.text, "names a variable that is not known");
                continue;
            }
            self.influence(name);
            let Some(value) = value else { continue };
            if is_command(name) {
                self.feed(value, &Stream::default());
            }
            let variable = match word.known || self.quiet > 0 {
                true => Variable::Known(value.to_owned()),
                false => Variable::Assigned,
            };
            self.scope.assign(name, variable, word.stream.clone());
        }
        let strange =
            |word: &Value| word.text.starts_with('-') && word.text.contains(['n', 'i', 'f']);
        if arguments.iter().any(strange) {
            self.doubt("declare", "gives variables a special meaning");
        }
    }

    fn print_to_variable(&mut self, arguments: &[Value]) {
        let (name, rest) = match arguments {
            [flag, name, rest @ ..] if flag.text == "-v" => (name.clone(), rest),
            [flag, rest @ ..] => (Value::literal(&flag.text[2..]), rest),
            [] => return,
        };
        let printed = crate::command::stream::output("printf", rest, &Stream::default());
        self.overwrite(&name, &printed);
    }
}

/// Whether the format of `printf` has a `%n`, which assigns a variable, or is not known.
fn may_assign(arguments: &[Value]) -> bool {
    let Some(format) = arguments.iter().find(|word| word.text != "--") else {
        return false;
    };
    let text = format.text.replace("%%", "");
    let mut conversions = text.split('%').skip(1);
    let assigns = |rest: &str| {
        let kind =
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #0'*.hjlLqtz".contains(c));
        kind.starts_with('n')
    };
    !format.known || conversions.any(assigns)
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Words as one text.
fn joined(words: &[Value]) -> Value {
    let mut whole = Value::literal("");
    for (index, word) in words.iter().filter(|word| word.text != "--").enumerate() {
        if index > 0 {
            whole.text.push(' ');
        }
        whole.text.push_str(&word.text);
        whole.known &= word.known;
        whole.expanded |= word.expanded;
        whole.stream.merge(&word.stream);
    }
    whole
}
