//! Files that a line writes and then runs: where they come from, by whichever program they got there. Knows no shell.

use std::path::PathBuf;

use super::Walker;
use crate::command::program::Program;
use crate::command::stream::Stream;
use crate::command::word::Value;
use crate::command::{code, danger, files};
use crate::lexical::normal;

impl Walker<'_> {
    /// A file is run, as a program or by a shell.
    pub(super) fn run_file(&mut self, file: &Value) {
        let path = self.path_of(&file.text);
        let unpacked = self.scope.unpacked.iter();
        let from_network = unpacked.clone().any(|folder| path.starts_with(folder));
        let Some(stream) = self.scope.files.get(&path).cloned() else {
            if from_network {
                self.danger(&file.text, danger::NETWORK_INTO_SHELL);
            }
            return;
        };
        if stream.network {
            return self.danger(&file.text, danger::NETWORK_INTO_SHELL);
        }
        let Some(text) = &stream.text else { return };
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("#!") && !first.contains("sh") {
            for why in code::look(text, &self.place()).dangers {
                self.danger(&file.text, why);
            }
        } else {
            self.quietly(text);
        }
    }

    /// What comes from one file into another, or out of an archive into a folder.
    pub(super) fn look_at_copies(
        &mut self,
        program: &Program,
        arguments: &[Value],
        input: &Stream,
    ) {
        if program.is_one_of(&["cp", "mv", "install", "ln"]) {
            let operands = arguments.iter().filter(|word| !word.text.starts_with('-'));
            let operands: Vec<PathBuf> = operands.map(|word| self.path_of(&word.text)).collect();
            let Some((target, sources)) = operands.split_last() else {
                return;
            };
            for source in sources {
                if let Some(stream) = self.scope.files.get(source).cloned() {
                    let inside = source.file_name().map(|name| target.join(name));
                    let places = inside.into_iter().chain([target.clone()]);
                    places.for_each(|place| {
                        self.scope.files.insert(place, stream.clone());
                    });
                }
            }
            return;
        }
        let Some((archive, folder)) = files::unpacked(program, arguments) else {
            return;
        };
        let from_network = match archive {
            Some(archive) => {
                let written = self.scope.files.get(&self.path_of(&archive));
                written.is_some_and(|stream| stream.network)
            }
            None => input.network,
        };
        if from_network {
            let folder = self.path_of(folder.as_deref().unwrap_or("."));
            self.scope.unpacked.push(folder);
        }
    }

    fn path_of(&self, text: &str) -> PathBuf {
        normal(&self.scope.likely.join(text))
    }
}
