//! The envelope (CP-1) and the strictness of its parts.

mod envelope;
pub(crate) mod sender;

pub use sender::{Sender, SenderType};

use crate::body::Body;
use crate::canonical::canonical;
use crate::error::ErrorCode;
use crate::json;
use crate::limits::Limits;
use crate::node::Node;
use crate::refusal::{Refusal, settle};
use crate::report::{Faults, Place, Report};
use crate::time::Timestamp;
use envelope::{Envelope, Form};
use serde_json::{Map, Value};

/// A message on the wire: the whole envelope.
///
/// ```
/// use contexture_protocol::{Body, Limits, Message};
/// let text = r#"{"messageId":"msg_1","timestamp":"2025-12-01T10:00:00Z","type":"USER_INPUT",
///     "sender":{"id":"user_123","type":"USER"},"content":{"text":"Hello","mood":"good"}}"#;
/// let message = Message::parse(text.as_bytes(), &Limits::WIRE)?;
/// let Body::UserInput(input) = &message.body else { unreachable!() };
/// assert_eq!((input.text.as_str(), &input.extra["mood"]), ("Hello", &"good".into()));
/// assert_eq!(message.to_value(), serde_json::from_str::<serde_json::Value>(text)?);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The sender's id of the message. It takes effect once (CP-7).
    pub message_id: String,
    /// The context it belongs to.
    pub context_id: Option<String>,
    /// The time, by the sender's clock; kept as written, and never used for ordering.
    pub timestamp: Timestamp,
    /// The sender.
    pub sender: Sender,
    /// The content.
    pub body: Body,
    /// Additional data: `inReplyTo` and `seq` in a server's message.
    pub metadata: Option<Map<String, Value>>,
    /// Unknown fields of the envelope, unchanged.
    pub extra: Map<String, Value>,
}

/// A message with an incomplete envelope: one in a context (`messageId`, `type` and `content`
/// suffice, CP-9) or one in a file (`type` and `content`, CP-3).
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The id of the message; always present inside another message.
    pub message_id: Option<String>,
    /// The context it belongs to.
    pub context_id: Option<String>,
    /// The time.
    pub timestamp: Option<Timestamp>,
    /// The sender.
    pub sender: Option<Sender>,
    /// The content.
    pub body: Body,
    /// Additional data.
    pub metadata: Option<Map<String, Value>>,
    /// Unknown fields of the envelope, unchanged.
    pub extra: Map<String, Value>,
}

impl Message {
    /// Creates a message without context and metadata.
    #[must_use]
    pub fn new(
        message_id: impl Into<String>,
        timestamp: Timestamp,
        sender: Sender,
        body: impl Into<Body>,
    ) -> Self {
        Self {
            message_id: message_id.into(),
            context_id: None,
            timestamp,
            sender,
            body: body.into(),
            metadata: None,
            extra: Map::new(),
        }
    }

    /// Sets the context.
    #[must_use]
    pub fn in_context(mut self, context_id: impl Into<String>) -> Self {
        self.context_id = Some(context_id.into());
        self
    }

