//! `glob`: the files whose paths fit a pattern.

use std::cmp::Reverse;
use std::fs;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::found::{self, Scope};
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{EffectBound, EffectKind};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::result::{Rest, ToolResult, Truncation};
use crate::schema::{self, Parameters};
use crate::search::{Listing, PathPattern, SearchError, in_parts};

const DESCRIPTION: &str = "\
Finds files by a pattern of their path: `*.rs` (names, at any depth), `src/**/*.{ts,tsx}` (from `path`), `[a-c]*`. Returns paths, one a line, \
that the other tools take as they are; folders and symbolic links are not listed. Hidden files and those that ignore files leave out are \
left out unless you ask for them; a pattern that names one (`.github/**`) asks for hidden files itself. Files that exist only in the editor \
are listed too. To search what is in files, use grep. Changes nothing.";

const DEFAULT_LIMIT: usize = 100;
const MAX_BYTES: usize = 64 * 1024;

/// Space for what is said after the paths.
const FRAME_BYTES: usize = 2048;

/// Files that are matched between two looks at whether to go on.
const FILES_PER_PART: usize = 4096;

/// Files that are asked for their age between two looks.
const AGES_PER_PART: usize = 256;

/// See the module.
pub(super) struct Glob {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The pattern. With a slash in it, it starts at `path`; without one it is about names in all folders. `!` before
    /// it: all files that do not fit.
    pattern: String,
    /// The folder to look in, relative to the workspace or absolute. Default: all of the workspace.
    path: Option<String>,
    /// `path`: in the order of the paths. `modified`: those that were changed last come first. Default: path.
    sort: Option<Sort>,
    /// How many paths to show at most. Default: 100.
    limit: Option<i64>,
    /// How many paths to leave out at the beginning: to go on where an answer ended. Default: 0.
    offset: Option<i64>,
    /// Whether to list hidden files too. Default: false.
    hidden: Option<bool>,
    /// Whether to list files too that `.gitignore` and other ignore files leave out. Default: false.
    ignored: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    Path,
    Modified,
}

impl Glob {
    pub(super) fn new() -> Glob {
        let contract = ToolContract {
            name: "glob".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>(),
            effect_bound: EffectBound::new([EffectKind::Read]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: Limits {
                bytes: MAX_BYTES,
                lines: None,
                default_timeout_ms: 60_000,
                maximum_timeout_ms: 60_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        Glob { contract }
    }
}

impl Tool for Glob {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let pattern = PathPattern::new(&arguments.pattern)?;
        let window = found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?;
        let hidden = arguments.hidden.unwrap_or(false) || pattern.names_hidden();
        let ignored = arguments.ignored.unwrap_or(false);
        let place = Scope::new(&scope.workspace, arguments.path.as_deref(), hidden, ignored)?;
        Ok(Plan {
            effects: place.effects(),
            timeout: None,
            work: Work::Run(Box::new(Globbing {
                pattern,
                given: arguments.pattern,
                sort: arguments.sort.unwrap_or_default(),
                window,
                place,
            })),
        })
    }
}

/// A planned call.
struct Globbing {
    pattern: PathPattern,
    given: String,
    sort: Sort,
    window: found::Window,
    place: Scope,
}

impl Run for Globbing {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        found::searched(move || self.find(&scope))
    }
}

impl Globbing {
    fn find(&self, scope: &CallScope) -> Result<ToolResult, SearchError> {
        let listing = self.place.list(scope)?;
        let mut hits = self.matching(&listing, scope)?;
        if self.sort == Sort::Modified {
            hits = newest_first(&listing, hits, scope)?;
        }
        Ok(self.answer(&listing, &hits))
    }

    fn matching(&self, listing: &Listing, scope: &CallScope) -> Result<Vec<u32>, SearchError> {
        let threads = scope.workspace.search().threads();
        let parts = in_parts(
            listing.len(),
            FILES_PER_PART,
            threads,
            &scope.cancel,
            |range| {
                let mut relative = Vec::new();
                let fits = range.filter(|index| {
                    listing.file(*index).relative(&mut relative);
                    self.pattern.matches(&relative)
                });
                fits.map(|index| index as u32).collect::<Vec<u32>>()
            },
        )?;
        Ok(parts.concat())
    }

    fn answer(&self, listing: &Listing, hits: &[u32]) -> ToolResult {
        let mut content = String::new();
        let offset = self.window.offset;
        if hits.is_empty() {
            content = format!(
                "No file fits `{}` in {}: {} looked at{}.\n",
                self.given,
                self.place.describe(),
                found::files(listing.len()),
                self.place.describe_left_out()
            );
        } else if offset >= hits.len() {
            content = format!(
                "Only {} fit: there are none from offset {offset} on.\n",
                found::files(hits.len())
            );
        }
        let mut shown = 0;
        let wanted = hits.iter().skip(offset).take(self.window.limit);
        for index in wanted {
            let path = found::on_one_line(&listing.file(*index as usize).display());
            if content.len() + path.len() + FRAME_BYTES > MAX_BYTES && shown > 0 {
                break;
            }
            content.push_str(&path);
            content.push('\n');
            shown += 1;
        }
        let shown_bytes = content.len();
        let next = offset + shown;
        let truncation = (next < hits.len() && shown > 0).then(|| {
            let left = hits.len() - next;
            let word = if left == 1 { "file" } else { "files" };
            content.push_str(&format!("[{left} more {word}; go on with offset {next}]\n"));
            Truncation {
                shown_lines: shown,
                shown_bytes,
                total_lines: hits.len(),
                total_bytes: hits
                    .iter()
                    .map(|index| listing.file(*index as usize).display().len() + 1)
                    .sum(),
                rest: Rest::Next {
                    offset: next,
                    byte_offset: None,
                },
            }
        });
        found::tell_problems(&mut content, listing.problems());
        ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }
    }
}

/// A file that exists only as a buffer is newer than any other.
fn newest_first(
    listing: &Listing,
    hits: Vec<u32>,
    scope: &CallScope,
) -> Result<Vec<u32>, SearchError> {
    let threads = scope.workspace.search().threads();
    let ages = in_parts(hits.len(), AGES_PER_PART, threads, &scope.cancel, |range| {
        let age = |hit: &u32| {
            let file = listing.file(*hit as usize);
            let metadata = fs::symlink_metadata(file.real());
            match metadata.and_then(|metadata| metadata.modified()) {
                Ok(modified) => Some(modified),
                Err(_) if file.buffer().is_some() => None,
                Err(_) => Some(SystemTime::UNIX_EPOCH),
            }
        };
        hits[range]
            .iter()
            .map(|hit| (age(hit), *hit))
            .collect::<Vec<_>>()
    })?;
    let mut ages = ages.concat();
    ages.sort_by_key(|(age, hit)| (age.is_some(), Reverse(*age), *hit));
    Ok(ages.into_iter().map(|(_, hit)| hit).collect())
}

#[cfg(test)]
mod tests;
