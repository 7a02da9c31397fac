//! The events of a run without their data: what a timeline shows first (IN-4, IN-5).
//!
//! Decision: a long run is read once, by parts, and of each event only its place in the tree, its
//! times and the places of its lines are kept, some hundred bytes. Data is read where it is shown.
//! A run under way is read on from where the last look ended.

use contexture_context::{TRACE_VERSION, TraceEvent, TraceKind};
use contexture_store::runs::{LINE_BYTES, RunError, RunId, RunStore};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The bytes that are read at a time.
const PART: usize = 4 << 20;

/// The most events of a page.
pub const MOST_EVENTS: usize = 200;

/// The longest text in the data of an event, in bytes; a longer one is shortened.
const LONGEST_TEXT: usize = 200;
/// The most values of a list or an object in it.
const MOST_VALUES: usize = 20;
/// The most bytes of the data of an event in a page.
const MOST_DATA: usize = 8 << 10;

/// The events of a run as far as they were read.
#[derive(Debug, Default)]
pub struct Outline {
    events: Vec<Entry>,
    lines: Vec<Line>,
    places: HashMap<u64, usize>,
    children: HashMap<Option<u64>, Vec<u64>>,
    end: u64,
    damaged: u64,
    /// The version of the lines that a newer program wrote.
    newer: Option<u32>,
}

#[derive(Debug)]
struct Entry {
    parent: Option<u64>,
    kind: TraceKind,
    start_us: u64,
    duration_us: Option<u64>,
    call: Option<u64>,
    first: usize,
    last: usize,
}

/// A line of an event, and the next one of the same event.
#[derive(Debug)]
struct Line {
    start: u64,
    bytes: usize,
    next: Option<usize>,
}

/// The part of a line that an outline has.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    v: u32,
    id: u64,
    #[serde(default)]
    parent: Option<u64>,
    kind: TraceKind,
    start_us: u64,
    #[serde(default)]
    duration_us: Option<u64>,
}

#[derive(Deserialize)]
struct CallLine {
    data: CallData,
}

#[derive(Deserialize)]
struct CallData {
    manifest: CallNumber,
}

#[derive(Deserialize)]
struct CallNumber {
    call: u64,
}

/// The events that are wanted: those within `parent`, which is the run itself by default, after the
/// event `after`, at most so many.
#[derive(Debug, Clone, Copy)]
pub struct EventPage {
    /// The event around them.
    pub parent: Option<u64>,
    /// The last event of the page before.
    pub after: Option<u64>,
    /// How many, at most [`MOST_EVENTS`].
    pub limit: usize,
}

impl Outline {
    /// Returns the number of lines that were read, without damaged ones.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Returns the number of lines that could not be read.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Reads what was written since the last look. A last line without its end is left for the next
    /// one.
    ///
    /// # Errors
    /// [`RunError`] when the run is not there, can't be read, has a line that is too long, or was
    /// written by a newer version.
    pub fn read_on(&mut self, store: &dyn RunStore, id: &RunId) -> Result<(), RunError> {
        let mut most = PART;
        loop {
            let part = store.written(id, self.end, most)?;
            let Some(last) = part.iter().rposition(|byte| *byte == b'\n') else {
                if part.len() < most {
                    return self.is_known(id);
                }
                if most as u64 >= LINE_BYTES {
                    let reason = format!("the line at byte {} is too long", self.end);
                    return Err(RunError::Io { path: id.to_string(), reason });
                }
                most = most.saturating_mul(4);
                continue;
            };
            let whole = part.get(..=last).unwrap_or_default();
            whole.split_inclusive(|byte| *byte == b'\n').for_each(|line| self.note(line));
            if part.len() < most {
                return self.is_known(id);
            }
            most = PART;
        }
    }

    fn is_known(&self, id: &RunId) -> Result<(), RunError> {
        match self.newer {
            None => Ok(()),
            Some(found) => {
                let (run, found) = (id.clone(), u64::from(found));
                Err(RunError::Newer { run, found, known: TRACE_VERSION })
            }
        }
    }

    fn note(&mut self, line: &[u8]) {
        let start = self.end;
        self.end += line.len() as u64;
        if line.trim_ascii().is_empty() {
            return;
        }
        let Ok(head) = serde_json::from_slice::<Head>(line) else {
            self.damaged += 1;
            return;
        };
        if head.v > TRACE_VERSION {
            self.newer = Some(head.v);
        }
        let number = self.lines.len();
        self.lines.push(Line { start, bytes: line.len(), next: None });
        let index = match self.places.get(&head.id) {
            Some(index) => *index,
            None => self.begin(&head, number),
        };
        let Some(entry) = self.events.get_mut(index) else { return };
        if entry.last != number {
            if let Some(before) = self.lines.get_mut(entry.last) {
                before.next = Some(number);
            }
            entry.last = number;
        }
        entry.duration_us = head.duration_us.or(entry.duration_us);
        if head.kind == TraceKind::Generate && entry.call.is_none() {
            let call = serde_json::from_slice::<CallLine>(line).ok();
            entry.call = call.map(|call| call.data.manifest.call);
        }
    }

