//! Writes the trace of a run while it happens (AS-29).
//!
//! The runtime numbers events; the recorder adds time, replaces long texts by their digest, and
//! hands lines on to its [`TraceSink`]s. A line holds what is new of its event.
//!
//! Decision, by measurement: a write costs more than all else about a line, so turns, declarations
//! and what is learnt of a model call wait for each other and become one write, and lines of one
//! event that wait together become one line. Nothing waits while something outside is asked: all
//! is written before a model, a tool or a memory is, and when such a call ends. So a run that is
//! killed has kept everything up to what it was waiting for.

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

/// Lines that wait to be written together, at most.
const WAITING_LINES: usize = 64;

/// A line that comes so long after the last write is written at once, in microseconds.
const WAITING_US: u64 = 50_000;

/// The key under which a text kept by digest stands in an event's data.
pub const TEXT_KEY: &str = "$text";

/// Where trace lines and texts go.
pub trait TraceSink: Send + Sync {
    /// Keeps lines, in one go.
    ///
    /// # Errors
    /// Why they could not be kept.
    fn append(&self, events: &[TraceEvent]) -> Result<(), String>;

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
    open: HashMap<u64, Open>,
    /// Lines and texts that are not written yet.
    lines: Vec<TraceEvent>,
    blobs: Vec<Blob>,
    written_us: u64,
    fault: Option<String>,
}

/// An event under way.
struct Open {
    /// Its line without data.
    line: TraceEvent,
    /// The data it began with, which its end need not repeat.
    told: Value,
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

