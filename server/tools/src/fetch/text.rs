//! From the bytes of a response to text that a model can read: kind, character encoding, Markdown, and nothing in it
//! that a person would not see. Fetches nothing.

use encoding_rs::Encoding;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::body::Body;
use super::{FetchError, html};
use crate::unseen::is_invisible;

/// Bytes at the beginning in which a page says how it is encoded.
const DECLARATION_BYTES: usize = 1024;

/// Longest media type that is taken: two names of 64 characters.
const MAX_MEDIA_TYPE_BYTES: usize = 129;

/// Characters of a host's words in a message.
const MAX_QUOTED_CHARS: usize = 100;

/// A fetched page as text. All of it was written by strangers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it was in the end.
    pub url: Url,
    /// What the host says that it is: `text/html`; empty if it says nothing.
    pub media_type: String,
    /// Lines end in LF. HTML is Markdown here.
    pub text: String,
    /// Whether a part is missing: it is longer than is read, or nested deeper.
    pub is_cut: bool,
}

/// How the text of a page comes out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Html,
    Plain,
}

/// What a media type is.
fn form(media_type: &str) -> Result<Form, String> {
    let (kind, name) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (kind, name) {
        ("text", "html") | ("application", "xhtml+xml") => Ok(Form::Html),
        // What it is shows in its bytes.
        ("", _) | ("text", _) => Ok(Form::Plain),
        ("application", "pdf") => Err("a PDF document".to_owned()),
        ("image", "svg+xml") => Ok(Form::Plain),
        ("image", _) => Err("an image".to_owned()),
        ("audio", _) => Err("a sound".to_owned()),
        ("video", _) => Err("a video".to_owned()),
        ("font", _) => Err("a font".to_owned()),
        (
            "application",
            "zip" | "gzip" | "x-gzip" | "x-tar" | "x-7z-compressed" | "x-xz" | "zstd",
        ) => Err("an archive".to_owned()),
        ("application", "octet-stream") => Err("a binary file".to_owned()),
        ("application", name) if is_text(name) => Ok(Form::Plain),
        _ => Err(format!("of the kind `{media_type}`")),
    }
}

/// Whether `application/…` of this name is text.
fn is_text(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "ecmascript",
        "graphql",
        "javascript",
        "json",
        "json5",
        "jsonl",
        "ld+json",
        "manifest+json",
        "markdown",
        "rtf",
        "sql",
        "toml",
        "typescript",
        "wasm+text",
        "x-httpd-php",
        "x-javascript",
        "x-ndjson",
        "x-sh",
        "x-toml",
        "x-yaml",
        "xml",
        "xml-dtd",
        "yaml",
    ];
    NAMES.contains(&name)
        || ["+json", "+xml", "+yaml"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// The kind as a host says it, in lower case; empty where it says none. Words of a host stand before the text of its
/// page, so nothing but a media type (RFC 6838) gets there.
fn media_type(content_type: &str) -> String {
    let media_type = content_type.split(';').next().unwrap_or_default();
    let media_type = media_type.trim().to_ascii_lowercase();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/!#$&-^_.+".contains(&byte);
    if media_type.len() <= MAX_MEDIA_TYPE_BYTES && media_type.bytes().all(allowed) {
        media_type
    } else {
        String::new()
    }
}

/// A few words of a host for a message: in one line, without what nobody sees.
pub(super) fn quoted(words: &str) -> String {
    let words = without_unseen(words).replace(['\n', '\t'], " ");
    match words.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// The character encoding that the host names.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| Encoding::for_label(value.as_bytes()))?
    })
}

/// Refuses what is no text before it is read.
pub(super) fn check_kind(url: &Url, content_type: &str) -> Result<(), FetchError> {
    let refused = |what| FetchError::Kind {
        url: url.clone(),
        what,
    };
    form(&media_type(content_type)).map(drop).map_err(refused)
}

/// The text of a body.
pub(super) fn decode(
    url: Url,
    content_type: &str,
    body: Body,
    cancel: &CancellationToken,
) -> Result<Page, FetchError> {
    let media_type = media_type(content_type);
    let refused = |what| FetchError::Kind {
        url: url.clone(),
        what,
    };
    let mut form = form(&media_type).map_err(refused)?;
    if media_type.is_empty() && looks_like_html(&body.bytes) {
        form = Form::Html;
    }
    let encoding = encoding(&body, content_type, form);
    if is_binary(&body.bytes, encoding) {
        return Err(FetchError::Kind {
            url,
            what: "a binary file".to_owned(),
        });
    }
    let (text, ..) = encoding.decode(&body.bytes);
    let (text, is_cut) = match form {
        Form::Plain => (text.into_owned(), body.is_cut),
        Form::Html => {
            let converted = html::to_markdown(&text, &url, cancel);
            (converted.markdown, body.is_cut || converted.is_cut)
        }
    };
    Ok(Page {
        url,
        media_type,
        text: without_unseen(&text),
        is_cut,
    })
}

/// A byte order mark, then what the host says, then what the page says, then what the bytes look like.
fn encoding(body: &Body, content_type: &str, form: Form) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(&body.bytes) {
        return encoding;
    }
    let declared = || {
        (form == Form::Html)
            .then(|| declared(&body.bytes))
            .flatten()
    };
    charset(content_type).or_else(declared).unwrap_or_else(|| {
        let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
        detector.feed(&body.bytes, !body.is_cut);
        detector.guess(None, chardetng::Utf8Detection::Allow)
    })
}

/// The encoding in a `<meta>` of a page.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head =
        String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]).to_ascii_lowercase();
    let tags = head.split("<meta").skip(1);
    tags.filter_map(|tag| tag.split('>').next())
        .find_map(|tag| {
            let value = tag
                .split("charset")
                .nth(1)?
                .trim_start()
                .strip_prefix('=')?;
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let end = value
                .find(|char: char| matches!(char, '"' | '\'' | ';' | '/') || char.is_whitespace());
            let encoding = Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])?;
            // A declaration that can be read as ASCII is not in UTF-16.
            Some(encoding.output_encoding())
        })
}

fn looks_like_html(bytes: &[u8]) -> bool {
    let head =
        String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with("<!doctype html") || head.starts_with("<html")
}

fn is_binary(bytes: &[u8], encoding: &'static Encoding) -> bool {
    let is_wide = encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE;
    !is_wide && memchr::memchr(0, bytes).is_some()
}

/// The text without what nobody sees: control characters, marks of direction, and characters that only carry hidden
/// text. Whatever breaks a line is a line break here.
fn without_unseen(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    for char in text.chars() {
        let char = match char {
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            char => char,
        };
        if !is_unseen(char) && !continues_unseen(before, char) {
            shown.push(char);
        }
        before = Some(char);
    }
    shown
}

fn is_unseen(char: char) -> bool {
    // Joiners and selectors, which some scripts and emoji need, and an empty cell of Braille.
    let is_needed = matches!(char,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{2800}' | '\u{fe00}'..='\u{fe0f}');
    char.is_control() && !matches!(char, '\n' | '\t') || is_invisible(char) && !is_needed
}

/// Whether the character changes nothing that is not changed already: text can be hidden in a row of such ones.
fn continues_unseen(before: Option<char>, char: char) -> bool {
    let joins = |char| matches!(char, '\u{200c}' | '\u{200d}');
    let selects = |char| matches!(char, '\u{fe00}'..='\u{fe0f}');
    match before {
        Some(before) => {
            joins(char) && joins(before) || selects(char) && (selects(before) || joins(before))
        }
        None => joins(char) || selects(char),
    }
}

#[cfg(test)]
mod tests;
