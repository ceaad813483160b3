//! The agent as a whole: sessions with the real tools on real files, and the Messages API over real connections.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod anthropic;
mod attachments;
mod cancel;
mod faults;
mod limits;
mod notices;
mod retry;
mod secrets;
mod server;
mod session;
mod side_by_side;
mod support;
