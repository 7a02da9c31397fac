//! The events of a stream, in the form of either door.

use super::answer::Chunks;
use super::ask::ChatAnswer;
use super::error::Failure;
use super::responses::Items;
use contexture_protocol::Refusal;
use serde_json::Value;

/// An event of a stream.
pub(crate) struct Frame {
    /// Its name; chat completions have none.
    pub(crate) event: Option<String>,
    pub(crate) data: String,
}

impl Frame {
    fn done() -> Self {
        Self { event: None, data: "[DONE]".to_owned() }
    }

    fn unnamed(value: Value) -> Self {
        Self { event: None, data: value.to_string() }
    }

    fn named(value: Value) -> Self {
        let event = value.get("type").and_then(Value::as_str).map(str::to_owned);
        Self { event, data: value.to_string() }
    }
}

/// A stream under way.
pub(crate) enum Frames {
    Chat(Chunks),
    Responses(Items),
}

impl Frames {
    pub(crate) fn begin(&mut self) -> Vec<Frame> {
        match self {
            Self::Chat(chunks) => vec![Frame::unnamed(chunks.first())],
            Self::Responses(items) => all(items.begin()),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> Vec<Frame> {
        match self {
            Self::Chat(chunks) => chunks.text(text).map(Frame::unnamed).into_iter().collect(),
            Self::Responses(items) => all(items.text(text)),
        }
    }

    /// Marks the text so far as complete in itself.
    pub(crate) fn pause(&mut self) -> Vec<Frame> {
        match self {
            Self::Chat(chunks) => {
                chunks.pause();
                Vec::new()
            }
            Self::Responses(items) => all(items.pause()),
        }
    }

    /// Returns the last events.
    ///
    /// # Errors
    /// A refusal, if text was sent that the answer does not begin with.
    pub(crate) fn end(&mut self, answer: ChatAnswer, now: u64) -> Result<Vec<Frame>, Refusal> {
        let mut last: Vec<Frame> = match self {
            Self::Chat(chunks) => chunks.end(answer)?.into_iter().map(Frame::unnamed).collect(),
            Self::Responses(items) => all(items.end(answer, now)?),
        };
        last.push(Frame::done());
        Ok(last)
    }

    /// Returns the events of a failure.
    pub(crate) fn fail(&mut self, refused: &Refusal) -> Vec<Frame> {
        match self {
            Self::Chat(_) => vec![Frame::unnamed(Failure::of(refused).body())],
            Self::Responses(items) => vec![Frame::named(items.fail(refused)), Frame::done()],
        }
    }
}

fn all(events: Vec<Value>) -> Vec<Frame> {
    events.into_iter().map(Frame::named).collect()
}
