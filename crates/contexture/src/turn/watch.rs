//! Observes the run behind a turn, and reports the events that a conversation shows.

use super::event::{Finish, TurnEvent};
use super::sites::Places;
use crate::observe::{Call, Observer, Progress};
use contexture_context::Label;
use contexture_prompt::{FinishReason, ToolCall};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The reporter of the events of a turn.
pub(super) struct Watch {
    events: Arc<dyn Fn(TurnEvent) + Send + Sync>,
    state: Mutex<State>,
}

/// The state of a turn so far.
#[derive(Default)]
struct State {
    places: Places,
    /// True if the answer has a form: its text is the JSON of its value.
    is_formed: bool,
    /// The JSON of the value so far.
    partial: String,
    /// The model call whose text is streamed, once it has begun.
    answer: Option<u64>,
    /// Its text that was streamed since its last tool calls.
    text: String,
    /// The models of the calls under way.
    models: Vec<(u64, String)>,
    model: Option<String>,
    broken_off: bool,
    left: Option<Left>,
}

/// The calls of the caller's tools that ended the turn.
#[derive(Clone, Default)]
pub(super) struct Left {
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) label: Label,
}

impl Watch {
    pub(super) fn new(events: Arc<dyn Fn(TurnEvent) + Send + Sync>) -> Self {
        Self { events, state: Mutex::default() }
    }

    /// Begins the turn; the text of the calls at these places is the answer.
    pub(super) fn begin(&self, run: Option<&str>, places: Places, is_formed: bool) {
        let mut state = self.state();
        (state.places, state.is_formed) = (places, is_formed);
        drop(state);
        self.tell(TurnEvent::Started { run: run.map(str::to_owned) });
    }

    /// Returns the streamed text of an incomplete answer.
    pub(super) fn told(&self) -> String {
        self.state().text.clone()
    }

    /// Returns the model that was called last.
    pub(super) fn model(&self) -> Option<String> {
        self.state().model.clone()
    }

    /// Returns the way a turn with an answer ended.
    pub(super) fn finish(&self) -> Finish {
        if self.state().broken_off { Finish::Length } else { Finish::Stop }
    }

    /// Takes the calls of the caller's tools.
    pub(super) fn take_left(&self) -> Option<Left> {
        self.state().left.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: TurnEvent) {
        (self.events)(event);
    }

    fn started(&self, event: u64, model: &str, position: &contexture_context::Position) {
        let mut state = self.state();
        state.models.push((event, model.to_owned()));
        state.model = Some(model.to_owned());
        // With a second one, the text of the first is not the answer.
        if state.places.has(position) {
            state.answer = if state.answer.is_none() { Some(event) } else { Some(0) };
        }
    }

    fn delta(&self, event: u64, text: String) {
        let mut state = self.state();
        if state.answer != Some(event) || text.is_empty() || state.is_formed {
            return;
        }
        state.text.push_str(&text);
        drop(state);
        self.tell(TurnEvent::Delta { text });
    }

    /// Tells of the part of an answer's JSON that two readings in a row have at their beginning:
    /// what follows may still change.
    fn grown(&self, event: u64, value: &Value) {
        let mut state = self.state();
        if state.answer != Some(event) {
            return;
        }
        let read = value.to_string();
        let same = read.char_indices().zip(state.partial.chars());
        let last = same.take_while(|((_, new), old)| new == old).last();
        let end = last.map_or(0, |((place, sign), _)| place + sign.len_utf8());
        let stable = read.get(..end).unwrap_or_default().to_owned();
        state.partial = read;
        let Some(text) = stable.strip_prefix(state.text.as_str()).filter(|text| !text.is_empty())
        else {
            return;
        };
        state.text.push_str(text);
        drop(state);
        self.tell(TurnEvent::Delta { text: text.to_owned() });
    }

    fn asked(
        &self,
        event: u64,
        (text, label): (String, Label),
        calls: Vec<Call>,
        usage: contexture_prompt::Usage,
    ) {
        let mut state = self.state();
        let model = state.models.iter().find(|(own, _)| *own == event);
        let model = model.map(|(_, model)| model.clone()).unwrap_or_default();
        let is_answer = state.answer == Some(event);
        if is_answer {
            state.text.clear();
        }
        drop(state);
        let text = if is_answer { text } else { String::new() };
        self.tell(TurnEvent::ToolCalls { model, text, calls, usage, label });
    }

    fn ended(&self, event: u64, finish: Option<&FinishReason>) {
        let mut state = self.state();
        state.models.retain(|(own, _)| *own != event);
        if state.answer == Some(event) {
            state.broken_off = finish == Some(&FinishReason::Length);
        }
    }
}

impl Observer for Watch {
    fn notify(&self, progress: Progress) {
        match progress {
            Progress::TextDelta { event, text } => self.delta(event, text),
            Progress::ToolsAsked { event, text, calls, usage, label } => {
                self.asked(event, (text, label), calls, usage);
            }
            Progress::ToolAnswered { call_id, name, runtime, outcome, ms, .. } => {
                let execution_ms = ms;
                self.tell(TurnEvent::ToolResult { call_id, name, runtime, outcome, execution_ms });
            }
            Progress::CallerAsked { text, calls, label, .. } => {
                self.state().left = Some(Left { text, calls, label });
            }
            Progress::Warning(text) => self.tell(TurnEvent::Warning(text)),
            Progress::PartialValue { event, value } => self.grown(event, &value),
            other => {
                match &other {
                    Progress::GenerateStarted { event, site, model, .. } => {
                        self.started(*event, model, &site.position);
                    }
                    Progress::GenerateEnded { event, finish, .. } => {
                        self.ended(*event, finish.as_ref());
                    }
                    _ => {}
                }
                self.tell(TurnEvent::Progress(other));
            }
        }
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn wants_values(&self) -> bool {
        self.state().is_formed
    }
}