    /// Sets a field of the metadata.
    #[must_use]
    pub fn with_meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set_meta(name, value);
        self
    }

    /// Sets a field of the metadata.
    pub fn set_meta(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.metadata.get_or_insert_default().insert(name.into(), value.into());
    }

    /// Returns a field of the metadata.
    #[must_use]
    pub fn meta(&self, name: &str) -> Option<&Value> {
        self.metadata.as_ref()?.get(name)
    }

    /// Returns the messageId of the message that this one answers.
    #[must_use]
    pub fn in_reply_to(&self) -> Option<&str> {
        self.meta("inReplyTo")?.as_str()
    }

    /// Returns the name in `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.body.kind()
    }

    /// Reads a message from the wire: the whole envelope is required.
    ///
    /// # Errors
    /// [`Refusal`]: `PARSE_ERROR`, `TOO_LARGE`, or `VALIDATION_FAILED` with every fault.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self, Box<Refusal>> {
        let read = json::read(text, limits)?;
        let faults = read.faults(limits);
        Self::read(read.node, faults, limits)
    }

    /// Reads a message from a value.
    ///
    /// # Errors
    /// As [`Message::parse`].
    pub fn from_value(value: Value, limits: &Limits) -> Result<Self, Box<Refusal>> {
        let (node, faults) = json::check(value, limits)?;
        Self::read(node, faults, limits)
    }

    /// Reads a value whose depth is within the limits, with the faults found so far.
    pub(crate) fn read(
        value: Node<'_>,
        faults: Faults,
        limits: &Limits,
    ) -> Result<Self, Box<Refusal>> {
        let draft = Draft::read_form(value, Form::Wire, faults, limits)?;
        draft.whole().ok_or_else(|| Refusal::new(ErrorCode::Internal, "half an envelope").into())
    }

    /// Returns the message as a value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        // Only texts, numbers and maps by name, which JSON can represent.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the message as text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Most messages have a few hundred bytes: the text need not grow in steps.
        let mut text = Vec::with_capacity(512);
        match serde_json::to_writer(&mut text, self) {
            Ok(()) => String::from_utf8(text).unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Returns the canonical form without the timestamp: two messages of one messageId are the same
    /// message if it is equal (CP-7).
    #[must_use]
    pub fn identity(&self) -> String {
        let mut value = self.to_value();
        if let Value::Object(map) = &mut value {
            map.shift_remove("timestamp");
        }
        canonical(&value)
    }
}

impl Draft {
    /// Reads a message from a file: `{type, content}` suffices.
    ///
    /// # Errors
    /// As [`Message::parse`].
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self, Box<Refusal>> {
        let read = json::read(text, limits)?;
        let faults = read.faults(limits);
        Self::read_form(read.node, Form::Bare, faults, limits)
    }

    /// Does the same as [`Draft::parse`], from a value.
    ///
    /// # Errors
    /// As [`Message::parse`].
    pub fn from_value(value: Value, limits: &Limits) -> Result<Self, Box<Refusal>> {
        let (node, faults) = json::check(value, limits)?;
        Self::read_form(node, Form::Bare, faults, limits)
    }

    /// Returns the whole message; missing parts are taken from `rest`, except body and metadata.
    #[must_use]
    pub fn complete(self, rest: Message) -> Message {
        Message {
            message_id: self.message_id.unwrap_or(rest.message_id),
            context_id: self.context_id.or(rest.context_id),
            timestamp: self.timestamp.unwrap_or(rest.timestamp),
            sender: self.sender.unwrap_or(rest.sender),
            body: self.body,
            metadata: self.metadata,
            extra: self.extra,
        }
    }

    /// Returns the message, if its envelope is complete.
    #[must_use]
    pub fn whole(self) -> Option<Message> {
        Some(Message {
            message_id: self.message_id?,
            context_id: self.context_id,
            timestamp: self.timestamp?,
            sender: self.sender?,
            body: self.body,
            metadata: self.metadata,
            extra: self.extra,
        })
    }

    /// Returns the message as a value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn read_form(
        value: Node<'_>,
        form: Form,
        faults: Faults,
        limits: &Limits,
    ) -> Result<Self, Box<Refusal>> {
        let mut report = Report { limits, faults };
        let Some(envelope) = Envelope::collect(value, &Place::TOP, &mut report) else {
            return settle(None, report).map_err(Box::new);
        };
        let ids = envelope.ids();
        let draft = envelope.finish(form, &Place::TOP, &mut report);
        settle(draft, report).map_err(|refusal| Box::new(ids.name(refusal)))
    }
}

impl From<Message> for Draft {
    fn from(message: Message) -> Self {
        Self {
            message_id: Some(message.message_id),
            context_id: message.context_id,
            timestamp: Some(message.timestamp),
            sender: Some(message.sender),
            body: message.body,
            metadata: message.metadata,
            extra: message.extra,
        }
    }
}

impl Refusal {
    /// Sets the refused message.
    #[must_use]
    pub fn about(mut self, message: &Message) -> Self {
        self.message_id = Some(message.message_id.clone());
        self.context_id.clone_from(&message.context_id);
        self
    }
}

crate::shape::shapes!(Draft => "message");
