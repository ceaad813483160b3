//! What the sessions work with: the configuration in force, the tools over the workspace, and whether it is trusted.
//!
//! All sessions share the workspace, the rules and the running commands. What else the configuration says of commands,
//! artifacts and pages counts from the next session on.

use super::{SessionError, Sessions, Table};
use crate::approvals::ConnectedAsker;
use crate::config::{self, Config, ConfigError, Layers};
use crate::editor::ConnectedEditor;
use crate::host;
use crate::state::State;
use crate::trust::{Grant, Trust, TrustState};
use mewcode_tools::builtin;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::permission::RuleError;
use mewcode_tools::port::Permission;
use mewcode_tools::process::Processes;
use mewcode_tools::runtime::Runtime;
use mewcode_tools::sandbox::{self, Profile};
use mewcode_tools::unseen::visible;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// What trusting the workspace would mean.
#[derive(Debug, Clone)]
pub struct TrustOffer {
    /// What to ask.
    pub question: Permission,
    root: PathBuf,
    /// What is shown, and nothing more.
    grants: Vec<Grant>,
}

impl Sessions {
    /// Reads the configuration, and again when asked to. Its rules hold at once, for calls that wait for an answer too.
    ///
    /// # Errors
    /// Its first fault, with its place; the configuration in force stays.
    pub fn reload_config(&self) -> Result<Arc<Config>, ConfigError> {
        self.reload(&mut self.table())
    }

    /// Takes other options of the editor in place of those that it gave before. Gives what there is to be warned of now
    /// and was not before.
    ///
    /// # Errors
    /// The first fault of the configuration, with its place; the options and the configuration in force stay.
    pub fn change_options(&self, options: Value) -> Result<Vec<String>, ConfigError> {
        let mut table = self.table();
        let known = table.config.as_ref().map(|config| config.warnings.clone());
        let before = table.options.replace(options);
        let reloaded = self.reload(&mut table);
        if reloaded.is_err() {
            table.options = before;
        }
        let known = known.unwrap_or_default();
        let warnings = reloaded?.warnings.clone();
        Ok(warnings
            .into_iter()
            .filter(|warning| !known.contains(warning))
            .collect())
    }

    fn reload(&self, table: &mut Table) -> Result<Arc<Config>, ConfigError> {
        let config = Arc::new(self.load(table)?);
        if let Some(host) = &table.host {
            host.policy.replace(config.policy()).map_err(faulty)?;
        }
        table.config = Some(Arc::clone(&config));
        Ok(config)
    }

    fn load(&self, table: &Table) -> Result<Config, ConfigError> {
        Config::load(&Layers {
            home: std::env::home_dir(),
            root: table.roots.first().cloned(),
            options: table.options.as_ref(),
            command_line: self.overrides.clone(),
            trust: Trust::of_user(),
        })
    }

    /// The tools over this server's workspace, to look at it. For calls there is [`equipped`](Self::equipped).
    pub fn runtime(&self, state: &Arc<State>) -> Arc<Runtime> {
        let mut table = self.table();
        if let Some(runtime) = &table.runtime {
            return Arc::clone(runtime);
        }
        let editor = Arc::new(ConnectedEditor::new(Arc::clone(state)));
        let workspace = Workspace::new(&table.roots, config::places(), editor);
        // What a client can do is known once and for all: so is the list of tools, in every session.
        let registry = match state.profile().features.query {
            true => builtin::registry_with_servers(),
            false => builtin::registry(),
        };
        let runtime = Arc::new(Runtime::new(registry, workspace));
        table.runtime = Some(Arc::clone(&runtime));
        runtime
    }

    /// The tools for a new session, as the configuration wants them.
    ///
    /// # Errors
    /// The configuration makes no host.
    pub(super) fn equipped(
        &self,
        state: &Arc<State>,
        config: &Config,
    ) -> Result<Arc<Runtime>, ConfigError> {
        let runtime = self.runtime(state);
        let asker = Arc::new(ConnectedAsker::new(Arc::clone(state)));
        let mut host = host::build(config, asker)?;
        let mut table = self.table();
        if let Some(shared) = &table.host {
            host.policy = Arc::clone(&shared.policy);
            host.processes = Arc::clone(&shared.processes);
        }
        table.host = Some(host.clone());
        Ok(Arc::new((*runtime).clone().with_host(host)))
    }

    /// The commands that run, if there was ever a session.
    pub fn processes(&self) -> Option<Arc<Processes>> {
        let table = self.table();
        table.host.as_ref().map(|host| Arc::clone(&host.processes))
    }

    /// What to ask before the workspace is trusted, by its files as they are now.
    ///
    /// # Errors
    /// There is nothing to ask, or the configuration is at fault.
    pub fn trust_offer(&self) -> Result<TrustOffer, SessionError> {
        let config = self.reload_config()?;
        let root = self.table().roots.first().cloned();
        match (root, config.trust_question()) {
            (Some(root), Some(question)) => Ok(TrustOffer {
                // One editor may have several workspaces, and in one of them folders that are others.
                question: Permission {
                    title: format!(
                        "Trust the workspace `{}`?",
                        visible(&root.to_string_lossy())
                    ),
                    ..question
                },
                root,
                grants: config.grants.clone(),
            }),
            _ => Err(SessionError::NoTrustQuestion(config.trust_state())),
        }
    }

    /// Whether there is something to trust, by the configuration in force.
    pub fn offers_trust(&self) -> bool {
        let table = self.table();
        let state = table.config.as_ref().map(|config| config.trust_state());
        matches!(state, Some(TrustState::Untrusted | TrustState::Changed))
    }

    /// Trusts the workspace with what was shown, and puts it in force.
    ///
    /// # Errors
    /// It cannot be remembered, or the configuration is at fault.
    pub fn trust(&self, offer: &TrustOffer) -> Result<(), SessionError> {
        Trust::of_user().trust(&offer.root, &offer.grants)?;
        self.reload_config()?;
        Ok(())
    }
}

impl Table {
    /// How commands are confined, in one word.
    pub(super) fn sandbox(&self) -> &'static str {
        let wanted = self.config.as_ref().map(|config| config.sandbox());
        match wanted {
            Some(Profile::Off) | None if sandbox::available().is_err() => "none",
            Some(profile) => profile.as_str(),
            None => Profile::Off.as_str(),
        }
    }

    /// Whether nothing is held back that the workspace's files would grant.
    pub(super) fn is_trusted(&self) -> bool {
        let state = self.config.as_ref().map(|config| config.trust_state());
        matches!(state, Some(TrustState::Trusted | TrustState::Nothing))
    }
}

/// Rules were checked when they were read, so this is a fault of MewCode's own; it must not pass unseen all the same.
fn faulty(errors: Vec<RuleError>) -> ConfigError {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    ConfigError {
        place: "permissions".to_owned(),
        message: errors.join("; "),
    }
}
