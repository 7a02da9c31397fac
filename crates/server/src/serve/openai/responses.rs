//! `POST /v1/responses`: OpenAI's Responses API, as Open Responses describes it (WA-8).
//!
//! Decision: a stored response is a context of its id. `previous_response_id` names any context of the
//! owner, whose copy goes on under the new id, so that a response never changes once it is there.

mod input;
mod items;
mod references;

pub(crate) use items::Items;
pub(crate) use references::{fork, go_on, resolve};

use super::error::Failure;
use super::format;
use super::parameters::{self, given, switch};
use super::request::Chat;
use super::tools::{self, Form};
use crate::serve::agents::Agents;
use serde_json::{Map, Value, json};

/// A request, and what its answer repeats of it.
pub(crate) struct Asked {
    pub(crate) chat: Chat,
    pub(crate) previous: Option<String>,
    pub(crate) is_stored: bool,
    /// The fields of the answer that repeat the request.
    pub(crate) echo: Map<String, Value>,
}

impl Asked {
    /// Reads a request.
    ///
    /// # Errors
    /// [`Failure`] with the parameter at fault.
    pub(crate) fn read(request: &Value, agents: &Agents) -> Result<Self, Failure> {
        let request = request.as_object().ok_or_else(|| Failure::kind_of("body", "an object"))?;
        let agent = parameters::agent(request, agents)?;
        parameters::check(request, Form::Responses)?;
        let text = |name: &str| match given(request, name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Failure::kind_of(name, "a text")),
        };
        let previous = text("previous_response_id")?;
        let is_stored = match given(request, "store") {
            None => true,
            Some(_) => switch(request, "store", "store")?,
        };
        if previous.is_some() && !is_stored {
            let message =
                "`previous_response_id` continues what is stored, so `store` can't be false";
            return Err(Failure::param("store", "unsupported_parameter", message));
        }
        let given_input = given(request, "input").unwrap_or(&Value::Null);
        let read = input::read(given_input, previous.is_some())?;
        let form = given(request, "text").and_then(|text| text.get("format"));
        let form = form.filter(|format| !format.is_null());
        let form = format::read(form, "text.format", false)?;
        let tools = tools::read(request, Form::Responses, read.rounds)?;
        let hints = parameters::hints(request, tools, form)?;
        let instructions = text("instructions")?;
        let metadata = match given(request, "metadata") {
            None => Map::new(),
            Some(Value::Object(fields)) => fields.clone(),
            Some(_) => return Err(Failure::kind_of("metadata", "an object")),
        };
        let chat = Chat {
            agent,
            text: read.text,
            attachments: read.attachments,
            past: read.past,
            results: read.results,
            instructions: instructions.into_iter().filter(|text| !text.is_empty()).collect(),
            is_new: true,
            hints,
            metadata,
            context: None,
            is_streamed: switch(request, "stream", "stream")?,
            with_usage: true,
        };
        Ok(Self { chat, previous, is_stored, echo: echo(request, is_stored) })
    }
}

/// Returns the fields of an answer that repeat the request, with their defaults.
fn echo(request: &Map<String, Value>, is_stored: bool) -> Map<String, Value> {
    let defaults = json!({
        "previous_response_id": null, "instructions": null, "tools": [], "tool_choice": "auto",
        "truncation": "disabled", "parallel_tool_calls": true,
        "text": { "format": { "type": "text" } },
        "top_p": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0, "top_logprobs": 0,
        "temperature": 1.0, "reasoning": null, "max_output_tokens": null, "max_tool_calls": null,
        "background": false, "service_tier": "default", "metadata": {}, "safety_identifier": null,
        "prompt_cache_key": null,
    });
    let Value::Object(mut fields) = defaults else { return Map::new() };
    for (name, value) in &mut fields {
        if let Some(own) = given(request, name) {
            *value = own.clone();
        }
    }
    let tools = fields.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten().filter_map(Value::as_object_mut) {
        for (name, absent) in
            [("description", Value::Null), ("parameters", Value::Null), ("strict", false.into())]
        {
            tool.entry(name).or_insert(absent);
        }
    }
    if let Some(text) = fields.get_mut("text").and_then(Value::as_object_mut) {
        text.entry("format").or_insert(json!({ "type": "text" }));
    }
    if let Some(Value::Object(format)) =
        fields.get_mut("text").and_then(|text| text.get_mut("format"))
        && format.get("type").is_some_and(|kind| kind == "json_schema")
    {
        format.entry("description").or_insert(Value::Null);
        format.entry("strict").or_insert(false.into());
    }
    if let Some(reasoning) = fields.get_mut("reasoning").and_then(Value::as_object_mut) {
        reasoning.entry("effort").or_insert(Value::Null);
        reasoning.entry("summary").or_insert(Value::Null);
    }
    fields.insert("store".to_owned(), is_stored.into());
    fields
}
