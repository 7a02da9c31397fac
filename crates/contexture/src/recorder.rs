//! Writes the trace of a run while it happens (AS-29).
//!
//! The runtime numbers events; the recorder adds time, replaces long texts by their digest, and
//! hands lines on to its [`TraceSink`]s. A line holds the new data of its event.
//!
//! Decision, by measurement: a write costs more than all else about a line, so turns, declarations
//! and data of a model call wait for each other and become one write, and lines of one event that
//! wait together become one line. Nothing waits during a call to the outside: all is written before
//! a model, a tool or a memory is called, and whenever the run waits (`recorded`). So a run that
//! is killed has kept everything up to the call it was waiting for.

mod line;

use contexture_context::json::{self, JsonText, Place};
use contexture_context::manifest::Blob;
use contexture_context::{Digest, Manifest, TraceKind};
use contexture_script::host::{Event, Phase};
use contexture_store::masker::Masker;
use contexture_store::stamp::now_us;
use line::{Data, Field, Head, Line, is_inline};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Strings longer than this are kept by digest, in bytes.
const INLINE_BYTES: usize = 512;

/// Lines that wait to be written together, at most.
const WAITING_LINES: usize = 64;

/// A line that comes so long after the last write is written at once, in microseconds.
const WAITING_US: u64 = 50_000;

/// The largest buffer that is kept for the lines of later writes, in bytes.
const REUSED_BYTES: usize = 1 << 20;

/// The key under which a text kept by digest stands in an event's data.
pub const TEXT_KEY: &str = "$text";

/// A destination of trace lines and texts.
pub trait TraceSink: Send + Sync {
    /// Keeps lines in one write: [`contexture_context::TraceEvent`]s as JSON, each with its line
    /// end.
    ///
    /// # Errors
    /// The reason why they could not be kept.
    fn append(&self, lines: &str) -> Result<(), String>;

    /// Keeps texts under their digests; a text that is already there costs nothing.
    ///
    /// # Errors
    /// The reason why they could not be kept.
    fn keep(&self, blobs: &[Blob]) -> Result<(), String>;
}

/// The recorder of one run.
pub struct Recorder {
    sinks: Vec<Box<dyn TraceSink>>,
    /// Further data of the event of the run as a whole.
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
    lines: Vec<Line>,
    blobs: Vec<Blob>,
    /// The reused buffer for the lines of a write.
    out: Vec<u8>,
    written_us: u64,
    fault: Option<String>,
}

/// An event under way.
struct Open {
    head: Head,
    /// The data it began with, which its end need not repeat.
    told: Option<Arc<Map<String, Value>>>,
}

impl Recorder {
    /// Creates a recorder that writes to all of `sinks`, which mask with `masker`; none records
    /// nothing. `run` is added to the event of the run as a whole.
    #[must_use]
    pub fn new(
        sinks: Vec<Box<dyn TraceSink>>,
        masker: Arc<Masker>,
        run: Map<String, Value>,
    ) -> Self {
        let began_us = now_us();
        Self {
            sinks,
            run,
            masker,
            began: Instant::now(),
            began_us,
            state: Mutex::new(State { written_us: began_us, ..State::default() }),
        }
    }

    /// Adds texts that are masked in everything written from now on.
    pub fn add_secrets(&self, secrets: Vec<String>) {
        self.masker.add(secrets);
    }

    /// Returns the masker of everything written.
    pub(crate) const fn masker(&self) -> &Arc<Masker> {
        &self.masker
    }

    /// Returns a value with those texts masked.
    #[must_use]
    pub fn masked(&self, mut value: Value) -> Value {
        self.masker.value(&mut value);
        value
    }

