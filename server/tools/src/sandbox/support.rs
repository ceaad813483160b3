//! What this system can confine commands with.

use super::error::Unavailable;
use super::plan::Mechanism;

/// What this system can confine commands with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// By what commands are confined.
    pub mechanism: Mechanism,
    /// The version of Landlock that is used, 0 on other systems.
    pub landlock: u8,
    /// Whether it takes a namespace of users to have the others: MewCode does not run as root.
    pub user_namespace: bool,
    /// Whether a command has a network of its own, with nothing but itself in it. Else no socket can be opened at all.
    pub own_network: bool,
}

impl Support {
    /// Whether signals to processes outside are refused (Landlock 6, kernel 6.12).
    pub fn confines_signals(&self) -> bool {
        self.mechanism == Mechanism::Seatbelt || self.landlock >= 6
    }
}

/// What this system can confine commands with. Found out once, by trying; the answer is kept.
pub fn available() -> Result<Support, Unavailable> {
    #[cfg(target_os = "linux")]
    return super::linux::support();
    #[cfg(target_os = "macos")]
    return Ok(Support {
        mechanism: Mechanism::Seatbelt,
        landlock: 0,
        user_namespace: false,
        own_network: false,
    });
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    Err(Unavailable::System)
}
