//! The sessions of this server: one task each, prompts in order, and what is known of them for those who ask.
//!
//! Made when first needed: without a prompt there is no session, no log and no second thread. What a session's task does
//! is in `task`, what it works with in `equipment`.

mod equipment;
mod foreground;
mod task;

pub use equipment::TrustOffer;

use crate::config::{self, Config, ConfigError, Settings};
use crate::progress::Progress;
use crate::protocol::{self, PromptArguments};
use crate::state::State;
use crate::time::now;
use crate::trust::{TrustError, TrustState};
use mewcode_agent::event::{Envelope, Event};
use mewcode_agent::prompt::Prompt;
use mewcode_agent::session::{RetryPolicy, Session, SessionSetup, SharedMode};
use mewcode_agent::transcript::Transcript;
use mewcode_tools::host::Host;
use mewcode_tools::permission::Mode;
use mewcode_tools::runtime::Runtime;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use task::{Decided, Job, Subject, Watcher, work};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The longest title of a session.
const TITLE_CHARACTERS: usize = 200;

/// What was asked of the sessions and cannot be.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No session has this id.
    #[error("there is no session `{0}` in this server")]
    Unknown(String),
    /// There is no session at all yet.
    #[error("there is no session yet; a prompt begins one")]
    None,
    /// The prompt has no words.
    #[error("the prompt is empty; say what is to be done")]
    EmptyPrompt,
    /// The configuration is at fault.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is nothing to be asked about trust.
    #[error("there is nothing to ask about this workspace: {0}")]
    NoTrustQuestion(TrustState),
    /// Trust cannot be remembered.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The event log cannot be begun.
    #[error("the session's log cannot be begun in {}: {error}", folder.display())]
    Log {
        /// The state folder.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// A prompt that was taken.
#[derive(Debug, Serialize)]
pub struct Started {
    /// Its session.
    pub session: String,
    /// The run that will answer it.
    pub run: String,
}

/// The sessions in a few words.
#[derive(Debug)]
pub struct Summary {
    /// The current session.
    pub current: Option<String>,
    /// Its mode.
    pub mode: Mode,
    /// Runs under way.
    pub running: usize,
    /// The model's provider.
    pub provider: String,
    /// The model.
    pub model: Option<String>,
    /// How commands are confined.
    pub sandbox: &'static str,
    /// Whether nothing is held back that the workspace's files would grant.
    pub trusted: bool,
}

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    table: Mutex<Table>,
    overrides: Settings,
}

#[derive(Default)]
struct Table {
    roots: Vec<PathBuf>,
    options: Option<Value>,
    config: Option<Arc<Config>>,
    /// The mode of later sessions, if the user chose one.
    mode: Option<Mode>,
    runtime: Option<Arc<Runtime>>,
    /// What the calls of the newest session get besides the workspace; rules and commands are those of all sessions.
    host: Option<Host>,
    sessions: HashMap<String, Handle>,
    current: Option<String>,
}

struct Handle {
    jobs: mpsc::UnboundedSender<Job>,
    mode: SharedMode,
    provider: String,
    model: String,
    /// Whether that was set up, and is not the guide to setting one up.
    has_model: bool,
    /// The stop buttons of its prompts by run, the one under way first.
    runs: Vec<(String, CancellationToken)>,
    transcript: Transcript,
    /// The number of the last event.
    sequence: u64,
    progress: Option<Progress>,
    /// The first line of its first prompt.
    title: String,
    /// When it began, in milliseconds since 1970.
    started: u64,
    /// A later session has a greater number.
    number: usize,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Table")
            .field("roots", &self.roots)
            .field("sessions", &self.sessions.keys())
            .finish_non_exhaustive()
    }
}

impl Sessions {
    /// No sessions yet; `overrides` are the command line's settings.
    pub fn new(overrides: Settings) -> Self {
        Self {
            table: Mutex::default(),
            overrides,
        }
    }

    /// Takes the workspace's roots and the editor's options, from `initialize`.
    pub fn set_workspace(&self, roots: Vec<PathBuf>, options: Option<Value>) {
        let mut table = self.table();
        table.roots = roots;
        table.options = options;
    }

    /// Roots that came and went at run time.
    pub fn change_roots(&self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let mut table = self.table();
        table.roots.retain(|root| !removed.contains(root));
        for root in added {
            if !table.roots.contains(&root) {
                table.roots.push(root);
            }
        }
        if let Some(runtime) = &table.runtime {
            runtime.workspace().set_roots(&table.roots);
        }
    }

