//! One message or an array of them (CP-6, CP-20).

use crate::error::ErrorCode;
use crate::json;
use crate::limits::Limits;
use crate::message::Message;
use crate::node::Node;
use crate::refusal::Refusal;

/// The messages of a text. A refused message does not affect the others.
#[derive(Debug)]
pub enum Batch {
    /// One message.
    One(Box<Result<Message, Box<Refusal>>>),
    /// An array of messages, in its order.
    Many(Vec<Result<Message, Box<Refusal>>>),
}

impl Batch {
    /// Reads one message or an array of them. An empty array is an empty batch.
    ///
    /// ```
    /// use contexture_protocol::{Batch, Limits};
    /// let Batch::Many(messages) = Batch::parse(b"[{}, 5]", &Limits::WIRE)? else { panic!() };
    /// assert!(messages.iter().all(Result::is_err));
    /// # Ok::<_, Box<contexture_protocol::Refusal>>(())
    /// ```
    ///
    /// # Errors
    /// `PARSE_ERROR` and `TOO_LARGE`, when the text as a whole is refused.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self, Box<Refusal>> {
        let is_many = text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        // The messages of an array are one level deeper.
        let depth = limits.depth.saturating_add(usize::from(is_many));
        let read = json::read(text, &Limits { depth, ..*limits })?;
        match &read.node {
            Node::Array(items) if items.len() > limits.batch => {
                let (count, most) = (items.len(), limits.batch);
                let message =
                    format!("{count} messages in one batch, more than the {most} allowed");
                Err(Refusal::new(ErrorCode::TooLarge, message).detail("limit", most).into())
            }
            Node::Array(_) => Ok(Self::Many(many(read, limits))),
            _ => {
                let faults = read.faults(limits);
                Ok(Self::One(Box::new(Message::read(read.node, faults, limits))))
            }
        }
    }
}

fn many(read: json::faults::Text<'_>, limits: &Limits) -> Vec<Result<Message, Box<Refusal>>> {
    let mut faults = read.faults_of_items(limits).into_iter();
    let Node::Array(items) = read.node else { return Vec::new() };
    let each = items.into_iter();
    each.map(|item| Message::read(item, faults.next().unwrap_or_default(), limits)).collect()
}
