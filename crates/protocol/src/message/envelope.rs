//! Reading and writing of the envelope.

use super::{Draft, Message, Sender};
use crate::body::Body;
use crate::node::Node;
use crate::read::{ID, Read, Slot, id};
use crate::refusal::Refusal;
use crate::report::{Place, Report};
use crate::time::EXPECTED;
use crate::time::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The required parts of the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// All of it.
    Wire,
    /// The id, the type and the content.
    Inner,
    /// The type and the content.
    Bare,
}

/// The parts of an envelope while it is read.
pub(super) struct Envelope<'t> {
    message_id: Slot<String>,
    context_id: Slot<String>,
    timestamp: Slot<Timestamp>,
    kind: Slot<String>,
    sender: Slot<Sender>,
    content: Slot<Node<'t>>,
    metadata: Slot<Map<String, Value>>,
    extra: Map<String, Value>,
}

pub(super) struct Ids {
    message: Option<String>,
    context: Option<String>,
}

impl Ids {
    pub(super) fn name(self, mut refusal: Refusal) -> Refusal {
        refusal.message_id = self.message;
        refusal.context_id = self.context;
        refusal
    }
}

impl<'t> Envelope<'t> {
    pub(super) fn collect(
        value: Node<'t>,
        at: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let Node::Object(fields) = value else {
            report.wrong(at, "a message (an object)", &value);
            return None;
        };
        let mut envelope = Self {
            message_id: Slot::Absent,
            context_id: Slot::Absent,
            timestamp: Slot::Absent,
            kind: Slot::Absent,
            sender: Slot::Absent,
            content: Slot::Absent,
            metadata: Slot::Absent,
            extra: Map::new(),
        };
        for (key, value) in fields.0 {
            envelope.take(key, value, at, report);
        }
        Some(envelope)
    }

    fn take(
        &mut self,
        key: Cow<'t, str>,
        value: Node<'t>,
        at: &Place<'_>,
        report: &mut Report<'_>,
    ) {
        let place = at.key(&key);
        match key.as_ref() {
            "messageId" => self.message_id = Slot::of(id(value, &place, report)),
            "contextId" if !value.is_null() => {
                self.context_id = Slot::of(id(value, &place, report));
            }
            "timestamp" => self.timestamp = Slot::read(value, &place, report),
            "type" => self.kind = Slot::of(id(value, &place, report)),
            "sender" => self.sender = Slot::read(value, &place, report),
            "content" => self.content = Slot::Read(value),
            "metadata" if !value.is_null() => {
                self.metadata = Slot::read(value, &place, report);
            }
            _ => drop(self.extra.insert(key.into_owned(), value.into_value())),
        }
    }

    pub(super) fn ids(&self) -> Ids {
        let of = |slot: &Slot<String>| match slot {
            Slot::Read(id) => Some(id.clone()),
            Slot::Absent | Slot::Bad => None,
        };
        Ids { message: of(&self.message_id), context: of(&self.context_id) }
    }

    pub(super) fn finish(
        self,
        form: Form,
        at: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Draft> {
        let before = report.count();
        let context_id = self.context_id;
        let is_known = |kind: &Slot<String>| match kind {
            Slot::Read(kind) => Body::needs_context(kind),
            Slot::Absent | Slot::Bad => false,
        };
        let needs_context = form == Form::Wire && is_known(&self.kind);
        let is_inner = form != Form::Bare;
        let message_id = required(self.message_id, is_inner, "messageId", ID, at, report);
        let context_id = required(context_id, needs_context, "contextId", ID, at, report);
        let is_wire = form == Form::Wire;
        let timestamp = required(self.timestamp, is_wire, "timestamp", EXPECTED, at, report);
        let expected = || "a type such as USER_INPUT".into();
        let kind = self.kind.required("type", expected, at, report);
        let sender = required(self.sender, is_wire, "sender", "an object", at, report);
        let content = self.content.required("content", || "the content".into(), at, report);
        let metadata = self.metadata.optional();
        let body = Body::read_content(kind?, content?, &at.key("content"), report)?;
        let extra = self.extra;
        let draft = Draft { message_id, context_id, timestamp, sender, body, metadata, extra };
        (report.count() == before).then_some(draft)
    }
}

fn required<T>(
    slot: Slot<T>,
    is_required: bool,
    name: &str,
    expected: &'static str,
    at: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<T> {
    if is_required { slot.required(name, || expected.into(), at, report) } else { slot.optional() }
}

/// Reads a message inside another message or a context.
impl Read for Draft {
    fn expected() -> Cow<'static, str> {
        "a message (an object)".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        let before = report.count();
        let draft = Envelope::collect(value, at, report)?.finish(Form::Inner, at, report);
        draft.filter(|_| report.count() == before)
    }
}

struct Fields<'m> {
    message_id: Option<&'m String>,
    context_id: Option<&'m String>,
    timestamp: Option<&'m Timestamp>,
    sender: Option<&'m Sender>,
    body: &'m Body,
    metadata: Option<&'m Map<String, Value>>,
    extra: &'m Map<String, Value>,
}

impl Fields<'_> {
    fn holds(&self, name: &str) -> bool {
        match name {
            "messageId" => self.message_id.is_some(),
            "contextId" => self.context_id.is_some(),
            "timestamp" => self.timestamp.is_some(),
            "sender" => self.sender.is_some(),
            "metadata" => self.metadata.is_some(),
            "type" | "content" => true,
            _ => false,
        }
    }

    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        if let Some(message_id) = self.message_id {
            map.serialize_entry("messageId", message_id)?;
        }
        if let Some(context_id) = self.context_id {
            map.serialize_entry("contextId", context_id)?;
        }
        if let Some(timestamp) = self.timestamp {
            map.serialize_entry("timestamp", timestamp)?;
        }
        map.serialize_entry("type", self.body.kind())?;
        if let Some(sender) = self.sender {
            map.serialize_entry("sender", sender)?;
        }
        map.serialize_entry("content", self.body)?;
        if let Some(metadata) = self.metadata {
            map.serialize_entry("metadata", metadata)?;
        }
        for (key, value) in self.extra {
            if !self.holds(key) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let fields = Fields {
            message_id: Some(&self.message_id),
            context_id: self.context_id.as_ref(),
            timestamp: Some(&self.timestamp),
            sender: Some(&self.sender),
            body: &self.body,
            metadata: self.metadata.as_ref(),
            extra: &self.extra,
        };
        fields.write(out)
    }
}

impl Serialize for Draft {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let fields = Fields {
            message_id: self.message_id.as_ref(),
            context_id: self.context_id.as_ref(),
            timestamp: self.timestamp.as_ref(),
            sender: self.sender.as_ref(),
            body: &self.body,
            metadata: self.metadata.as_ref(),
            extra: &self.extra,
        };
        fields.write(out)
    }
}

impl<'de> Deserialize<'de> for Draft {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let value = Value::deserialize(input)?;
        Self::from_value(value, &crate::limits::Limits::FILE).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let value = Value::deserialize(input)?;
        Self::from_value(value, &crate::limits::Limits::FILE).map_err(D::Error::custom)
    }
}