    /// The workspace's roots.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.table().roots.clone()
    }

    /// The folder for state.
    pub fn state_folder(&self) -> PathBuf {
        config::state_folder().unwrap_or_else(|| std::env::temp_dir().join("mewcode"))
    }

    /// Begins a session and makes it the current one.
    ///
    /// # Errors
    /// The configuration makes no model, or the log cannot be begun.
    pub fn create(&self, state: &Arc<State>) -> Result<String, SessionError> {
        // Read anew for each session: a script or a key that was set up meanwhile counts.
        let config = self.reload_config()?;
        let model = config.open_model()?;
        let runtime = self.equipped(state, &config)?;
        let folder = self.state_folder();
        let mode = SharedMode::new(self.table().mode.unwrap_or_else(|| config.mode()));
        let (provider, name) = (model.provider.name().to_owned(), model.name.clone());
        let session = Session::start(SessionSetup {
            state: folder.clone(),
            runtime,
            model,
            events: Arc::new(Watcher(Arc::clone(state))),
            news: Arc::new(Decided(Arc::clone(state))),
            mode: mode.clone(),
            retry: RetryPolicy::default(),
        })
        .map_err(|error| SessionError::Log { folder, error })?;
        let id = session.id().to_owned();
        let (jobs, queue) = mpsc::unbounded_channel();
        let mut table = self.table();
        let handle = Handle {
            jobs,
            mode,
            provider,
            model: name,
            has_model: config.has_model(),
            runs: Vec::new(),
            transcript: Transcript::new(id.as_str()),
            sequence: 0,
            progress: None,
            title: String::new(),
            started: now(),
            number: table.sessions.len(),
        };
        table.sessions.insert(id.clone(), handle);
        table.current = Some(id.clone());
        drop(table);
        state.spawn(work(Arc::clone(state), session, queue));
        Ok(id)
    }

    /// Takes a prompt: its run starts at once, or after those that were asked for before.
    ///
    /// # Errors
    /// See [`SessionError`].
    pub fn prompt(
        &self,
        state: &Arc<State>,
        arguments: PromptArguments,
    ) -> Result<Started, SessionError> {
        if arguments.text.trim().is_empty() {
            return Err(SessionError::EmptyPrompt);
        }
        // Rules and trust that have changed on disk count from here on; with a fault in them those in force stay.
        if self.find(None).is_ok()
            && let Err(error) = self.reload_config()
        {
            state
                .publisher
                .warn(&format!("the configuration was not read again: {error}"));
        }
        let session = match self.find(arguments.session.as_deref()) {
            // What the guide asked for is there: who asks again means the model.
            Ok(session) if arguments.session.is_none() && self.is_outgrown(&session) => {
                self.create(state)?
            }
            Ok(session) => session,
            Err(SessionError::None) => self.create(state)?,
            Err(error) => return Err(error),
        };
        let prompt = Prompt::new(arguments.text);
        let subject = arguments.uri.map(|uri| Subject {
            document: state.documents.by_uri(uri.as_str()),
            uri: uri.as_str().to_owned(),
            range: arguments.range,
        });
        let run = prompt.run.clone();
        let cancel = CancellationToken::new();
        let mut table = self.table();
        let handle = table
            .sessions
            .get_mut(&session)
            .ok_or_else(|| SessionError::Unknown(session.clone()))?;
        if handle.title.is_empty() {
            handle.title = first_line(&prompt.text);
        }
        handle.runs.push((run.clone(), cancel.clone()));
        // The session's task lives as long as its handle.
        let _ = handle.jobs.send(Job {
            prompt,
            subject,
            cancel,
        });
        Ok(Started { session, run })
    }

    /// Whether a session has no model although one is set up by now.
    fn is_outgrown(&self, session: &str) -> bool {
        let table = self.table();
        let has_model = |handle: &Handle| handle.has_model;
        let is_set_up = table
            .config
            .as_ref()
            .is_some_and(|config| config.has_model());
        is_set_up && !table.sessions.get(session).is_none_or(has_model)
    }

    /// Stops a session's run, and drops the prompts behind it. Gives the session, if there was anything to stop.
    ///
    /// # Errors
    /// The session is unknown.
    pub fn cancel(&self, session: Option<&str>) -> Result<Option<String>, SessionError> {
        let Some(id) = self.find_running(session)? else {
            return Ok(None);
        };
        if let Some(handle) = self.table().sessions.get(&id) {
            handle.runs.iter().for_each(|(_, cancel)| cancel.cancel());
        }
        Ok(Some(id))
    }

    /// Stops one run, by its id. Gives its session, if it is the run that is under way there.
    pub fn cancel_run(&self, run: &str) -> Option<String> {
        let table = self.table();
        let runs = |handle: &Handle| handle.runs.iter().position(|(id, _)| id == run);
        let mut found = table.sessions.iter();
        let (session, handle, at) =
            found.find_map(|(session, handle)| Some((session, handle, runs(handle)?)))?;
        handle.runs[at].1.cancel();
        (at == 0).then(|| session.clone())
    }

    /// Stops every run, when the server ends.
    pub fn cancel_all(&self) {
        let table = self.table();
        let runs = table.sessions.values().flat_map(|handle| &handle.runs);
        runs.for_each(|(_, cancel)| cancel.cancel());
    }

    /// Changes the mode of one session, or of the current and all later ones.
    ///
    /// # Errors
    /// The session is unknown.
    pub fn set_mode(&self, mode: Mode, session: Option<&str>) -> Result<(), SessionError> {
        let id = match (session, self.find(session)) {
            (None, Err(_)) => None,
            (_, found) => Some(found?),
        };
        let mut table = self.table();
        if let Some(handle) = id.and_then(|id| table.sessions.get_mut(&id)) {
            handle.mode.set(mode);
        }
        if session.is_none() {
            table.mode = Some(mode);
        }
        Ok(())
    }

    /// A session's transcript as Markdown.
    ///
    /// # Errors
    /// The session is unknown.
    pub fn transcript(
        &self,
        session: Option<&str>,
    ) -> Result<protocol::TranscriptResult, SessionError> {
        let session = self.find(session)?;
        let table = self.table();
        let handle = table.sessions.get(&session);
        let markdown = handle.map(|handle| handle.transcript.markdown());
        Ok(protocol::TranscriptResult {
            markdown: markdown.unwrap_or_default(),
            sequence: handle.map_or(0, |handle| handle.sequence),
            session,
        })
    }

    /// Every session, the newest first.
    pub fn list(&self) -> Vec<protocol::SessionEntry> {
        let table = self.table();
        let mut sessions: Vec<_> = table.sessions.iter().collect();
        sessions.sort_by_key(|(_, handle)| std::cmp::Reverse(handle.number));
        let entry = |(id, handle): (&String, &Handle)| protocol::SessionEntry {
            session: id.clone(),
            title: handle.title.clone(),
            running: !handle.runs.is_empty(),
            mode: handle.mode.get().to_string(),
            started: handle.started,
            current: table.current.as_ref() == Some(id),
        };
        sessions.into_iter().map(entry).collect()
    }

    /// The sessions in a few words.
    pub fn summary(&self) -> Summary {
        let table = self.table();
        let current = table.current.as_ref().and_then(|id| table.sessions.get(id));
        let config = table.config.as_ref();
        Summary {
            current: table.current.clone(),
            mode: current
                .map(|handle| handle.mode.get())
                .or(table.mode)
                .or(config.map(|config| config.mode()))
                .unwrap_or_default(),
            running: table
                .sessions
                .values()
                .filter(|handle| !handle.runs.is_empty())
                .count(),
            provider: current.map_or_else(|| "none".to_owned(), |handle| handle.provider.clone()),
            model: current.map(|handle| handle.model.clone()),
            sandbox: table.sandbox(),
            trusted: table.is_trusted(),
        }
    }

    /// A file's path as the model and the user know it.
    pub fn display(&self, path: &Path) -> String {
        let table = self.table();
        match &table.runtime {
            Some(runtime) => runtime.workspace().guard().display(path),
            None => path.display().to_string(),
        }
    }

    /// The session that is meant: the named one, or the current one.
    fn find(&self, session: Option<&str>) -> Result<String, SessionError> {
        let table = self.table();
        match session {
            Some(id) if table.sessions.contains_key(id) => Ok(id.to_owned()),
            Some(id) => Err(SessionError::Unknown(id.to_owned())),
            None => table.current.clone().ok_or(SessionError::None),
        }
    }

    /// The session whose run is meant: the named one if it runs, the current one if it runs, else the newest that does.
    fn find_running(&self, session: Option<&str>) -> Result<Option<String>, SessionError> {
        let meant = match self.find(session) {
            Err(SessionError::None) => return Ok(None),
            meant => meant?,
        };
        let table = self.table();
        let runs = |(_, handle): &(&String, &Handle)| !handle.runs.is_empty();
        let running = table.sessions.iter().filter(runs);
        Ok(running
            .filter(|(id, _)| session.is_none() || **id == meant)
            .max_by_key(|(id, handle)| (**id == meant, handle.number))
            .map(|(id, _)| id.clone()))
    }

    /// Takes an event of a session, and gives the run's progress to tell it to.
    fn record(&self, state: &Arc<State>, envelope: &Envelope) {
        let mut table = self.table();
        let Some(handle) = table.sessions.get_mut(&envelope.session) else {
            return;
        };
        handle.transcript.push(envelope);
        handle.sequence = envelope.sequence;
        if let Event::RunStarted { .. } = envelope.event {
            handle.progress = Progress::begin(state, &envelope.run);
        }
        if let Some(progress) = &mut handle.progress {
            progress.tell(&envelope.event);
        }
        if let Event::RunEnded { .. } = envelope.event {
            handle.progress = None;
            handle.runs.retain(|(run, _)| *run != envelope.run);
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a session is called after its first prompt.
fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(TITLE_CHARACTERS) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
