//! The wire: the mapping of a [`ChatCall`] to each provider's protocol.
//!
//! Decision: each protocol is a set of pure functions from values to values (request, response,
//! stream events, refusals), so that rate limits, odd bodies and cut streams are tested with
//! literals; [`http`] is the one place that touches the network.
//!
//! Servers that speak "the same" protocol differ in the options they know. Where one refuses an
//! option, the protocol names a [`Plan`] that does without, and the request is sent once more; the
//! plan is kept for the next call and what was left out comes back as a warning (AS-19).

mod anthropic;
mod assembly;
pub(crate) mod connect;
mod connection;
mod describe;
mod http;
mod json;
mod ollama;
mod openai;
mod refusal;
mod rerank;
mod retry_after;
mod stream;

use contexture_core::Secret;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, Sent};
use contexture_prompt::ChatResponse;
use serde_json::{Map, Value};
use std::time::Duration;

/// The options that a server has refused, so that they are not sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each with its own name")]
pub(crate) struct Plan {
    /// Without `temperature`.
    pub(crate) no_temperature: bool,
    /// Without reasoning options.
    pub(crate) no_think: bool,
    /// Without asking for usage in a stream.
    pub(crate) no_stream_usage: bool,
    /// With the other name of the limit of tokens.
    pub(crate) other_max_tokens: bool,
    /// Without a limit of tokens in any name.
    pub(crate) no_max_tokens: bool,
    /// The number of forms of structured output that were refused.
    pub(crate) schema_step: u8,
}

/// A request as plain values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    /// The address.
    pub(crate) url: String,
    /// Headers beside `content-type`.
    pub(crate) headers: Vec<(&'static str, Header)>,
    /// The body.
    pub(crate) body: Value,
    /// The warnings about options that this protocol lacks.
    pub(crate) warnings: Vec<String>,
    /// The form of the schema in the body.
    pub(crate) schema: Option<&'static str>,
}

impl Parts {
    /// Returns the options of the body: all but the prompt, the tools and the schema.
    pub(crate) fn sent(&self) -> Sent {
        const OTHER: [&str; 9] = [
            "model",
            "messages",
            "system",
            "tools",
            "tool_choice",
            "response_format",
            "format",
            "stream",
            "stream_options",
        ];
        let fields = self.body.as_object().into_iter().flatten();
        let mut options: Map<String, Value> = fields
            .filter(|(name, _)| !OTHER.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if let Some(Value::Object(config)) = options.get_mut("output_config") {
            config.remove("format");
        }
        options.retain(|_, value| value.as_object().is_none_or(|fields| !fields.is_empty()));
        Sent { schema: self.schema, options }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Header {
    /// A value without secrets.
    Plain(&'static str),
    /// `Bearer` and a token.
    Bearer(Secret),
    /// A key alone.
    Key(Secret),
}

/// The refusal of a server.
#[derive(Debug, Clone)]
pub(crate) struct Refusal<'a> {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The wait that it asks for.
    pub(crate) retry_after: Option<Duration>,
    /// The body as text.
    pub(crate) body: &'a str,
    /// The model that was asked for.
    pub(crate) model: &'a str,
}

/// The framing of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON value per line.
    Lines,
}

/// The next step of reading a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// More may come.
    More,
    /// The answer is complete.
    Done,
}

/// A protocol.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Returns the provider's name in errors.
    fn provider(&self) -> &str;

    fn request(&self, call: &ChatCall, plan: Plan, stream: bool) -> Result<Parts, LlmError>;

    /// Returns the requests by which a server of one's own tells what it knows of its model.
    fn inquiries(&self) -> Vec<Parts> {
        Vec::new()
    }

    /// Returns the answer in a whole body.
    fn response(&self, call: &ChatCall, body: &Value) -> Result<ChatResponse, LlmError>;

    /// Returns the framing of a stream.
    fn framing(&self) -> Framing;

    /// Reads a stream.
    fn decoder(&self, call: &ChatCall) -> Box<dyn Decoder>;

    /// Returns a plan under which the refused request may pass.
    fn concede(&self, call: &ChatCall, plan: Plan, refusal: &Refusal<'_>) -> Option<Plan>;
}

/// A reader of a streamed answer.
pub(crate) trait Decoder: Send {
    /// Takes one piece; the text in it goes to `sink`.
    fn piece(&mut self, data: &str, sink: &mut dyn FnMut(&str)) -> Result<Flow, LlmError>;

    /// Returns the bytes of the answer so far.
    fn held(&self) -> usize;

    /// Returns the whole answer, once the stream has ended.
    fn finish(&mut self) -> Result<ChatResponse, LlmError>;
}
