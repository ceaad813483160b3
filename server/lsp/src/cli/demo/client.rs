//! A small LSP client: starts a server as a child, keeps buffers in step with it, and does what the server asks.
//!
//! It has the standard means only: text documents, `workspace/applyEdit`, diagnostics, commands, progress and log
//! messages. Everything is awaited by pumping messages until a condition holds. Knows nothing of the demo's story.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;

use super::buffer::{Buffer, TextEdit};

/// How long a single thing may be waited for. The server answers in milliseconds; this is for a machine under load.
const PATIENCE: Duration = Duration::from_secs(15);

/// A running server and the editor's side of it.
pub struct Client {
    child: Child,
    stdin: ChildStdin,
    incoming: mpsc::UnboundedReceiver<anyhow::Result<Value>>,
    next_id: i64,
    responses: HashMap<i64, Value>,
    /// What the editor holds and was told.
    pub editor: Editor,
}

/// The state of the editor.
#[derive(Default)]
pub struct Editor {
    /// The open documents by URI.
    pub buffers: HashMap<String, Buffer>,
    /// The diagnostics by URI, as published last.
    pub diagnostics: HashMap<String, Vec<Value>>,
    /// Each `workspace/applyEdit` that was carried out: its label and the document.
    pub applied: Vec<(String, String)>,
    /// The `value` of each `$/progress`, in order.
    pub progress: Vec<Value>,
    /// The `event` of each `mewcode/event`, in order.
    pub events: Vec<Value>,
    /// The text of each `window/logMessage` and `window/showMessage`, in order.
    pub messages: Vec<String>,
}

impl Client {
    /// Starts the server and shakes hands with it.
    pub async fn start(
        mut command: Command,
        root: &Path,
        options: Value,
    ) -> anyhow::Result<Client> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().context("the server could not be started")?;
        let stdin = child.stdin.take().context("the server has no stdin")?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let (sender, incoming) = mpsc::unbounded_channel();
        tokio::spawn(read_messages(stdout, sender));

        let editor = Editor::default();
        let mut client = Client {
            child,
            stdin,
            incoming,
            next_id: 0,
            responses: HashMap::new(),
            editor,
        };
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let parameters = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "mewcode-demo", "version": env!("CARGO_PKG_VERSION") },
            "workspaceFolders": [{ "uri": uri(root), "name": name }],
            "initializationOptions": options,
            "capabilities": capabilities(),
        });
        client.request("initialize", parameters).await?;
        client.notify("initialized", json!({})).await?;
        Ok(client)
    }

    /// Opens a file as a buffer and returns its URI.
    pub async fn open(&mut self, path: &Path, language: &str) -> anyhow::Result<String> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let buffer = Buffer::new(&text);
        let uri = uri(path);
        let document =
            json!({ "uri": uri, "languageId": language, "version": buffer.version, "text": text });
        self.editor.buffers.insert(uri.clone(), buffer);
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await?;
        Ok(uri)
    }

    /// Changes a buffer as a user does, without saving.
    pub async fn edit(&mut self, uri: &str, edit: TextEdit) -> anyhow::Result<()> {
        let change = self
            .change(uri, &[edit])
            .context("the text typed has no place in the buffer")?;
        self.notify("textDocument/didChange", change).await
    }

    /// Sends a request and returns its result. What the server asks meanwhile is done.
    pub async fn request(&mut self, method: &str, parameters: Value) -> anyhow::Result<Value> {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters });
        self.send(&message).await?;
        let response = tokio::time::timeout(PATIENCE, async {
            loop {
                match self.responses.remove(&id) {
                    Some(response) => return anyhow::Ok(response),
                    None => self.pump().await?,
                }
            }
        });
        let mut response = response
            .await
            .map_err(|_| anyhow!("no answer to {method} within {PATIENCE:?}"))??;
        if let Some(error) = response.get("error") {
            bail!(
                "{method} failed: {}",
                error["message"].as_str().unwrap_or("without a message")
            );
        }
        Ok(response["result"].take())
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, parameters: Value) -> anyhow::Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }))
            .await
    }

    /// Lets the server go on until `condition` gives a value. `what` completes "waited for …".
    pub async fn until<T>(
        &mut self,
        what: &str,
        mut condition: impl FnMut(&Editor) -> Option<T>,
    ) -> anyhow::Result<T> {
        let waiting = tokio::time::timeout(PATIENCE, async {
            loop {
                match condition(&self.editor) {
                    Some(value) => return anyhow::Ok(value),
                    None => self
                        .pump()
                        .await
                        .with_context(|| format!("waited for {what}"))?,
                }
            }
        });
        waiting
            .await
            .map_err(|_| anyhow!("waited {PATIENCE:?} for {what}, in vain"))?
    }

    /// Ends the server as the protocol says. An error if it does not end well.
    pub async fn shutdown(mut self) -> anyhow::Result<()> {
        self.request("shutdown", Value::Null).await?;
        self.notify("exit", Value::Null).await?;
        drop(self.stdin);
        let ended = tokio::time::timeout(PATIENCE, self.child.wait());
        let status = ended
            .await
            .map_err(|_| anyhow!("the server did not end within {PATIENCE:?}"))??;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    /// Takes one message in: a response is kept for whoever waits, anything else is acted upon.
    async fn pump(&mut self) -> anyhow::Result<()> {
        let message = self
            .incoming
            .recv()
            .await
            .unwrap_or_else(|| Err(anyhow!("the server closed its output")))?;
        let method = message.get("method").and_then(Value::as_str);
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                let result = self.answer(method, &message["params"]).await?;
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
                    .await
            }
            (Some(method), None) => {
                self.editor.take_in(method, &message["params"]);
                Ok(())
            }
            (None, Some(id)) => {
                let id = id
                    .as_i64()
                    .context("the server answered a request that was never made")?;
                self.responses.insert(id, message);
                Ok(())
            }
            (None, None) => bail!("the server sent neither a request nor an answer: {message}"),
        }
    }

    async fn answer(&mut self, method: &str, parameters: &Value) -> anyhow::Result<Value> {
        match method {
            "workspace/applyEdit" => self.apply_edit(parameters).await,
            // Nothing to configure, register or refresh here; each has `null` for "done" or "not set".
            "workspace/configuration" => {
                let items = parameters["items"].as_array().map_or(0, Vec::len);
                Ok(Value::Array(vec![Value::Null; items]))
            }
            _ => Ok(Value::Null),
        }
    }

    /// Carries an edit out if it was made for the very versions that the buffers have, else refuses all of it.
    async fn apply_edit(&mut self, parameters: &Value) -> anyhow::Result<Value> {
        let refused = |reason: &str| Ok(json!({ "applied": false, "failureReason": reason }));
        let label = parameters["label"].as_str().unwrap_or_default().to_owned();
        let Some(documents) = parameters["edit"]["documentChanges"].as_array() else {
            return refused("the edit has no documentChanges");
        };
        let mut wanted = Vec::new();
        for document in documents {
            let uri = document["textDocument"]["uri"].as_str().unwrap_or_default();
            let Some(buffer) = self.editor.buffers.get(uri) else {
                return refused("the document is not open");
            };
            if document["textDocument"]["version"].as_i64() != Some(buffer.version) {
                return refused("the edit was made for another version of the document");
            }
            let edits = document["edits"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            let edits: Option<Vec<_>> = edits.iter().map(TextEdit::from_json).collect();
            match edits {
                Some(edits) => wanted.push((uri, edits)),
                None => return refused("the edit is malformed"),
            }
        }
        for (uri, edits) in wanted {
            let Some(change) = self.change(uri, &edits) else {
                return refused("the edit does not fit the document");
            };
            self.notify("textDocument/didChange", change).await?;
            self.editor.applied.push((label.clone(), uri.to_owned()));
        }
        Ok(json!({ "applied": true }))
    }

    /// Changes the buffer and returns the parameters of the `didChange` that tells the server.
    fn change(&mut self, uri: &str, edits: &[TextEdit]) -> Option<Value> {
        let buffer = self.editor.buffers.get_mut(uri)?;
        let changes = buffer.apply(edits)?;
        Some(
            json!({ "textDocument": { "uri": uri, "version": buffer.version }, "contentChanges": changes }),
        )
    }

    async fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.stdin
            .write_all(frame.as_bytes())
            .await
            .context("the server does not read")?;
        self.stdin.flush().await.context("the server does not read")
    }
}

