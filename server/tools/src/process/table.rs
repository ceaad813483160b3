//! The commands of a server, by session: those that run, and the newest that have ended.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::attend::attend;
use super::ending::{StartError, Stop};
use super::launch::launch;
use super::running::{Running, Status};
use super::spec::{CommandSpec, Launcher};

/// How many commands of a session that have ended are kept, with head and tail of their output.
const KEPT: usize = 16;

/// All commands of a server.
#[derive(Default)]
pub struct Processes {
    launcher: Option<Launcher>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    sessions: HashMap<String, Session>,
    /// Of all sessions so far.
    count: u64,
    closed: bool,
}

/// The commands of a session, oldest first.
struct Session {
    /// Tells a session from a later one of the same name.
    number: u64,
    /// How many commands it has had.
    count: u64,
    commands: Vec<Running>,
}

impl Processes {
    /// Commands that are started by `launcher`.
    pub fn new(launcher: Launcher) -> Processes {
        Processes {
            launcher: Some(launcher),
            table: Mutex::default(),
        }
    }

    /// Starts a command; returns when its shell runs. Dropped meanwhile, it ends what it began.
    ///
    /// # Errors
    ///
    /// See [`StartError`]; nothing of it runs then.
    pub async fn start(&self, spec: CommandSpec) -> Result<Running, StartError> {
        let Some(launcher) = &self.launcher else {
            return Err(StartError::Unavailable);
        };
        let number = self.session(&spec.session)?;
        let launched = launch(launcher, &spec).await?;
        let (running, wishes, ended) = {
            let mut table = self.table();
            let closed = table.closed;
            let session = table.sessions.get_mut(&spec.session);
            // It may have ended while the command was being started.
            let session = session.filter(|session| session.number == number && !closed);
            let ended = session.is_none();
            let id = match &session {
                Some(session) => format!("cmd_{}", session.count + 1),
                None => String::new(),
            };
            let (running, wishes) = Running::new(id, &spec, launched.capture.clone());
            if let Some(session) = session {
                session.add(running.clone());
            }
            (running, wishes, ended)
        };
        tokio::spawn(attend(running.clone(), launched, wishes, spec));
        if ended {
            running.stop(Stop::Stopped);
            running.wait().await;
            return Err(StartError::SessionEnded);
        }
        Ok(running)
    }

    fn session(&self, name: &str) -> Result<u64, StartError> {
        let mut table = self.table();
        if table.closed {
            return Err(StartError::SessionEnded);
        }
        if let Some(session) = table.sessions.get(name) {
            return Ok(session.number);
        }
        table.count += 1;
        let number = table.count;
        let session = Session {
            number,
            count: 0,
            commands: Vec::new(),
        };
        table.sessions.insert(name.to_owned(), session);
        Ok(number)
    }

    /// The commands of a session, oldest first: all that run, and the newest that have ended.
    pub fn list(&self, session: &str) -> Vec<Running> {
        self.table()
            .sessions
            .get(session)
            .map(|session| session.commands.clone())
            .unwrap_or_default()
    }

    /// The command of a session with this id.
    pub fn get(&self, session: &str, id: &str) -> Option<Running> {
        let table = self.table();
        let commands = &table.sessions.get(session)?.commands;
        commands.iter().find(|command| command.id() == id).cloned()
    }

    /// How many commands of all sessions run.
    pub fn count(&self) -> usize {
        let table = self.table();
        let commands = table
            .sessions
            .values()
            .flat_map(|session| &session.commands);
        commands
            .filter(|command| command.status() != Status::Ended)
            .count()
    }

    /// Ends all commands of a session and forgets them; returns when none of their processes is left.
    pub async fn end_session(&self, session: &str) {
        let session = self.table().sessions.remove(session);
        end(session.into_iter().collect()).await;
    }

    /// Ends all commands, and starts no more; returns when none of their processes is left.
    pub async fn end_all(&self) {
        let sessions = {
            let mut table = self.table();
            table.closed = true;
            std::mem::take(&mut table.sessions)
        };
        end(sessions.into_values().collect()).await;
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Each change is whole before anything could panic.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Processes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Processes")
            .field("launcher", &self.launcher)
            .finish_non_exhaustive()
    }
}

impl Session {
    fn add(&mut self, command: Running) {
        self.count += 1;
        self.commands.push(command);
        let ended = |command: &Running| command.status() == Status::Ended;
        let mut surplus = self
            .commands
            .iter()
            .filter(|command| ended(command))
            .count()
            .saturating_sub(KEPT);
        self.commands.retain(|command| {
            let dropped = surplus > 0 && ended(command);
            surplus -= usize::from(dropped);
            !dropped
        });
    }
}

async fn end(sessions: Vec<Session>) {
    let commands: Vec<Running> = sessions
        .into_iter()
        .flat_map(|session| session.commands)
        .collect();
    // All at once: each may need its time.
    for command in &commands {
        command.stop(Stop::Stopped);
    }
    for command in commands {
        command.wait().await;
    }
}
