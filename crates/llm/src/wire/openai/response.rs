//! Reading answers of OpenAI's protocol, whole or streamed.

use super::super::assembly::{Assembly, name_calls, results_before};
use super::super::json::{cut, lacks, list, number, piece, text};
use super::super::refusal::failure;
use super::super::{Decoder, Flow, Refusal};
use super::{OpenAi, Wire};
use contexture_core::error::LlmError;
use contexture_core::provider::ChatCall;
use contexture_prompt::{ChatResponse, FinishReason, ToolCall, Usage};
use serde_json::Value;

/// Returns the answer in a whole body.
pub(super) fn read(wire: &OpenAi, call: &ChatCall, body: &Value) -> Result<ChatResponse, LlmError> {
    if let Some(error) = reported(wire, &call.request.model, body) {
        return Err(error);
    }
    let Some(choice) = body.pointer("/choices/0") else {
        return Err(lacks(wire.provider(), "choices", body));
    };
    let said = content(choice.pointer("/message/content"));
    let refused = text(choice, "/message/refusal");
    let finish = text(choice, "/finish_reason");
    let mut calls: Vec<ToolCall> =
        list(choice, "/message/tool_calls").iter().map(tool_call).collect();
    name_calls(&mut calls, results_before(call));
    Ok(ChatResponse {
        id: text(body, "/id").to_owned(),
        model: text(body, "/model").to_owned(),
        text: if said.is_empty() { refused.to_owned() } else { said },
        reasoning: reasoning(choice, "/message").map(str::to_owned),
        tool_calls: calls,
        finish_reason: match finish {
            _ if !refused.is_empty() => Some(FinishReason::Refusal),
            "" => None,
            word => Some(FinishReason::from(word)),
        },
        usage: usage(body.get("usage")),
    })
}

/// Returns the text of a content: a string, or parts of which those of type `text` count.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| text(part, "/text")).collect(),
        _ => String::new(),
    }
}

fn reasoning<'a>(choice: &'a Value, at: &str) -> Option<&'a str> {
    ["reasoning_content", "reasoning"]
        .iter()
        .map(|name| text(choice, &format!("{at}/{name}")))
        .find(|text| !text.is_empty())
}

fn tool_call(call: &Value) -> ToolCall {
    ToolCall::function(
        text(call, "/id"),
        text(call, "/function/name"),
        arguments(call.pointer("/function/arguments")),
    )
}

/// Arguments as JSON text; some servers send the object itself.
fn arguments(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

fn usage(value: Option<&Value>) -> Usage {
    let Some(value) = value else { return Usage::default() };
    let prompt_tokens = number(value, "/prompt_tokens").unwrap_or_default();
    let completion_tokens = number(value, "/completion_tokens").unwrap_or_default();
    let sum = Usage::new(prompt_tokens, completion_tokens);
    Usage {
        total_tokens: number(value, "/total_tokens").unwrap_or(sum.total_tokens),
        reasoning_tokens: number(value, "/completion_tokens_details/reasoning_tokens"),
        cached_tokens: number(value, "/prompt_tokens_details/cached_tokens"),
        ..sum
    }
}

/// Returns an error that came with a status of success, as from some gateways and inside streams.
fn reported(wire: &OpenAi, model: &str, body: &Value) -> Option<LlmError> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let coded = number(error, "/code").or_else(|| number(error, "/status"));
    let status = coded.and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
    let said = body.to_string();
    Some(failure(
        wire.provider(),
        &Refusal { status: status.unwrap_or(500), retry_after: None, body: &said, model },
    ))
}

pub(super) struct Stream {
    wire: OpenAi,
    model: String,
    /// Tool results that the conversation held before.
    results: usize,
    answer: Assembly,
    refused: bool,
    done: bool,
}

impl Stream {
    pub(super) fn new(wire: OpenAi, call: &ChatCall) -> Self {
        Self {
            wire,
            model: call.request.model.clone(),
            results: results_before(call),
            answer: Assembly::default(),
            refused: false,
            done: false,
        }
    }

    fn calls(&mut self, delta: &Value) {
        for part in list(delta, "/tool_calls") {
            let id = text(part, "/id");
            let index = number(part, "/index").unwrap_or_else(|| self.answer.slot(id));
            self.answer.call(index, |call| {
                if call.id.is_empty() {
                    id.clone_into(&mut call.id);
                }
                if call.function.name.is_empty() {
                    text(part, "/function/name").clone_into(&mut call.function.name);
                }
                call.function.arguments.push_str(&arguments(part.pointer("/function/arguments")));
            });
        }
    }
}

impl Decoder for Stream {
    fn piece(&mut self, data: &str, sink: &mut dyn FnMut(&str)) -> Result<Flow, LlmError> {
        match data.trim() {
            "" => return Ok(Flow::More),
            "[DONE]" => {
                self.done = true;
                return Ok(Flow::Done);
            }
            _ => {}
        }
        let chunk = piece(self.wire.provider(), data)?;
        if let Some(error) = reported(&self.wire, &self.model, &chunk) {
            return Err(error);
        }
        self.answer.name(text(&chunk, "/id"), text(&chunk, "/model"));
        if chunk.get("usage").is_some_and(Value::is_object) {
            self.answer.usage = usage(chunk.get("usage"));
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(Flow::More) };
        self.answer.reasoning.push_str(reasoning(choice, "/delta").unwrap_or_default());
        let refused = text(choice, "/delta/refusal");
        self.refused |= !refused.is_empty();
        self.answer.say(refused, sink);
        self.answer.say(&content(choice.pointer("/delta/content")), sink);
        if let Some(delta) = choice.get("delta") {
            self.calls(delta);
        }
        match text(choice, "/finish_reason") {
            "" => {}
            word => self.answer.finish = Some(FinishReason::from(word)),
        }
        Ok(Flow::More)
    }

    fn held(&self) -> usize {
        self.answer.held()
    }

    fn finish(&mut self) -> Result<ChatResponse, LlmError> {
        if !self.done && self.answer.finish.is_none() {
            return Err(cut(self.wire.provider(), &self.answer.text));
        }
        if self.refused {
            self.answer.finish = Some(FinishReason::Refusal);
        }
        let mut response = self.answer.response(self.results);
        if response.finish_reason.is_none() && !response.tool_calls.is_empty() {
            response.finish_reason = Some(FinishReason::ToolCalls);
        }
        Ok(response)
    }
}