    /// Reports whether anything is recorded.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        !self.sinks.is_empty()
    }

    /// Takes an event of the runtime.
    pub fn record(&self, mut event: Event) {
        if !self.is_on() {
            return;
        }
        let texts = std::mem::take(&mut event.texts);
        let now = self.now_us();
        let mut state = self.lock();
        let may_wait = waits(event.kind);
        let mut line = match event.phase {
            Phase::Begin => self.begin(event, now, &mut state),
            Phase::Instant => state.line(Head::of(&event, now, Some(0)), event.data),
            Phase::End => end(event, now, &mut state),
        };
        if let Data::Fields { more, .. } = &mut line.data {
            for (name, text) in texts {
                let text = state.text(text);
                match more.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, field)) => *field = text,
                    None => more.push((name.into(), text)),
                }
            }
        }
        state.add(line);
        let late = now.saturating_sub(state.written_us) > WAITING_US;
        if !may_wait || late || state.lines.len() >= WAITING_LINES {
            self.write(&mut state);
        }
    }

    fn begin(&self, event: Event, now: u64, state: &mut State) -> Line {
        let head = Head::of(&event, now, None);
        let mut line = state.line(head.clone(), event.data);
        let mut told = None;
        if let Data::Fields { told: began_with, more } = &mut line.data {
            let fields = std::mem::take(more).into_iter();
            told = Some(Arc::new(fields.filter_map(as_value).collect()));
            began_with.clone_from(&told);
            if line.head.kind == TraceKind::Run {
                let run = self.run.iter();
                more.extend(
                    run.map(|(name, value)| (name.clone().into(), Field::Value(value.clone()))),
                );
            }
        }
        state.open.insert(head.id, Open { head, told });
        line
    }

    /// Adds to the data of an event that is under way. It is written with the next line that does
    /// not wait, or by [`Recorder::flush`].
    pub fn amend(&self, id: u64, data: impl Into<Value>) {
        if self.is_on() {
            self.lock().amend(id, data.into());
        }
    }

    /// Adds one field as [`Recorder::amend`] does, without a JSON value if possible.
    pub fn amend_field(&self, id: u64, name: &'static str, value: &impl Serialize) {
        if self.is_on() {
            let text = serde_json::to_string(value);
            self.amend_json(id, name, text, || json!(value));
        }
    }

    /// Adds the manifest of a model call.
    pub fn amend_manifest(&self, id: u64, manifest: &Manifest) {
        if self.is_on() {
            self.amend_json(id, "manifest", manifest.to_json(), || json!(manifest));
        }
    }

    /// Adds a field by its text, or by its `value` if it holds a text that is kept by its digest.
    fn amend_json(
        &self,
        id: u64,
        name: &'static str,
        text: serde_json::Result<String>,
        value: impl FnOnce() -> Value,
    ) {
        let text = text.ok().filter(|text| is_inline(text, INLINE_BYTES));
        let mut state = self.lock();
        let Some(open) = state.open.get(&id) else { return };
        let head = open.head.clone();
        let field = if let Some(text) = text {
            Field::Text(text)
        } else {
            let mut value = value();
            externalise(&mut value, &mut state.blobs);
            Field::Value(value)
        };
        let more = vec![(Cow::Borrowed(name), field)];
        state.add(Line { head, data: Data::Fields { told: None, more } });
    }

    /// Keeps texts by their digests; they are written with the lines that name them.
    pub fn keep(&self, blobs: Vec<Blob>) {
        if self.is_on() {
            self.lock().blobs.extend(blobs);
        }
    }

    /// Writes all waiting lines and texts; to be called before a wait.
    pub fn flush(&self) {
        self.write(&mut self.lock());
    }

    /// Returns the first failure to write, if any: a trace is never lost silently.
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
        if state.lines.is_empty() && state.blobs.is_empty() {
            return;
        }
        state.written_us = self.now_us();
        let mut out = std::mem::take(&mut state.out);
        state.put_lines(&mut out);
        // JSON is always UTF-8.
        let lines = std::str::from_utf8(&out).unwrap_or_default();
        // Texts first: a line names only texts that are there.
        for sink in &self.sinks {
            let kept = if state.blobs.is_empty() { Ok(()) } else { sink.keep(&state.blobs) };
            let appended = if lines.is_empty() { Ok(()) } else { sink.append(lines) };
            if let Err(fault) = kept.and(appended) {
                state.fault.get_or_insert(fault);
            }
        }
        state.lines.clear();
        state.blobs.clear();
        out.clear();
        if out.capacity() <= REUSED_BYTES {
            state.out = out;
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Runs recorded work: whenever it waits for something, all waiting lines are written.
pub(crate) async fn recorded<T>(recorder: &Recorder, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        let polled = work.as_mut().poll(context);
        if polled.is_pending() {
            recorder.flush();
        }
        polled
    })
    .await
}

