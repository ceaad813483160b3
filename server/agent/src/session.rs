//! A session and the loop of its runs: ask the model, run its calls, tell it the results, again.
//!
//! One run at a time; whoever wants to queue prompts does it outside. Whatever ends a run, the conversation stays valid:
//! each call has its result. Must not know editors or protocols.

mod calls;
mod guard;
mod journal;
mod retry;
mod round;
mod secrets;
mod turn;

use std::collections::HashMap;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use futures::FutureExt;
use mewcode_tools::ledger::Ledger;
use mewcode_tools::permission::Mode;
use mewcode_tools::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::calls::{PreparedCall, UnderWay};
use self::guard::Guard;
use self::journal::Journal;
pub use self::retry::RetryPolicy;
use self::secrets::Secrets;
use crate::config::Model;
use crate::conversation::{self, Conversation};
use crate::event::{Event, Events, Outcome};
use crate::log::{Entry, EventLog};
use crate::message::Block;
use crate::prompt::{self, News, Prompt};
use crate::provider::assembly::{Part, Turn};
use crate::provider::{Request, StopReason, ToolSpec};

/// What the conversation keeps of a run that the user stopped.
const STOPPED: &str = "(The user stopped the run here.)";

/// What is said of a run that panicked.
const BROKE_OFF: &str = "The run broke off through a fault of MewCode itself. Look at what is there, then prompt again to go on.";

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// The model ended its turn.
    Done,
    /// Something broke; this is what.
    Failed(String),
    /// The user stopped it.
    Cancelled,
    /// A limit stopped it; this one.
    Limit(String),
}

impl RunOutcome {
    fn told(&self) -> (Outcome, Option<String>) {
        match self {
            Self::Done => (Outcome::Done, None),
            Self::Failed(message) => (Outcome::Failed, Some(message.clone())),
            Self::Cancelled => (Outcome::Cancelled, None),
            Self::Limit(message) => (Outcome::Limit, Some(message.clone())),
        }
    }
}

/// The permission mode of a session; its copies share it, and a change counts from the next call on.
#[derive(Debug, Clone, Default)]
pub struct SharedMode(Arc<RwLock<Mode>>);

impl SharedMode {
    /// This mode to begin with.
    pub fn new(mode: Mode) -> Self {
        Self(Arc::new(RwLock::new(mode)))
    }

    /// The mode now.
    pub fn get(&self) -> Mode {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another mode from now on.
    pub fn set(&self, mode: Mode) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = mode;
    }
}

/// What a session is made of.
pub struct SessionSetup {
    /// The folder for state; the event log is kept in it.
    pub state: PathBuf,
    /// Runs the calls.
    pub runtime: Arc<Runtime>,
    /// Makes the turns.
    pub model: Model,
    /// Watches.
    pub events: Arc<dyn Events>,
    /// What the user does meanwhile.
    pub news: Arc<dyn News>,
    /// The permission mode.
    pub mode: SharedMode,
    /// How failed requests are made again.
    pub retry: RetryPolicy,
}

/// One conversation with a model, and all that belongs to it.
pub struct Session {
    id: String,
    runtime: Arc<Runtime>,
    model: Model,
    mode: SharedMode,
    news: Arc<dyn News>,
    retry: RetryPolicy,
    ledger: Arc<Ledger>,
    conversation: Conversation,
    journal: Journal,
    prefix: Prefix,
    /// Model turns asked for so far.
    turns: usize,
    /// Call ids given so far.
    calls: u64,
    /// The calls of the model's last turn that the conversation has no result of and that were begun, by id.
    under_way: HashMap<String, UnderWay>,
}

/// The unchanging front of the requests.
#[derive(Debug, Clone, Default, PartialEq)]
struct Prefix {
    system: String,
    tools: Vec<ToolSpec>,
}

