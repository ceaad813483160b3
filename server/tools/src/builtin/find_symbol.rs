//! `find_symbol`: definitions by name, in all files.

use std::fmt::Write;
use std::sync::Arc;

use mewcode_core::outline::{Kind, Outline, signature};
use mewcode_core::text::Snapshot;
use ropey::Rope;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use super::found::{self, Scope, Window};
use super::grep::class::comes_last;
use super::outline::counted;
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{EffectBound, EffectKind};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::result::{Rest, ToolResult, Truncation};
use crate::schema::{self, Parameters};
use crate::search::{File, Listing, SearchError};
use crate::symbols::{self, Finds, Hit, Wanted};

const NAME: &str = "find_symbol";

const DESCRIPTION: &str = "\
Finds definitions by name in the files of the workspace: functions, types, members, constants, macros, and keys or headings of data \
files and documents. The name may be qualified: `Type::method`, `module.Type`. Names that are it come first, then those that are it but \
for case, begin with it, contain it, and last those that only have its letters in order (`psarg` finds `parse_arguments`). Returns \
`path:line kind name — the line`, sources before generated and vendored files. Unsaved text in the editor counts. Hidden and ignored \
files are left out. To find uses of a name, use grep; to read what was found, use read_file with `symbol`. Changes nothing.";

const DEFAULT_LIMIT: usize = 50;
const MAX_BYTES: usize = 64 * 1024;

/// Space for what is said besides the hits.
const FRAME_BYTES: usize = 2048;

/// See the module.
pub(super) struct FindSymbol {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The name, or its beginning, or its letters in order; perhaps qualified.
    name: String,
    /// Only definitions of this kind. Default: all.
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    kind: Option<String>,
    /// The folder or file to look in, relative to the workspace or absolute. Default: all of the workspace.
    path: Option<String>,
    /// How many definitions to show at most. Default: 50.
    limit: Option<i64>,
    /// How many definitions to leave out at the beginning: to go on where an answer ended. Default: 0.
    offset: Option<i64>,
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    let kinds: Vec<&str> = Kind::ALL.into_iter().map(Kind::as_str).collect();
    json_schema!({"type": "string", "enum": kinds})
}

impl FindSymbol {
    pub(super) fn new() -> FindSymbol {
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
                default_timeout_ms: 60_000,
                maximum_timeout_ms: 60_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        FindSymbol { contract }
    }
}

impl Tool for FindSymbol {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let name = arguments.name.trim().to_owned();
        if name.is_empty() {
            return Err(ToolError::invalid_arguments("`name` must not be empty.")
                .suggest("For all definitions of one file, use outline."));
        }
        let kind = match &arguments.kind {
            None => None,
            // The schema lets no other word through.
            Some(kind) => Some(Kind::parse(kind).ok_or_else(|| {
                ToolError::invalid_arguments(format!("`{kind}` is no kind of definition."))
            })?),
        };
        let window = found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?;
        let place = Scope::new(&scope.workspace, arguments.path.as_deref(), false, false)?;
        Ok(Plan {
            effects: place.effects(),
            timeout: None,
            work: Work::Run(Box::new(Finding {
                name,
                kind,
                place,
                window,
            })),
        })
    }
}

/// A planned call.
struct Finding {
    name: String,
    kind: Option<Kind>,
    place: Scope,
    window: Window,
}

impl Run for Finding {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        found::searched(move || self.find(&scope))
    }
}

impl Finding {
    fn find(&self, scope: &CallScope) -> Result<ToolResult, SearchError> {
        let workspace = &scope.workspace;
        let listing = Arc::new(self.place.list(scope)?);
        let wanted = Wanted::new(
            &self.name,
            self.kind,
            self.window.offset.saturating_add(self.window.limit),
        );
        let threads = workspace.search().threads();
        let finds = workspace.symbols().find(
            &listing,
            &wanted,
            &scope.unread(NAME),
            threads,
            &scope.cancel,
        )?;
        let hits = self.sorted(&finds, &listing);
        let answer = self.answer(&finds, &hits, &listing);
        symbols::learn(workspace.symbols(), &listing, finds.into_unknown());
        Ok(answer)
    }

