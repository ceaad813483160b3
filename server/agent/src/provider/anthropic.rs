//! The Messages API of Anthropic, and of the servers that speak it, over HTTP with server-sent events.
//!
//! Must not retry, run calls or keep conversations: the loop does. The key leaves only towards `base_url`.

mod fault;
mod key;
mod reader;
mod request;

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt, TryStreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use self::key::{Key, KeySource};
use self::reader::Reader;
use self::request::Body;
use super::sse::Decoder;
use super::{Provider, ProviderError, ProviderErrorKind, ProviderEvent, Request};

/// The vendor's own server.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// Where the vendor's own key is looked for when nothing else is configured.
pub const DEFAULT_KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

const API_VERSION: &str = "2023-06-01";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// As much of an error body as is read.
const LONGEST_ERROR: usize = 64 << 10;

/// How to reach a server of the Messages API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The server, without `/v1/messages`; the vendor's when absent.
    pub base_url: Option<String>,
    /// The environment variable that holds the key. Without it, and without a command, [`DEFAULT_KEY_VARIABLE`] is
    /// sent to the vendor's server and no key at all to another: a key must not go where it was not meant to.
    pub api_key_env: Option<String>,
    /// A shell command that prints the key; goes before the variable.
    pub api_key_command: Option<String>,
    /// How long the server may be silent.
    pub idle_timeout: Duration,
}

/// A server of the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    url: Url,
    key: KeySource,
    idle_timeout: Duration,
    /// Made when first needed: reading the system's certificates takes its time.
    client: OnceCell<Client>,
}

/// An answer that begins as it should.
struct Answer {
    response: Response,
    /// What must not be shown, should the server repeat it.
    key: Option<Key>,
}

impl Anthropic {
    /// A provider for the server that `options` names. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// `base_url` is no URL of a web server.
    pub fn new(options: Options) -> Result<Self, ProviderError> {
        let is_own = options.base_url.is_none();
        let base = options.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let key = match (options.api_key_command, options.api_key_env) {
            (Some(command), _) => KeySource::command(command),
            (None, Some(name)) => KeySource::Environment(name),
            (None, None) if is_own => KeySource::Environment(DEFAULT_KEY_VARIABLE.into()),
            (None, None) => KeySource::None,
        };
        Ok(Self {
            url: messages_url(base)?,
            key,
            idle_timeout: options.idle_timeout,
            client: OnceCell::new(),
        })
    }

    async fn client(&self) -> Result<&Client, ProviderError> {
        self.client
            .get_or_try_init(async || {
                // Another part of the process may have chosen one already; then that is used.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let mut builder = Client::builder()
                    .user_agent(concat!("mewcode/", env!("CARGO_PKG_VERSION")))
                    .connect_timeout(CONNECT_TIMEOUT)
                    // A redirect would carry the key to a server that nobody named.
                    .redirect(redirect::Policy::none());
                if is_loopback(&self.url) {
                    builder = builder.no_proxy();
                }
                builder.build().map_err(|error| {
                    ProviderError::new(
                        ProviderErrorKind::Configuration,
                        format!("The HTTP client could not be made: {}", with_causes(error)),
                    )
                })
            })
            .await
    }

    /// Sends the request; the answer is a stream of events, or an error.
    async fn open(&self, request: &Request<'_>) -> Result<Answer, ProviderError> {
        let key = self.key.key().await?;
        let mut builder = self
            .client()
            .await?
            .post(self.url.clone())
            .header(ACCEPT, HeaderValue::from_static("text/event-stream"))
            .header("anthropic-version", API_VERSION)
            .json(&Body::new(request));
        if let Some(key) = &key {
            builder = builder.header("x-api-key", header(key)?);
        }
        let response = self.in_time(builder.send()).await?.map_err(dropped)?;
        if response.status().is_success() && document(&response).is_none() {
            return Ok(Answer { response, key });
        }
        let error = self.error_of(response).await;
        if error.kind == ProviderErrorKind::Auth {
            self.key.forget().await;
        }
        Err(redacted(key.as_ref(), error))
    }

    async fn error_of(&self, response: Response) -> ProviderError {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let document = document(&response).unwrap_or("a document");
        let mut body = Vec::new();
        let mut pieces = response.bytes_stream();
        // What cannot be read of an error is left out of it.
        while let Ok(Some(Ok(piece))) = timeout(self.idle_timeout, pieces.next()).await {
            body.extend_from_slice(&piece);
            if body.len() > LONGEST_ERROR {
                break;
            }
        }
        let mut body = String::from_utf8_lossy(&body).into_owned();
        if let Some(target) = headers
            .get(LOCATION)
            .and_then(|target| target.to_str().ok())
        {
            body = format!("a redirect to {target}");
        }
        if (200..300).contains(&status) {
            return match serde_json::from_str::<serde_json::Value>(&body) {
                Ok(value) if value.get("error").is_some() => fault::in_stream(&value),
                _ => ProviderError::new(
                    ProviderErrorKind::Protocol,
                    format!(
                        "The provider answered with {document} instead of a stream. \
                         Check that `base_url` names a server of the Anthropic Messages API that can stream."
                    ),
                ),
            };
        }
        fault::of_status(status, &headers, &body)
    }

    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, ProviderError> {
        timeout(self.idle_timeout, work).await.map_err(|_| {
            ProviderError::new(
                ProviderErrorKind::IdleTimeout,
                format!(
                    "The provider was silent for {} s.",
                    self.idle_timeout.as_secs_f64()
                ),
            )
        })
    }

