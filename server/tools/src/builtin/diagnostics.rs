//! `diagnostics`: what the user's own language servers say is wrong.

use std::fmt::Write;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use super::asked;
use super::found::{self, Window, files, on_one_line};
use super::outline::counted;
use super::paged::Paged;
use crate::contract::{CallScope, Plan, Run, Tool, ToolContract, Work};
use crate::effect::Effect;
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::port::{BoxFuture, Diagnostic, Query, QueryAnswer, Severity};
use crate::result::ToolResult;
use crate::said;
use crate::schema;

const NAME: &str = "diagnostics";

const DESCRIPTION: &str = "\
Tells what the language servers and linters that the user's editor runs say is wrong now: errors, warnings, hints, as the user sees \
them. One a line, grouped by file: the line, how bad it is, what is wrong, and who says so with the code. Without `path` it is about all \
files that they look at, which may be the open ones only. Use it after edits, and before you run a long build; it does not replace the \
project's own tests. No answer for a file can also mean that no server looks at it. Changes nothing.";

const DEFAULT_LIMIT: usize = 100;

/// See the module.
pub(super) struct Diagnostics {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace or absolute; without it, all files.
    path: Option<String>,
    /// The least severity that is shown. Default: `hint`, so all.
    #[serde(default)]
    #[schemars(schema_with = "severities")]
    severity: Option<String>,
    /// How many to show at most. Default: 100.
    limit: Option<i64>,
    /// How many to leave out at the beginning: to go on where an answer ended. Default: 0.
    offset: Option<i64>,
}

fn severities(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": Severity::ALL.map(Severity::as_str)})
}

impl Diagnostics {
    pub(super) fn new() -> Diagnostics {
        let contract = asked::contract::<Arguments>(NAME, DESCRIPTION.to_owned());
        Diagnostics { contract }
    }
}

impl Tool for Diagnostics {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let window = found::window(arguments.limit, arguments.offset, DEFAULT_LIMIT)?;
        let least = match &arguments.severity {
            None => Severity::Hint,
            // The schema lets no other word through.
            Some(name) => Severity::parse(name)
                .ok_or_else(|| ToolError::invalid_arguments(format!("`{name}` is no severity.")))?,
        };
        let workspace = &scope.workspace;
        let (path, paths) = match &arguments.path {
            Some(given) => {
                let path = workspace.resolve(given, Access::Read)?;
                let ways = workspace.ways(given, &path);
                (Some(path), ways)
            }
            None => (None, workspace.guard().roots().to_vec()),
        };
        Ok(Plan {
            effects: vec![Effect::Read(paths)],
            timeout: None,
            work: Work::Run(Box::new(Looking {
                path,
                least,
                window,
            })),
        })
    }
}

/// A planned call.
struct Looking {
    path: Option<ResolvedPath>,
    least: Severity,
    window: Window,
}

impl Run for Looking {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let path = self.path.clone();
        asked::answered(
            scope,
            move |scope| {
                // A file that is not there has no diagnostics, and nobody would say why.
                if let Some(path) = &path {
                    scope.workspace.text(path)?;
                }
                Ok(Query::Diagnostics(path.map(|path| path.real)))
            },
            move |scope, answer| self.tell(scope, answer),
        )
    }
}

/// What is wrong, and where.
struct Found {
    display: String,
    diagnostic: Diagnostic,
}

impl Looking {
    fn tell(&self, scope: &CallScope, answer: QueryAnswer) -> ToolResult {
        let left_out = answer.left_out;
        let found = self.sorted(scope, answer);
        let mut content = String::new();
        self.summarise(&mut content, &found);
        let paged = Paged {
            entries: &found,
            window: self.window,
            goes_on: true,
        };
        let truncation = paged.add_to(&mut content, |last, it| {
            let line = said::line(&it.diagnostic);
            match last.is_some_and(|last| last.display == it.display) {
                true => line,
                false => format!("{}\n{line}", on_one_line(&it.display)),
            }
        });
        if left_out > 0 {
            let narrower = match self.path {
                Some(_) => "",
                None => ": name a file as `path`",
            };
            let _ = writeln!(
                content,
                "[the editor has {left_out} more, which it was not asked for{narrower}]"
            );
        }
        ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }
    }

    /// What is bad enough, by file, line and severity. Files that are not to be read are left out.
    fn sorted(&self, scope: &CallScope, answer: QueryAnswer) -> Vec<Found> {
        let guard = scope.workspace.guard();
        let unread = scope.unread(NAME);
        let is_asked_for = |file: &PathBuf| match &self.path {
            Some(path) => path.real == *file,
            None => guard.root_of(file).is_some() && !unread.contains(file),
        };
        let mut found: Vec<Found> = answer
            .diagnostics
            .into_iter()
            .filter(|file| is_asked_for(&file.path))
            .flat_map(|file| {
                let display = guard.display(&file.path);
                file.diagnostics.into_iter().map(move |diagnostic| Found {
                    display: display.clone(),
                    diagnostic,
                })
            })
            .filter(|it| it.diagnostic.severity <= self.least)
            .collect();
        found.sort_by(|one, other| {
            (&one.display, &one.diagnostic).cmp(&(&other.display, &other.diagnostic))
        });
        found.dedup_by(|one, other| {
            one.display == other.display && one.diagnostic == other.diagnostic
        });
        found
    }

    fn summarise(&self, content: &mut String, found: &[Found]) {
        let place = match &self.path {
            Some(path) => format!("`{}`", path.display),
            None => "the workspace".to_owned(),
        };
        if found.is_empty() {
            let what = match self.least {
                Severity::Hint => "nothing".to_owned(),
                least => format!("nothing of severity {} or worse", least.as_str()),
            };
            let _ = writeln!(
                content,
                "The editor's language servers report {what} in {place}."
            );
            return;
        }
        let each: Vec<String> = Severity::ALL
            .into_iter()
            .filter_map(|severity| {
                let of_it = found.iter().filter(|it| it.diagnostic.severity == severity);
                match (of_it.count(), severity) {
                    (0, _) => None,
                    (count, Severity::Information) => Some(format!("{count} information")),
                    (count, severity) => Some(counted(count, severity.as_str())),
                }
            })
            .collect();
        let mut names: Vec<&str> = found.iter().map(|it| it.display.as_str()).collect();
        names.dedup();
        let _ = match &self.path {
            Some(_) => writeln!(content, "{} in {place}", each.join(", ")),
            None => writeln!(content, "{} in {}", each.join(", "), files(names.len())),
        };
    }
}
