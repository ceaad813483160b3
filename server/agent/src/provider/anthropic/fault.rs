//! What went wrong, told from status, headers and body, in words for people.
//!
//! Must not know the loop: it only says what kind of failure it is.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::provider::{ProviderError, ProviderErrorKind};

/// As much of a foreign error text as a person wants to read.
const LONGEST_TEXT: usize = 600;

const START_ANEW: &str = "Start a new session, or ask for less at once.";

/// What a server says when the conversation is too long, across vendors.
const OVERFLOW_WORDS: [&str; 7] = [
    "prompt is too long",
    "exceed_context_size_error",
    "context_length_exceeded",
    "available context size",
    "maximum context length",
    "context window",
    "exceed context limit",
];

/// The error of an answer with a status outside 2xx.
pub(super) fn of_status(status: u16, headers: &HeaderMap, body: &str) -> ProviderError {
    let told = Told::read(body);
    let text = told.text();
    let kind = match status {
        413 => ProviderErrorKind::Overflow,
        400..=499 if told.is_overflow() => ProviderErrorKind::Overflow,
        401 | 403 => ProviderErrorKind::Auth,
        429 => ProviderErrorKind::RateLimited,
        503 | 529 => ProviderErrorKind::Overloaded,
        408 | 409 | 500..=599 => ProviderErrorKind::Server,
        _ => ProviderErrorKind::Rejected,
    };
    let advice = match status {
        300..=399 => {
            "Redirects are not followed, so that the key stays with its server: set base_url to the final address."
        }
        404 => "Check `model` and `base_url`.",
        _ => advice(kind),
    };
    ProviderError {
        kind,
        message: sentence(&format!("The provider answered {status}: {text}"), advice),
        retry_after: retry_after(headers),
    }
}

/// The error that an event of the stream tells.
pub(super) fn in_stream(event: &Value) -> ProviderError {
    let told = Told::from_value(event);
    let status = event["error"]["code"]
        .as_u64()
        .or_else(|| event["error"]["status"].as_u64());
    let kind = match (told.kind.as_str(), status) {
        _ if told.is_overflow() => ProviderErrorKind::Overflow,
        ("request_too_large", _) => ProviderErrorKind::Overflow,
        ("overloaded_error", _) | (_, Some(503 | 529)) => ProviderErrorKind::Overloaded,
        ("rate_limit_error", _) | (_, Some(429)) => ProviderErrorKind::RateLimited,
        ("authentication_error" | "permission_error", _) | (_, Some(401 | 403)) => {
            ProviderErrorKind::Auth
        }
        ("invalid_request_error" | "not_found_error" | "billing_error", _)
        | (_, Some(400 | 402 | 404)) => ProviderErrorKind::Rejected,
        _ => ProviderErrorKind::Server,
    };
    ProviderError::new(
        kind,
        sentence(
            &format!("The provider broke off the answer: {}", told.text()),
            advice(kind),
        ),
    )
}

/// The answer filled the context window to its end.
pub(super) fn window_exceeded() -> ProviderError {
    ProviderError::new(
        ProviderErrorKind::Overflow,
        sentence(
            "The answer ran into the end of the model's context window.",
            START_ANEW,
        ),
    )
}

fn advice(kind: ProviderErrorKind) -> &'static str {
    match kind {
        ProviderErrorKind::Auth => "Check the key that `api_key_env` or `api_key_command` gives.",
        ProviderErrorKind::Overflow => START_ANEW,
        ProviderErrorKind::Rejected => "Check the configuration of the provider.",
        _ => "",
    }
}

fn sentence(text: &str, advice: &str) -> String {
    let text = text.trim_end();
    let stop = if text.ends_with(['.', '!', '?', '…']) {
        ""
    } else {
        "."
    };
    let space = if advice.is_empty() { "" } else { " " };
    format!("{text}{stop}{space}{advice}")
}

/// What an error body says, whosever format it is in.
struct Told {
    kind: String,
    message: String,
}

