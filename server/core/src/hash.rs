//! Content hashes: sha256 of a logical text.

use core::fmt;
use core::str::FromStr;
use ropey::Rope;
use sha2::{Digest, Sha256};

/// sha256 of a logical text's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

/// A text that is no hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sha256 has 64 hexadecimal digits")]
pub struct NotAHash;

impl ContentHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of a rope's bytes.
    pub fn of_rope(rope: &Rope) -> Self {
        let mut hasher = Sha256::new();
        for chunk in rope.chunks() {
            hasher.update(chunk.as_bytes());
        }
        Self(hasher.finalize().into())
    }

    /// The first 12 hexadecimal digits, as shown to people and models.
    pub fn short(&self) -> alloc::string::String {
        alloc::format!("{self}").chars().take(12).collect()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAHash);
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digits = core::str::from_utf8(digits).map_err(|_| NotAHash)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| NotAHash)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn the_hash_is_sha256_and_reads_back() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(
            hash.to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(hash.short(), "ba7816bf8f01");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!("ba78".parse::<ContentHash>(), Err(NotAHash));
        assert_eq!("+a".repeat(32).parse::<ContentHash>(), Err(NotAHash));
    }

    #[test]
    fn a_rope_hashes_as_its_bytes() {
        let text = "line\n".repeat(10_000);
        assert_eq!(
            ContentHash::of_rope(&Rope::from_str(&text)),
            ContentHash::of(text.as_bytes())
        );
    }
}
