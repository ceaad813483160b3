//! What the server's parts share: the documents, the connection, the review, the sessions.
//!
//! Built once. Work that lasts runs on a second runtime, made when it is first needed, so that the one that reads the
//! wire never waits and an idle server stays small.

use crate::apply::Applier;
use crate::approvals::Approvals;
use crate::client::Profile;
use crate::config::{self, Settings};
use crate::definitions::Definitions;
use crate::documents::Documents;
use crate::held::Held;
use crate::peer::Peer;
use crate::protocol::{DecisionResult, Status, StatusParams};
use crate::review::book::Book;
use crate::review::decide::{Decider, Decision};
use crate::review::keep::Keeper;
use crate::review::landing::Lander;
use crate::review::news::News;
use crate::review::publish::Publisher;
use crate::sessions::{SessionError, Sessions};
use mewcode_tools::headless::DiskEditor;
use std::collections::HashSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use uuid::Uuid;

/// How long changes of a document are gathered before its hunks are shown anew.
const GATHER: Duration = Duration::from_millis(40);
/// How long moves of hunks are gathered before they are kept.
const KEEP_AFTER: Duration = Duration::from_secs(1);
/// Threads for runs, decisions and file work.
const WORKERS: usize = 2;

/// The shared state.
#[derive(Debug)]
pub struct State {
    /// The open documents.
    pub documents: Arc<Documents>,
    /// Files that the editor holds in another form.
    pub held: Arc<Held>,
    /// The editor.
    pub peer: Arc<Peer>,
    /// The undecided hunks.
    pub book: Arc<Book>,
    /// Who keeps them for the next server.
    pub keeper: Arc<Keeper>,
    /// Who shows them.
    pub publisher: Arc<Publisher>,
    /// Who carries out decisions about them.
    pub decider: Decider,
    /// The questions that wait.
    pub approvals: Approvals,
    /// The sessions.
    pub sessions: Sessions,
    /// Which documents are parsed as they change.
    pub definitions: Definitions,
    /// Told the id of the client's process by `initialize`.
    pub parent: watch::Sender<Option<u32>>,
    profile: Arc<OnceLock<Profile>>,
    fallback: Profile,
    worker: OnceLock<Runtime>,
    /// Files whose documents are followed for their hunks.
    followed: Mutex<HashSet<PathBuf>>,
    /// Whether moves of hunks are about to be kept.
    keeping: AtomicBool,
    shown_status: Mutex<Option<StatusParams>>,
}

impl State {
    /// The state of a server at the other end of `peer`.
    pub fn new(documents: Arc<Documents>, peer: Arc<Peer>, overrides: Settings) -> Self {
        let profile = Arc::new(OnceLock::new());
        let held = Arc::<Held>::default();
        let book = Arc::new(Book::tagged(format!(
            "{:08x}-",
            Uuid::new_v4().as_fields().0
        )));
        let keeper = Arc::new(Keeper::new(config::hunks(), Arc::clone(&book)));
        let publisher = Arc::new(Publisher::new(
            Arc::clone(&book),
            Arc::clone(&keeper),
            Arc::clone(&documents),
            Arc::clone(&peer),
            Arc::clone(&profile),
        ));
        let decider = Decider {
            book: Arc::clone(&book),
            lander: Lander::new(
                Arc::clone(&documents),
                Arc::clone(&peer),
                Arc::clone(&held),
                DiskEditor::new(config::journal()),
            ),
            publisher: Arc::clone(&publisher),
            news: News::default(),
        };
        Self {
            documents,
            held,
            peer,
            book,
            keeper,
            publisher,
            decider,
            approvals: Approvals::default(),
            sessions: Sessions::new(overrides),
            definitions: Definitions::default(),
            parent: watch::channel(None).0,
            fallback: Profile::new(&Default::default()),
            profile,
            worker: OnceLock::new(),
            followed: Mutex::default(),
            keeping: AtomicBool::new(false),
            shown_status: Mutex::default(),
        }
    }

    /// The client; before `initialize` one that can nothing.
    pub fn profile(&self) -> &Profile {
        self.profile.get().unwrap_or(&self.fallback)
    }

    /// Takes the client's description of itself. Once.
    pub fn set_profile(&self, profile: Profile) {
        self.documents.set_encoding(profile.encoding);
        // `initialize` is answered once; the service refuses a second one.
        let _ = self.profile.set(profile);
    }

    /// The way into open documents.
    pub fn applier(&self) -> &Applier {
        &self.decider.lander.applier
    }