impl Editor {
    fn take_in(&mut self, method: &str, parameters: &Value) {
        match method {
            "textDocument/publishDiagnostics" => {
                let uri = parameters["uri"].as_str().unwrap_or_default().to_owned();
                let diagnostics = parameters["diagnostics"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                self.diagnostics.insert(uri, diagnostics);
            }
            "$/progress" => self.progress.push(parameters["value"].clone()),
            "mewcode/event" => self.events.push(parameters["event"].clone()),
            "window/logMessage" | "window/showMessage" => {
                self.messages.push(
                    parameters["message"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            _ => {}
        }
    }
}

/// What this editor can do: the standard means. Events are asked for only to tell them to the person who watches.
fn capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": { "documentChanges": true },
            "configuration": true,
            "workspaceFolders": true,
            "executeCommand": {},
        },
        "textDocument": {
            "synchronization": { "didSave": true },
            "publishDiagnostics": { "versionSupport": true, "dataSupport": true },
            "codeAction": {
                "dataSupport": true,
                "resolveSupport": { "properties": ["command"] },
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } },
            },
            "codeLens": {},
        },
        "window": { "workDoneProgress": true },
        "experimental": { "mewcode": { "event": true } },
    })
}

/// The `file:` URI of an absolute path.
pub fn uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

async fn read_messages(stdout: ChildStdout, sender: mpsc::UnboundedSender<anyhow::Result<Value>>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let message = match read_message(&mut reader).await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let failed = message.is_err();
        if sender.send(message).is_err() || failed {
            return;
        }
    }
}

/// The next frame. `None`: the output ended between two frames.
async fn read_message(reader: &mut BufReader<ChildStdout>) -> anyhow::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await? == 0 {
            ensure!(
                length.is_none(),
                "the server's output ended within a header"
            );
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = Some(
                    value
                        .trim()
                        .parse::<usize>()
                        .context("the server sent a bad Content-Length")?,
                );
            }
            Some(_) => {}
            None if line.trim_end().is_empty() => break,
            None => bail!("the server wrote {line:?} to its protocol output"),
        }
    }
    let mut body = vec![0; length.context("the server sent a frame without a Content-Length")?];
    reader
        .read_exact(&mut body)
        .await
        .context("the server's output ended within a message")?;
    Ok(Some(
        serde_json::from_slice(&body).context("the server sent a message that is not JSON")?,
    ))
}
