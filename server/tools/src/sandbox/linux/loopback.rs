//! A network namespace begins with a loopback that is down: it is brought up by one message to the kernel, so that a test's
//! own server can be reached by the test.

use rustix::io;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

/// `RTM_NEWLINK`, `NLMSG_ERROR`, `NLM_F_REQUEST | NLM_F_ACK`, `IFF_UP`: `linux/rtnetlink.h`, `linux/netlink.h`, `linux/if.h`.
const NEW_LINK: u16 = 16;
const ERROR: u16 = 2;
const REQUEST_WITH_ANSWER: u16 = 0x1 | 0x4;
const UP: u32 = 1;
/// The loopback is the first interface of each namespace.
const LOOPBACK: i32 = 1;

/// Brings up the loopback of this process's network namespace.
pub(super) fn bring_up() -> io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::net::send(&socket, &message(), SendFlags::empty())?;
    let mut answer = [0u8; 256];
    let (length, _) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    result(&answer[..length])
}

/// A `struct nlmsghdr` and a `struct ifinfomsg`.
fn message() -> Vec<u8> {
    let mut message = Vec::with_capacity(32);
    message.extend(32u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ANSWER.to_ne_bytes());
    message.extend([0; 8]); // sequence and port
    message.extend([0; 4]); // family, padding, type
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes()); // which flags change
    message
}

/// What a `struct nlmsgerr` says: 0, or an error as a negative number.
fn result(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok());
    let code = answer.get(16..20).and_then(|bytes| bytes.try_into().ok());
    match (kind.map(u16::from_ne_bytes), code.map(i32::from_ne_bytes)) {
        (Some(ERROR), Some(0)) => Ok(()),
        (Some(ERROR), Some(code)) => Err(io::Errno::from_raw_os_error(code.saturating_neg())),
        _ => Err(io::Errno::PROTO),
    }
}