    /// Runs work that lasts, off the thread that reads the wire.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.worker().spawn(work);
    }

    /// Answers a question that reads the disk, off the thread that reads the wire.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Option<T> {
        let state = Arc::clone(self);
        let answer = self.worker().spawn_blocking(move || question(&state));
        // None: it panicked, or the server is ending.
        answer.await.ok()
    }

    fn worker(&self) -> &Runtime {
        self.worker.get_or_init(|| {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(WORKERS)
                .thread_name("mewcode-worker")
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    eprintln!(
                        "mewcode: threads cannot be started, so nothing can be done: {error}"
                    );
                    std::process::exit(1);
                }
            }
        })
    }

    /// Shows a file's hunks, and keeps doing so while its document changes, until it has none left.
    pub fn follow(self: &Arc<Self>, path: &Path) {
        let fresh = self.lock_followed().insert(path.to_owned());
        if !fresh {
            self.publisher.publish(path);
            self.show_status();
            return;
        }
        let state = Arc::clone(self);
        let path = path.to_owned();
        let mut events = self.documents.observe(&path);
        self.spawn(async move {
            loop {
                state.look(&path);
                state.publisher.publish(&path);
                state.show_status();
                state.tell_restored();
                state.keep_soon();
                if state.unfollow_if_done(&path) {
                    // The last hunk may have gone by another's look, between the two.
                    if state.publisher.shows(&path) {
                        state.publisher.publish(&path);
                        state.show_status();
                    }
                    return;
                }
                if events.recv().await.is_none() {
                    return;
                }
                tokio::time::sleep(GATHER).await;
                while events.try_recv().is_ok() {}
            }
        });
    }

    /// Follows every file that has hunks: a decision may have moved one.
    pub fn follow_all(self: &Arc<Self>) {
        for path in self.book.paths() {
            if !self.lock_followed().contains(&path) {
                self.follow(&path);
            }
        }
    }

    /// Carries a file's hunks to its present text: the document's if it is open, else the disk's. A text that cannot
    /// be had now changes nothing; whoever decides about the hunks is told.
    pub fn look(&self, path: &Path) {
        // A file that was restored may be open with text that is nowhere on disk: its editor has yet to say so.
        if self.book.is_asleep(path) && self.documents.by_path(path).is_none() {
            return;
        }
        while self.book.has(path) {
            let since = self.book.entered();
            match self.decider.lander.present(path) {
                Ok(Some(text)) if !self.book.look_since(path, &text, since) => {}
                _ => return,
            }
        }
    }

    /// Keeps where hunks stand, once a text that changes has changed for a while.
    fn keep_soon(self: &Arc<Self>) {
        if self.keeping.swap(true, Ordering::Relaxed) {
            return;
        }
        let state = Arc::clone(self);
        self.spawn(async move {
            tokio::time::sleep(KEEP_AFTER).await;
            state.keeping.store(false, Ordering::Relaxed);
            if let Some(complaint) = state.keeper.keep_moves() {
                state.publisher.warn(&complaint);
            }
        });
    }

    fn unfollow_if_done(&self, path: &Path) -> bool {
        // Under the lock, so that a proposal that comes at this moment is either seen here or followed anew.
        let mut followed = self.lock_followed();
        !self.book.has(path) && followed.remove(path)
    }

    fn lock_followed(&self) -> std::sync::MutexGuard<'_, HashSet<PathBuf>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out a decision in the background.
    pub fn decide(self: &Arc<Self>, decision: Decision) -> DecisionResult {
        let (taken, conflicts) = self.decider.take(&decision);
        let count = taken.iter().map(|group| group.hunks.len()).sum();
        if conflicts > 0 && !self.profile().features.review {
            // A plugin tells it by the answer.
            self.publisher.warn(&left_alone(conflicts));
        }
        let state = Arc::clone(self);
        if count > 0 {
            self.spawn(async move {
                state
                    .decider
                    .carry_out(state.profile(), &decision, taken)
                    .await;
                state.follow_all();
                state.show_status();
            });
        }
        DecisionResult {
            hunks: count,
            conflicts,
        }
    }

    /// Stops a session's run, and with it the questions of its calls. Tells whether there was anything to stop.
    ///
    /// # Errors
    /// The session is unknown.
    pub fn cancel(self: &Arc<Self>, session: Option<&str>) -> Result<bool, SessionError> {
        let stopped = self.sessions.cancel(session)?;
        self.withdraw_questions(stopped.as_deref());
        Ok(stopped.is_some())
    }

    /// The same for one run, by its id.
    pub fn cancel_run(self: &Arc<Self>, run: &str) {
        let stopped = self.sessions.cancel_run(run);
        self.withdraw_questions(stopped.as_deref());
    }

    /// Not left to the calls, which notice a little later that they are to end: an answer that comes meanwhile must not
    /// seem to count.
    fn withdraw_questions(self: &Arc<Self>, session: Option<&str>) {
        if let Some(session) = session {
            self.approvals.withdraw_session(session);
            self.show_approvals();
        }
    }

    /// Ends all that goes on, when the server ends: every run, every question, every command.
    pub fn end_work(&self) {
        self.keeper.close();
        self.sessions.cancel_all();
        self.approvals.close();
        if let Some(processes) = self.sessions.processes() {
            // Nobody waits for it: what is left when this process ends, its supervisor ends at once.
            self.spawn(async move { processes.end_all().await });
        }
    }

    /// What the status line may show.
    pub fn status(&self) -> StatusParams {
        let sessions = self.sessions.summary();
        StatusParams {
            mode: sessions.mode.to_string(),
            session: sessions.current,
            running: sessions.running,
            pending_hunks: self.book.count(),
            pending_approvals: self.approvals.count(),
            sandbox: sessions.sandbox.to_owned(),
            trusted: sessions.trusted,
            provider: sessions.provider,
            model: sessions.model,
        }
    }

    /// Sends the status if it changed.
    pub fn show_status(&self) {
        if !self.profile().features.status {
            return;
        }
        // Held from here on, so that no older status is shown after a newer one.
        let mut shown = self
            .shown_status
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let status = self.status();
        if shown.as_ref() != Some(&status) {
            self.peer.notify::<Status>(&status);
            *shown = Some(status);
        }
    }
}

/// What is said of hunks that a decision about many has left alone.
fn left_alone(conflicts: usize) -> String {
    let (what, wait) = match conflicts {
        1 => ("1 change conflicts with yours and waits".to_owned(), "its"),
        more => (
            format!("{more} changes conflict with yours and wait"),
            "their",
        ),
    };
    format!("{what}: choose whose lines are to stand, by {wait} code actions")
}
