//! The commands that a session waits for. A person may let them go on in the background: then the run goes on too.

use super::{SessionError, Sessions};
use mewcode_tools::process::{Running, Status};

impl Sessions {
    /// Moves what a session waits for to the background. Gives the commands' ids, the oldest first.
    ///
    /// # Errors
    /// The session is unknown.
    pub fn move_to_background(&self, session: Option<&str>) -> Result<Vec<String>, SessionError> {
        let id = match self.find(session) {
            Err(SessionError::None) => return Ok(Vec::new()),
            found => found?,
        };
        let commands = self.foreground(&id);
        commands.iter().for_each(Running::move_to_background);
        Ok(commands
            .iter()
            .map(|command| command.id().to_owned())
            .collect())
    }

    /// Whether the current session waits for a command.
    pub fn waits_for_command(&self) -> bool {
        self.find(None)
            .is_ok_and(|id| !self.foreground(&id).is_empty())
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
