//! End-to-end tests: the real binary over its real protocol, and real editors.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod harness;

mod clients;
mod main_job;
mod review;
mod sessions;
mod stale;
mod texts;
