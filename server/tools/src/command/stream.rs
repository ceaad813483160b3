//! What flows from one command to another: its text where it can be worked out, and where it comes from. Knows the few
//! programs whose output follows from their arguments and input.

use super::lex::Fault;
use super::word::{Value, unescape};

/// Longer texts are not kept.
const MAX_BYTES: usize = 64 * 1024;

/// The output of a command, or its input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    /// Its text, where it can be worked out.
    pub text: Option<String>,
    /// Something in the text is a guess.
    pub guessed: bool,
    /// Some of it comes from the network.
    pub network: bool,
    /// Some of it was decoded from something that nobody can read.
    pub decoded: bool,
}

impl Stream {
    pub fn of(text: impl Into<String>) -> Stream {
        Stream {
            text: Some(text.into()),
            ..Stream::default()
        }
    }

    pub fn from_network() -> Stream {
        Stream {
            network: true,
            ..Stream::default()
        }
    }

    /// Takes over where another comes from.
    pub fn merge(&mut self, other: &Stream) {
        self.network |= other.network;
        self.decoded |= other.decoded;
        self.guessed |= other.guessed;
    }

    /// Takes over another after its own.
    pub fn append(&mut self, other: Stream) {
        self.merge(&other);
        self.text = match (self.text.take(), other.text) {
            (Some(mut own), Some(other)) if own.len() + other.len() <= MAX_BYTES => {
                own.push_str(&other);
                Some(own)
            }
            _ => None,
        };
    }

    /// Something that only passes on where it comes from.
    fn filtered(&self) -> Stream {
        Stream {
            text: None,
            ..self.clone()
        }
    }
}

/// Programs that fetch from the network, and what they print is what they fetched.
pub(super) const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "wget2",
    "fetch",
    "http",
    "https",
    "xh",
    "aria2c",
    "lynx",
    "w3m",
    "links",
    "elinks",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ftp",
    "tftp",
    "lwp-request",
    "lwp-download",
    "get",
    "axel",
    "gsutil",
    "aws",
    "ssh",
    "scp",
    "sftp",
    "rclone",
    "dig",
    "openssl",
];

/// What a program prints, given its arguments and its input.
pub(super) fn output(name: &str, arguments: &[Value], input: &Stream) -> Stream {
    let mut stream = match name {
        "echo" => echo(arguments),
        "printf" => printf(arguments),
        "cat" | "tee" | "pv" | "sponge" | "unbuffer" | "head" | "tail" | "sort" | "uniq" => {
            through(name, arguments, input)
        }
        "base64" | "gbase64" | "base32" | "openssl" | "xxd" | "uudecode" => {
            decode(name, arguments, input)
        }
        "gzip" | "gunzip" | "zcat" | "bunzip2" | "bzcat" | "xz" | "unxz" | "xzcat" | "zstd"
        | "zstdcat" | "lzma" | "uncompress" | "brotli" | "gpg" => Stream {
            decoded: true,
            ..input.filtered()
        },
        "rev" => match &input.text {
            Some(text) => Stream {
                text: Some(
                    text.lines()
                        .map(|line| line.chars().rev().collect::<String>() + "\n")
                        .collect(),
                ),
                ..input.clone()
            },
            None => input.filtered(),
        },
        "tr" => translate(arguments, input),
        "true" | "false" | "cd" | ":" => Stream::of(""),
        _ => input.filtered(),
    };
    if FETCHERS.contains(&name) && name != "openssl" {
        stream.network = true;
        stream.text = None;
    }
    for argument in arguments {
        stream.merge(&argument.stream);
        stream.guessed |= !argument.known;
    }
    stream
}

fn echo(arguments: &[Value]) -> Stream {
    let mut rest = arguments;
    let (mut newline, mut escapes) = (true, false);
    while let [first, after @ ..] = rest {
        let Some(flags) = first.text.strip_prefix('-') else {
            break;
        };
        if flags.is_empty() || !flags.chars().all(|flag| "neE".contains(flag)) {
            break;
        }
        newline &= !flags.contains('n');
        escapes |= flags.contains('e');
        rest = after;
    }
    let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let mut text = words.join(" ");
    if escapes {
        text = unescape(&text);
    }
    if newline {
        text.push('\n');
    }
    Stream::of(text)
}

