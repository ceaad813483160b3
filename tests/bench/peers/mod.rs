//! What is compared with: the smallest programs that do the same work. This program becomes one when told so.

mod bare;
mod raw;

/// A peer, as an argument of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// tower-lsp-server with a rope for each document, and nothing else.
    Bare,
    /// A loop that reads a request and answers it.
    Raw,
}

impl Peer {
    /// The argument that makes this program the peer.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Bare => "--bare-server",
            Self::Raw => "--raw-loop",
        }
    }

    /// The peer of an argument, if it names one.
    pub fn from_argument(argument: &str) -> Option<Self> {
        [Self::Bare, Self::Raw]
            .into_iter()
            .find(|peer| peer.argument() == argument)
    }

    /// Serves standard input and output until the client leaves.
    pub fn serve(self) {
        match self {
            Self::Bare => bare::serve(),
            Self::Raw => raw::serve(),
        }
    }
}
