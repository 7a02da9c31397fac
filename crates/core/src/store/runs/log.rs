//! A trace as it is read back.

use super::{RunError, RunHead, RunId, TraceTree};
use crate::store::{lines, reason};
use contexture_context::{Digest, TRACE_VERSION, TraceEvent, TraceKind};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::BufRead;
use std::ops::RangeInclusive;

/// The largest trace that is read, in bytes.
const TRACE_BYTES: u64 = 1 << 30;

/// The longest line of a trace, in bytes.
pub const LINE_BYTES: u64 = 64 << 20;

/// The most broken lines that are reported one by one.
const TOLD: usize = 10;

/// The version of the result of [`RunLog::export`].
pub const EXPORT_VERSION: u32 = 1;

/// The events of a run, each with the sum of its lines.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunLog {
    /// The run.
    pub id: RunId,
    /// The events in the order they began.
    pub events: Vec<TraceEvent>,
    /// Remarks on what could not be read, one line each.
    pub notes: Vec<String>,
}

impl RunLog {
    /// Reads a trace. Broken lines are reported and skipped: the last line of a run that was
    /// killed may be torn.
    ///
    /// # Errors
    /// [`RunError`] when the reader fails, the trace is too large, or a newer version wrote it.
    pub fn read(id: RunId, reader: impl BufRead) -> Result<Self, RunError> {
        let mut log = Self { id, events: Vec::new(), notes: Vec::new() };
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut newer = None;
        let mut broken = 0;
        let mut counted = reader.take(TRACE_BYTES);
        lines::read(&mut counted, LINE_BYTES, |line| {
            match line.value.and_then(|value| event(value, &mut newer)) {
                Ok(event) => log.put(event, &mut places),
                Err(reason) => {
                    broken += 1;
                    if broken <= TOLD {
                        log.notes.push(format!("line {} is skipped: {reason}", line.number));
                    }
                }
            }
        })
        .map_err(|error| RunError::Io { path: log.id.to_string(), reason: reason(&error) })?;
        if let Some(found) = newer {
            return Err(RunError::Newer { run: log.id, found, known: TRACE_VERSION });
        }
        if counted.limit() == 0 {
            return Err(RunError::TooLarge { run: log.id, limit: TRACE_BYTES });
        }
        if broken > TOLD {
            log.notes.push(format!("{} more lines are skipped", broken - TOLD));
        }
        Ok(log)
    }

    /// Keeps an event; later lines of an id add to the first, in its place.
    fn put(&mut self, event: TraceEvent, places: &mut HashMap<u64, usize>) {
        match places.get(&event.id).and_then(|place| self.events.get_mut(*place)) {
            Some(slot) => slot.absorb(event),
            None => {
                places.insert(event.id, self.events.len());
                self.events.push(event);
            }
        }
    }

    /// Adds up lines of events that were read one by one.
    ///
    /// # Errors
    /// [`RunError::Newer`] when a newer version wrote one.
    pub fn of_lines(
        id: RunId,
        lines: impl IntoIterator<Item = TraceEvent>,
        notes: Vec<String>,
    ) -> Result<Self, RunError> {
        let mut log = Self { id, events: Vec::new(), notes };
        let mut places = HashMap::new();
        for event in lines {
            if event.v > TRACE_VERSION {
                let found = u64::from(event.v);
                return Err(RunError::Newer { run: log.id, found, known: TRACE_VERSION });
            }
            log.put(event, &mut places);
        }
        Ok(log)
    }

    /// Leaves the event of the run and the model calls with these numbers.
    pub(super) fn head(mut self, wanted: &RangeInclusive<u64>, lines: u64) -> RunHead {
        let mut calls = 0;
        self.events.retain(|event| match (event.kind, call_of(event)) {
            (TraceKind::Run, _) => true,
            (TraceKind::Generate, Some(call)) => {
                calls += 1;
                wanted.contains(&call)
            }
            _ => false,
        });
        RunHead { log: self, calls, lines }
    }

    /// Returns the event of the run itself.
    #[must_use]
    pub fn root(&self) -> Option<&TraceEvent> {
        self.events.iter().find(|event| event.kind == TraceKind::Run)
    }

    /// Returns the events of one kind, in the order they began.
    pub fn of_kind(&self, kind: TraceKind) -> impl Iterator<Item = &TraceEvent> {
        self.events.iter().filter(move |event| event.kind == kind)
    }

    /// Returns the events as a tree.
    #[must_use]
    pub fn tree(&self) -> TraceTree<'_> {
        TraceTree::new(&self.events)
    }

    /// Returns the whole run as one JSON value: the events, and every text they name by digest as
    /// far as `text` knows it. It can be read without the store.
    pub fn export(&self, mut text: impl FnMut(&Digest) -> Option<String>) -> Value {
        let mut texts: Map<String, Value> = Map::new();
        for event in &self.events {
            for digest in digests_in(&event.data) {
                let key = digest.to_string();
                if !texts.contains_key(&key)
                    && let Some(text) = text(&digest)
                {
                    texts.insert(key, text.into());
                }
            }
        }
        json!({
            "version": EXPORT_VERSION,
            "run": self.id.as_str(),
            "events": self.events,
            "texts": texts,
        })
    }
}

/// Returns the number of a model call, once its prompt was built.
fn call_of(event: &TraceEvent) -> Option<u64> {
    event.data.get("manifest")?.get("call")?.as_u64()
}

/// Reads an event, or returns the fault of the line.
fn event(value: Value, newer: &mut Option<u64>) -> Result<TraceEvent, String> {
    let version = value.get("v").and_then(Value::as_u64);
    if let Some(found) = version.filter(|version| *version > u64::from(TRACE_VERSION)) {
        *newer = Some(found);
    }
    serde_json::from_value(value).map_err(|error| format!("it is not a trace event: {error}"))
}

/// Returns the digests that are strings anywhere in a value, in order, repeats included.
#[must_use]
pub fn digests_in(value: &Value) -> Vec<Digest> {
    let mut found = Vec::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => found.extend(text.parse::<Digest>().ok()),
            Value::Array(items) => waiting.extend(items.iter().rev()),
            Value::Object(fields) => waiting.extend(fields.values().rev()),
            _ => {}
        }
    }
    found
}