    /// Whether anything is recorded.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        !self.sinks.is_empty()
    }

    /// Takes an event of the runtime.
    pub fn record(&self, event: Event) {
        if !self.is_on() {
            return;
        }
        let now = self.now_us();
        let mut state = self.lock();
        let written_soon = waits(&event);
        match event.phase {
            Phase::Begin => {
                let told = event.data.clone();
                let mut line = line(event, now, None);
                if let (TraceKind::Run, Value::Object(data)) = (line.kind, &mut line.data) {
                    data.extend(self.run.clone());
                }
                let open = Open { line: head(&line), told };
                state.open.insert(line.id, open);
                state.add(line);
            }
            Phase::Instant => state.add(line(event, now, Some(0))),
            Phase::End => {
                let mut line = line(event, now, None);
                if let Some(Open { line: begun, told }) = state.open.remove(&line.id) {
                    line.start_us = begun.start_us;
                    drop_told(&mut line.data, &told);
                }
                line.duration_us = Some(now.saturating_sub(line.start_us));
                state.add(line);
            }
        }
        let late = now.saturating_sub(state.written_us) > WAITING_US;
        if !written_soon || late || state.lines.len() >= WAITING_LINES {
            self.write(&mut state);
        }
    }

    /// Adds to the data of an event that is under way. It is written with the next line that does
    /// not wait, or by [`Recorder::flush`].
    pub fn amend(&self, id: u64, data: Map<String, Value>) {
        if !self.is_on() {
            return;
        }
        let mut state = self.lock();
        let Some(open) = state.open.get(&id) else { return };
        let line = TraceEvent { data: Value::Object(data), ..head(&open.line) };
        state.add(line);
    }

    /// Keeps texts by their digests; they are written with the lines that name them.
    pub fn keep(&self, blobs: Vec<Blob>) {
        if self.is_on() {
            self.lock().blobs.extend(blobs);
        }
    }

    /// Writes all that waits: to be called before something is waited for.
    pub fn flush(&self) {
        self.write(&mut self.lock());
    }

    /// The first failure to write, if there was one: a trace is never lost silently.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let mut state = self.lock();
        self.write(&mut state);
        state.fault.clone()
    }

    fn now_us(&self) -> u64 {
        let passed = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.began_us.saturating_add(passed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &mut State) {
        let mut lines = std::mem::take(&mut state.lines);
        let mut blobs = std::mem::take(&mut state.blobs);
        state.written_us = self.now_us();
        for line in &mut lines {
            externalise(&mut line.data, &mut blobs);
        }
        for sink in &self.sinks {
            // Texts first: a line names none that is not there.
            let kept = if blobs.is_empty() { Ok(()) } else { sink.keep(&blobs) };
            let appended = if lines.is_empty() { Ok(()) } else { sink.append(&lines) };
            if let Err(fault) = kept.and(appended) {
                state.fault.get_or_insert(fault);
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.flush();
    }
}

impl State {
    /// Adds a line, to one of its event that still waits if there is one.
    fn add(&mut self, line: TraceEvent) {
        match self.lines.iter_mut().rev().find(|waiting| waiting.id == line.id) {
            Some(waiting) => waiting.absorb(line),
            None => self.lines.push(line),
        }
    }
}

/// Whether the line of an event may wait: it is followed by others, or by a flush before the
/// model is asked.
const fn waits(event: &Event) -> bool {
    match event.kind {
        TraceKind::Use | TraceKind::For | TraceKind::Iteration => true,
        TraceKind::Generate => matches!(event.phase, Phase::Begin),
        _ => false,
    }
}

/// A line of the same event, without its data.
const fn head(line: &TraceEvent) -> TraceEvent {
    let TraceEvent { v, id, parent, kind, start_us, duration_us, .. } = *line;
    TraceEvent { v, id, parent, kind, start_us, duration_us, data: Value::Null }
}

/// Leaves out what was said when the event began.
fn drop_told(data: &mut Value, told: &Value) {
    if let (Value::Object(data), Value::Object(told)) = (data, told) {
        data.retain(|name, value| told.get(name) != Some(value));
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
        writes: Arc<Mutex<usize>>,
        blobs: Arc<Mutex<Vec<Blob>>>,
    }

    impl TraceSink for Kept {
        fn append(&self, events: &[TraceEvent]) -> Result<(), String> {
            *self.writes.lock().unwrap() += 1;
            self.lines.lock().unwrap().extend_from_slice(events);
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
        recorder.flush();
        recorder.amend(1, Map::from_iter([("manifest".to_owned(), json!({ "call": 1 }))]));
        recorder.flush();
        recorder.record(event(TraceKind::Generate, Phase::End, json!({ "a": 1, "value": 2 })));
        let lines = kept.lines.lock().unwrap();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].data, json!({ "manifest": { "call": 1 } }));
        assert_eq!(lines[2].data, json!({ "value": 2 }), "what it began with is not repeated");
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
    fn as_29_lines_that_wait_are_one_write_and_nothing_waits_while_a_model_is_asked() {
        let (recorder, kept) = recorder();
        let of = |id, parent, kind, phase, data| Event { id, parent, kind, phase, data };
        recorder.record(of(1, None, TraceKind::Run, Phase::Begin, json!({})));
        assert_eq!(*kept.writes.lock().unwrap(), 1);
        recorder.record(of(2, Some(1), TraceKind::Iteration, Phase::Begin, json!({ "index": 0 })));
        recorder.record(of(3, Some(2), TraceKind::Use, Phase::Instant, json!({ "source": "n" })));
        recorder.record(of(4, Some(2), TraceKind::Generate, Phase::Begin, json!({ "line": 4 })));
        recorder.keep(vec![Blob { digest: Digest::of_text("a"), text: "a".to_owned() }]);
        recorder.amend(4, Map::from_iter([("manifest".to_owned(), json!({ "call": 1 }))]));
        recorder.flush();
        let shown = || -> Vec<(u64, Value)> {
            let lines = kept.lines.lock().unwrap();
            lines.iter().skip(1).map(|line| (line.id, line.data.clone())).collect()
        };
        let asked = [
            (2, json!({ "index": 0 })),
            (3, json!({ "source": "n" })),
            (4, json!({ "line": 4, "manifest": { "call": 1 } })),
        ];
        assert_eq!(shown(), asked);
        assert_eq!(kept.blobs.lock().unwrap().len(), 1);
        recorder.amend(4, Map::from_iter([("usage".to_owned(), json!(7))]));
        recorder.record(of(4, Some(2), TraceKind::Generate, Phase::End, json!({ "line": 4 })));
        recorder.record(of(2, Some(1), TraceKind::Iteration, Phase::End, json!({ "index": 0 })));
        assert_eq!(shown()[3..], [(4, json!({ "usage": 7 }))], "an end of a call does not wait");
        drop(recorder);
        assert_eq!(shown()[4..], [(2, json!({}))]);
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