impl Session {
    /// Begins a session.
    ///
    /// # Errors
    ///
    /// Its event log cannot be begun.
    pub fn start(setup: SessionSetup) -> io::Result<Self> {
        let id = Uuid::now_v7().to_string();
        let root = setup
            .runtime
            .workspace()
            .guard()
            .roots()
            .first()
            .cloned()
            .unwrap_or_default();
        let log = EventLog::create(&setup.state, &root, &id)?;
        let secrets = Secrets::new(Arc::clone(setup.runtime.redactor()), id.clone());
        Ok(Self {
            journal: Journal::new(id.clone(), setup.events, log, secrets),
            id,
            runtime: setup.runtime,
            model: setup.model,
            mode: setup.mode,
            news: setup.news,
            retry: setup.retry,
            ledger: Arc::new(Ledger::new()),
            conversation: Conversation::new(),
            prefix: Prefix::default(),
            turns: 0,
            calls: 0,
            under_way: HashMap::new(),
        })
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The permission mode, to be shared.
    pub fn mode(&self) -> &SharedMode {
        &self.mode
    }

    /// What was said so far.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Where the event log is.
    pub fn log_path(&self) -> &Path {
        self.journal.log().path()
    }

    /// Works on a prompt until the model ends its turn, `cancel` is triggered, or something stops it.
    ///
    /// Cancelling waits for the running calls to clean up after themselves. A run whose future is dropped instead leaves its
    /// open calls to be settled by the next run.
    pub async fn run(&mut self, prompt: Prompt, cancel: CancellationToken) -> RunOutcome {
        self.journal.begin_run(&prompt.run);
        self.journal.emit(Event::RunStarted {
            prompt: prompt.text.clone(),
        });
        self.settle_open_calls();
        let work = AssertUnwindSafe(self.work(&prompt, &cancel)).catch_unwind();
        let outcome = match work.await {
            Ok(Ok(())) => RunOutcome::Done,
            Ok(Err(outcome)) => outcome,
            // Later prompts must not wait for ever behind a run that is gone.
            Err(_) => {
                self.settle_open_calls();
                RunOutcome::Failed(BROKE_OFF.into())
            }
        };
        if outcome == RunOutcome::Cancelled {
            self.say(vec![Block::text(STOPPED)]);
        }
        let (kind, message) = outcome.told();
        self.journal.record(Entry::RunEnded {
            outcome: kind,
            message,
        });
        let outcome = match self.journal.flush().await {
            Err(error) if outcome == RunOutcome::Done => RunOutcome::Failed(error.to_string()),
            _ => outcome,
        };
        let (kind, message) = outcome.told();
        self.journal.emit(Event::RunEnded {
            outcome: kind,
            message,
        });
        outcome
    }

    async fn work(
        &mut self,
        prompt: &Prompt,
        cancel: &CancellationToken,
    ) -> Result<(), RunOutcome> {
        if prompt.text.trim().is_empty() {
            return Err(RunOutcome::Failed(
                "The prompt is empty. Say what is to be done.".into(),
            ));
        }
        self.say(prompt::blocks(
            prompt,
            &self.news.take(&self.id),
            self.mode.get(),
            self.runtime.workspace(),
            &self.ledger,
        ));
        let mut guard = Guard::new(self.model.max_turns);
        loop {
            if cancel.is_cancelled() {
                return Err(RunOutcome::Cancelled);
            }
            guard.turn().map_err(RunOutcome::Limit)?;
            // Behind the results of the last turn, so that the next one does not build on what is gone.
            if let Some(news) = prompt::meanwhile(&self.news.take(&self.id)) {
                self.say(vec![news]);
            }
            self.refresh_prefix();
            let number = self.turns;
            let turn = self.ask(cancel).await?;
            let stop = turn.stop.clone();
            let (calls, reason) = self.take_answer(turn);
            if calls.is_empty() {
                return self.end_of_turn(&stop);
            }
            let round = self.run_calls(&calls, &reason, &mut guard, cancel).await;
            // What ended a call early ends the run; an expectation is judged only when nothing did.
            round.ended?;
            guard.waited(
                round
                    .results
                    .last()
                    .map_or(0, |last| last.metrics.waited_ms),
            );
            self.model
                .provider
                .judge(number, &round.results)
                .map_err(|error| RunOutcome::Failed(error.message))?;
            guard.round(round.any_known).map_err(RunOutcome::Limit)?;
        }
    }

    /// Asks for the next turn.
    async fn ask(&mut self, cancel: &CancellationToken) -> Result<Turn, RunOutcome> {
        let turn = self.turns;
        self.turns += 1;
        self.journal.record(Entry::Request {
            turn,
            provider: self.model.provider.name().to_string(),
            model: self.model.name.clone(),
            mode: self.mode.get(),
            messages: self.conversation.messages().len(),
        });
        // Everything that led here is on the disk before the model can build on it.
        self.journal
            .flush()
            .await
            .map_err(|error| RunOutcome::Failed(error.to_string()))?;
        let request = Request {
            turn,
            model: &self.model.name,
            system: &self.prefix.system,
            tools: &self.prefix.tools,
            messages: self.conversation.messages(),
            max_tokens: self.model.max_tokens,
            thinking_budget: self.model.thinking_budget,
        };
        debug_assert_eq!(conversation::fault(request.messages), None);
        turn::ask(
            &*self.model.provider,
            &request,
            &self.retry,
            &mut self.journal,
            cancel,
        )
        .await
    }

    /// Takes the model's turn into the conversation. Gives its calls, and the words beside them.
    fn take_answer(&mut self, turn: Turn) -> (Vec<PreparedCall>, String) {
        let mut content = Vec::new();
        let mut calls = Vec::new();
        let mut reason = String::new();
        for part in turn.parts {
            match part {
                Part::Text(text) => {
                    reason = text.trim().to_string();
                    content.push(Block::Text { text });
                }
                Part::Thinking { text, signature } => {
                    content.push(Block::Thinking { text, signature })
                }
                Part::RedactedThinking(data) => content.push(Block::RedactedThinking { data }),
                Part::Call(call) => {
                    self.calls += 1;
                    let call = PreparedCall::new(format!("call_{}", self.calls), call);
                    content.push(call.block());
                    calls.push(call);
                }
            }
        }
        if turn.stop == StopReason::Refusal {
            // Vendors ask that a refused answer is not sent again, and nothing of it may be run.
            calls.clear();
        }
        self.journal.record(Entry::Answer {
            content: content.clone(),
            stop: turn.stop.clone(),
            usage: turn.usage,
        });
        if let Some(usage) = turn.usage {
            self.journal.emit(Event::Usage(usage));
        }
        if turn.stop != StopReason::Refusal {
            self.conversation.answer(content);
        }
        (calls, reason)
    }

    /// The model made no call: why did it stop?
    fn end_of_turn(&self, stop: &StopReason) -> Result<(), RunOutcome> {
        match stop {
            StopReason::MaxTokens => Err(RunOutcome::Limit(format!(
                "The answer was cut off at {} tokens, its limit (`max_tokens`). Raise it, or prompt again to go on.",
                self.model.max_tokens
            ))),
            StopReason::Refusal => Err(RunOutcome::Failed(
                "The model refused to go on. Put the request differently, in a new session if it refuses again.".into(),
            )),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::Other(_) => Ok(()),
        }
    }

    /// System prompt and tools change only with the mode or the registered tools, and that is recorded.
    fn refresh_prefix(&mut self) {
        let mode = self.mode.get();
        let tools = self.runtime.registry().snapshot();
        let tools = tools
            .iter()
            .map(|tool| tool.contract())
            .filter(|contract| mode.offers(&contract.effect_bound))
            .map(|contract| ToolSpec {
                name: contract.name.clone(),
                description: contract.description.clone(),
                schema: contract.parameters.schema().clone(),
            })
            .collect();
        let prefix = Prefix {
            system: prompt::system(),
            tools,
        };
        if prefix != self.prefix {
            self.prefix = prefix;
            let Prefix { system, tools } = self.prefix.clone();
            self.journal.record(Entry::PromptPrefix { system, tools });
        }
    }

    fn say(&mut self, content: Vec<Block>) {
        self.journal.record(Entry::UserMessage {
            content: content.clone(),
        });
        self.conversation.say(content);
    }
}

#[cfg(test)]
mod tests;
