//! Writes the trace of a run while it happens (AS-29).
//!
//! The runtime numbers events; the recorder adds time, gathers what is added to an event while it
//! is open, replaces long texts by their digest, and hands each line on to a [`TraceSink`].

use contexture_context::TraceKind;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TRACE_VERSION, TraceEvent};
use contexture_script::host::{Event, Phase};
use contexture_store::masker::Masker;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Strings longer than this are kept by digest, in bytes.
const INLINE_BYTES: usize = 512;

/// The key under which a text kept by digest stands in an event's data.
pub const TEXT_KEY: &str = "$text";

/// Where trace lines and texts go.
pub trait TraceSink: Send + Sync {
    /// Keeps a line.
    ///
    /// # Errors
    /// Why it could not be kept.
    fn append(&self, event: &TraceEvent) -> Result<(), String>;

    /// Keeps a text under its digest; a text that is already there costs nothing.
    ///
    /// # Errors
    /// Why it could not be kept.
    fn keep(&self, blob: &Blob) -> Result<(), String>;
}

/// The recorder of one run.
pub struct Recorder {
    sinks: Vec<Box<dyn TraceSink>>,
    /// What the event of the run as a whole also says.
    run: Map<String, Value>,
    masker: Masker,
    began: Instant,
    began_us: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<u64, TraceEvent>,
    fault: Option<String>,
}

impl Recorder {
    /// A recorder that writes to all of `sinks`; none records nothing. `run` is added to the event
    /// of the run as a whole.
    #[must_use]
    pub fn new(sinks: Vec<Box<dyn TraceSink>>, run: Map<String, Value>) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            sinks,
            run,
            masker: Masker::new([]),
            began: Instant::now(),
            began_us: u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX),
            state: Mutex::default(),
        }
    }

    /// Texts that are masked in everything written from now on.
    pub fn add_secrets(&self, secrets: Vec<String>) {
        self.masker.add(secrets);
    }

    /// Takes an event of the runtime.
    pub fn record(&self, mut event: Event) {
        if self.sinks.is_empty() {
            return;
        }
        if event.kind == TraceKind::Run && event.phase == Phase::Begin {
            merge(&mut event.data, Value::Object(self.run.clone()));
        }
        let now = self.now_us();
        let mut state = self.lock();
        match event.phase {
            Phase::Begin => {
                let line = line(event, now, None);
                self.write(&line, &mut state);
                state.open.insert(line.id, line);
            }
            Phase::Instant => self.write(&line(event, now, Some(0)), &mut state),
            Phase::End => {
                let open = state.open.remove(&event.id);
                let line = ended(open, event, now);
                self.write(&line, &mut state);
            }
        }
    }

    /// Adds to the data of an event that is under way, and writes it as it then is.
    pub fn amend(&self, id: u64, data: Map<String, Value>) {
        if self.sinks.is_empty() {
            return;
        }
        let mut state = self.lock();
        let Some(mut line) = state.open.remove(&id) else { return };
        merge(&mut line.data, Value::Object(data));
        self.write(&line, &mut state);
        state.open.insert(id, line);
    }

    /// Keeps texts by their digests.
    pub fn keep(&self, blobs: &[Blob]) {
        let mut state = self.lock();
        for blob in blobs {
            self.put(blob, &mut state);
        }
    }

    /// The first failure to write, if there was one: a trace is never lost silently.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.lock().fault.clone()
    }

    fn now_us(&self) -> u64 {
        let passed = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.began_us.saturating_add(passed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, line: &TraceEvent, state: &mut State) {
        let mut line = line.clone();
        let mut blobs = Vec::new();
        self.masker.value(&mut line.data);
        externalise(&mut line.data, &mut blobs);
        for blob in &blobs {
            self.put(blob, state);
        }
        for sink in &self.sinks {
            if let Err(fault) = sink.append(&line) {
                state.fault.get_or_insert(fault);
            }
        }
    }

    fn put(&self, blob: &Blob, state: &mut State) {
        // A masked text keeps the digest it is known by: what is read back then says `•••`.
        let text = self.masker.text(&blob.text).into_owned();
        let blob = Blob { digest: blob.digest.clone(), text };
        for sink in &self.sinks {
            if let Err(fault) = sink.keep(&blob) {
                state.fault.get_or_insert(fault);
            }
        }
    }
}

