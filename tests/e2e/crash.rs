//! The server is killed (SIGKILL) at random moments of runs with edits, again and again, while the person types and decides. After
//! each restart every change is in its text once or not at all, is offered if and only if it waits, and all that was typed is
//! there. `MEWCODE_SEED` replays a run's choices, `MEWCODE_KILLS` makes it longer.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::str::FromStr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::editor::options;
use crate::harness::{Client, Editor, PATIENCE, Script, Workspace};

/// Of each of the files.
const LINES: usize = 32;
/// How many of them one life of the server changes.
const SHARE: usize = 8;

const OPEN: &str = "open.txt";
const CLOSED: &str = "closed.txt";

/// What is known of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// It was shown.
    Offered,
    /// The person's decision was sent when the server was killed.
    MaybeAccepted,
    MaybeRejected,
    /// The decision was answered, and the hunk is gone.
    Accepted,
    Rejected,
}

/// Numbers that only depend on the seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.next(times) == 0
    }
}

/// The line that a change is about, by its file and number. What becomes of it depends on the number.
type Key = (&'static str, usize);

fn name((file, line): Key) -> String {
    format!("{}{line:02}", &file[..1])
}

/// What stands there before, and what after.
fn texts(key: Key) -> (String, String) {
    let (first, second) = (
        format!("{} first\n", name(key)),
        format!("{} second\n", name(key)),
    );
    match key.1 % 3 {
        0 => (first, second),
        1 => (first.clone(), format!("{first}{second}")),
        _ => (first, String::new()),
    }
}

/// Whether a change stands in a text. In no other way than the whole of it or nothing.
fn stands(text: &str, key: Key, told: &dyn Debug) -> bool {
    let count = |word: &str| text.matches(&format!("{} {word}\n", name(key))).count();
    let found = (count("first"), count("second"));
    let after = [(0, 1), (1, 1), (0, 0)][key.1 % 3];
    assert!(
        found == (1, 0) || found == after,
        "{} is {found:?} times there; {told:?}\n{text}",
        name(key)
    );
    found == after
}

struct Scene {
    editor: Editor,
    random: Random,
    before: bool,
    known: BTreeMap<Key, Known>,
    typed: usize,
    told: String,
    /// What the last server and the editor said to each other.
    before_kill: String,
}

impl Scene {
    fn new(seed: u64, mode: &str) -> Self {
        let text = |file: &'static str| -> String {
            let lines = (0..LINES).map(|line| {
                let (first, _) = texts((file, line));
                format!("{first}- {line:02}\n= {line:02}\n")
            });
            lines.collect()
        };
        let workspace = Workspace::with(&[(OPEN, &text(OPEN)), (CLOSED, &text(CLOSED))]);
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let script = script(&mut random, 0);
        let mut editor = Editor::start(workspace, Client::full(), &script, mode);
        editor.open(OPEN);
        let keys = [OPEN, CLOSED].map(|file| (0..LINES).map(move |line| (file, line)));
        Self {
            editor,
            random,
            before: mode == "default",
            known: (keys.into_iter().flatten())
                .map(|key| (key, Known::Nothing))
                .collect(),
            typed: 0,
            told: format!("MEWCODE_SEED={seed}, {mode}"),
            before_kill: String::new(),
        }
    }

    /// One life of the server, from the prompt to its violent end.
    fn live(&mut self) {
        self.editor.prompt("go");
        let mut left = self.random.next(if self.before { 60 } else { 220 });
        while left > 0 && self.hear(&mut left) {
            if self.random.once_in(4) {
                self.type_a_line();
            }
            if self.before || self.random.once_in(6) {
                self.decide(left < 2);
            }
        }
        if self.random.once_in(2) {
            self.decide(true);
        }
        let moment = Instant::now() + Duration::from_micros(self.random.next(4000) as u64);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        self.editor.server.kill();
        if self.random.once_in(2) {
            self.editor.hear_out();
        }
        self.before_kill = self.editor.server.conversation();
        self.editor.forget_messages();
        for _ in 0..self.random.next(3) {
            self.type_a_line();
        }
    }

    /// Takes in a few messages; false when the run has ended.
    fn hear(&mut self, left: &mut usize) -> bool {
        let mut few = self.random.next(12).min(*left);
        *left -= few;
        let before = self.before;
        let goes_on = self.editor.until("messages", |editor| {
            let mut events = editor.events().into_iter();
            if events.any(|it| it["event"]["kind"] == "run_ended") {
                return Some(false);
            }
            let waits = before
                && [OPEN, CLOSED]
                    .iter()
                    .any(|it| !editor.review(it).is_empty());
            if few == 0 || waits {
                return Some(true);
            }
            few -= 1;
            None
        });
        for key in self.offered() {
            let known = self.known.get_mut(&key.0).expect("a line of ours");
            if *known == Known::Nothing {
                *known = Known::Offered;
            }
        }
        goes_on
    }

    /// The hunks that were shown last, by what they are about.
    fn offered(&self) -> Vec<(Key, Value)> {
        [OPEN, CLOSED]
            .into_iter()
            .flat_map(|file| {
                let review = self.editor.review(file).into_iter();
                review.map(move |hunk| (self.about(file, &hunk), hunk["id"].clone()))
            })
            .collect()
    }

    fn about(&self, file: &'static str, hunk: &Value) -> Key {
        let mut found: Vec<usize> = ["oldLines", "newLines"]
            .iter()
            .flat_map(|lines| hunk[lines].as_array().expect("lines"))
            .filter_map(|line| line.as_str()?.strip_prefix(&file[..1])?[..2].parse().ok())
            .collect();
        found.dedup();
        assert_eq!(found.len(), 1, "{}: {hunk}", self.told);
        (file, found[0])
    }

    fn type_a_line(&mut self) {
        let place = format!("= {:02}\n", self.random.next(LINES));
        let typed = format!("typed {}.\n", self.typed);
        self.typed += 1;
        self.editor.insert_before(OPEN, &place, &typed);
    }

    /// Decides about one hunk that is shown; in a hurry without waiting for what comes of it.
    fn decide(&mut self, hurry: bool) {
        let mut offered = self.offered();
        offered.retain(|(key, _)| self.known[key] == Known::Offered);
        if offered.is_empty() {
            return;
        }
        let (key, id) = offered.swap_remove(self.random.next(offered.len()));
        let accept = self.random.once_in(2);
        let (command, sure, maybe) = match accept {
            true => (
                "mewcode.review.accept",
                Known::Accepted,
                Known::MaybeAccepted,
            ),
            false => (
                "mewcode.review.reject",
                Known::Rejected,
                Known::MaybeRejected,
            ),
        };
        if hurry {
            let params = json!({"command": command, "arguments": [{"hunk": id}]});
            self.editor
                .server
                .request("workspace/executeCommand", params);
            self.known.insert(key, maybe);
            return;
        }
        let answer = self.editor.execute(command, json!({"hunk": id}));
        assert!(answer.is_ok(), "{}: {answer:?}", self.told);
        self.editor.until("the end of a hunk", |editor| {
            let review = editor.review(key.0);
            review.iter().all(|hunk| hunk["id"] != id).then_some(())
        });
        self.known.insert(key, sure);
    }

    /// The next server: what it offers is what the texts and the decisions say.
    fn come_back(&mut self) {
        self.editor.restart();
        if !self.editor.is_open(CLOSED) {
            // A change that was broken off is taken back on disk first.
            self.editor.settle();
            self.editor.open(CLOSED);
        }
        self.agree();
        for file in [OPEN, CLOSED] {
            self.editor.assert_same(file);
        }
        let text = self.editor.text(OPEN);
        for number in 0..self.typed {
            let typed = format!("typed {number}.\n");
            assert_eq!(text.matches(&typed).count(), 1, "{}: {typed}", self.told);
        }
        assert_eq!(text.matches("typed").count(), self.typed, "{}", self.told);
        self.editor.forget_messages();
    }

    /// Waits until the hunks, the texts and the decisions say the same.
    fn agree(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let pending = self.editor.pending();
            let fault = self.fault(&pending);
            match fault {
                None => break,
                Some(fault) => assert!(
                    Instant::now() < deadline,
                    "{}: {fault}\nbefore the kill:\n{}\npending: {pending:#?}",
                    self.told,
                    self.before_kill
                ),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What is not as it has to be. What is sure now is known from now on.
    fn fault(&mut self, pending: &[Value]) -> Option<String> {
        let mut hunks: BTreeMap<Key, usize> = BTreeMap::new();
        for hunk in pending {
            let uri = hunk["uri"].as_str().expect("a URI");
            let file = if uri.ends_with(OPEN) { OPEN } else { CLOSED };
            *hunks.entry(self.about(file, hunk)).or_default() += 1;
        }
        // What was shown before the server knew the texts is corrected.
        let mut shown: BTreeMap<Key, usize> = BTreeMap::new();
        for (key, _) in self.offered() {
            *shown.entry(key).or_default() += 1;
        }
        if shown != hunks {
            return Some(format!("{shown:?} are shown, and {hunks:?} are pending"));
        }
        let mut now = BTreeMap::new();
        for (key, known) in &self.known {
            let there = stands(self.editor.text(key.0), *key, &(&self.told, known));
            let count = hunks.get(key).copied().unwrap_or_default();
            let is_right = match (known, self.before) {
                (_, _) if count > 1 => false,
                (Known::Nothing, true) => !there,
                (Known::Nothing, false) => there == (count == 1),
                (Known::Offered, _) => count == 1 && there != self.before,
                (Known::MaybeAccepted, true) => there == (count == 0),
                (Known::MaybeAccepted, false) => there,
                (Known::MaybeRejected, true) => !there,
                (Known::MaybeRejected, false) => there == (count == 1),
                (Known::Accepted, _) => there && count == 0,
                (Known::Rejected, _) => !there && count == 0,
            };
            if !is_right {
                let name = name(*key);
                return Some(format!(
                    "{name} ({known:?}) is in the text: {there}, hunks: {count}"
                ));
            }
            now.insert(
                *key,
                match (count, there, known) {
                    (1, _, _) => Known::Offered,
                    (_, _, Known::Nothing) => Known::Nothing,
                    (_, true, _) => Known::Accepted,
                    (_, false, _) => Known::Rejected,
                },
            );
        }
        self.known = now;
        None
    }

    /// Decides about all that is left, and looks at it once more.
    fn end(mut self) {
        let (accept, command) = match self.random.once_in(2) {
            true => (true, "mewcode.review.accept"),
            false => (false, "mewcode.review.reject"),
        };
        let answer = self.editor.execute(command, json!({"all": true}));
        for known in self.known.values_mut() {
            if *known == Known::Offered {
                *known = if accept {
                    Known::Accepted
                } else {
                    Known::Rejected
                };
            }
        }
        assert!(answer.is_ok(), "{}: {answer:?}", self.told);
        self.agree();
        for file in [OPEN, CLOSED] {
            self.editor.assert_same(file);
        }
        self.editor.finish_run_calls();
        self.editor.forget_messages();
        self.editor.finish();
        let mut kept = self.editor.workspace.kept();
        // What a server was killed over while it wrote goes with its age.
        kept.retain(|name| !name.starts_with("new-"));
        assert_eq!(kept, [""; 0], "{}", self.told);
    }
}

/// Turns that change some lines of one file or both.
fn script(random: &mut Random, life: usize) -> Script {
    let mut script = Script::new();
    for file in [OPEN, CLOSED] {
        script = script.turn(json!({"calls": [{"tool": "read_file", "args": {"path": file}}]}));
    }
    for line in life * SHARE..(life + 1) * SHARE {
        let (tool, args) = match random.next(3) {
            0 => ("edit_file", edit((OPEN, line))),
            1 => ("edit_file", edit((CLOSED, line))),
            _ => ("apply_patch", patch(line)),
        };
        script = script.turn(json!({"calls": [{"tool": tool, "args": args}]}));
    }
    script.say("Done.")
}

fn edit(key: Key) -> Value {
    let (old, new) = texts(key);
    json!({"path": key.0, "old_string": old, "new_string": new})
}

fn patch(line: usize) -> Value {
    let mut patch = "*** Begin Patch\n".to_owned();
    for file in [OPEN, CLOSED] {
        let (old, new) = texts((file, line));
        patch.push_str(&format!("*** Update File: {file}\n@@\n"));
        patch.extend(old.lines().map(|line| format!("-{line}\n")));
        patch.extend(new.lines().map(|line| format!("+{line}\n")));
        patch.push_str(&format!(" - {line:02}\n"));
    }
    patch.push_str("*** End Patch\n");
    json!({"patch": patch})
}

fn given<T: FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok()?.parse().ok()
}

fn kill_again_and_again(mode: &str) {
    let lives = LINES / SHARE;
    let rounds = given("MEWCODE_KILLS").map_or(4, |kills: usize| kills.div_ceil(lives));
    let seed = given("MEWCODE_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    for round in 0..rounds as u64 {
        let mut scene = Scene::new(seed + round, mode);
        for life in 1..=lives {
            if scene.editor.is_open(CLOSED) && scene.random.once_in(2) {
                scene.editor.save(CLOSED);
                scene.editor.close(CLOSED);
            }
            scene.live();
            let next = script(&mut scene.random, life % lives);
            options(&scene.editor.workspace, &next, mode);
            scene.come_back();
        }
        scene.end();
    }
}

#[test]
fn proposals_survive_kills_at_random_moments() {
    kill_again_and_again("default");
}

#[test]
fn applied_changes_survive_kills_at_random_moments() {
    kill_again_and_again("accept_edits");
}
