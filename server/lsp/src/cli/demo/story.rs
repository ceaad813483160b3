//! The story of the demo: who does what in which order, and what must hold at each point.
//!
//! The user's part is played through the client, as a person with a plain editor would; the expected texts are made
//! here, from the sample, without the server's help.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::buffer::{Buffer, TextEdit};
use super::client::Client;
use super::evidence::{call_ended, hash, hints, is_logged, lines, said};
use super::narrator::Narrator;
use super::{SAMPLE, Stage};

const PROMPT: &str = "Make greet polite, let nap take hours, and purr longer.";

/// What the user has typed and not saved when the prompt is given.
const UNSAVED: &str = "\n\ndef nap(hours):\n    return \"z\" * hours\n";
/// What the user types between the proposal and the first acceptance.
const KEYSTROKES: &str = "# 🐈 Cats have manners.\n";

/// The two changes that the model's first edit makes.
const GREET: (&str, &str) = (
    "    return \"meow \" + name\n",
    "    return f\"Good day, {name}. Meow.\"\n",
);
const NAP: (&str, &str) = (
    "    return \"z\" * hours\n",
    "    minutes = hours * 60\n    return \"z\" * minutes\n",
);
/// What the user does to the line that the model's second edit changes, too.
const PURR: (&str, &str) = ("\"purr \"", "\"prrr \"");

/// Plays it all.
pub async fn play(narrator: &mut Narrator, stage: &Stage) -> anyhow::Result<()> {
    let options = json!({ "provider": "scripted", "script": stage.script, "mode": "default" });
    let client = Client::start(stage.server()?, &stage.root, options).await?;
    let file = stage.root.join(SAMPLE.0);
    let mut story = Story {
        narrator,
        client,
        file,
        uri: String::new(),
    };
    story.open_a_file().await?;
    let proposed = story.prompt().await?;
    story.look_at_the_proposal().await?;
    story.go_on_typing(&proposed).await?;
    story.accept_both(&proposed).await?;
    let refused = story.change_what_is_proposed(&proposed).await?;
    story.end_of_the_run().await?;
    story.end_of_the_server(stage, &refused).await
}

struct Story<'a> {
    narrator: &'a mut Narrator,
    client: Client,
    file: PathBuf,
    uri: String,
}

/// The texts of a refused edit, by hash.
struct Refused {
    made_for: String,
    found: String,
}