/// Formats as the shell does: over and over until there are no arguments left.
fn printf(arguments: &[Value]) -> Stream {
    let mut arguments = arguments.iter().map(|word| word.text.as_str());
    let Some(mut format) = arguments.next() else {
        return Stream::of("");
    };
    if format == "--" {
        format = arguments.next().unwrap_or_default();
    }
    if format == "-v" {
        return Stream::of("");
    }
    let mut arguments = arguments.peekable();
    let mut text = String::new();
    loop {
        let before = arguments.len();
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            text.push_str(&unescape(&rest[..at]));
            rest = &rest[at + 1..];
            let flags = rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.*".contains(c))
                    .len();
            rest = &rest[flags..];
            let Some(kind) = rest.chars().next() else {
                break;
            };
            rest = &rest[kind.len_utf8()..];
            match kind {
                '%' => text.push('%'),
                'b' => text.push_str(&unescape(arguments.next().unwrap_or_default())),
                'c' => text.extend(arguments.next().unwrap_or_default().chars().next()),
                _ => text.push_str(arguments.next().unwrap_or_default()),
            }
        }
        text.push_str(&unescape(rest));
        if arguments.peek().is_none() || arguments.len() == before || text.len() > MAX_BYTES {
            return Stream::of(text);
        }
    }
}

/// Programs that print what they get, or some of it.
fn through(name: &str, arguments: &[Value], input: &Stream) -> Stream {
    let operands: Vec<&Value> = arguments
        .iter()
        .filter(|word| !word.text.starts_with('-') || word.text == "-")
        .collect();
    let processes = operands
        .iter()
        .all(|word| word.is_process || word.text == "-");
    if name == "cat" && !operands.is_empty() && processes {
        let mut whole = Stream::of("");
        for operand in operands {
            whole.append(if operand.is_process {
                operand.stream.clone()
            } else {
                input.clone()
            });
        }
        return whole;
    }
    let all = operands.is_empty() || matches!(name, "tee" | "sponge");
    let short = input
        .text
        .as_ref()
        .is_some_and(|text| text.lines().count() <= 10);
    match all && short {
        true => input.clone(),
        false => input.filtered(),
    }
}

fn decode(name: &str, arguments: &[Value], input: &Stream) -> Stream {
    let flags: String = arguments
        .iter()
        .map(|word| format!("{} ", word.text))
        .collect();
    let decodes = match name {
        "xxd" => flags.contains("-r") || flags.contains("-p -r"),
        "uudecode" => true,
        "openssl" => flags.contains("-d ") || flags.contains("s_client"),
        _ => {
            flags.contains("--d")
                || flags.split(' ').any(|flag| {
                    flag.starts_with('-') && !flag.starts_with("--") && flag.contains(['d', 'D'])
                })
        }
    };
    if !decodes {
        return input.filtered();
    }
    let text = input.text.as_deref().and_then(|text| match name {
        "xxd" => hexadecimal(text),
        "openssl" if !flags.contains("base64") => None,
        "base32" | "uudecode" => None,
        _ => base64(text),
    });
    Stream {
        decoded: text.is_none(),
        network: input.network,
        guessed: input.guessed,
        text,
    }
}

/// Decodes base64; absent if it is none, or no text.
pub(super) fn base64(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            byte if byte.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Decodes hexadecimal digits; absent if they are none, or no text.
pub(super) fn hexadecimal(text: &str) -> Option<String> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let bytes = digits?
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
        .collect();
    String::from_utf8(bytes).ok()
}

fn translate(arguments: &[Value], input: &Stream) -> Stream {
    let Some(text) = &input.text else {
        return input.filtered();
    };
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    let text = match words.as_slice() {
        ["-d", set] => {
            let set = characters(set);
            text.chars().filter(|c| !set.contains(c)).collect()
        }
        [from, to] if !from.starts_with('-') => {
            let (from, to) = (characters(from), characters(to));
            let change = |c: char| match from.iter().rposition(|own| *own == c) {
                Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
                None => c,
            };
            text.chars().map(change).collect()
        }
        _ => return input.filtered(),
    };
    Stream {
        text: Some(text),
        ..input.clone()
    }
}

/// The characters of a set of `tr`.
fn characters(set: &str) -> Vec<char> {
    let set = match set {
        "[:lower:]" => "a-z",
        "[:upper:]" => "A-Z",
        "[:space:]" => " \t\n",
        "[:digit:]" => "0-9",
        set => set,
    };
    let plain: Vec<char> = unescape(set).chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < plain.len() {
        match plain[at..] {
            [first, '-', last, ..] if first < last && (last as u32) - (first as u32) < 256 => {
                all.extend(first..=last);
                at += 3;
            }
            _ => {
                all.push(plain[at]);
                at += 1;
            }
        }
    }
    all
}

/// A fault as words.
pub(super) fn describe<'a>(fault: &Fault, text: &'a str) -> &'a str {
    text.get(fault.at.clone())
        .filter(|text| !text.is_empty())
        .unwrap_or("the command")
}
