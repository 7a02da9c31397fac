//! Trace events (AS-29): numbered in order, each below its parent.
//!
//! An event that takes time is reported at its begin and at its end, and the second report repeats
//! the data of the first, since a reader keeps the last.

use crate::host::{Event, EventIds, Host, Phase};
use contexture_context::TraceKind;
use contexture_context::json::JsonText;
use serde_json::{Map, Value as Json, json};

#[derive(Debug, Clone)]
pub(crate) struct OpenEvent {
    pub(crate) id: u64,
    parent: Option<u64>,
    kind: TraceKind,
    data: Map<String, Json>,
    /// The agent that was entered with it.
    pub(crate) agent: Option<u32>,
}

impl OpenEvent {
    pub(crate) fn add(&mut self, name: &str, value: Json) {
        self.data.insert(name.to_owned(), value);
    }
}

/// The trace of a run: numbers its events and passes them to the host.
pub(crate) struct Trace<'r> {
    host: &'r dyn Host,
    ids: EventIds,
}

impl<'r> Trace<'r> {
    pub(crate) fn new(host: &'r dyn Host, last: u64) -> Self {
        Self { host, ids: EventIds::after(last) }
    }

    pub(crate) fn last(&self) -> u64 {
        self.ids.last()
    }

    /// Returns the numbers of further events.
    pub(crate) fn ids(&self) -> EventIds {
        self.ids.clone()
    }

    /// Reports whether the host keeps events; numbers are given out in any case.
    pub(crate) fn is_kept(&self) -> bool {
        self.host.keeps_events()
    }

    fn next(&self) -> u64 {
        self.ids.next()
    }

    /// Reports an event that takes no time.
    pub(crate) fn instant(&self, parent: Option<u64>, kind: TraceKind, data: Json) {
        let id = self.next();
        self.record(Event { id, parent, kind, phase: Phase::Instant, data, texts: Vec::new() });
    }

    /// Reports an event that takes no time, with one field that is JSON text; a host that keeps no
    /// events gets none.
    pub(crate) fn instant_text(
        &self,
        parent: Option<u64>,
        kind: TraceKind,
        (name, text): (&'static str, Option<JsonText>),
    ) {
        let (id, data) = (self.next(), json!({ name: null }));
        let texts = text.into_iter().map(|text| (name, text)).collect();
        self.record(Event { id, parent, kind, phase: Phase::Instant, data, texts });
    }

    pub(crate) fn begin(
        &self,
        parent: Option<u64>,
        kind: TraceKind,
        data: Map<String, Json>,
    ) -> OpenEvent {
        let id = self.next();
        let told = Json::Object(data.clone());
        let phase = Phase::Begin;
        self.record(Event { id, parent, kind, phase, data: told, texts: Vec::new() });
        OpenEvent { id, parent, kind, data, agent: None }
    }

    /// Reports the end of an event; `outcome` is added to its data.
    pub(crate) fn end(
        &self,
        event: OpenEvent,
        outcome: impl IntoIterator<Item = (&'static str, Json)>,
    ) {
        let OpenEvent { id, parent, kind, mut data, .. } = event;
        data.extend(outcome.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let (phase, data) = (Phase::End, Json::Object(data));
        self.record(Event { id, parent, kind, phase, data, texts: Vec::new() });
    }

    /// Reports the end of an event, with one field that is JSON text.
    pub(crate) fn end_text(
        &self,
        event: OpenEvent,
        outcome: impl IntoIterator<Item = (&'static str, Json)>,
        (name, text): (&'static str, Option<JsonText>),
    ) {
        let OpenEvent { id, parent, kind, mut data, .. } = event;
        data.extend(outcome.into_iter().map(|(name, value)| (name.to_owned(), value)));
        data.insert(name.to_owned(), Json::Null);
        let (phase, data) = (Phase::End, Json::Object(data));
        let texts = text.into_iter().map(|text| (name, text)).collect();
        self.record(Event { id, parent, kind, phase, data, texts });
    }

    fn record(&self, event: Event) {
        self.host.record(event);
    }
}

pub(crate) fn data<const N: usize>(fields: [(&'static str, Json); N]) -> Map<String, Json> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