impl State {
    /// Returns a line with these data, with long texts kept by their digests.
    fn line(&mut self, head: Head, mut data: Value) -> Line {
        externalise(&mut data, &mut self.blobs);
        Line { head, data: Data::of(data) }
    }

    /// Returns a field that is JSON text, with long strings kept by their digests.
    fn text(&mut self, text: JsonText) -> Field {
        if is_inline(text.as_str(), INLINE_BYTES) {
            return Field::Shared(text);
        }
        Field::Text(without_long_strings(text.as_str(), &mut self.blobs))
    }

    fn amend(&mut self, id: u64, data: Value) {
        let Some(open) = self.open.get(&id) else { return };
        let line = self.line(open.head.clone(), data);
        self.add(line);
    }

    /// Adds a line, to a waiting one of its event if there is one.
    fn add(&mut self, line: Line) {
        match self.lines.iter_mut().rev().find(|waiting| waiting.head.id == line.head.id) {
            Some(waiting) => waiting.absorb(line),
            None => self.lines.push(line),
        }
    }

    /// Adds the waiting lines as text.
    fn put_lines(&mut self, out: &mut Vec<u8>) {
        for line in &self.lines {
            let whole = out.len();
            if let Err(error) = line.write(out) {
                out.truncate(whole);
                self.fault.get_or_insert_with(|| error.to_string());
            }
        }
    }
}

/// Reports whether the lines of an event may wait: they are followed by others, by a flush before a
/// model is called, or by one when the run waits.
const fn waits(kind: TraceKind) -> bool {
    matches!(kind, TraceKind::Use | TraceKind::For | TraceKind::Iteration | TraceKind::Generate)
}

/// Returns the line of an event's end, without the data that it began with.
fn end(event: Event, now: u64, state: &mut State) -> Line {
    let open = state.open.remove(&event.id);
    let start_us = open.as_ref().map_or(now, |open| open.head.start_us);
    let head = Head::of(&event, start_us, Some(now.saturating_sub(start_us)));
    let mut line = state.line(head, event.data);
    if let (Data::Fields { more, .. }, Some(told)) =
        (&mut line.data, open.and_then(|open| open.told))
    {
        more.retain(|(name, field)| match field {
            Field::Value(value) => told.get(name.as_ref()) != Some(value),
            Field::Text(_) | Field::Shared(_) => true,
        });
    }
    line
}

