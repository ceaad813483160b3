//! A local server of the Messages API: takes requests apart as strictly as the vendor does, and answers with recorded or
//! made streams and with every fault there is.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a request.
pub enum Reply {
    /// A whole answer.
    Http {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// A stream in these pieces, ended properly.
    Stream(Vec<Vec<u8>>),
    /// A stream in these pieces, then the connection is gone.
    Cut(Vec<Vec<u8>>),
    /// A stream in these pieces, then silence.
    Stall(Vec<Vec<u8>>),
    /// These bytes and nothing else.
    Raw(Vec<u8>),
}

impl Reply {
    /// A stream of these events.
    pub fn events(events: &[Value]) -> Self {
        Self::Stream(vec![sse(events)])
    }

    /// A stream that was recorded from a real server, in pieces of these sizes, over and over.
    pub fn recorded(stream: &[u8], sizes: &[usize]) -> Self {
        let mut pieces = Vec::new();
        let mut rest = stream;
        for size in sizes.iter().cycle() {
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece.to_vec());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        Self::Stream(pieces)
    }

    /// The vendor's error answer.
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        Self::Http {
            status,
            headers: vec![],
            body: body.to_string(),
        }
    }
}

/// The events of a stream as bytes.
pub fn sse(events: &[Value]) -> Vec<u8> {
    let event = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap_or("message")
        )
    };
    events.iter().map(event).collect::<String>().into_bytes()
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Got {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Got {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The server; it ends with the test's runtime.
pub struct Server {
    pub url: String,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Server {
    /// A server that answers one request after the other with these replies.
    pub async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let replies = Arc::new(Mutex::new(VecDeque::from(replies)));
        let kept = got.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone(), replies.clone()));
            }
        });
        Self { url, got }
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }
}

async fn serve(
    stream: TcpStream,
    kept: Arc<Mutex<Vec<Got>>>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
) {
    stream.set_nodelay(true).unwrap();
    let mut stream = BufReader::new(stream);
    let Some(got) = receive(&mut stream).await else {
        return;
    };
    let faults = faults(&got);
    kept.lock().unwrap().push(got);
    let reply = if faults.is_empty() {
        let next = replies.lock().unwrap().pop_front();
        next.unwrap_or_else(|| Reply::error(400, "invalid_request_error", "a request too many"))
    } else {
        Reply::error(400, "invalid_request_error", &faults.join("; "))
    };
    // The other side may hang up at any time: that is what some tests do.
    let _ = answer(stream.get_mut(), reply).await;
}

async fn receive(stream: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let path = line.split(' ').nth(1)?.to_string();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_string()));
    }
    let mut got = Got {
        path,
        headers,
        body: Value::Null,
    };
    let length = got.header("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    got.body = serde_json::from_slice(&body).ok()?;
    Some(got)
}

