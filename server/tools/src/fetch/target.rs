//! What a call may name: a URL whose host is not known to be local before any name is resolved. Pure; resolves nothing.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::text::quoted;
use super::{FetchError, address};

/// Ports that no browser opens for a page: behind them are services that read a request as commands of their own. The
/// "bad ports" of the Fetch standard.
const CLOSED_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

/// Ends of names that are never those of public hosts (RFC 6761, RFC 6762, RFC 8375, and what clouds and routers use).
const LOCAL_NAMES: &[&str] = &[
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
];

/// The longest URL that is taken: a longer one carries something out rather than name a page.
const MAX_URL_BYTES: usize = 2048;

/// A URL that may be fetched as far as it says itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
    host: String,
}

impl Target {
    /// Reads a URL. What stands for an address in any spelling (decimal, octal, hexadecimal) is that address.
    ///
    /// # Errors
    ///
    /// It is none that may be fetched.
    pub fn parse(text: &str) -> Result<Target, FetchError> {
        let url = Url::parse(text.trim()).map_err(|error| FetchError::NoUrl {
            text: quoted(text),
            reason: error.to_string(),
        })?;
        Target::new(url)
    }

    /// Where a redirection leads from here.
    pub(super) fn join(&self, location: &str) -> Result<Target, FetchError> {
        let url = self.url.join(location).map_err(|error| FetchError::NoUrl {
            text: quoted(location),
            reason: error.to_string(),
        })?;
        Target::new(url)
    }

    fn new(mut url: Url) -> Result<Target, FetchError> {
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(FetchError::TooLong(url.as_str().len(), MAX_URL_BYTES));
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::Scheme(quoted(url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        let port = url.port_or_known_default().unwrap_or(0);
        if CLOSED_PORTS.contains(&port) {
            return Err(FetchError::Port(port));
        }
        url.set_fragment(None);
        let host = match url.host() {
            Some(Host::Domain(name)) => checked_name(name)?,
            Some(Host::Ipv4(address)) => checked_literal(IpAddr::V4(address))?,
            Some(Host::Ipv6(address)) => checked_literal(IpAddr::V6(address))?,
            None => {
                return Err(FetchError::NoUrl {
                    text: url.to_string(),
                    reason: "it names no host".to_owned(),
                });
            }
        };
        if url.domain().is_some_and(|name| name != host) {
            // A name with the root's dot at its end is the same name.
            url.set_host(Some(&host))
                .map_err(|error| FetchError::NoUrl {
                    text: host.clone(),
                    reason: error.to_string(),
                })?;
        }
        Ok(Target { url, host })
    }

    /// The URL, without a fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The host as rules name it: in lower case, without port and without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host if it is a name, to be resolved.
    pub(super) fn name(&self) -> Option<&str> {
        self.url.domain()
    }

    pub(super) fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or(0)
    }

    /// Whether what is asked for this one holds for the other: the same host, and no less of a secret on the way.
    pub(super) fn includes(&self, other: &Target) -> bool {
        self.host == other.host
            && (self.url.scheme() == other.url.scheme() || other.url.scheme() == "https")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(formatter)
    }
}

fn checked_name(name: &str) -> Result<String, FetchError> {
    let given = name;
    let name = name.strip_suffix('.').unwrap_or(name);
    // `evil.example..` would be found like `evil.example`, and is another name for every rule.
    if name.split('.').any(str::is_empty) {
        return Err(FetchError::NoUrl {
            text: quoted(given),
            reason: "a part of the host's name is empty".to_owned(),
        });
    }
    let is_local = |end: &&str| {
        name.strip_suffix(*end)
            .is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    if !name.contains('.') || LOCAL_NAMES.iter().any(is_local) {
        return Err(FetchError::LocalName(name.to_owned()));
    }
    Ok(name.to_owned())
}

fn checked_literal(address: IpAddr) -> Result<String, FetchError> {
    match address::refused(address) {
        None => Ok(address.to_string()),
        Some(what) => Err(FetchError::Address {
            host: address.to_string(),
            address,
            what,
        }),
    }
}

#[cfg(test)]
mod tests;