impl Told {
    fn read(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self {
                kind: String::new(),
                message: body.trim().to_string(),
            },
        }
    }

    fn from_value(value: &Value) -> Self {
        let error = value.get("error").unwrap_or(value);
        let text = |value: &Value| value.as_str().map(str::to_string);
        let kind = text(&error["type"]).filter(|kind| kind != "error");
        let message = text(error)
            .or_else(|| text(&error["message"]))
            .or_else(|| text(&value["message"]))
            .or_else(|| text(&value["detail"]))
            .unwrap_or_else(|| value.to_string());
        Self {
            kind: kind.or_else(|| text(&error["code"])).unwrap_or_default(),
            message,
        }
    }

    fn is_overflow(&self) -> bool {
        let message = self.message.to_lowercase();
        OVERFLOW_WORDS
            .iter()
            .any(|words| message.contains(words) || self.kind == *words)
    }

    fn text(&self) -> String {
        let message = match self.message.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{}…", &self.message[..end]),
            None => self.message.clone(),
        };
        match (self.kind.as_str(), message.as_str()) {
            ("", "") => "(no explanation)".into(),
            ("", message) => message.into(),
            (kind, "") => kind.into(),
            (kind, message) => format!("{message} ({kind})"),
        }
    }
}

/// How long the server asks to wait. A date, which some send, is left to our own back-off.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = match number("retry-after-ms") {
        Some(milliseconds) => milliseconds / 1000.0,
        None => number("retry-after")?,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProviderErrorKind::*;

    #[test]
    fn status_and_body_tell_the_kind() {
        let llama = r#"{"error":{"code":400,"message":"request (9010 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}}"#;
        let anthropic = |kind: &str, message: &str| {
            format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#)
        };
        for (status, body, kind) in [
            (400, llama.to_string(), Overflow),
            (
                400,
                anthropic(
                    "invalid_request_error",
                    "prompt is too long: 201432 tokens > 200000 maximum",
                ),
                Overflow,
            ),
            (
                413,
                anthropic("request_too_large", "Request exceeds the maximum size"),
                Overflow,
            ),
            (
                400,
                anthropic("invalid_request_error", "max_tokens: 200000 > 64000"),
                Rejected,
            ),
            (
                401,
                anthropic("authentication_error", "invalid x-api-key"),
                Auth,
            ),
            (403, String::new(), Auth),
            (404, "not found".into(), Rejected),
            (408, String::new(), Server),
            (409, String::new(), Server),
            (429, anthropic("rate_limit_error", "slow down"), RateLimited),
            (500, "<html>".into(), Server),
            (502, String::new(), Server),
            (529, anthropic("overloaded_error", "Overloaded"), Overloaded),
            (307, String::new(), Rejected),
        ] {
            let error = of_status(status, &HeaderMap::new(), &body);
            assert_eq!(error.kind, kind, "{status} {body}");
            assert!(
                error.message.contains(&status.to_string()),
                "{}",
                error.message
            );
        }
    }

    #[test]
    fn messages_say_what_happened_and_what_to_do() {
        let body = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
        assert_eq!(
            of_status(401, &HeaderMap::new(), body).message,
            "The provider answered 401: invalid x-api-key (authentication_error). \
             Check the key that `api_key_env` or `api_key_command` gives."
        );
        assert_eq!(
            of_status(500, &HeaderMap::new(), "").message,
            "The provider answered 500: (no explanation)."
        );
        assert_eq!(
            of_status(500, &HeaderMap::new(), r#"{"detail":"no such route"}"#).message,
            "The provider answered 500: no such route."
        );
        let long = of_status(500, &HeaderMap::new(), &"ü".repeat(5000)).message;
        assert!(long.chars().count() < 700, "{long}");
    }

    #[test]
    fn errors_inside_the_stream() {
        for (event, kind) in [
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Overloaded,
            ),
            (
                r#"{"type":"error","error":{"type":"api_error","message":"x"}}"#,
                Server,
            ),
            (
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}"#,
                Overflow,
            ),
            (
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}"#,
                Rejected,
            ),
            (
                r#"{"error":{"code":500,"message":"boom","type":"server_error"}}"#,
                Server,
            ),
            (r#"{"error":{"code":401,"message":"no"}}"#, Auth),
            (r#"{"error":"plain words"}"#, Server),
        ] {
            let error = in_stream(&serde_json::from_str(event).unwrap());
            assert_eq!(error.kind, kind, "{event}");
        }
    }

    #[test]
    fn the_wait_is_read_in_seconds_or_milliseconds() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect::<HeaderMap>()
        };
        for (pairs, expected) in [
            (&[("retry-after", "7")][..], Some(7000)),
            (&[("retry-after", "0.5")], Some(500)),
            (&[("retry-after-ms", "30"), ("retry-after", "7")], Some(30)),
            (&[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")], None),
            (&[("retry-after", "-3")], None),
            (&[], None),
        ] {
            let expected = expected.map(Duration::from_millis);
            assert_eq!(retry_after(&headers(pairs)), expected, "{pairs:?}");
        }
    }
}
