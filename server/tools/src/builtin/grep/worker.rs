//! One thread's part of a search: takes files of the listing, leaves out what is not to be searched, and reports hits.

use std::io::{self, Cursor, Read};

use tokio_util::sync::CancellationToken;

use super::class::comes_last;
use super::content::{Content, Reader};
use super::hits::{Hits, InFile, Key};
use super::lines::{Ended, MAX_HELD, Searchers, Wanted};
use super::{Grepping, Output};
use crate::permission::is_sensitive;
use crate::search::{File, Listing, Problem};

/// Buffers up to this size are searched in one go.
const MAX_BUFFER: usize = 1024 * 1024;

/// What was looked at and what was not.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) searched: usize,
    pub(super) binary: usize,
    pub(super) sensitive: usize,
    pub(super) problems: Vec<Problem>,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
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
    hits: &'a Hits,
    searchers: Searchers<'a>,
    reader: Reader,
    relative: Vec<u8>,
    /// Of the files since it was last taken.
    pub(super) tally: Tally,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        call: &'a Grepping,
        listing: &'a Listing,
        hits: &'a Hits,
        cancel: &'a CancellationToken,
    ) -> Worker<'a> {
        Worker {
            call,
            listing,
            hits,
            searchers: Searchers::new(&call.pattern, call.before, call.after, cancel),
            // What is searched over lines must be held.
            reader: Reader::new(if call.pattern.multiline { MAX_HELD } else { 0 }),
            relative: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Searches a file of the listing.
    pub(super) fn search(&mut self, index: usize) {
        let file = self.listing.file(index);
        file.relative(&mut self.relative);
        if !self.call.filters.iter().all(|filter| filter.matches(&self.relative)) {
            return;
        }
        if self.is_closed(&file) {
            self.tally.sensitive += 1;
            return;
        }
        let wanted = Wants {
            call: self.call,
            hits: self.hits,
            relative: &self.relative,
            index,
        };
        let ended = match file.buffer() {
            None => search_file(&mut self.searchers, &mut self.reader, &file, &wanted),
            Some(Ok(buffer)) if buffer.rope().len_bytes() <= MAX_BUFFER || self.call.pattern.multiline => {
                let text = buffer.rope().to_string();
                self.searchers.search_bytes(text.as_bytes(), || wanted.now()).map(Some)
            }
            Some(Ok(buffer)) => {
                let text = Cursor::new(buffer.rope().to_string());
                self.searchers.search_reader(text, wanted.now()).map(Some)
            }
            Some(Err(error)) => Err(io::Error::other(error.message.trim_end_matches('.').to_owned())),
        };
        match ended {
            // It was removed since it was listed, or the call is to end.
            Ok(None | Some(Ended::Cancelled)) => {}
            Ok(Some(Ended::Nothing)) => self.tally.searched += 1,
            Ok(Some(Ended::Binary)) => self.tally.binary += 1,
            Ok(Some(Ended::Hits(found))) => {
                self.tally.searched += 1;
                self.hits.add(wanted.key(), found);
            }
            Err(error) => self.tally.problems.push(Problem {
                display: file.display(),
                reason: error.to_string(),
            }),
        }
    }

    /// Whether it may hold secrets and was not named: then not even whether there is a hit is told.
    fn is_closed(&self, file: &File<'_>) -> bool {
        let is_sensitive = match file.listed() {
            Some((_, folder, name)) => may_be_sensitive(folder, name) && is_sensitive(&file.real()),
            None => is_sensitive(&file.real()),
        };
        is_sensitive && !self.call.place.names(&file.real())
    }
}
