//! A chat request.

use super::content::{self, ChatInput};
use super::error::Failure;
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
    pub(crate) hints: Hints,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) context: Option<String>,
    pub(crate) is_streamed: bool,
    /// True if the last chunk of a stream has the usage.
    pub(crate) with_usage: bool,
}

impl Chat {
    /// Reads a request's body.
    ///
    /// # Errors
    /// [`Failure`] with the parameter at fault.
    pub(crate) fn read(body: &[u8], agents: &Agents) -> Result<Self, Failure> {
        let request: Value = serde_json::from_slice(body).map_err(|error| Failure {
            param: None,
            ..Failure::param("", "invalid_json", format!("the body is not JSON: {error}"))
        })?;
        let request = request.as_object().ok_or_else(|| Failure::kind_of("body", "an object"))?;
        let name = given(request, "model").and_then(Value::as_str);
        let name = name.ok_or_else(|| Failure::kind_of("model", "the name of an agent"))?;
        let agent = agents.named(name);
        let agent = agent.ok_or_else(|| Failure::no_model(name, agents.suggestion(name)))?;
        parameters::check(request)?;
        let ChatInput { text, attachments, past, rounds } =
            content::read(request.get("messages").unwrap_or(&Value::Null))?;
        let is_streamed = switch(request, "stream", "stream")?;
        let (metadata, context) = metadata(request)?;
        Ok(Self {
            agent: agent.clone(),
            text,
            attachments,
            past,
            hints: parameters::hints(request, tools::read(request, Form::Chat, rounds)?)?,
            metadata,
            context,
            is_streamed,
            with_usage: with_usage(request, is_streamed)?,
        })
    }
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
