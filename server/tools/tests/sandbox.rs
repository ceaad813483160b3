//! Real attempts of confined commands at what they must not do, each refused by the system itself: as root, as another
//! user (whose namespaces need one of users), and where there are no namespaces at all.

#![cfg(target_os = "linux")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "sandbox/files.rs"]
mod files;
#[path = "sandbox/repositories.rs"]
mod repositories;
#[path = "sandbox/scene.rs"]
mod scene;
#[path = "sandbox/stand_ins.rs"]
mod stand_ins;
#[path = "sandbox/system.rs"]
mod system;
