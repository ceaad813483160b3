//! What is permitted in a workspace: the rules of all layers and the answers of each session. Can be replaced while calls
//! are decided. Asks nobody, reads no file.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde::Serialize;
use tokio::sync::watch;

use super::Mode;
use super::decision::Decision;
use super::pipeline;
use super::rule::{BASH, PathPattern, Pattern, Rule, RuleError};
use super::sensitive::Sensitive;
use crate::effect::Effect;
use crate::sandbox::Profile;

/// The layers that rules come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Answers of this session.
    Session,
    /// `.mewcode/settings.local.yaml` in the workspace: the user's own for it.
    Local,
    /// `.mewcode.yaml` in the workspace: the project's.
    Project,
    /// `~/.mewcode/config.yaml`: the user's for every workspace, and what the editor sends.
    User,
}

impl Layer {
    /// The name as it is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Layer::Session => "session",
            Layer::Local => "local",
            Layer::Project => "project",
            Layer::User => "user",
        }
    }
}

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It happens unasked.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not happen.
    Deny,
}

impl Action {
    /// The name as it stands in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        }
    }
}

/// A rule as it is written, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleSource {
    /// Where it comes from.
    pub layer: Layer,
    /// What it does.
    pub action: Action,
    /// `tool` or `tool(pattern)`.
    pub text: String,
    /// Where it is written, for messages: `~/.mewcode/config.yaml:12`.
    pub place: String,
    /// Examples that it must match: a command line, a path, a host; of a rule without a pattern, a tool.
    #[serde(skip)]
    pub matches: Vec<String>,
    /// Examples that it must not match.
    #[serde(skip)]
    pub not_matches: Vec<String>,
}

impl RuleSource {
    /// A rule without examples.
    pub fn new(
        layer: Layer,
        action: Action,
        text: impl Into<String>,
        place: impl Into<String>,
    ) -> RuleSource {
        RuleSource {
            layer,
            action,
            text: text.into(),
            place: place.into(),
            matches: Vec::new(),
            not_matches: Vec::new(),
        }
    }
}

impl fmt::Display for RuleSource {
    /// `deny bash(rm:*) (~/.mewcode/config.yaml:12)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = self.action.as_str();
        write!(formatter, "{action} `{}` ({})", self.text, self.place)
    }
}

/// What a policy is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySettings {
    /// The rules of all layers but the sessions' own. What a project may not grant is not among them.
    pub rules: Vec<RuleSource>,
    /// Names of files that hold secrets, besides those that are known: patterns of gitignore. One with `!` in front takes
    /// a name off the list; `/` in front is the root of the file system, `~/` the home folder.
    pub sensitive: Vec<String>,
    /// How commands are confined where nothing else is asked for; `off` where the system has no way to do it. A command
    /// that is less confined is always asked for.
    pub sandbox: Profile,
    /// The home folder: `~/` in rules and in commands.
    pub home: Option<PathBuf>,
}

/// The policy of a workspace. What it is made of can be replaced while calls are decided.
#[derive(Debug, Default)]
pub struct Policy {
    // Both are held only to clone or to swap a pointer.
    compiled: RwLock<Arc<Compiled>>,
    sessions: Mutex<HashMap<String, Vec<Arc<Rule>>>>,
    changes: watch::Sender<u64>,
}

/// Settings that are ready to be used.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) settings: Arc<PolicySettings>,
    pub(super) rules: Vec<Rule>,
    pub(super) sensitive: Sensitive,
}

impl Compiled {
    fn read(settings: PolicySettings) -> Result<Compiled, Vec<RuleError>> {
        let mut rules = Vec::new();
        let mut errors = Vec::new();
        for (index, source) in settings.rules.iter().enumerate() {
            match Rule::read(source.clone(), settings.home.as_deref()) {
                Ok(rule) => rules.push(rule),
                Err(fault) => errors.push(fault.of(source, Some(index))),
            }
        }
        let sensitive = Sensitive::read(&settings.sensitive, settings.home.as_deref())
            .unwrap_or_else(|(index, message)| {
                errors.push(RuleError {
                    index: None,
                    text: settings.sensitive[index].clone(),
                    place: "sensitive".to_owned(),
                    column: 1,
                    message,
                });
                Sensitive::default()
            });
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Compiled {
            settings: Arc::new(settings),
            rules,
            sensitive,
        })
    }
}

/// A call to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The session that makes it.
    pub session: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Everything that it touches.
    pub effects: &'a [Effect],
    /// What may be done unasked.
    pub mode: Mode,
    /// The real roots of the workspace.
    pub roots: &'a [PathBuf],
}

impl Policy {
    /// A policy of these settings.
    ///
    /// # Errors
    ///
    /// Every rule and every pattern that is wrong: none is left out silently.
    pub fn new(settings: PolicySettings) -> Result<Policy, Vec<RuleError>> {
        let policy = Policy::default();
        policy.replace(settings)?;
        Ok(policy)
    }

    /// Replaces the settings. The sessions' own rules stay.
    ///
    /// # Errors
    ///
    /// As for [`new`](Policy::new); the present settings stay in force then.
    pub fn replace(&self, settings: PolicySettings) -> Result<(), Vec<RuleError>> {
        let compiled = Arc::new(Compiled::read(settings)?);
        *self
            .compiled
            .write()
            .unwrap_or_else(PoisonError::into_inner) = compiled;
        self.tell();
        Ok(())
    }

