//! The lines of `run --stream`: what happens in a run as JSON objects (CA-8).

use contexture::observe::Progress;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The model calls under way, by their trace events.
#[derive(Default)]
pub(super) struct Stream(Mutex<HashMap<u64, Call>>);

struct Call {
    number: u64,
    site: String,
    attempt: u32,
}

impl Stream {
    /// Returns the line for an event of the run, if it has one.
    pub(super) fn line(&self, progress: &Progress) -> Option<Value> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::GenerateStarted { event, call, site, .. } => {
                let call = Call { number: *call, site: site.to_string(), attempt: 1 };
                calls.insert(*event, call);
                None
            }
            Progress::AttemptStarted { event, attempt } => {
                calls.get_mut(event)?.attempt = *attempt;
                None
            }
            Progress::GenerateEnded { event, .. } => {
                calls.remove(event);
                None
            }
            Progress::TextDelta { event, text } => {
                calls.get(event).map(|call| call.line("token", "text", json!(text)))
            }
            Progress::PartialValue { event, value } => {
                calls.get(event).map(|call| call.line("partial", "value", value.clone()))
            }
            Progress::Said(text) => Some(json!({ "event": "progress", "text": text })),
            _ => None,
        }
    }
}

impl Call {
    fn line(&self, event: &str, name: &str, value: Value) -> Value {
        let Self { number, site, attempt } = self;
        let told = json!({ "event": event, "call": number, "site": site, "attempt": attempt });
        let Value::Object(mut line) = told else { return Value::Object(Map::new()) };
        line.insert(name.to_owned(), value);
        Value::Object(line)
    }
}
