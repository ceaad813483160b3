//! What a shell remembers from one command to the next: variables, the folder, functions, files that it has written.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use super::Surroundings;
use super::stream::Stream;
use super::syntax::Script;
use super::word::Variable;
use crate::lexical::normal;

/// Variables of the environment that are not empty, with values that nobody knows here.
const ENVIRONMENT: &[&str] = &[
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "TMPDIR",
    "OLDPWD",
    "HOSTNAME",
    "RANDOM",
    "SECONDS",
    "UID",
    "EUID",
    "PPID",
    "LINENO",
    "BASH",
    "BASH_VERSION",
    "SHLVL",
    "OSTYPE",
    "HOSTTYPE",
    "MACHTYPE",
    "COLUMNS",
    "LINES",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "JAVA_HOME",
    "NVM_DIR",
    "VIRTUAL_ENV",
    "?",
    "#",
    "$",
    "!",
    "-",
    "0",
    "REPLY",
];

#[derive(Clone, Debug)]
pub(super) struct Scope {
    variables: HashMap<String, (Variable, Stream)>,
    /// What `$1` and so on stand for; absent: the body of a function that is not called.
    pub positional: Option<Vec<String>>,
    /// What `$0` stands for, where it is told.
    pub name: Option<String>,
    /// The folder, where it is certain.
    pub folder: Option<PathBuf>,
    /// The folder, if all went as it was meant.
    pub likely: PathBuf,
    /// The folder was changed, which may have failed: it is certain only as long as nothing runs regardless.
    pub moved: bool,
    /// The folder was changed at some time, to another than the first, or the first is no root of the workspace.
    pub strayed: bool,
    pub functions: HashMap<String, (Rc<Script>, Range<usize>)>,
    /// What was written to files, by path.
    pub files: HashMap<PathBuf, Stream>,
    /// The folders that an archive of the network was unpacked in.
    pub unpacked: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Scope {
    pub fn new(surroundings: &Surroundings) -> Scope {
        Scope {
            variables: HashMap::new(),
            positional: Some(Vec::new()),
            name: None,
            folder: Some(surroundings.workdir.clone()),
            likely: surroundings.workdir.clone(),
            moved: false,
            strayed: !surroundings.is_root,
            functions: HashMap::new(),
            files: HashMap::new(),
            unpacked: Vec::new(),
            home: surroundings.home.clone(),
        }
    }

    pub fn variable(&self, name: &str) -> Variable {
        if let Some((variable, _)) = self.variables.get(name) {
            return variable.clone();
        }
        let of_path = |path: Option<&PathBuf>| match path.and_then(|path| path.to_str()) {
            Some(path) => Variable::Fixed(path.to_owned()),
            None => Variable::Assigned,
        };
        match name {
            "HOME" => of_path(self.home.as_ref()),
            "PWD" => of_path(self.folder.as_ref().filter(|_| !self.moved)),
            "0" => self
                .name
                .clone()
                .map_or(Variable::Assigned, Variable::Known),
            "IFS" => Variable::Known(" \t\n".to_owned()),
            "@" | "*" => match &self.positional {
                Some(words) if words.is_empty() => Variable::Fixed(String::new()),
                Some(words) => Variable::Known(words.join(" ")),
                None => Variable::Unset,
            },
            name if name.starts_with(|c: char| c.is_ascii_digit() && c != '0') => {
                let at = name.parse::<usize>().unwrap_or(usize::MAX);
                match &self.positional {
                    Some(words) if words.is_empty() => Variable::Fixed(String::new()),
                    Some(words) => Variable::Known(words.get(at - 1).cloned().unwrap_or_default()),
                    None => Variable::Unset,
                }
            }
            name if ENVIRONMENT.contains(&name) || name.starts_with("LC_") => Variable::Assigned,
            _ => Variable::Unset,
        }
    }

    pub fn origin(&self, name: &str) -> Stream {
        self.variables
            .get(name)
            .map(|(_, origin)| origin.clone())
            .unwrap_or_default()
    }

    pub fn assign(&mut self, name: &str, value: Variable, origin: Stream) {
        self.variables.insert(name.to_owned(), (value, origin));
    }

    pub fn forget(&mut self, name: &str) {
        self.variables.remove(name);
    }

    /// Changes the folder; absent: to one that is not known.
    pub fn change_folder(&mut self, to: Option<&str>) {
        self.moved = true;
        match to {
            Some(to) => {
                let target = normal(&self.likely.join(to));
                if target != self.likely {
                    self.strayed = true;
                }
                self.folder = self.folder.as_ref().map(|folder| folder.join(to));
                self.likely = target;
            }
            None => {
                self.strayed = true;
                self.folder = None;
            }
        }
    }

    /// Something runs whether the folder could be changed or not.
    pub fn settle(&mut self) {
        if std::mem::take(&mut self.moved) {
            self.folder = None;
        }
    }
}
