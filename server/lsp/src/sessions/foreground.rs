//! The commands that a session waits for. A person may let them go on in the background: then the run goes on too.

use super::{SessionError, Sessions};
use mewcode_tools::process::{Running, Status};

impl Sessions {
    /// Moves what a session waits for to the background. Gives the commands' ids, the oldest first.
    ///
    /// # Errors
    /// The session is unknown.
    pub fn move_to_background(&self, session: Option<&str>) -> Result<Vec<String>, SessionError> {
        let Some(id) = self.find_running(session)? else {
            return Ok(Vec::new());
        };
        let commands = self.foreground(&id);
        commands.iter().for_each(Running::move_to_background);
        Ok(commands
            .iter()
            .map(|command| command.id().to_owned())
            .collect())
    }

    /// Whether a run waits for a command that [`move_to_background`](Self::move_to_background) would move.
    pub fn waits_for_command(&self) -> bool {
        let running = self.find_running(None).ok().flatten();
        running.is_some_and(|id| !self.foreground(&id).is_empty())
    }

    fn foreground(&self, session: &str) -> Vec<Running> {
        let mut commands = self
            .processes()
            .map(|processes| processes.list(session))
            .unwrap_or_default();
        commands.retain(|command| command.status() == Status::Running && !command.is_background());
        commands
    }
}
