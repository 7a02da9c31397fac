//! A chat request.

use super::content::{self, ChatInput};
use super::error::Failure;
use super::format;
use super::parameters::{self, given, switch};
use super::tools::{self, Form};
use crate::serve::agents::{Agent, Agents};
use contexture::turn::{Attachment, Hints, Past};
use serde_json::{Map, Value};

#[derive(Debug)]
pub(crate) struct Chat {
    pub(crate) agent: Agent,
    pub(crate) text: String,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) past: Vec<Past>,
    /// The results of calls that a context waits for, by the ids of the calls.
    pub(crate) results: Vec<(String, String)>,
    /// What the app says to the system, for this answer alone.
    pub(crate) instructions: Vec<String>,
    /// True if the context has nothing of the conversation yet, so that all of it joins.
    pub(crate) is_new: bool,
    pub(crate) hints: Hints,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) context: Option<String>,
    pub(crate) is_streamed: bool,
    /// True if the last chunk of a stream has the usage.
    pub(crate) with_usage: bool,
}

impl Chat {
    /// Creates what a person asks in a context.
    pub(crate) fn in_context(
        agent: Agent,
        context: String,
        text: String,
        attachments: Vec<Attachment>,
    ) -> Self {
        Self {
            agent,
            text,
            attachments,
            past: Vec::new(),
            results: Vec::new(),
            instructions: Vec::new(),
            is_new: false,
            hints: Hints::default(),
            metadata: Map::new(),
            context: Some(context),
            is_streamed: true,
            with_usage: false,
        }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// [`Failure`] with the parameter at fault.
    pub(crate) fn read(request: &Value, agents: &Agents) -> Result<Self, Failure> {
        let request = request.as_object().ok_or_else(|| Failure::kind_of("body", "an object"))?;
        let agent = parameters::agent(request, agents)?;
        parameters::check(request, Form::Chat)?;
        let ChatInput { text, attachments, past, rounds } =
            content::read(request.get("messages").unwrap_or(&Value::Null))?;
        let is_streamed = switch(request, "stream", "stream")?;
        let (metadata, context) = metadata(request)?;
        let form = format::read(given(request, "response_format"), "response_format", true)?;
        Ok(Self {
            agent,
            text,
            attachments,
            past,
            results: Vec::new(),
            instructions: Vec::new(),
            is_new: false,
            hints: parameters::hints(request, tools::read(request, Form::Chat, rounds)?, form)?,
            metadata,
            context,
            is_streamed,
            with_usage: with_usage(request, is_streamed)?,
        })
    }
}

/// Reads the JSON of a body.
///
/// # Errors
/// [`Failure`] if it is not JSON.
pub(crate) fn json_of(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure {
        param: None,
        ..Failure::param("", "invalid_json", format!("the body is not JSON: {error}"))
    })
}

fn with_usage(request: &Map<String, Value>, is_streamed: bool) -> Result<bool, Failure> {
    let Some(options) = given(request, "stream_options") else { return Ok(false) };
    if !is_streamed {
        let message = "`stream_options` belongs to `stream: true`";
        return Err(Failure::param("stream_options", "invalid_value", message));
    }
    let options = options.as_object();
    let options = options.ok_or_else(|| Failure::kind_of("stream_options", "an object"))?;
    switch(options, "include_usage", "stream_options.include_usage")
}

/// Returns the metadata, and the context that it names.
fn metadata(request: &Map<String, Value>) -> Result<(Map<String, Value>, Option<String>), Failure> {
    let Some(metadata) = given(request, "metadata") else { return Ok((Map::new(), None)) };
    let metadata = metadata.as_object();
    let mut metadata =
        metadata.cloned().ok_or_else(|| Failure::kind_of("metadata", "an object"))?;
    let context = match metadata.shift_remove("contextId") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) if !id.is_empty() => Some(id),
        Some(_) => return Err(Failure::kind_of("metadata.contextId", "the id of a context")),
    };
    Ok((metadata, context))
}
