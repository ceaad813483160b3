//! The strict proof that a command does nothing but read: only programs that are known, called only with options that
//! are known. What is not in the tables is not proven.

use std::path::{Path, PathBuf};

use super::program::Program;
use super::word::{Glob, Value};

mod find;
mod options;
mod processes;
mod special;
mod table;

use options::Parsed;
use table::{Operands, Spec};

/// What a proof fails for, as the end of a sentence.
type Unproven = &'static str;

const NOT_KNOWN: Unproven = "is not known to only read";
const OPTION: Unproven = "has an option that is not known to be harmless";
const EXPANDED: Unproven = "has arguments that are expanded";
const ELSEWHERE: Unproven = "runs in a folder that is not certain";
const ARGUMENTS: Unproven = "has arguments that may do more than read";

/// What a command is proven to do.
#[derive(Debug, Default)]
pub(super) struct Proof {
    /// The files and folders that it names.
    pub reads: Vec<PathBuf>,
    /// It reads the text of all that is in them, so of files too that it does not name.
    pub searches: bool,
}

impl Proof {
    fn of(reads: Vec<PathBuf>) -> Proof {
        Proof {
            reads,
            searches: false,
        }
    }
}

/// Proves that a command only reads, and tells what it names.
pub(super) fn prove(
    program: &Program,
    arguments: &[Value],
    folder: Option<&Path>,
    strayed: bool,
) -> Result<Proof, Unproven> {
    if !program.is_trusted {
        return Err(NOT_KNOWN);
    }
    let name = program.name.as_str();
    if special::is_version(name, arguments) {
        return Ok(Proof::default());
    }
    if name == "git" {
        if strayed {
            return Err("follows the configuration of another folder's repository");
        }
        let paths = special::git(arguments)?;
        return resolve(&paths, folder).map(Proof::of);
    }
    if name == "find" {
        let starts = find::starts(arguments)?;
        return resolve(&starts, folder).map(Proof::of);
    }
    let spec = table::SPECS
        .iter()
        .find(|spec| spec.names.contains(&name))
        .ok_or(NOT_KNOWN)?;
    check(spec, name, arguments, folder)
}

fn check(
    spec: &Spec,
    name: &str,
    arguments: &[Value],
    folder: Option<&Path>,
) -> Result<Proof, Unproven> {
    if spec.operands == Operands::Text {
        // These take everything for text.
        return match arguments.iter().all(is_harmless_text) {
            true => Ok(Proof::default()),
            false => Err(EXPANDED),
        };
    }
    let arguments = match arguments {
        [inside @ .., last] if name == "[" && last.text == "]" => inside,
        _ if name == "[" => return Err(ARGUMENTS),
        arguments => arguments,
    };
    if name == "ps" && processes::shows_environments(arguments) {
        return Err(ARGUMENTS);
    }
    // The tools of binutils take more arguments from a file that is named so.
    if name == "strings" && arguments.iter().any(|word| word.text.starts_with('@')) {
        return Err(ARGUMENTS);
    }
    let Parsed { operands, given } = options::parse(spec, arguments)?;
    let files = match spec.operands {
        Operands::Files | Operands::Names => operands.as_slice(),
        Operands::After(count, instead) => {
            let skip = if given.iter().any(|option| instead.contains(option)) {
                0
            } else {
                count
            };
            let (first, files) = operands.split_at(skip.min(operands.len()));
            special::first_operands(name, first, &given)?;
            files
        }
        Operands::AtMost(most) if operands.len() <= most => operands.as_slice(),
        Operands::Words => {
            let plain = operands.iter().all(|word| word.known);
            return if plain {
                Ok(Proof::default())
            } else {
                Err(EXPANDED)
            };
        }
        Operands::None if operands.is_empty() => return Ok(Proof::default()),
        Operands::AtMost(_) | Operands::None | Operands::Text => return Err(ARGUMENTS),
    };
    let names_only = spec.operands == Operands::Names;
    if files
        .iter()
        .any(|word| word.glob != Glob::None && !names_only)
    {
        return Err(EXPANDED);
    }
    let recurses = ["r", "--recursive"]
        .iter()
        .any(|option| given.contains(option));
    let searches = match name {
        "rg" | "diff" => true,
        "grep" | "egrep" | "fgrep" => recurses,
        _ => false,
    };
    let mut reads = resolve(files, folder)?;
    if searches && files.is_empty() {
        reads.extend(resolve(&[Value::literal(".")], folder)?);
    }
    Ok(Proof { reads, searches })
}

/// Text that is printed: what is known, or the exit code of the last command.
fn is_harmless_text(word: &Value) -> bool {
    let plain = word.text.replace("$?", "");
    word.known
        || word.glob == Glob::None && !word.is_process && !plain.contains(['$', '`', '~', '<', '>'])
}

/// The paths of operands. A pattern stands for the folder that it is looked for in.
fn resolve(operands: &[Value], folder: Option<&Path>) -> Result<Vec<PathBuf>, Unproven> {
    let folder = folder.ok_or(ELSEWHERE)?;
    let mut paths = Vec::new();
    for word in operands {
        if word.expanded
            || word.is_process
            || !word.known && word.glob == Glob::None
            || word.glob == Glob::Leading
        {
            return Err(EXPANDED);
        }
        let text = match word
            .text
            .find(['*', '?', '['])
            .filter(|_| word.glob != Glob::None)
        {
            Some(at) if word.text[at..].contains("..") => return Err(EXPANDED),
            Some(at) => word.text[..at]
                .rfind('/')
                .map_or(".", |slash| &word.text[..=slash]),
            None => word.text.as_str(),
        };
        if text != "-" {
            paths.push(folder.join(text));
        }
    }
    Ok(paths)
}
