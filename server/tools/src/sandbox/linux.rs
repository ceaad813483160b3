//! Entering a sandbox on Linux: namespaces, then mounts in them, then fewer capabilities, then Landlock, then a filter of
//! system calls. Each step forbids what would undo the one before.

use std::sync::OnceLock;

use super::error::{SandboxError, Unavailable};
use super::plan::{Mechanism, Plan};
use super::support::Support;

mod capabilities;
mod filter;
mod landlock;
mod loopback;
mod mounts;
mod namespace;
mod table;

use namespace::Spaces;

/// The oldest Landlock that can forbid to cut a file short.
const OLDEST_LANDLOCK: u8 = 3;

/// What this system can do, found out once.
pub(super) fn support() -> Result<Support, Unavailable> {
    static SUPPORT: OnceLock<Result<Support, Unavailable>> = OnceLock::new();
    *SUPPORT.get_or_init(|| {
        filter::check()?;
        let version = match landlock::version() {
            0 => return Err(Unavailable::Landlock),
            version if version < OLDEST_LANDLOCK => return Err(Unavailable::OldLandlock(version)),
            version => version,
        };
        let spaces = namespace::find();
        Ok(Support {
            mechanism: match spaces {
                Some(_) => Mechanism::Namespaces,
                None => Mechanism::Landlock,
            },
            landlock: version,
            user_namespace: spaces.is_some_and(|spaces| spaces.user),
            own_network: spaces.is_some_and(|spaces| spaces.network),
        })
    })
}

/// Confines this process as planned.
pub(super) fn enter(plan: &Plan) -> Result<(), SandboxError> {
    let version = landlock::version();
    if version < OLDEST_LANDLOCK {
        return Err(Unavailable::Landlock.into());
    }
    let namespaces = plan.mechanism == Mechanism::Namespaces;
    let network = namespaces && plan.own_network;
    if namespaces {
        namespace::enter(Spaces {
            user: plan.user_namespace,
            network,
        })?;
        mounts::arrange(plan)?;
        if network {
            loopback::bring_up().map_err(SandboxError::step("bringing up the loopback"))?;
        }
    }
    capabilities::give_up().map_err(SandboxError::step("giving up capabilities"))?;
    landlock::restrict(plan, version, network)?;
    filter::install(network, namespaces)
}
