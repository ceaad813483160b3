//! Fetching pages from the web: only from public addresses, checked and pinned at every hop. Knows no tool.
//!
//! A name is resolved once for each hop; every address of the answer is checked, and the connection is made to those
//! addresses and to no other, whatever the name means a moment later. Redirections are followed by hand, on the same
//! host only.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::{Client, Proxy, Response, redirect};
use tokio_util::sync::CancellationToken;
use url::Url;

mod address;
mod body;
mod html;
mod kept;
mod resolve;
mod target;
mod text;

pub use resolve::{Resolver, SystemResolver};
pub use target::Target;
pub use text::Page;

use crate::blocking::on_a_thread;
use kept::KeptPages;
use resolve::Pinned;

/// Most redirections that are followed.
const MAX_REDIRECTS: usize = 5;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What pages are asked for as: plain text before a page that has to be converted.
const ACCEPTED: &str =
    "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.8, */*;q=0.5";

/// How pages are fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The HTTP proxy that every request goes through; none: straight to the host. A proxy resolves names by itself, so
    /// what is behind a name is its to check. The proxies of the environment are not used, for the same reason.
    pub proxy: Option<Url>,
}

/// Fetches pages.
pub struct Fetcher {
    settings: Settings,
    resolver: Arc<dyn Resolver>,
    kept: Mutex<KeptPages>,
    /// The server of a test is on no public address: this name may be at this one all the same.
    #[cfg(test)]
    exempt: Option<(String, IpAddr)>,
}

/// Why a page is not fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Not a URL.
    #[error("`{text}` is no URL that can be fetched: {reason}.")]
    NoUrl {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A URL of so many bytes, and the limit.
    #[error("The URL has {0} bytes; the limit is {1}.")]
    TooLong(usize, usize),
    /// Another scheme than `http` and `https`.
    #[error("`{0}:` is not fetched, only `http:` and `https:`.")]
    Scheme(String),
    /// A user name or a password in the URL.
    #[error("The URL holds a user name or a password, which would be sent along.")]
    Credentials,
    /// A port of another service.
    #[error("Port {0} is not one that pages are served from.")]
    Port(u16),
    /// A name that is none of the public internet.
    #[error(
        "`{0}` is the name of this machine or of a local network. Only public hosts are fetched from."
    )]
    LocalName(String),
    /// An address that is none of the public internet.
    #[error("`{host}` is {}{what}. Only public hosts are fetched from.", if *host == address.to_string() { String::new() } else { format!("at {address}, ") })]
    Address {
        /// The host, as it was given.
        host: String,
        /// Its address.
        address: IpAddr,
        /// What that is, with its article.
        what: &'static str,
    },
    /// The name does not resolve.
    #[error("The name `{host}` cannot be resolved: {reason}.")]
    Unresolved {
        /// The name.
        host: String,
        /// Why.
        reason: String,
    },
    /// Too many redirections.
    #[error("`{0}` redirects again and again.")]
    Redirects(Url),
    /// A redirection to what is not fetched.
    #[error("`{url}` redirects to what is not fetched. {reason}")]
    Redirect {
        /// The URL that redirects.
        url: Url,
        /// Why it is not followed.
        reason: Box<FetchError>,
    },
    /// The host answered, but not with a page.
    #[error("`{url}` answered {status}{}.", retry_after.as_ref().map_or_else(String::new, |wait| format!(" (try again after: {wait})")))]
    Status {
        /// The URL.
        url: Url,
        /// The status.
        status: reqwest::StatusCode,
        /// When to try again, in the words of the host.
        retry_after: Option<String>,
    },
    /// Not text.
    #[error("`{url}` is {what}, not text.")]
    Kind {
        /// The URL.
        url: Url,
        /// What it is, with its article.
        what: String,
    },
    /// The connection failed or broke off.
    #[error("`{url}` could not be fetched: {reason}.")]
    Network {
        /// The URL.
        url: Url,
        /// Why.
        reason: String,
    },
    /// It was told to end.
    #[error("The page was not fetched: the call was told to end.")]
    Cancelled,
}

/// What a URL led to.
#[derive(Debug)]
pub enum Fetched {
    /// A page.
    Page(Page),
    /// To another host, or from an encrypted connection to an open one: not followed.
    Moved {
        /// The URL that says so.
        from: Url,
        /// Where the page is said to be.
        to: Url,
        /// 301, 302, 303, 307 or 308.
        status: u16,
    },
}

impl Default for Fetcher {
    fn default() -> Fetcher {
        Fetcher::new(Settings::default())
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Fetcher")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Fetcher {
    /// A fetcher that resolves names as the system does.
    pub fn new(settings: Settings) -> Fetcher {
        Fetcher::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// A fetcher that resolves names by `resolver`.
    pub fn with_resolver(settings: Settings, resolver: Arc<dyn Resolver>) -> Fetcher {
        Fetcher {
            settings,
            resolver,
            kept: Mutex::default(),
            #[cfg(test)]
            exempt: None,
        }
    }

    /// The same, but this name may be at this address, whatever it is.
    #[cfg(test)]
    pub(crate) fn with_exempt(mut self, name: &str, address: IpAddr) -> Fetcher {
        self.exempt = Some((name.to_owned(), address));
        self
    }

    /// Fetches a page.
    ///
    /// # Errors
    ///
    /// There is none, or it is none that may be fetched.
    pub async fn fetch(
        &self,
        target: &Target,
        cancel: &CancellationToken,
    ) -> Result<Fetched, FetchError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(FetchError::Cancelled),
            fetched = self.follow(target, cancel) => fetched,
        }
    }

