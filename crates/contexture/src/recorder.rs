//! Writes the trace of a run while it happens (AS-29).
//!
//! The runtime numbers events; the recorder adds time, replaces long texts by their digest, and
//! hands each line on to its [`TraceSink`]s. A line holds what is new of its event.

use contexture_context::TraceKind;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TRACE_VERSION, TraceEvent};
use contexture_script::host::{Event, Phase};
use contexture_store::masker::Masker;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

    /// Keeps texts under their digests; a text that is already there costs nothing.
    ///
    /// # Errors
    /// Why they could not be kept.
    fn keep(&self, blobs: &[Blob]) -> Result<(), String>;
}

/// The recorder of one run.
pub struct Recorder {
    sinks: Vec<Box<dyn TraceSink>>,
    /// What the event of the run as a whole also says.
    run: Map<String, Value>,
    masker: Arc<Masker>,
    began: Instant,
    began_us: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Events under way, without their data.
    open: HashMap<u64, TraceEvent>,
    fault: Option<String>,
}

impl Recorder {
    /// A recorder that writes to all of `sinks`, which mask with `masker`; none records nothing.
    /// `run` is added to the event of the run as a whole.
    #[must_use]
    pub fn new(
        sinks: Vec<Box<dyn TraceSink>>,
        masker: Arc<Masker>,
        run: Map<String, Value>,
    ) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            sinks,
            run,
            masker,
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
    pub fn record(&self, event: Event) {
        if self.sinks.is_empty() {
            return;
        }
        let now = self.now_us();
        let mut state = self.lock();
        match event.phase {
            Phase::Begin => {
                let mut line = line(event, now, None);
                let open = TraceEvent { data: Value::Null, ..line.clone() };
                if line.kind == TraceKind::Run {
                    let data = Value::Object(self.run.clone());
                    line.absorb(TraceEvent { data, ..open.clone() });
                }
                state.open.insert(line.id, open);
                self.write(line, &mut state);
            }
            Phase::Instant => self.write(line(event, now, Some(0)), &mut state),
            Phase::End => {
                let begun = state.open.remove(&event.id).map_or(now, |open| open.start_us);
                self.write(line(event, begun, Some(now.saturating_sub(begun))), &mut state);
            }
        }
    }

    /// Adds to the data of an event that is under way.
    pub fn amend(&self, id: u64, data: Map<String, Value>) {
        if self.sinks.is_empty() {
            return;
        }
        let mut state = self.lock();
        let Some(open) = state.open.get(&id) else { return };
        let line = TraceEvent { data: Value::Object(data), ..open.clone() };
        self.write(line, &mut state);
    }

    /// Keeps texts by their digests.
    pub fn keep(&self, blobs: &[Blob]) {
        self.put(blobs, &mut self.lock());
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

    fn write(&self, mut line: TraceEvent, state: &mut State) {
        let mut blobs = Vec::new();
        externalise(&mut line.data, &mut blobs);
        self.put(&blobs, state);
        for sink in &self.sinks {
            if let Err(fault) = sink.append(&line) {
                state.fault.get_or_insert(fault);
            }
        }
    }

    fn put(&self, blobs: &[Blob], state: &mut State) {
        if blobs.is_empty() {
            return;
        }
        for sink in &self.sinks {
            if let Err(fault) = sink.keep(blobs) {
                state.fault.get_or_insert(fault);
            }
        }
    }
}

fn line(event: Event, start_us: u64, duration_us: Option<u64>) -> TraceEvent {
    let Event { id, parent, kind, data, .. } = event;
    TraceEvent { v: TRACE_VERSION, id, parent, kind, start_us, duration_us, data }
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
        fn keep(&self, blobs: &[Blob]) -> Result<(), String> {
            self.blobs.lock().unwrap().extend_from_slice(blobs);
            Ok(())
        }
    }

    fn recorder() -> (Recorder, Kept) {
        let kept = Kept::default();
        let run = Map::from_iter([("version".to_owned(), json!("1"))]);
        (Recorder::new(vec![Box::new(kept.clone())], Arc::default(), run), kept)
    }

    fn event(kind: TraceKind, phase: Phase, data: Value) -> Event {
        Event { id: 1, parent: None, kind, phase, data }
    }

    #[test]
    fn as_29_the_lines_of_an_event_add_up() {
        let (recorder, kept) = recorder();
        recorder.record(event(TraceKind::Generate, Phase::Begin, json!({ "a": 1 })));
        recorder.amend(1, Map::from_iter([("manifest".to_owned(), json!({ "call": 1 }))]));
        recorder.record(event(TraceKind::Generate, Phase::End, json!({ "value": 2 })));
        let lines = kept.lines.lock().unwrap();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].data, json!({ "manifest": { "call": 1 } }));
        assert_eq!(
            lines.iter().map(|line| line.duration_us.is_some()).collect::<Vec<_>>(),
            [false, false, true]
        );
        let mut sum = lines[0].clone();
        sum.absorb(lines[1].clone());
        sum.absorb(lines[2].clone());
        assert_eq!(sum.data, json!({ "a": 1, "manifest": { "call": 1 }, "value": 2 }));
        assert_eq!(sum.start_us, lines[2].start_us);
        assert!(sum.duration_us.is_some());
    }

    #[test]
    fn as_29_the_run_says_how_it_was_started() {
        let (recorder, kept) = recorder();
        recorder.record(event(TraceKind::Run, Phase::Begin, json!({ "program": "a.as" })));
        assert_eq!(
            kept.lines.lock().unwrap()[0].data,
            json!({ "program": "a.as", "version": "1" })
        );
    }

    #[test]
    fn as_29_long_texts_are_kept_by_digest_and_come_back_inline() {
        let (recorder, kept) = recorder();
        let long = "x".repeat(INLINE_BYTES + 1);
        recorder.record(event(
            TraceKind::Tool,
            Phase::Instant,
            json!({ "texts": ["short", long] }),
        ));
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
