//! Progress as a client sees it: created, begun, reported, ended, in this order and each once.

use serde_json::Value;

use super::editor::Editor;

/// How far a progress has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// Its token was created.
    Created,
    /// It was begun with this.
    Begun(Value),
    /// It was ended with this.
    Ended(Value),
}

impl Editor {
    /// Waits until no run makes progress any more (at least one must have), and returns what the last reports said. It is how a
    /// client without MewCode's events sees the end.
    pub fn await_idle(&mut self) -> Vec<Value> {
        self.until("the end of all progress", |editor| {
            let ended: Vec<Value> = editor
                .progress
                .values()
                .filter_map(|state| match state {
                    Progress::Ended(value) => Some(value.clone()),
                    _ => None,
                })
                .collect();
            (!ended.is_empty() && ended.len() == editor.progress.len()).then_some(ended)
        })
    }

    /// Waits for progress that has begun and not ended, and returns its token.
    pub fn await_progress(&mut self) -> Value {
        self.until("progress", |editor| {
            editor
                .progress
                .iter()
                .find(|(_, state)| matches!(state, Progress::Begun(_)))
                .map(|(token, _)| serde_json::from_str(token).expect("tokens are kept as JSON"))
        })
    }

    pub(super) fn take_token(&mut self, params: &Value) {
        let before = self
            .progress
            .insert(params["token"].to_string(), Progress::Created);
        assert!(before.is_none(), "a progress token used twice: {params}");
    }

    pub(super) fn take_progress(&mut self, params: &Value) {
        let state = self.progress.get_mut(&params["token"].to_string());
        let state =
            state.unwrap_or_else(|| panic!("progress whose token was not created: {params}"));
        let kind = params["value"]["kind"].as_str().unwrap_or_default();
        *state = match (kind, &*state) {
            ("begin", Progress::Created) => Progress::Begun(params["value"].clone()),
            ("report", Progress::Begun(begin)) => Progress::Begun(begin.clone()),
            ("end", Progress::Begun(_)) => Progress::Ended(params["value"].clone()),
            (kind, state) => panic!("progress {kind:?} while {state:?}: {params}"),
        };
    }

    /// Progress that was begun and has not ended.
    pub(super) fn open_progress(&self) -> Vec<&Value> {
        self.progress
            .values()
            .filter_map(|state| match state {
                Progress::Begun(begin) => Some(begin),
                _ => None,
            })
            .collect()
    }
}