fn as_value((name, field): (Cow<'static, str>, Field)) -> Option<(String, Value)> {
    match field {
        Field::Value(value) => Some((name.into_owned(), value)),
        Field::Text(_) | Field::Shared(_) => None,
    }
}

/// Replaces each long string by `{"$text": digest, "bytes": n}`.
fn externalise(value: &mut Value, blobs: &mut Vec<Blob>) {
    match value {
        Value::String(text) if text.len() > INLINE_BYTES => {
            *value = reference(std::mem::take(text), blobs);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| externalise(item, blobs)),
        Value::Object(fields) => fields.values_mut().for_each(|field| externalise(field, blobs)),
        _ => {}
    }
}

/// Does the same in a JSON text.
fn without_long_strings(text: &str, blobs: &mut Vec<Blob>) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for Place { range, is_name } in json::strings(text) {
        // Its quotes are two bytes more.
        if is_name || range.len() <= INLINE_BYTES + 2 {
            continue;
        }
        let written = text.get(range.clone()).unwrap_or_default();
        let string = serde_json::from_str::<String>(written).ok();
        let Some(string) = string.filter(|string| string.len() > INLINE_BYTES) else { continue };
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(&reference(string, blobs).to_string());
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Keeps a text by its digest, and returns what stands in its place.
pub(crate) fn reference(text: String, blobs: &mut Vec<Blob>) -> Value {
    let digest = Digest::of_text(&text);
    let reference = json!({ TEXT_KEY: digest, "bytes": text.len() });
    blobs.push(Blob { digest, text });
    reference
}

/// Inserts texts kept by digest back in place; a digest unknown to `lookup` stays as it is.
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
    use contexture_context::TraceEvent;

    #[derive(Default, Clone)]
    struct Kept {
        lines: Arc<Mutex<Vec<TraceEvent>>>,
        writes: Arc<Mutex<usize>>,
        blobs: Arc<Mutex<Vec<Blob>>>,
    }

    impl TraceSink for Kept {
        fn append(&self, lines: &str) -> Result<(), String> {
            *self.writes.lock().unwrap() += 1;
            let events = lines.lines().map(|line| serde_json::from_str(line).unwrap());
            self.lines.lock().unwrap().extend(events);
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
        Event { id: 1, parent: None, kind, phase, data, texts: Vec::new() }
    }

    #[test]
    fn as_29_lines_of_event_add_up() {
        let (recorder, kept) = recorder();
        recorder.record(event(TraceKind::Generate, Phase::Begin, json!({ "a": 1 })));
        recorder.flush();
        recorder.amend(1, Map::from_iter([("manifest".to_owned(), json!({ "call": 1 }))]));
        recorder.flush();
        recorder.record(event(TraceKind::Generate, Phase::End, json!({ "a": 1, "value": 2 })));
        recorder.flush();
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
    fn as_29_waiting_lines_are_one_write_and_none_waits_during_model_call() {
        let (recorder, kept) = recorder();
        let of = |id, parent, kind, phase, data| {
            let texts = Vec::new();
            Event { id, parent, kind, phase, data, texts }
        };
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
        assert_eq!(shown().len(), 3);
        drop(recorder);
        assert_eq!(shown()[3..], [(4, json!({ "usage": 7 })), (2, json!({}))]);
        assert_eq!(*kept.writes.lock().unwrap(), 3);
    }

    #[test]
    fn as_29_all_lines_are_written_when_run_waits() {
        let (recorder, kept) = recorder();
        let lines = || kept.lines.lock().unwrap().len();
        let work = async {
            recorder.record(event(TraceKind::Generate, Phase::Begin, json!({})));
            recorder.record(event(TraceKind::Generate, Phase::End, json!({ "value": 1 })));
            assert_eq!(lines(), 0, "a call that took no time has not been waited for");
            let mut waited = false;
            std::future::poll_fn(|context| {
                context.waker().wake_by_ref();
                match std::mem::replace(&mut waited, true) {
                    true => std::task::Poll::Ready(()),
                    false => std::task::Poll::Pending,
                }
            })
            .await;
            assert_eq!(lines(), 1);
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(recorded(&recorder, work));
    }

    #[test]
    fn as_29_field_reads_same_however_it_is_added() {
        let (recorder, kept) = recorder();
        let long = "x".repeat(INLINE_BYTES + 1);
        let value = json!([{ "text": long, "short": "y" }]);
        recorder.record(event(TraceKind::Tool, Phase::Begin, json!({ "long": long })));
        recorder.amend_field(1, "a", &json!({ "b": 1.5 }));
        recorder.amend_field(1, "c", &value);
        recorder.amend(1, Map::from_iter([("d".to_owned(), value)]));
        recorder.record(event(TraceKind::Tool, Phase::End, json!({ "long": long, "e": 1 })));
        let lines = kept.lines.lock().unwrap();
        assert_eq!(lines.len(), 2);
        let data = &lines[1].data;
        assert_eq!(data["a"], json!({ "b": 1.5 }));
        assert_eq!(data["c"], data["d"]);
        assert_eq!(data["c"][0]["text"][TEXT_KEY], json!(Digest::of_text(&long)));
        assert_eq!(data.get("long"), None, "what it began with is not repeated");
    }

    #[test]
    fn gr_5_text_of_input_is_recorded_as_its_value_is() {
        let long = "\u{7}\"\\文".repeat(INLINE_BYTES / 4);
        let nearly = "\\".repeat(INLINE_BYTES);
        for value in [
            json!({ "a": [long, { "b": long, "c": nearly }], &*long: 1.5 }),
            json!({ "short": "text" }),
            json!(long),
            json!(null),
        ] {
            let (by_value, values) = recorder();
            let (by_text, texts) = recorder();
            let input = |data| event(TraceKind::Input, Phase::Instant, data);
            by_value.record(input(json!({ "value": value })));
            let text = JsonText::read(format!("{value:#}")).unwrap();
            by_text.record(Event { texts: vec![("value", text)], ..input(json!({})) });
            assert_eq!(texts.lines.lock().unwrap()[0].data, values.lines.lock().unwrap()[0].data);
            assert_eq!(*texts.blobs.lock().unwrap(), *values.blobs.lock().unwrap());
        }
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