async fn answer(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    let (pieces, is_cut, is_stalled) = match reply {
        Reply::Raw(bytes) => return stream.write_all(&bytes).await,
        Reply::Http {
            status,
            headers,
            body,
        } => {
            let kind = if body.starts_with('{') {
                "application/json"
            } else {
                "text/html"
            };
            let mut head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            return stream
                .write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
                .await;
        }
        Reply::Stream(pieces) => (pieces, false, false),
        Reply::Cut(pieces) => (pieces, true, false),
        Reply::Stall(pieces) => (pieces, false, true),
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for piece in pieces {
        stream
            .write_all(format!("{:x}\r\n", piece.len()).as_bytes())
            .await?;
        stream.write_all(&piece).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
    }
    if is_stalled {
        // Until the other side hangs up.
        let _ = stream.read(&mut [0]).await;
    }
    if is_cut || is_stalled {
        Ok(())
    } else {
        stream.write_all(b"0\r\n\r\n").await
    }
}

/// What the vendor would refuse about a request.
fn faults(got: &Got) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, fault: &str| {
        if !holds {
            faults.push(fault.to_string());
        }
    };
    let body = &got.body;
    check(got.path == "/v1/messages", "path");
    check(
        got.header("anthropic-version") == Some("2023-06-01"),
        "anthropic-version",
    );
    check(
        got.header("content-type") == Some("application/json"),
        "content-type",
    );
    check(got.header("accept") == Some("text/event-stream"), "accept");
    let known = [
        "model",
        "max_tokens",
        "stream",
        "thinking",
        "tools",
        "system",
        "messages",
    ];
    check(has_only(body, &known), "unknown key");
    check(
        body["model"]
            .as_str()
            .is_some_and(|model| !model.is_empty()),
        "model",
    );
    check(
        body["max_tokens"].as_u64().is_some_and(|most| most > 0),
        "max_tokens",
    );
    check(body["stream"] == json!(true), "stream");
    if let Some(thinking) = body.get("thinking") {
        let budget = thinking["budget_tokens"].as_u64().unwrap_or(0);
        let most = body["max_tokens"].as_u64().unwrap_or(0);
        check(
            thinking["type"] == "enabled" && (1024..most).contains(&budget),
            "thinking",
        );
    }
    let mut names = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or("").to_string();
        check(is_name(&name) && !names.contains(&name), "tool name");
        check(
            tool["input_schema"]["type"] == "object" && tool["description"].is_string(),
            "tool",
        );
        check(
            has_only(
                tool,
                &["name", "description", "input_schema", "cache_control"],
            ),
            "tool key",
        );
        names.push(name);
    }
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    check(
        !messages.is_empty(),
        "messages: at least one message is required",
    );
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        check(
            message["role"] == role && has_only(message, &["role", "content"]),
            "roles must alternate",
        );
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        check(!blocks.is_empty(), "empty message");
        let answered: Vec<String> = texts(&blocks, "tool_result", "tool_use_id");
        check(
            answered == open,
            "tool_use without its tool_result immediately after, or the other way round",
        );
        open = texts(&blocks, "tool_use", "id");
        for block in &blocks {
            let fits = match block["type"].as_str().unwrap_or("") {
                "text" => {
                    has_only(block, &["type", "text", "cache_control"])
                        && block["text"]
                            .as_str()
                            .is_some_and(|text| !text.trim().is_empty())
                }
                "thinking" => {
                    role == "assistant"
                        && has_only(block, &["type", "thinking", "signature"])
                        && block["signature"].is_string()
                        && block["thinking"].is_string()
                }
                "redacted_thinking" => role == "assistant" && has_only(block, &["type", "data"]),
                "tool_use" => {
                    role == "assistant"
                        && has_only(block, &["type", "id", "name", "input"])
                        && block["input"].is_object()
                        && is_name(block["name"].as_str().unwrap_or(""))
                        && is_name(block["id"].as_str().unwrap_or(""))
                }
                "tool_result" => {
                    role == "user"
                        && has_only(
                            block,
                            &[
                                "type",
                                "tool_use_id",
                                "content",
                                "is_error",
                                "cache_control",
                            ],
                        )
                        && block["content"]
                            .as_str()
                            .is_some_and(|content| !content.is_empty())
                }
                _ => false,
            };
            check(fits, &format!("messages.{index}: bad block {block}"));
        }
        let last_type = blocks.last().map(|block| block["type"].clone());
        check(
            last_type != Some(json!("thinking")),
            "the final block must not be thinking",
        );
    }
    check(open.is_empty(), "trailing tool_use");
    check(
        breakpoints(body) == wanted_breakpoints(body),
        "cache breakpoints",
    );
    faults
}

fn has_only(value: &Value, known: &[&str]) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.keys().all(|key| known.contains(&key.as_str())))
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn texts(blocks: &[Value], kind: &str, field: &str) -> Vec<String> {
    let of_kind = blocks.iter().filter(|block| block["type"] == kind);
    of_kind
        .map(|block| block[field].as_str().unwrap_or("").to_string())
        .collect()
}

/// Where the breakpoints are.
fn breakpoints(body: &Value) -> Vec<String> {
    fn look(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    if key == "cache_control" && *value == json!({"type": "ephemeral"}) {
                        found.push(path.to_string());
                    }
                    look(value, &format!("{path}/{key}"), found);
                }
            }
            Value::Array(array) => {
                array
                    .iter()
                    .enumerate()
                    .for_each(|(index, value)| look(value, &format!("{path}/{index}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    look(body, "", &mut found);
    found.sort();
    found
}

/// After the tools, the system prompt, and the last user turn.
fn wanted_breakpoints(body: &Value) -> Vec<String> {
    let last = |value: &Value| {
        value
            .as_array()
            .map(|array| array.len().saturating_sub(1))
            .filter(|_| value != &json!([]))
    };
    let mut wanted = Vec::new();
    wanted.extend(last(&body["tools"]).map(|index| format!("/tools/{index}")));
    wanted.extend(last(&body["system"]).map(|index| format!("/system/{index}")));
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    if let Some(index) = messages
        .iter()
        .rposition(|message| message["role"] == "user")
    {
        wanted.extend(
            last(&messages[index]["content"])
                .map(|block| format!("/messages/{index}/content/{block}")),
        );
    }
    wanted.sort();
    wanted
}