    /// The hits to be shown and those before them, the best first; the rest in no order.
    fn sorted<'a>(&self, finds: &'a Finds, listing: &Listing) -> Vec<(&'a Arc<Outline>, &'a Hit)> {
        let mut hits = Vec::new();
        for (file, outline, found) in &finds.files {
            let last = comes_last(&listing.file(*file).display());
            for hit in found {
                let kind = outline
                    .get(hit.definition)
                    .map_or(Kind::Key, |it| it.kind());
                let key = (
                    hit.rank,
                    last,
                    kind.is_data(),
                    !kind.defines(),
                    hit.file,
                    hit.definition,
                );
                hits.push((key, outline, hit));
            }
        }
        let end = self.window.offset.saturating_add(self.window.limit);
        if end < hits.len() {
            hits.select_nth_unstable_by_key(end, |(key, ..)| *key);
        }
        let best = hits.len().min(end);
        hits[..best].sort_unstable_by_key(|(key, ..)| *key);
        hits.into_iter()
            .map(|(_, outline, hit)| (outline, hit))
            .collect()
    }

    fn answer(
        &self,
        finds: &Finds,
        hits: &[(&Arc<Outline>, &Hit)],
        listing: &Listing,
    ) -> ToolResult {
        let mut content = String::new();
        let Window { offset, limit } = self.window;
        if hits.is_empty() {
            let what = match self.kind {
                None => "definition".to_owned(),
                Some(kind) => format!("definition of kind {kind}"),
            };
            let _ = writeln!(
                content,
                "No {what} fits `{}` in {}: {} of known languages looked at{}.",
                self.name,
                self.place.describe(),
                found::files(finds.looked_at),
                self.place.describe_left_out()
            );
        } else if offset >= hits.len() {
            let _ = writeln!(
                content,
                "Only {}: there are none from offset {offset} on.",
                fitting(hits.len())
            );
        }
        let mut texts = Texts::default();
        let mut shown = 0;
        for (outline, hit) in hits.iter().skip(offset).take(limit) {
            let line = texts.line(listing.file(hit.file), outline, hit);
            if content.len() + line.len() + FRAME_BYTES > MAX_BYTES && shown > 0 {
                break;
            }
            content.push_str(&line);
            shown += 1;
        }
        let next = offset + shown;
        let shown_bytes = content.len();
        let truncation = (next < hits.len() && shown > 0).then(|| {
            let more = counted(hits.len() - next, "more definition");
            let _ = writeln!(content, "[{more}; go on with offset {next}]");
            Truncation {
                shown_lines: shown,
                shown_bytes,
                total_lines: hits.len(),
                // Those that are not shown are not written out: as long as these, about.
                total_bytes: shown_bytes / shown * hits.len(),
                rest: Rest::Next {
                    offset: next,
                    byte_offset: None,
                },
            }
        });
        if finds.not_searched > 0 {
            let _ = writeln!(
                content,
                "[the time was over before {} could be searched for names that only have these letters in order; call again to go on]",
                found::files(finds.not_searched)
            );
        }
        found::tell_problems(&mut content, &finds.problems);
        found::tell_problems(&mut content, listing.problems());
        ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }
    }
}

fn fitting(count: usize) -> String {
    match count {
        1 => "1 definition fits".to_owned(),
        count => format!("{count} definitions fit"),
    }
}

/// The texts of files of which a line is shown; the last one is kept, for hits of one file often stand together.
#[derive(Default)]
struct Texts {
    last: Option<(usize, Rope)>,
}

impl Texts {
    fn line(&mut self, file: File<'_>, outline: &Outline, hit: &Hit) -> String {
        let Some(definition) = outline.get(hit.definition) else {
            return String::new();
        };
        let mut line = format!(
            "{}:{} {} {}",
            found::on_one_line(&file.display()),
            definition.line().0 + 1,
            definition.kind(),
            definition.qualified_name()
        );
        if self
            .last
            .as_ref()
            .is_none_or(|(index, _)| *index != hit.file)
        {
            self.last = text(file).map(|rope| (hit.file, rope));
        }
        if let Some((_, rope)) = &self.last {
            let signature = signature(&definition, rope);
            if !signature.is_empty() {
                line.push_str(" — ");
                line.push_str(&signature);
            }
        }
        line.push('\n');
        line
    }
}

/// The text of a file, as its lines are counted; none if it is gone by now: what was found of it is still told.
fn text(file: File<'_>) -> Option<Rope> {
    match file.buffer() {
        Some(buffer) => buffer
            .as_ref()
            .ok()
            .map(|snapshot: &Snapshot| snapshot.rope().clone()),
        None => symbols::read_text(&file.real()),
    }
}

#[cfg(test)]
mod tests;
