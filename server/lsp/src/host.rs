//! Builds what the tools get besides the workspace from a configuration: for the server and for the command line alike.
//! Knows no protocol.

use std::sync::Arc;
use std::time::Duration;

use mewcode_tools::artifact::{ArtifactLimits, Artifacts};
use mewcode_tools::environment::Environment;
use mewcode_tools::fetch::{self, Fetcher};
use mewcode_tools::host::{CommandSettings, Host};
use mewcode_tools::permission::Policy;
use mewcode_tools::port::{Asker, RuleKeeper};
use mewcode_tools::process::{Launcher, Limits, Processes};
use mewcode_tools::redact::Redactor;
use url::Url;

use crate::config::{self, Config, ConfigError, Settings};

const MEBIBYTE: u64 = 1 << 20;

/// The host of a configuration. What it starts ends with it.
///
/// # Errors
/// The policy does not take the rules, which a loaded configuration has checked.
pub fn build(config: &Config, asker: Arc<dyn Asker>) -> Result<Host, ConfigError> {
    let policy = Policy::new(config.policy()).map_err(|errors| ConfigError {
        place: "permissions".to_owned(),
        message: errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; "),
    })?;
    let settings = &config.settings;
    let names = settings.environment.clone().unwrap_or_default();
    Ok(Host {
        asker,
        policy: Arc::new(policy),
        keeper: config
            .keeper()
            .map(|keeper| Arc::new(keeper) as Arc<dyn RuleKeeper>),
        // Without a launcher a command says that it cannot be started.
        processes: Arc::new(
            Launcher::this_program().map_or_else(|_| Processes::default(), Processes::new),
        ),
        environment: Arc::new(Environment::of_process(&names)),
        redactor: Arc::new(Redactor::of_process(provider_key(settings))),
        artifacts: Arc::new(artifacts(settings)),
        fetcher: Arc::new(Fetcher::new(fetch::Settings {
            proxy: settings
                .web_proxy
                .as_deref()
                .and_then(|url| Url::parse(url).ok()),
        })),
        commands: Arc::new(commands(config)),
    })
}

/// The key that was named, whatever the variable is called.
fn provider_key(settings: &Settings) -> Option<(String, String)> {
    let name = settings.api_key_env.as_deref()?;
    let key = std::env::var(name).ok().filter(|key| !key.is_empty())?;
    Some(("provider key".to_owned(), key))
}

fn artifacts(settings: &Settings) -> Artifacts {
    let Some(state) = config::state_folder() else {
        return Artifacts::default();
    };
    let limits = settings.limits.clone().unwrap_or_default();
    let standard = ArtifactLimits::default();
    let bytes = |mebibytes: Option<u32>, standard| {
        mebibytes.map_or(standard, |mebibytes| u64::from(mebibytes) * MEBIBYTE)
    };
    let days = |days: u32| Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    Artifacts::new(
        state.join("artifacts"),
        ArtifactLimits {
            max_age: limits.artifact_days.map_or(standard.max_age, days),
            max_bytes: bytes(limits.artifacts_mib, standard.max_bytes),
            max_session_bytes: bytes(limits.session_artifacts_mib, standard.max_session_bytes),
        },
    )
}

fn commands(config: &Config) -> CommandSettings {
    let limits = config.settings.limits.clone().unwrap_or_default();
    let standard = CommandSettings::default();
    let number = |number: Option<u32>| number.filter(|number| *number > 0).map(u64::from);
    let bytes = |mebibytes| number(mebibytes).map(|mebibytes| mebibytes * MEBIBYTE);
    CommandSettings {
        limits: Limits {
            memory: bytes(limits.memory_mib),
            processes: number(limits.processes),
            file_size: bytes(limits.file_size_mib),
        },
        artifact_bytes: bytes(limits.output_mib).unwrap_or(standard.artifact_bytes),
        writable: config.writable(),
        notes: config::sandbox_notes(),
    }
}