    fn begin(&mut self, head: &Head, number: usize) -> usize {
        let index = self.events.len();
        self.places.insert(head.id, index);
        let within = self.children.entry(head.parent).or_default();
        // Events that begin at the same time may be written in another order.
        let place = within.partition_point(|id| *id < head.id);
        within.insert(place, head.id);
        self.events.push(Entry {
            parent: head.parent,
            kind: head.kind,
            start_us: head.start_us,
            duration_us: head.duration_us,
            call: None,
            first: number,
            last: number,
        });
        index
    }

    fn entry(&self, id: u64) -> Option<&Entry> {
        self.events.get(*self.places.get(&id)?)
    }

    /// Returns the events of a kind, in the order in which they were written.
    pub(super) fn of_kind(&self, kind: TraceKind) -> Vec<u64> {
        let mut ids: Vec<u64> = self
            .places
            .iter()
            .filter(|(_, index)| self.events.get(**index).is_some_and(|one| one.kind == kind))
            .map(|(id, _)| *id)
            .collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the events that have others in them.
    pub(super) fn parents(&self) -> Vec<u64> {
        let mut ids: Vec<u64> = self.children.keys().copied().flatten().collect();
        ids.sort_unstable();
        ids
    }

    /// Reads an event with its data.
    ///
    /// # Errors
    /// [`RunError`] when it can't be read.
    pub(super) fn event(
        &self,
        store: &dyn RunStore,
        run: &RunId,
        id: u64,
    ) -> Result<Option<TraceEvent>, RunError> {
        let mut whole: Option<TraceEvent> = None;
        let mut next = self.entry(id).map(|entry| entry.first);
        while let Some(line) = next.and_then(|number| self.lines.get(number)) {
            let written = store.written(run, line.start, line.bytes)?;
            if let Ok(event) = serde_json::from_slice::<TraceEvent>(&written) {
                match &mut whole {
                    None => whole = Some(event),
                    Some(whole) => whole.absorb(event),
                }
            }
            next = line.next;
        }
        Ok(whole)
    }

    /// Returns a page of events: `{events: [{id, parent, kind, start_us, duration_us, children, call,
    /// data}], next}`. Long texts and lists in `data` are shortened; a model call's manifest and
    /// attempts have views of their own.
    ///
    /// # Errors
    /// [`RunError`] when an event can't be read.
    pub fn page(
        &self,
        store: &dyn RunStore,
        run: &RunId,
        page: EventPage,
    ) -> Result<Value, RunError> {
        let none = Vec::new();
        let parent = page.parent.or_else(|| self.of_kind(TraceKind::Run).first().copied());
        let within = self.children.get(&parent).unwrap_or(&none);
        let first = page.after.map_or(0, |after| within.partition_point(|id| *id <= after));
        let rest = within.get(first..).unwrap_or_default();
        let shown = rest.get(..page.limit.min(MOST_EVENTS)).unwrap_or(rest);
        let mut events = Vec::new();
        for id in shown {
            let Some(entry) = self.entry(*id) else { continue };
            let data = self.event(store, run, *id)?.map(|event| event.data).unwrap_or_default();
            events.push(json!({
                "id": id,
                "parent": entry.parent,
                "kind": entry.kind,
                "start_us": entry.start_us,
                "duration_us": entry.duration_us,
                "children": self.children.get(&Some(*id)).map_or(0, Vec::len),
                "call": entry.call,
                "data": short_data(data),
            }));
        }
        let next = shown.last().filter(|_| shown.len() < rest.len());
        Ok(json!({ "events": events, "next": next }))
    }
}

fn short_data(mut data: Value) -> Value {
    if let Some(fields) = data.as_object_mut() {
        let manifest = fields.remove("manifest");
        let tokens = manifest.as_ref().and_then(|manifest| manifest.get("tokens")).cloned();
        fields.extend(tokens.map(|tokens| ("tokens".to_owned(), tokens)));
        fields.remove("attempts");
    }
    shorten(&mut data);
    let bytes = data.to_string().len();
    if bytes > MOST_DATA { json!({ "bytes": bytes }) } else { data }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST_TEXT => {
            text.truncate(text.floor_char_boundary(LONGEST_TEXT));
            text.push('…');
        }
        Value::Array(values) => {
            let more = values.len().saturating_sub(MOST_VALUES);
            values.truncate(MOST_VALUES);
            values.iter_mut().for_each(shorten);
            if more > 0 {
                values.push(format!("… {more} more").into());
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}
