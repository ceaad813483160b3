//! `outline`: the definitions of one file.

use std::fmt::Write;

use mewcode_core::outline::render;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::found::{self, Window};
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::overlay::Source;
use crate::port::BoxFuture;
use crate::result::{Rest, ToolResult, Truncation};
use crate::schema::{self, Parameters};
use crate::search::SearchError;
use crate::symbols::{Symbols, Unparsed};

const DESCRIPTION: &str = "\
Lists the definitions of one file: functions, types, their members, constants; keys of a data file, headings of a document, selectors \
of a style sheet. One a line, what it contains further in below it: its lines, its kind, its name, and the line of its name. Lines \
include the comments and attributes directly above. If the file is open in the editor you get what stands there, unsaved changes \
included. Use it to find your way in a long file, then read what you need: read_file takes the lines, or a name as `symbol`. To find \
a definition in all files, use find_symbol. Changes nothing.";

const DEFAULT_LIMIT: usize = 500;
const MAX_BYTES: usize = 64 * 1024;

/// Space for the first and the last line of the answer, beside the path in them.
const FRAME_BYTES: usize = 512;

/// See the module.
pub(super) struct OutlineTool {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace or absolute.
    path: String,
    /// How many definitions to show at most. Default: 500.
    limit: Option<i64>,
    /// How many definitions to leave out at the beginning: to go on where an answer ended. Default: 0.
    offset: Option<i64>,
}

impl OutlineTool {
    pub(super) fn new() -> OutlineTool {
        let contract = ToolContract {
            name: "outline".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>().alias("file_path", "path"),
            effect_bound: EffectBound::new([EffectKind::Read]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: Limits {
                bytes: MAX_BYTES,
                lines: None,
                default_timeout_ms: 30_000,
                maximum_timeout_ms: 30_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        OutlineTool { contract }
    }
}

impl Tool for OutlineTool {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let window = found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?;
        let path = scope.workspace.resolve(&arguments.path, Access::Read)?;
        Ok(Plan {
            effects: vec![Effect::Read(scope.workspace.ways(&arguments.path, &path))],
            timeout: None,
            work: Work::Run(Box::new(Outlining { path, window })),
        })
    }
}

/// A planned call.
struct Outlining {
    path: ResolvedPath,
    window: Window,
}

impl Run for Outlining {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        found::searched(move || self.outline(&scope))
    }
}

impl Outlining {
    fn outline(&self, scope: &CallScope) -> Result<ToolResult, SearchError> {
        let path = &self.path;
        let text = scope.workspace.text(path)?;
        let outline = scope
            .workspace
            .symbols()
            .outline(&path.real, &text.snapshot, &scope.cancel)
            .map_err(|unparsed| match unparsed {
                Unparsed::Cancelled => SearchError::Cancelled,
                unparsed => refusal(path, &unparsed).into(),
            })?;
        let rope = text.snapshot.rope();
        let mut content = format!("{}: ", path.display);
        if let Some(language) = Symbols::language(&path.real, &text.snapshot) {
            let _ = write!(content, "{language}, ");
        }
        let _ = write!(
            content,
            "{}, {}",
            counted(text.snapshot.text().line_count(), "line"),
            counted(outline.len(), "definition")
        );
        if text.source == (Source::Buffer { unsaved: true }) {
            content.push_str(", unsaved");
        }
        if outline.is_incomplete() {
            content.push_str(", incomplete: parts of the file do not parse and may define more");
        }
        content.push('\n');
        let rendered = render(&outline, rope);
        let Window { offset, limit } = self.window;
        if offset >= outline.len() && offset > 0 {
            let message = format!(
                "`{}` has only {}; `offset` {offset} is past them.",
                path.display,
                counted(outline.len(), "definition")
            );
            return Err(ToolError::invalid_arguments(message).into());
        }
        let room = MAX_BYTES - FRAME_BYTES - content.len().min(MAX_BYTES / 2);
        let (mut shown, mut shown_bytes) = (0, 0);
        for line in rendered.split_inclusive('\n').skip(offset).take(limit) {
            if shown_bytes + line.len() > room {
                break;
            }
            content.push_str(line);
            shown += 1;
            shown_bytes += line.len();
        }
        let next = offset + shown;
        let truncation = (next < outline.len()).then(|| {
            let more = counted(outline.len() - next, "more definition");
            let _ = writeln!(content, "[{more}; go on with offset {next}]");
            Truncation {
                shown_lines: shown,
                shown_bytes,
                total_lines: outline.len(),
                total_bytes: rendered.len(),
                rest: Rest::Next {
                    offset: next,
                    byte_offset: None,
                },
            }
        });
        Ok(ToolResult {
            truncation,
            ..ToolResult::ok(content)
        })
    }
}

/// Why a file has no outline, and what to do instead.
pub(super) fn refusal(path: &ResolvedPath, unparsed: &Unparsed) -> ToolError {
    let message = format!("`{}` has no outline: {unparsed}.", path.display);
    match unparsed {
        Unparsed::TooLarge | Unparsed::TooSlow => ToolError::too_large(message)
            .suggest("Search it with grep and read the lines with read_file."),
        Unparsed::Internal(_) => ToolError::internal(message),
        Unparsed::Cancelled => ToolError::unavailable(message),
        Unparsed::UnknownLanguage | Unparsed::NotText | Unparsed::Unreadable(_) => {
            let languages = Symbols::languages().join(", ");
            let mut error = ToolError::unavailable(message).suggest(format!(
                "Read it with read_file or search it with grep. Languages with outlines: {languages}."
            ));
            error.retryable = false;
            error
        }
    }
}

/// So many of something.
pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests;