    /// What it is made of.
    pub fn settings(&self) -> Arc<PolicySettings> {
        Arc::clone(&self.compiled().settings)
    }

    /// What becomes of a call, and why.
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        let own = self.rules_of(request.session);
        pipeline::decide(&self.compiled(), &own, request)
    }

    /// Allows what a rule says until the session ends. A rule that is there already is not added again.
    ///
    /// # Errors
    ///
    /// It is no rule.
    pub fn allow_for_session(&self, session: &str, rule: &str) -> Result<(), RuleError> {
        let source = RuleSource::new(Layer::Session, Action::Allow, rule, "this session");
        let home = self.settings().home.clone();
        let rule =
            Rule::read(source.clone(), home.as_deref()).map_err(|fault| fault.of(&source, None))?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = sessions.entry(session.to_owned()).or_default();
        if rules.iter().all(|known| known.source != source) {
            rules.push(Arc::new(rule));
        }
        drop(sessions);
        self.tell();
        Ok(())
    }

    /// The session's own rules, as they are written, oldest first.
    pub fn session_rules(&self, session: &str) -> Vec<String> {
        let rules = self.rules_of(session);
        rules.iter().map(|rule| rule.source.text.clone()).collect()
    }

    /// Forgets the session's own rules.
    pub fn end_session(&self, session: &str) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.remove(session);
        drop(sessions);
        self.tell();
    }

    /// Counts up whenever a rule comes or goes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Whether the file at this real path holds secrets by its name: reading it needs the user's consent.
    pub fn is_sensitive(&self, path: &Path) -> bool {
        self.compiled().sensitive.contains(path)
    }

    /// Which files a search leaves out that were not named to it.
    pub fn unread(&self, tool: &str, roots: &[PathBuf]) -> Unread {
        Unread {
            compiled: self.compiled(),
            tool: tool.to_owned(),
            roots: roots.to_vec(),
        }
    }

    /// What rules on paths deny to commands, whichever program it is that reads or writes there; none if there are no
    /// such rules.
    pub fn denied(&self, to: Denied, roots: &[PathBuf]) -> Option<DeniedPaths> {
        let denied = DeniedPaths {
            compiled: self.compiled(),
            to,
            roots: roots.to_vec(),
        };
        let any = denied.patterns().next().is_some();
        any.then_some(denied)
    }

    fn compiled(&self) -> Arc<Compiled> {
        Arc::clone(&self.compiled.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn rules_of(&self, session: &str) -> Vec<Arc<Rule>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(session).cloned().unwrap_or_default()
    }

    fn tell(&self) {
        self.changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// Files that a search leaves out when they were not named to it: what holds secrets, and what is not to be read.
#[derive(Clone, Debug)]
pub struct Unread {
    compiled: Arc<Compiled>,
    tool: String,
    roots: Vec<PathBuf>,
}

impl Unread {
    /// Whether the file at this real path is left out.
    pub fn contains(&self, path: &Path) -> bool {
        self.compiled.sensitive.contains(path)
            || self.compiled.rules.iter().any(|rule| {
                rule.action() != Action::Allow
                    && pipeline::is_about_reading(rule, &self.tool)
                    && pipeline::forbids_path(rule, path, &self.roots)
            })
    }
}

/// What is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// To be read.
    Read,
    /// To be changed.
    Change,
}

/// Files that rules on paths deny, by whatever program they are reached. Rules without a path are about tools only.
#[derive(Clone, Debug)]
pub struct DeniedPaths {
    compiled: Arc<Compiled>,
    to: Denied,
    roots: Vec<PathBuf>,
}

impl DeniedPaths {
    fn patterns(&self) -> impl Iterator<Item = &PathPattern> {
        let rules = self.compiled.rules.iter();
        rules.filter_map(|rule| {
            let about = match self.to {
                Denied::Read => rule.is_about(BASH) || rule.is_about_reading(),
                Denied::Change => rule.is_about(BASH) || rule.is_about_changes(),
            };
            match &rule.pattern {
                Pattern::Path(pattern) if about && rule.action() == Action::Deny => {
                    Some(pattern.as_ref())
                }
                _ => None,
            }
        })
    }

    /// Where to look for them.
    pub fn starts(&self) -> Vec<PathBuf> {
        let starts = self
            .patterns()
            .flat_map(|pattern| pattern.starts(&self.roots));
        let mut starts: Vec<PathBuf> = starts.collect();
        starts.sort();
        // One that is in another is found there.
        starts.dedup_by(|inner, outer| inner.starts_with(outer));
        starts
    }

    /// Whether the file or folder at this real path is denied.
    pub fn contains(&self, path: &Path) -> bool {
        self.patterns()
            .any(|pattern| pattern.forbids(path, &self.roots))
    }

    /// Whether all that is in a folder is denied, or would be if it were there. A root is never denied as a whole.
    pub fn contains_all(&self, folder: &Path) -> bool {
        const ANY: &str = "a name that no pattern is for";
        let inside = [folder.join(ANY), folder.join(ANY).join(ANY)];
        !self.roots.iter().any(|root| root.starts_with(folder))
            && self
                .patterns()
                .any(|pattern| inside.iter().all(|path| pattern.forbids(path, &self.roots)))
    }
}
