//! End-to-end tests: the real binary over its real protocol, and real editors.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod harness;

mod after;
mod approvals;
#[cfg(target_os = "linux")]
mod background;
mod cli;
mod clients;
mod crash;
mod definitions;
mod documents;
mod editors;
mod ending;
mod files;
mod held;
mod main_job;
mod names;
mod neovim;
mod queries;
mod restart;
mod review;
mod sessions;
mod settings;
mod side_by_side;
mod stale;
mod surfaces;
mod texts;
mod transport;
mod windows;
