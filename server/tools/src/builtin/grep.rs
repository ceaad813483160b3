//! `grep`: the lines that fit a pattern, in the files of the workspace as the editor has them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::found::{self, Scope, Window};
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{EffectBound, EffectKind};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::result::ToolResult;
use crate::schema::{self, Parameters};
use crate::search::{Listing, PathPattern, SearchError, in_parts_with};

mod answer;
pub(super) mod class;
mod content;
mod hits;
mod lines;
mod pattern;
mod seen;
mod worker;

use pattern::Pattern;
use worker::{Tally, Worker};

const NAME: &str = "grep";

const DESCRIPTION: &str = "\
Searches the text of files with a regular expression (Rust's syntax, linear time: no look-around, no backreferences), or with plain text if \
`fixed` is set. Answers with the lines, grouped by file: `12: text` for a line that fits, `11- text` for one around it. Files that are open in \
the editor are searched as they are there, unsaved changes included. Sources come first, then generated, vendored and lock files; each in the \
order of their paths. Hidden files, those that ignore files leave out, binary ones and those that may hold secrets are left out; the first two \
can be asked for. Use `output: files` to learn where something is, `glob` or `type` to narrow it down. A line shown counts as read for \
edit_file unless it was cut. Changes nothing.";

const DEFAULT_LIMIT: usize = 100;
const MAX_BYTES: usize = 64 * 1024;
const MAX_CONTEXT: i64 = 100;

/// Files that a thread takes at once.
const FILES_PER_PART: usize = 32;

/// See the module.
pub(super) struct Grep {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The regular expression, or the plain text if `fixed` is set.
    pattern: String,
    /// The file or the folder to search, relative to the workspace or absolute. Default: all of the workspace.
    path: Option<String>,
    /// Only files whose path fits this pattern, as in the tool glob: `*.rs`, `src/**/*.ts`, `!*.md`.
    glob: Option<String>,
    /// Only files of this type, as ripgrep names it: `rust`, `ts`, `py`, `cpp`.
    r#type: Option<String>,
    /// Whether the pattern is plain text. Default: false.
    fixed: Option<bool>,
    /// Whether upper and lower case are the same. Default: false.
    ignore_case: Option<bool>,
    /// Whether only whole words fit. Default: false.
    word: Option<bool>,
    /// Whether to find the lines that do not fit. Default: false.
    invert: Option<bool>,
    /// Whether a match may go over several lines; `.` still needs `(?s)` for that. Default: false.
    multiline: Option<bool>,
    /// How many lines to show before each that fits. Default: 0.
    before: Option<i64>,
    /// How many lines to show after each that fits. Default: 0.
    after: Option<i64>,
    /// How many lines to show before and after each that fits. Default: 0.
    context: Option<i64>,
    /// `content`: lines. `files`: paths of the files with a match. `count`: the same with the number of lines that fit.
    /// Default: content.
    output: Option<Output>,
    /// How many lines that fit (or files) to show at most. Default: 100.
    limit: Option<i64>,
    /// How many of them to leave out at the beginning: to go on where an answer ended. Default: 0.
    offset: Option<i64>,
    /// Whether to search hidden files too. Default: false.
    hidden: Option<bool>,
    /// Whether to search files too that `.gitignore` and other ignore files leave out. Default: false.
    ignored: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Output {
    #[default]
    Content,
    Files,
    Count,
}

impl Grep {
    pub(super) fn new() -> Grep {
        let contract = ToolContract {
            name: NAME.to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>(),
            effect_bound: EffectBound::new([EffectKind::Read]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: Limits {
                bytes: MAX_BYTES,
                lines: None,
                default_timeout_ms: 120_000,
                maximum_timeout_ms: 120_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        Grep { contract }
    }
}

impl Tool for Grep {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let pattern = Pattern::new(&arguments)?;
        let glob = arguments
            .glob
            .as_deref()
            .map(PathPattern::new)
            .transpose()?;
        let of_type = arguments
            .r#type
            .as_deref()
            .map(pattern::of_type)
            .transpose()?;
        let window = found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?;
        let around = arguments.context;
        let before = context("before", arguments.before.or(around))?;
        let after = context("after", arguments.after.or(around))?;
        let asks_for_hidden = glob.as_ref().is_some_and(PathPattern::names_hidden);
        let hidden = arguments.hidden.unwrap_or(false) || asks_for_hidden;
        let ignored = arguments.ignored.unwrap_or(false);
        let place = Scope::new(&scope.workspace, arguments.path.as_deref(), hidden, ignored)?;
        Ok(Plan {
            effects: place.effects(),
            timeout: None,
            work: Work::Run(Box::new(Grepping {
                pattern,
                filters: glob.into_iter().chain(of_type).collect(),
                output: arguments.output.unwrap_or_default(),
                before,
                after,
                window,
                place,
            })),
        })
    }
}

fn context(name: &str, lines: Option<i64>) -> Result<usize, ToolError> {
    match lines.unwrap_or(0) {
        lines @ 0..=MAX_CONTEXT => Ok(lines as usize),
        _ => Err(ToolError::invalid_arguments(format!(
            "`{name}` must be a number of lines from 0 to {MAX_CONTEXT}."
        ))
        .suggest("Use read_file to see more of a file.")),
    }
}

/// A planned call.
struct Grepping {
    pattern: Pattern,
    /// All of them must fit.
    filters: Vec<PathPattern>,
    output: Output,
    before: usize,
    after: usize,
    window: Window,
    place: Scope,
}

impl Run for Grepping {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        found::searched(move || {
            let listing = self.place.list(&scope)?;
            let tally = self.search(&listing, &scope)?;
            self.answer(&listing, tally, &scope)
        })
    }
}

impl Grepping {
    fn search(&self, listing: &Listing, scope: &CallScope) -> Result<Tally, SearchError> {
        let threads = scope.workspace.search().threads();
        let unread = scope.unread(NAME);
        let tallies = in_parts_with(
            listing.len(),
            FILES_PER_PART,
            threads,
            &scope.cancel,
            || Worker::new(self, listing, &unread, &scope.cancel),
            |worker, range| {
                range
                    .take_while(|_| !scope.cancel.is_cancelled())
                    .for_each(|index| worker.search(index));
                std::mem::take(&mut worker.tally)
            },
        )?;
        let mut tally = Tally {
            problems: listing.problems().to_vec(),
            ..Tally::default()
        };
        tallies.into_iter().for_each(|other| tally.add(other));
        tally.counts.sort_unstable();
        Ok(tally)
    }
}

#[cfg(test)]
mod tests;
