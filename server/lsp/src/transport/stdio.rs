//! Standard input and output as the fastest asynchronous streams that they can be.
//!
//! Editors start servers with pipes (Neovim, Helix) or with Unix sockets (Node). Both can be polled directly, which
//! spares the thread hop that `tokio::io::stdin` pays for each message; anything else (a file, a terminal) falls back
//! to it. Knows nothing of messages.

use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// A readable stream of any kind.
pub type Input = Box<dyn AsyncRead + Unpin>;
/// A writable stream of any kind. It may outlive the reader, in a task of its own.
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input.
#[cfg(unix)]
pub fn input() -> io::Result<Input> {
    use std::os::fd::AsFd;
    let descriptor = io::stdin().as_fd().try_clone_to_owned()?;
    if let Ok(pipe) = tokio::net::unix::pipe::Receiver::from_owned_fd(descriptor.try_clone()?) {
        return Ok(Box::new(pipe));
    }
    Ok(match socket(descriptor) {
        Some(stream) => Box::new(stream),
        None => Box::new(tokio::io::stdin()),
    })
}

/// Standard output.
#[cfg(unix)]
pub fn output() -> io::Result<Output> {
    use std::os::fd::AsFd;
    let descriptor = io::stdout().as_fd().try_clone_to_owned()?;
    if let Ok(pipe) = tokio::net::unix::pipe::Sender::from_owned_fd(descriptor.try_clone()?) {
        return Ok(Box::new(pipe));
    }
    Ok(match socket(descriptor) {
        Some(stream) => Box::new(stream),
        None => Box::new(tokio::io::stdout()),
    })
}

/// The descriptor as a Unix stream socket, if it is one.
#[cfg(unix)]
fn socket(descriptor: std::os::fd::OwnedFd) -> Option<tokio::net::UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(descriptor);
    // Fails with ENOTSOCK on anything that is no socket, before a flag of it is changed.
    stream.local_addr().ok()?;
    stream.set_nonblocking(true).ok()?;
    tokio::net::UnixStream::from_std(stream).ok()
}

/// Standard input.
#[cfg(not(unix))]
pub fn input() -> io::Result<Input> {
    Ok(Box::new(tokio::io::stdin()))
}

/// Standard output.
#[cfg(not(unix))]
pub fn output() -> io::Result<Output> {
    Ok(Box::new(tokio::io::stdout()))
}
