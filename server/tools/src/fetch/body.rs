//! Reading the body of a response into bounded memory. Knows nothing of what it means.

use std::io::Read;

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use url::Url;

use super::{FetchError, with_causes};

/// Most of a body that is read, and most that it is unpacked to.
pub(super) const MAX_BYTES: usize = 5 * 1024 * 1024;

/// A body, as far as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more.
    pub(super) is_cut: bool,
}

/// Reads until the end or the bound.
pub(super) async fn read(url: &Url, mut response: Response) -> Result<Body, FetchError> {
    let encoding = response.headers().get(CONTENT_ENCODING).map(|value| {
        String::from_utf8_lossy(value.as_bytes())
            .trim()
            .to_ascii_lowercase()
    });
    let broken = |error: reqwest::Error| FetchError::Network {
        url: url.clone(),
        reason: with_causes(&error.without_url()),
    };
    let mut body = Body {
        bytes: Vec::new(),
        is_cut: false,
    };
    while let Some(piece) = response.chunk().await.map_err(broken)? {
        if !body.take(&piece) {
            break;
        }
    }
    match encoding.as_deref() {
        None | Some("" | "identity") => Ok(body),
        Some("gzip" | "x-gzip") => {
            unpack(url, MultiGzDecoder::new(body.bytes.as_slice()), body.is_cut)
        }
        Some("deflate") => unpack(url, ZlibDecoder::new(body.bytes.as_slice()), body.is_cut),
        Some(other) => Err(FetchError::Network {
            url: url.clone(),
            reason: format!(
                "its text is packed as `{}`, which was not asked for",
                super::text::quoted(other)
            ),
        }),
    }
}

impl Body {
    /// Whether all of it went in.
    fn take(&mut self, piece: &[u8]) -> bool {
        let room = MAX_BYTES - self.bytes.len();
        self.is_cut = piece.len() > room;
        self.bytes
            .extend_from_slice(&piece[..piece.len().min(room)]);
        !self.is_cut
    }
}

/// Unpacks until the end or the bound, however much there would be.
fn unpack(url: &Url, mut packed: impl Read, is_cut: bool) -> Result<Body, FetchError> {
    let mut body = Body {
        bytes: Vec::new(),
        is_cut: false,
    };
    let mut piece = vec![0; 64 * 1024];
    loop {
        match packed.read(&mut piece) {
            Ok(0) => break,
            Ok(length) if body.take(&piece[..length]) => {}
            Ok(_) => return Ok(body),
            // The end of what was packed is missing: it was not read.
            Err(_) if is_cut => break,
            Err(error) => {
                return Err(FetchError::Network {
                    url: url.clone(),
                    reason: format!("its text cannot be unpacked: {error}"),
                });
            }
        }
    }
    body.is_cut = is_cut;
    Ok(body)
}