fn line(event: Event, start_us: u64, duration_us: Option<u64>) -> TraceEvent {
    let Event { id, parent, kind, data, .. } = event;
    TraceEvent { v: TRACE_VERSION, id, parent, kind, start_us, duration_us, data }
}

fn ended(open: Option<TraceEvent>, event: Event, now: u64) -> TraceEvent {
    let Some(mut open) = open else { return line(event, now, Some(0)) };
    merge(&mut open.data, event.data);
    open.duration_us = Some(now.saturating_sub(open.start_us));
    open
}

/// Adds the fields of `more` to `data`; later ones win.
fn merge(data: &mut Value, more: Value) {
    match (data, more) {
        (Value::Object(data), Value::Object(more)) => data.extend(more),
        (_, Value::Null) => {}
        (data, more) => *data = more,
    }
}

/// Replaces each long string by `{"$text": digest, "bytes": n}`.
fn externalise(value: &mut Value, blobs: &mut Vec<Blob>) {
    match value {
        Value::String(text) if text.len() > INLINE_BYTES => {
            let digest = Digest::of_text(text);
            let reference = json!({ TEXT_KEY: digest, "bytes": text.len() });
            blobs.push(Blob { digest, text: std::mem::take(text) });
            *value = reference;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| externalise(item, blobs)),
        Value::Object(fields) => fields.values_mut().for_each(|field| externalise(field, blobs)),
        _ => {}
    }
}

/// Puts texts kept by digest back in place; what `lookup` does not know stays as it is.
pub fn inline_texts(value: &mut Value, lookup: &mut dyn FnMut(&Digest) -> Option<String>) {
    match value {
        Value::Object(fields) => {
            let digest = fields.get(TEXT_KEY).and_then(Value::as_str).and_then(|d| d.parse().ok());
            if let Some(text) = digest.and_then(|digest| lookup(&digest)) {
                *value = Value::String(text);
                return;
            }
            fields.values_mut().for_each(|field| inline_texts(field, lookup));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| inline_texts(item, lookup)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_context::TraceKind;
    use std::sync::Arc;

    #[derive(Default, Clone)]
    struct Kept {
        lines: Arc<Mutex<Vec<TraceEvent>>>,
        blobs: Arc<Mutex<Vec<Blob>>>,
    }

    impl TraceSink for Kept {
        fn append(&self, event: &TraceEvent) -> Result<(), String> {
            self.lines.lock().unwrap().push(event.clone());
            Ok(())
        }
        fn keep(&self, blob: &Blob) -> Result<(), String> {
            self.blobs.lock().unwrap().push(blob.clone());
            Ok(())
        }
    }

    fn event(phase: Phase, data: Value) -> Event {
        Event { id: 1, parent: None, kind: TraceKind::Generate, phase, data }
    }

    #[test]
    fn as_29_an_event_is_written_when_it_begins_grows_and_ends_with_all_data_so_far() {
        let kept = Kept::default();
        let recorder = Recorder::new(vec![Box::new(kept.clone())], Map::new());
        recorder.record(event(Phase::Begin, json!({ "a": 1 })));
        recorder.amend(1, Map::from_iter([("manifest".to_owned(), json!({ "call": 1 }))]));
        recorder.record(event(Phase::End, json!({ "value": 2 })));
        let lines = kept.lines.lock().unwrap();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].duration_us, None);
        assert_eq!(lines[1].data, json!({ "a": 1, "manifest": { "call": 1 } }));
        assert_eq!(lines[2].data, json!({ "a": 1, "manifest": { "call": 1 }, "value": 2 }));
        assert!(lines[2].duration_us.is_some());
    }

    #[test]
    fn as_29_long_texts_are_kept_by_digest_and_come_back_inline() {
        let kept = Kept::default();
        let recorder = Recorder::new(vec![Box::new(kept.clone())], Map::new());
        let long = "x".repeat(INLINE_BYTES + 1);
        recorder.record(event(Phase::Instant, json!({ "texts": ["short", long] })));
        let mut data = kept.lines.lock().unwrap()[0].data.clone();
        assert_eq!(data["texts"][0], "short");
        assert_eq!(data["texts"][1]["bytes"], long.len());
        let blobs = kept.blobs.lock().unwrap();
        inline_texts(&mut data, &mut |digest| {
            blobs.iter().find(|blob| blob.digest == *digest).map(|blob| blob.text.clone())
        });
        assert_eq!(data["texts"][1], Value::String(long));
    }
}