    /// The events of an answer. It ends after the stop, or with an error.
    fn events(
        &self,
        answer: Answer,
    ) -> impl Stream<Item = Result<ProviderEvent, ProviderError>> + Send + '_ {
        let Answer { response, key } = answer;
        let state = (
            Reader::default(),
            Decoder::new(),
            response.bytes_stream().boxed(),
        );
        let events = stream::try_unfold(
            state,
            move |(mut reader, mut decoder, mut pieces)| async move {
                loop {
                    if let Some(event) = reader.ready.pop_front() {
                        return Ok(Some((event, (reader, decoder, pieces))));
                    }
                    if reader.finished {
                        return Ok(None);
                    }
                    let piece = self.in_time(pieces.next()).await?;
                    let piece = piece.ok_or_else(cut_off)?.map_err(dropped)?;
                    let frames = decoder.push(&piece).map_err(|error| {
                        ProviderError::new(
                            ProviderErrorKind::Protocol,
                            format!("The provider's stream cannot be read: {error}."),
                        )
                    })?;
                    for frame in &frames {
                        reader.read(frame)?;
                    }
                }
            },
        );
        events.map_err(move |error| redacted(key.as_ref(), error))
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        "anthropic"
    }

    fn stream<'a>(
        &'a self,
        request: &'a Request<'a>,
    ) -> BoxStream<'a, Result<ProviderEvent, ProviderError>> {
        stream::once(self.open(request))
            .map_ok(|answer| self.events(answer))
            .try_flatten()
            .boxed()
    }
}

fn messages_url(base: &str) -> Result<Url, ProviderError> {
    let wrong = |why: &str| {
        ProviderError::new(
            ProviderErrorKind::Configuration,
            format!(
                "`base_url` {why}: {base}. Give the address of the server, such as {DEFAULT_BASE_URL}."
            ),
        )
    };
    let mut url = Url::parse(base).map_err(|error| wrong(&format!("is no URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong("is no http or https URL"));
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/messages").unwrap_or(path);
    let path = path.strip_suffix("/v1").unwrap_or(path);
    let path = format!("{path}/v1/messages");
    url.set_path(&path);
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn header(key: &Key) -> Result<HeaderValue, ProviderError> {
    let mut value = HeaderValue::from_str(key.expose()).map_err(|_| {
        ProviderError::new(
            ProviderErrorKind::Auth,
            "The key holds characters that no key has. Check what `api_key_env` or `api_key_command` gives.",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn redacted(key: Option<&Key>, error: ProviderError) -> ProviderError {
    match key {
        Some(key) => key.redact(error),
        None => error,
    }
}

/// What the answer is, if it says itself that it is no stream: an answer without streaming, an error, the page of a login or
/// of whatever else is at that address.
fn document(response: &Response) -> Option<&'static str> {
    let kind = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    match kind.trim_start() {
        kind if kind.starts_with("application/json") => Some("a whole JSON document"),
        kind if kind.starts_with("text/html") => Some("a web page"),
        _ => None,
    }
}

fn cut_off() -> ProviderError {
    ProviderError::new(
        ProviderErrorKind::Dropped,
        "The provider's stream ended in the middle of the answer.",
    )
}

fn dropped(error: reqwest::Error) -> ProviderError {
    let advice = if error.is_connect() {
        " Check the network and `base_url`."
    } else {
        ""
    };
    ProviderError::new(
        ProviderErrorKind::Dropped,
        format!(
            "The connection to the provider failed: {}.{advice}",
            with_causes(error)
        ),
    )
}

/// The error with its causes, which say more than it does itself, and without the URL, which may hold a password.
fn with_causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.contains(&told) {
            text = format!("{text}: {told}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_completed() {
        for base in [
            "http://127.0.0.1:8080",
            "http://127.0.0.1:8080/",
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8080/v1/",
            "http://127.0.0.1:8080/v1/messages",
        ] {
            assert_eq!(
                messages_url(base).unwrap().as_str(),
                "http://127.0.0.1:8080/v1/messages",
                "{base}"
            );
        }
        assert_eq!(
            messages_url("https://x.org/proxy").unwrap().path(),
            "/proxy/v1/messages"
        );
        for base in ["api.anthropic.com", "ftp://x.org", "", "http://"] {
            let error = messages_url(base).unwrap_err();
            assert_eq!(error.kind, ProviderErrorKind::Configuration, "{base}");
        }
    }

    #[test]
    fn loopback_addresses_need_no_proxy() {
        for (url, expected) in [
            ("http://127.0.0.1:1/", true),
            ("http://[::1]/", true),
            ("http://localhost/", true),
            ("https://x.org/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn the_vendors_key_goes_to_the_vendor_only() {
        let source = |base_url: Option<&str>, env: Option<&str>, command: Option<&str>| {
            let options = Options {
                base_url: base_url.map(Into::into),
                api_key_env: env.map(Into::into),
                api_key_command: command.map(Into::into),
                idle_timeout: Duration::from_secs(1),
            };
            format!("{:?}", Anthropic::new(options).unwrap().key)
        };
        assert_eq!(
            source(None, None, None),
            r#"Environment("ANTHROPIC_API_KEY")"#
        );
        assert_eq!(source(Some("http://localhost:1"), None, None), "None");
        assert_eq!(
            source(Some("http://localhost:1"), Some("X"), None),
            r#"Environment("X")"#
        );
        assert!(source(None, Some("X"), Some("pass x")).starts_with("Command"));
    }
}
