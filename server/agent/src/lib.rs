//! The agent: model providers, the loop that runs a model's calls, the event log and the transcript.
//!
//! Start at [`session::Session::run`]: it is the loop, and everything else serves it. A [`provider::Provider`] turns a
//! conversation into a stream of events; the tools' runtime runs the calls; [`event::Event`]s tell whoever watches; the
//! [`log`] keeps everything. Must not know LSP, editors or protocols.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        reason = "a test that cannot go on fails"
    )
)]

pub mod config;
pub mod conversation;
pub mod event;
pub mod log;
pub mod message;
pub mod prompt;
pub mod provider;
mod render;
pub mod session;
mod time;
pub mod transcript;