impl Story<'_> {
    async fn open_a_file(&mut self) -> anyhow::Result<()> {
        self.narrator
            .act("You have a file open, with a function that is not saved");
        self.uri = self.client.open(&self.file, "python").await?;
        let end = SAMPLE.1.lines().count();
        self.type_in(end, UNSAVED).await?;
        for (place, text) in [("disk", self.disk()?), ("buffer", self.text()?.to_owned())] {
            self.narrator
                .says(place, &format!("{} {}", SAMPLE.0, hash(&text).short()));
        }
        Ok(())
    }

    /// Returns the ids of the two hunks that are proposed.
    async fn prompt(&mut self) -> anyhow::Result<Vec<Value>> {
        self.narrator.act("You prompt the agent");
        self.narrator.says("you", PROMPT);
        let command = json!({
            "command": "mewcode.prompt",
            "arguments": [{ "text": PROMPT, "uri": self.uri }],
        });
        self.client
            .request("workspace/executeCommand", command)
            .await?;
        let hunks = self
            .until_hunks("two proposed hunks", |hunks| hunks.len() == 2)
            .await?;

        let read = call_ended(&self.client.editor, "read_file");
        let read = read.cloned().context("the model did not read the file")?;
        let summary = read["summary"].as_str().unwrap_or_default();
        self.narrator.says("model", &said(&self.client.editor, 0));
        self.narrator.says("tool", &format!("read_file: {summary}"));
        let seen = read["status"] == "ok" && summary.contains(&hash(self.text()?).short());
        self.narrator.check(
            seen,
            "the model has read what you see: its text has the buffer's hash, not the disk's",
        );
        Ok(hunks.into_iter().map(|hunk| hunk["code"].clone()).collect())
    }

    async fn look_at_the_proposal(&mut self) -> anyhow::Result<()> {
        self.narrator.act("Its edit is proposed, hunk by hunk");
        self.narrator.says("model", &said(&self.client.editor, 1));
        self.show_hunks().await?;
        let untouched = self.text()? == format!("{}{UNSAVED}", SAMPLE.1);
        self.narrator
            .check(untouched, "nothing of it is in the buffer yet");
        Ok(())
    }

    async fn go_on_typing(&mut self, proposed: &[Value]) -> anyhow::Result<()> {
        self.narrator.act("You go on typing while the hunks wait");
        let before = self.line_of(&proposed[0]);
        self.type_in(1, KEYSTROKES).await?;
        let moved = |hunks: &[Value]| hunks.len() == 2 && line_of(hunks, &proposed[0]) != before;
        let hunks = self
            .until_hunks("the hunks at their new places", moved)
            .await?;
        let by_one = line_of(&hunks, &proposed[0]) == before.map(|line| line + 1);
        self.narrator
            .check(by_one, "the hunks have moved down by a line");
        Ok(())
    }

    async fn accept_both(&mut self, proposed: &[Value]) -> anyhow::Result<()> {
        self.narrator
            .act("You accept one hunk by a code action, the other by a code lens");
        let expected = replaced(self.text()?, GREET)?;
        self.accept_by_code_action(&proposed[0]).await?;
        self.landed("greet", 1, &expected).await?;

        let expected = replaced(self.text()?, NAP)?;
        let lens = self.accepting_code_lens(&proposed[1]).await?;
        self.run_command(&lens, &proposed[1]).await?;
        self.landed("nap", 2, &expected).await?;
        let kept = self.text()?.contains(KEYSTROKES);
        self.narrator
            .check(kept, "what you typed in between is still there");
        Ok(())
    }

    async fn change_what_is_proposed(&mut self, old: &[Value]) -> anyhow::Result<Refused> {
        self.narrator
            .act("The model proposes again; you change the same line; then you accept");
        let is_new = |hunks: &[Value]| hunks.len() == 1 && !old.contains(&hunks[0]["code"]);
        let hunk = self.until_hunks("a third hunk", is_new).await?.remove(0);
        self.narrator.says("model", &said(&self.client.editor, 2));
        self.show_hunks().await?;
        let made_for = hash(self.text()?).to_string();
        let lens = self.accepting_code_lens(&hunk["code"]).await?;

        let buffer = self.buffer()?;
        let start = buffer
            .find(PURR.0)
            .context("the sample has no line to change")?;
        let edit = TextEdit {
            start,
            end: (start.0, start.1 + PURR.0.len()),
            text: PURR.1.to_owned(),
        };
        self.client.edit(&self.uri, edit).await?;
        let yours = self.text()?.to_owned();
        let line = yours.lines().nth(start.0).unwrap_or_default();
        self.narrator
            .says("you", &format!("make line {} {}", start.0 + 1, line.trim()));

        // The lens still stands there as it was shown before the change.
        self.run_command(&lens, &hunk["code"]).await?;
        let ended = self.client.until("the refusal", |editor| {
            call_ended(editor, "edit_file")
                .filter(|end| end["status"] != "ok")
                .cloned()
        });
        let ended = ended.await?;
        let kind = ended["error_kind"].as_str().unwrap_or_default();
        let summary = ended["summary"].as_str().unwrap_or_default();
        self.narrator.says("tool", &format!("edit_file: {summary}"));
        self.narrator.check(
            kind == "stale_file",
            &format!("it is refused, and the reason is `{kind}`"),
        );
        let stands = self.text()? == yours && self.client.editor.applied.len() == 2;
        self.narrator
            .check(stands, "nothing is changed: your line stands");
        Ok(Refused {
            made_for,
            found: hash(&yours).to_string(),
        })
    }

    async fn end_of_the_run(&mut self) -> anyhow::Result<()> {
        self.narrator.act("The model ends its turn");
        let end = self.client.until("the end of the run", |editor| {
            editor
                .events
                .iter()
                .find(|event| event["kind"] == "run_ended")
                .cloned()
        });
        let end = end.await?;
        self.narrator.says("model", &said(&self.client.editor, 3));
        let outcome = end["outcome"].as_str().unwrap_or_default();
        let message = end["message"]
            .as_str()
            .map(|message| format!(": {message}"))
            .unwrap_or_default();
        self.narrator.check(
            outcome == "done",
            &format!("the run ended with the outcome `{outcome}`{message}"),
        );
        let untouched = self.disk()? == SAMPLE.1;
        self.narrator.check(
            untouched,
            "the disk is as it was: what you have not saved is saved by you",
        );
        Ok(())
    }

    async fn end_of_the_server(self, stage: &Stage, refused: &Refused) -> anyhow::Result<()> {
        let Story {
            narrator, client, ..
        } = self;
        client.shutdown().await?;
        let details =
            json!({ "expected_sha256": refused.made_for, "actual_sha256": refused.found });
        narrator.check(
            is_logged(&stage.home, &details),
            "the session's log has the refusal with both hashes",
        );
        narrator.because(&format!("made for {}", refused.made_for));
        narrator.because(&format!("found    {}", refused.found));
        narrator.check(true, "the server ended cleanly");
        Ok(())
    }

    /// Types whole lines.
    async fn type_in(&mut self, line: usize, text: &str) -> anyhow::Result<()> {
        let edit = TextEdit {
            start: (line, 0),
            end: (line, 0),
            text: text.to_owned(),
        };
        self.client.edit(&self.uri, edit).await?;
        let typed: Vec<_> = text.lines().collect();
        self.narrator.diff::<&str>(line, &[], &typed);
        Ok(())
    }

    /// Prints the hunks that wait, as old and new lines.
    async fn show_hunks(&mut self) -> anyhow::Result<()> {
        let pending = self.client.request("mewcode/pending", json!({})).await?;
        let hints = hints(&self.client.editor, &self.uri);
        for hunk in pending["hunks"].as_array().into_iter().flatten() {
            let hint = hints.iter().find(|hint| hint["code"] == hunk["id"]);
            let message = hint
                .and_then(|hint| hint["message"].as_str())
                .unwrap_or_default();
            let line = usize::try_from(hunk["startLine"].as_u64().unwrap_or_default())?;
            self.narrator.says("hunk", message);
            self.narrator
                .diff(line, &lines(hunk, "oldLines"), &lines(hunk, "newLines"));
        }
        Ok(())
    }

    /// Asks for the code actions at a hunk, as an editor does for its menu, and takes the first that accepts it.
    async fn accept_by_code_action(&mut self, hunk: &Value) -> anyhow::Result<()> {
        let hints = hints(&self.client.editor, &self.uri);
        let hint = hints
            .iter()
            .find(|hint| hint["code"] == *hunk)
            .context("the hunk has no hint")?;
        let parameters = json!({
            "textDocument": { "uri": self.uri },
            "range": hint["range"],
            "context": { "diagnostics": [hint], "only": ["mewcode.review.accept"] },
        });
        let mut actions = self
            .client
            .request("textDocument/codeAction", parameters)
            .await?;
        let mut action = actions
            .get_mut(0)
            .context("no code action accepts the hunk")?
            .take();
        if action.get("command").is_none() {
            action = self.client.request("codeAction/resolve", action).await?;
        }
        self.run_command(&action["command"], hunk).await
    }

    /// Asks for the code lenses of the document and gives the command of the one that accepts a hunk.
    async fn accepting_code_lens(&mut self, hunk: &Value) -> anyhow::Result<Value> {
        let parameters = json!({ "textDocument": { "uri": self.uri } });
        let lenses = self
            .client
            .request("textDocument/codeLens", parameters)
            .await?;
        let accepts = |lens: &&Value| {
            let command = &lens["command"];
            command["command"] == "mewcode.review.accept"
                && command["arguments"][0]["hunk"] == *hunk
        };
        let lens = lenses
            .as_array()
            .and_then(|lenses| lenses.iter().find(accepts));
        let lens = lens.context("no code lens accepts the hunk")?;
        Ok(lens["command"].clone())
    }

    async fn run_command(&mut self, command: &Value, hunk: &Value) -> anyhow::Result<()> {
        ensure!(
            command["arguments"][0]["hunk"] == *hunk,
            "the command is about another hunk: {command}"
        );
        let parameters =
            json!({ "command": command["command"], "arguments": command["arguments"] });
        self.client
            .request("workspace/executeCommand", parameters)
            .await
            .map(drop)
    }

    /// Waits for the applied edit of this number and compares the buffer, by hash, with what it must be now.
    async fn landed(&mut self, what: &str, number: usize, expected: &str) -> anyhow::Result<()> {
        let applied = self.client.until("the accepted edit", |editor| {
            editor.applied.get(number - 1).cloned()
        });
        let (label, _) = applied.await?;
        self.narrator.says("editor", &label);
        let (expected, actual) = (hash(expected), hash(self.text()?));
        let what = format!("{what} is changed, and nothing else: the buffer has the hash expected");
        self.narrator.check(actual == expected, &what);
        self.narrator.because(&format!("expected {expected}"));
        self.narrator.because(&format!("buffer   {actual}"));
        Ok(())
    }

    /// Waits until the hints of the hunks are as wanted, and returns them by line.
    async fn until_hunks(
        &mut self,
        what: &str,
        wanted: impl Fn(&[Value]) -> bool,
    ) -> anyhow::Result<Vec<Value>> {
        let uri = self.uri.clone();
        self.client
            .until(what, |editor| {
                Some(hints(editor, &uri)).filter(|hunks| wanted(hunks))
            })
            .await
    }

    fn line_of(&self, hunk: &Value) -> Option<u64> {
        line_of(&hints(&self.client.editor, &self.uri), hunk)
    }

    fn buffer(&self) -> anyhow::Result<&Buffer> {
        self.client
            .editor
            .buffers
            .get(&self.uri)
            .context("the document is not open")
    }

    fn text(&self) -> anyhow::Result<&str> {
        Ok(&self.buffer()?.text)
    }

    fn disk(&self) -> anyhow::Result<String> {
        Ok(std::fs::read_to_string(&self.file)?)
    }
}

/// The first line of a hunk among the hints.
fn line_of(hints: &[Value], hunk: &Value) -> Option<u64> {
    hints.iter().find(|hint| hint["code"] == *hunk)?["range"]["start"]["line"].as_u64()
}

/// The text with one unique piece replaced.
fn replaced(text: &str, (old, new): (&str, &str)) -> anyhow::Result<String> {
    ensure!(
        text.matches(old).count() == 1,
        "the sample does not hold {old:?} once"
    );
    Ok(text.replacen(old, new, 1))
}