    /// Keeps a page that a session got, for a while and among the few last ones, so that it can be read on.
    pub fn keep(&self, session: &str, target: &Target, page: Arc<Page>) {
        self.lock_kept()
            .keep(session, target.url(), page, Instant::now());
    }

    /// The page that the session got from this very URL, if it is kept still.
    pub fn kept(&self, session: &str, target: &Target) -> Option<Arc<Page>> {
        self.lock_kept().get(session, target.url(), Instant::now())
    }

    fn lock_kept(&self) -> MutexGuard<'_, KeptPages> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn follow(
        &self,
        target: &Target,
        cancel: &CancellationToken,
    ) -> Result<Fetched, FetchError> {
        let mut target = target.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.request(&target).await?;
            let Some(location) = location(&response) else {
                return read(&target, response, cancel).await.map(Fetched::Page);
            };
            let next = target
                .join(&location)
                .map_err(|reason| FetchError::Redirect {
                    url: target.url().clone(),
                    reason: Box::new(reason),
                })?;
            if !target.includes(&next) {
                return Ok(Fetched::Moved {
                    from: target.url().clone(),
                    to: next.url().clone(),
                    status: response.status().as_u16(),
                });
            }
            target = next;
        }
        Err(FetchError::Redirects(target.url().clone()))
    }

    async fn request(&self, target: &Target) -> Result<Response, FetchError> {
        let failed = |error: reqwest::Error| FetchError::Network {
            url: target.url().clone(),
            reason: with_causes(&error.without_url()),
        };
        // Another part of the process may have chosen one already; then that is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .user_agent(concat!("mewcode/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(redirect::Policy::none())
            .referer(false)
            // A connection belongs to the hop whose addresses were checked.
            .pool_max_idle_per_host(0)
            .no_proxy();
        let builder = match &self.settings.proxy {
            Some(proxy) => builder.proxy(Proxy::all(proxy.clone()).map_err(failed)?),
            None => builder.dns_resolver(Pinned(self.addresses(target).await?)),
        };
        let client = builder.build().map_err(failed)?;
        let request = client
            .get(target.url().clone())
            .header(ACCEPT, ACCEPTED)
            .header(ACCEPT_ENCODING, "gzip, deflate");
        request.send().await.map_err(failed)
    }

    /// The checked addresses of a name; none where the URL has an address itself, which was checked when it was read.
    async fn addresses(&self, target: &Target) -> Result<Vec<SocketAddr>, FetchError> {
        let Some(name) = target.name() else {
            return Ok(Vec::new());
        };
        let unresolved = |error: io::Error| FetchError::Unresolved {
            host: name.to_owned(),
            reason: error.to_string(),
        };
        let addresses = self.resolver.resolve(name).await.map_err(unresolved)?;
        if addresses.is_empty() {
            return Err(unresolved(io::Error::other("it has no address")));
        }
        for address in &addresses {
            if let Some(what) = self.refused(name, *address) {
                return Err(FetchError::Address {
                    host: name.to_owned(),
                    address: *address,
                    what,
                });
            }
        }
        let with_port = |address| SocketAddr::new(address, target.port());
        Ok(addresses.into_iter().map(with_port).collect())
    }

    /// What the address is, if nothing is fetched from there.
    #[cfg(not(test))]
    fn refused(&self, _: &str, address: IpAddr) -> Option<&'static str> {
        address::refused(address)
    }

    #[cfg(test)]
    fn refused(&self, name: &str, address: IpAddr) -> Option<&'static str> {
        let exempt = self.exempt.as_ref();
        let is_exempt = exempt.is_some_and(|it| it.0 == name && it.1 == address);
        address::refused(address).filter(|_| !is_exempt)
    }
}

/// Where the response says that the page is.
fn location(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

async fn read(
    target: &Target,
    response: Response,
    cancel: &CancellationToken,
) -> Result<Page, FetchError> {
    let url = target.url().clone();
    let header = |name| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    if !response.status().is_success() {
        return Err(FetchError::Status {
            url,
            status: response.status(),
            retry_after: header(RETRY_AFTER).map(|words| text::quoted(&words)),
        });
    }
    let content_type = header(CONTENT_TYPE).unwrap_or_default();
    text::check_kind(&url, &content_type)?;
    let body = body::read(&url, response).await?;
    let cancel = cancel.clone();
    // Decoding and converting take their time, and a hostile page's as much as they are given.
    on_a_thread(move || text::decode(url, &content_type, body, &cancel)).await
}

/// The error with what is behind it: on its own it says that sending failed.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
