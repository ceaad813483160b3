//! The agent as a whole: sessions with the real tools on real files, and the Messages API over real connections.

mod anthropic;
mod cancel;
mod limits;
mod retry;
mod server;
mod session;
mod support;
