//! A model that plays turns from a YAML file: no key, no network, the same every time. The embedded default.
//!
//! Must not know how the calls are run; it keeps nothing between requests, so any number of sessions can play one script.

mod script;

use std::path::Path;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use mewcode_tools::result::{Status, ToolResult};

pub use self::script::ScriptError;
use self::script::{Expectation, Script, Turn};
use super::{Provider, ProviderError, ProviderErrorKind, ProviderEvent, Request, StopReason};
use crate::render::model_text;

/// What a user reads who has configured nothing yet.
const GUIDE: &str = "\
No model is set up yet, so this is all that I can say. Choose one in `~/.mewcode/config.yaml`:

```yaml
provider: anthropic
model: claude-sonnet-4-5      # the key is read from ANTHROPIC_API_KEY
```

or, without any key, play a script of model turns, in the same file or in `.mewcode.yaml` of the workspace:

```yaml
provider: scripted
script: demo.yaml
```

where `demo.yaml` is, for instance:

```yaml
turns:
  - text: I will read the file.
    calls:
      - tool: read_file
        args: {path: README.md}
  - text: I have read it.
```

Then ask again.
";

/// Plays the turns of a script.
#[derive(Debug)]
pub struct Scripted {
    /// `None`: the guide.
    script: Option<Script>,
}

impl Scripted {
    /// Reads the script in `file`.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no script; the error names the place.
    pub fn open(file: &Path) -> Result<Self, ScriptError> {
        Ok(Self {
            script: Some(Script::open(file)?),
        })
    }

    /// A model that answers every prompt with how to set up a real one.
    pub fn guide() -> Self {
        Self { script: None }
    }

    fn events(&self, turn: usize) -> Vec<Result<ProviderEvent, ProviderError>> {
        let Some(script) = &self.script else {
            return text_events(GUIDE)
                .chain([ProviderEvent::Stop(StopReason::EndTurn)])
                .map(Ok)
                .collect();
        };
        match script.turns.get(turn) {
            Some(turn) => turn_events(turn).into_iter().map(Ok).collect(),
            None => vec![Err(ProviderError::new(
                ProviderErrorKind::Script,
                script.past_the_end(turn),
            ))],
        }
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn stream<'a>(
        &'a self,
        request: &'a Request<'a>,
    ) -> BoxStream<'a, Result<ProviderEvent, ProviderError>> {
        stream::iter(self.events(request.turn))
            .then(async |event| {
                // As with a real model, others get their turn between two events.
                tokio::task::yield_now().await;
                event
            })
            .boxed()
    }

    fn judge(&self, turn: usize, results: &[ToolResult]) -> Result<(), ProviderError> {
        let Some((script, played)) = self
            .script
            .as_ref()
            .and_then(|script| Some((script, script.turns.get(turn)?)))
        else {
            return Ok(());
        };
        for (index, (expectation, call)) in played.expect.iter().zip(&played.calls).enumerate() {
            if let Some(difference) = difference(expectation, results.get(index)) {
                return Err(ProviderError::new(
                    ProviderErrorKind::Script,
                    format!(
                        "{}: turn {}, call {} ({}): {difference}",
                        script.file.display(),
                        turn + 1,
                        index + 1,
                        call.tool
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn turn_events(turn: &Turn) -> Vec<ProviderEvent> {
    let mut events: Vec<ProviderEvent> =
        text_events(turn.text.as_deref().unwrap_or_default()).collect();
    for (index, call) in turn.calls.iter().enumerate() {
        events.push(ProviderEvent::CallBegin {
            index,
            name: call.tool.clone(),
        });
        let json = serde_json::Value::Object(call.args.clone()).to_string();
        events.extend(pieces(&json).map(|piece| ProviderEvent::CallArguments {
            index,
            json: piece.to_string(),
        }));
        events.push(ProviderEvent::CallEnd { index });
    }
    let stop = if turn.calls.is_empty() {
        StopReason::EndTurn
    } else {
        StopReason::ToolUse
    };
    events.push(ProviderEvent::Stop(stop));
    events
}

fn text_events(text: &str) -> impl Iterator<Item = ProviderEvent> {
    pieces(text).map(|piece| ProviderEvent::Text(piece.to_string()))
}

/// The text in up to eight pieces, more if it is long: who watches must be able to live with a stream.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let size = text.chars().count().div_ceil(8).clamp(1, 200);
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .char_indices()
            .nth(size)
            .map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What is not as expected, if anything.
fn difference(expected: &Expectation, result: Option<&ToolResult>) -> Option<String> {
    let Some(result) = result else {
        return Some(format!(
            "expected status {}, but the call has no result",
            name(expected.status)
        ));
    };
    let text = model_text(result);
    let kind = result.error.as_ref().map(|error| error.kind);
    let met = result.status == expected.status
        && expected
            .error_kind
            .is_none_or(|expected| kind == Some(expected))
        && expected
            .contains
            .as_ref()
            .is_none_or(|needle| text.contains(needle.as_str()));
    if met {
        return None;
    }
    let mut wanted = format!("status {}", name(expected.status));
    if let Some(kind) = expected.error_kind {
        wanted.push_str(&format!(", error kind {kind}"));
    }
    if let Some(needle) = &expected.contains {
        wanted.push_str(&format!(", a text with {needle:?}"));
    }
    let mut got = format!("status {}", name(result.status));
    if let Some(kind) = kind {
        got.push_str(&format!(", error kind {kind}"));
    }
    Some(format!(
        "expected {wanted}; got {got}, with the text:\n{text}"
    ))
}

fn name(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
        Status::Denied => "denied",
        Status::Interrupted => "interrupted",
        Status::UnknownOutcome => "unknown_outcome",
    }
}

#[cfg(test)]
mod tests;
