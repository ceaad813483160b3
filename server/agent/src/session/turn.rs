//! One model turn: the request, its stream, and the retries until it comes whole.
//!
//! Must not know conversations or calls. Of a turn that failed half way nothing is kept.

use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use super::RunOutcome;
use super::journal::Journal;
use super::retry::RetryPolicy;
use crate::event::Event;
use crate::log::Entry;
use crate::provider::assembly::{Assembly, Turn};
use crate::provider::{Provider, ProviderError, ProviderEvent, Request};

/// Why there is no turn.
enum Failure {
    Cancelled,
    Provider(ProviderError),
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self::Provider(error)
    }
}

/// Asks until the turn comes whole, the error is final, or `cancel` is triggered.
pub(super) async fn ask(
    provider: &dyn Provider,
    request: &Request<'_>,
    policy: &RetryPolicy,
    journal: &mut Journal,
    cancel: &CancellationToken,
) -> Result<Turn, RunOutcome> {
    let mut attempt = 0;
    loop {
        let error = match stream(provider, request, journal, cancel).await {
            Ok(turn) => return Ok(turn),
            Err(Failure::Cancelled) => return Err(RunOutcome::Cancelled),
            Err(Failure::Provider(error)) if error.kind.retryable() => error,
            Err(Failure::Provider(error)) => return Err(RunOutcome::Failed(error.message)),
        };
        attempt += 1;
        let Some(delay) = policy.delay(attempt, error.retry_after) else {
            return Err(RunOutcome::Failed(final_words(&error, attempt - 1, policy)));
        };
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let ProviderError {
            kind,
            message: reason,
            ..
        } = error;
        journal.record(Entry::Retry {
            attempt,
            delay_ms,
            error_kind: kind,
            reason: reason.clone(),
        });
        journal.emit(Event::Retrying {
            attempt,
            attempts: policy.retries,
            delay_ms,
            reason,
        });
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(RunOutcome::Cancelled),
            () = tokio::time::sleep(delay) => {}
        }
    }
}

fn final_words(error: &ProviderError, retries: u32, policy: &RetryPolicy) -> String {
    match error.retry_after {
        Some(asked) if asked > policy.longest_asked => {
            format!(
                "{} It asks to wait for {} s: prompt again then.",
                error.message,
                asked.as_secs()
            )
        }
        _ if retries == 0 => error.message.clone(),
        _ => format!(
            "{} It was tried {} times. Prompt again to try once more.",
            error.message,
            retries + 1
        ),
    }
}

async fn stream(
    provider: &dyn Provider,
    request: &Request<'_>,
    journal: &mut Journal,
    cancel: &CancellationToken,
) -> Result<Turn, Failure> {
    let mut assembly = Assembly::new();
    let mut events = provider.stream(request);
    loop {
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Failure::Cancelled),
            event = events.next() => event,
        };
        // Whether the stream came to its end, the assembly knows.
        let Some(event) = event.transpose()? else {
            return Ok(assembly.finish()?);
        };
        match &event {
            ProviderEvent::Text(delta) => journal.emit(Event::Text {
                delta: delta.clone(),
            }),
            ProviderEvent::Thinking(delta) => journal.emit(Event::Thinking {
                delta: delta.clone(),
            }),
            _ => {}
        }
        assembly.push(event)?;
    }
}
