//! One thread's part of a search: takes files of the listing, leaves out what is not to be searched, and reports hits.

use std::io::{self, Read};
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::class::comes_last;
use super::content::{Content, Reader};
use super::hits::{Count, Hit, Key};
use super::lines::{Ended, InText, MAX_HELD, Searchers, Wanted};
use super::{Grepping, Output};
use crate::permission::Unread;
use crate::search::{File, Listing, Problem, os_name};

/// Buffers up to this size are searched in one go.
const MAX_BUFFER: usize = 1024 * 1024;

/// What was found, what was looked at and what was not.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Files with hits.
    pub(super) counts: Vec<Count>,
    pub(super) searched: usize,
    pub(super) binary: usize,
    pub(super) sensitive: usize,
    pub(super) problems: Vec<Problem>,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.counts.extend(other.counts);
        self.searched += other.searched;
        self.binary += other.binary;
        self.sensitive += other.sensitive;
        self.problems.extend(other.problems);
    }
}

/// See the module.
pub(super) struct Worker<'a> {
    call: &'a Grepping,
    listing: &'a Listing,
    unread: &'a Unread,
    searchers: Searchers<'a>,
    reader: Reader,
    relative: Vec<u8>,
    /// The path of the present file, and the folder that lists it.
    path: PathBuf,
    folder: Option<u64>,
    /// Of the files since it was last taken.
    pub(super) tally: Tally,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        call: &'a Grepping,
        listing: &'a Listing,
        unread: &'a Unread,
        cancel: &'a CancellationToken,
    ) -> Worker<'a> {
        Worker {
            call,
            listing,
            unread,
            searchers: Searchers::new(&call.pattern, call.before, call.after, cancel),
            // What is searched over lines must be held.
            reader: Reader::new(if call.pattern.multiline { MAX_HELD } else { 0 }),
            relative: Vec::new(),
            path: PathBuf::new(),
            folder: None,
            tally: Tally::default(),
        }
    }

    /// Searches a file of the listing for how many hits it has.
    pub(super) fn search(&mut self, index: usize) {
        let file = self.listing.file(index);
        file.relative(&mut self.relative);
        let filters = &self.call.filters;
        if !filters.iter().all(|filter| filter.matches(&self.relative)) {
            return;
        }
        if self.is_closed(&file) {
            self.tally.sensitive += 1;
            return;
        }
        let wanted = match self.call.output {
            Output::Files => Wanted::Known,
            Output::Content | Output::Count => Wanted::Counted,
        };
        match self.search_in(&file, wanted) {
            // It was removed since it was listed, or the call is to end.
            Ok(None | Some(Ended::Cancelled)) => {}
            Ok(Some(Ended::Binary)) => self.tally.binary += 1,
            Ok(Some(Ended::Found(InText { count, .. }))) => {
                self.tally.searched += 1;
                if count > 0 {
                    let key = Key::new(comes_last(&String::from_utf8_lossy(&self.relative)), index);
                    self.tally.counts.push(Count { key, hits: count });
                }
            }
            Err(error) => self.tally.problems.push(Problem {
                display: file.display(),
                reason: error.to_string(),
            }),
        }
    }

    /// The hits of a file after the first `skip`: at most `take`, and about as many as `bytes` hold.
    pub(super) fn show(&mut self, index: usize, skip: u64, take: usize, bytes: usize) -> Vec<Hit> {
        let file = self.listing.file(index);
        match self.search_in(&file, Wanted::Shown { skip, take, bytes }) {
            Ok(Some(Ended::Found(found))) => found.hits,
            // It was another file when its hits were counted.
            Ok(_) => Vec::new(),
            Err(error) => {
                self.tally.problems.push(Problem {
                    display: file.display(),
                    reason: error.to_string(),
                });
                Vec::new()
            }
        }
    }

    /// None: the file is not there any more.
    fn search_in(&mut self, file: &File<'_>, wanted: Wanted) -> io::Result<Option<Ended>> {
        let is_multiline = self.call.pattern.multiline;
        match file.buffer() {
            None => self.search_on_disk(file, wanted),
            Some(Ok(buffer)) => {
                let text = buffer.rope().to_string();
                let ended = match text.len() <= MAX_BUFFER || is_multiline {
                    true => self.searchers.search_bytes(text.as_bytes(), wanted),
                    false => self.searchers.search_reader(text.as_bytes(), wanted),
                };
                ended.map(Some)
            }
            Some(Err(error)) => {
                let reason = error.message.trim_end_matches('.');
                Err(io::Error::other(reason.to_owned()))
            }
        }
    }

    fn search_on_disk(&mut self, file: &File<'_>, wanted: Wanted) -> io::Result<Option<Ended>> {
        let ended = match self.reader.read(file)? {
            None => return Ok(None),
            Some(Content::Whole(bytes)) => self.searchers.search_bytes(bytes, wanted),
            Some(Content::Large(..)) if self.call.pattern.multiline => {
                Err(io::Error::other(format!(
                    "it is larger than {} MiB, more than is searched over lines",
                    MAX_HELD / 1024 / 1024
                )))
            }
            Some(Content::Large(beginning, rest)) => {
                let whole = beginning.chain(rest);
                self.searchers.search_reader(whole, wanted)
            }
        };
        ended.map(Some)
    }

    /// Whether it may hold secrets, or is not to be read, and was not named: then not even whether there is a hit is told.
    fn is_closed(&mut self, file: &File<'_>) -> bool {
        match file.listed() {
            Some((folder, path, name)) => {
                if self.folder != Some(folder) {
                    self.folder = Some(folder);
                    self.path.clear();
                    self.path.push(path);
                    self.path.push("x");
                }
                self.path.set_file_name(os_name(name));
            }
            None => {
                self.folder = None;
                self.path = file.real();
            }
        }
        self.unread.contains(&self.path) && !self.call.place.names(&self.path)
    }
}
