//! Work that blocks, away from the threads on which everybody else's goes on. Knows no work.

/// Does it on a thread of its own. Its panic is the panic of who waits for it.
pub(crate) async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}
