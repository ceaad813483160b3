//! What root gives up: all that concerns the machine. What concerns files stays, for root in a container works on others'
//! files. Other users have nothing to give up once they have become another program.

use rustix::io;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    clear_ambient_capability_set, remove_capability_from_bounding_set, set_capabilities,
};

/// What stays.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Gives up all others, for good and for all that this process becomes.
pub(super) fn give_up() -> io::Result<()> {
    let now = capabilities(None)?;
    clear_ambient_capability_set()?;
    if now.permitted.contains(CapabilitySet::SETPCAP) {
        for bit in 0..u64::BITS {
            let one = CapabilitySet::from_bits_retain(1 << bit);
            if KEPT.contains(one) {
                continue;
            }
            match capability_is_in_bounding_set(one) {
                Ok(true) => remove_capability_from_bounding_set(one)?,
                Ok(false) => {}
                // The kernel knows no more.
                Err(io::Errno::INVAL) => break,
                Err(error) => return Err(error),
            }
        }
    }
    let kept = now.permitted.intersection(KEPT);
    set_capabilities(
        None,
        CapabilitySets {
            effective: kept,
            permitted: kept,
            inheritable: CapabilitySet::empty(),
        },
    )
}
