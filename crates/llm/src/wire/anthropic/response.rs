//! Reading Anthropic's answers, whole or streamed.

use super::super::assembly::Assembly;
use super::super::json::{cut, lacks, list, number, piece, text};
use super::super::refusal::failure;
use super::super::{Decoder, Flow, Refusal};
use super::{ANSWER_TOOL, Anthropic, Wire};
use contexture_core::error::LlmError;
use contexture_prompt::{ChatResponse, FinishReason, Usage};
use serde_json::Value;

/// Returns the answer in a whole body.
pub(super) fn read(wire: &Anthropic, model: &str, body: &Value) -> Result<ChatResponse, LlmError> {
    if let Some(error) = reported(wire, model, body) {
        return Err(error);
    }
    if !body.get("content").is_some_and(Value::is_array) {
        return Err(lacks(wire.provider(), "content", body));
    }
    let mut answer = Answer::default();
    let mut ignore = |_: &str| ();
    for (index, block) in (0_u64..).zip(list(body, "/content")) {
        answer.block(index, block, &mut ignore);
        if text(block, "/type") == "tool_use" {
            let input = block.get("input").map(Value::to_string).unwrap_or_default();
            answer.arguments(index, &input, &mut ignore);
        }
    }
    answer.assembly.name(text(body, "/id"), text(body, "/model"));
    answer.stop(text(body, "/stop_reason"));
    answer.usage.read(body.get("usage"));
    Ok(answer.response())
}

/// Returns an error inside a stream, or with a status of success.
fn reported(wire: &Anthropic, model: &str, body: &Value) -> Option<LlmError> {
    if text(body, "/type") != "error" {
        return None;
    }
    let status = match text(body, "/error/type") {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        _ => 500,
    };
    let said = body.to_string();
    Some(failure(wire.provider(), &Refusal { status, retry_after: None, body: &said, model }))
}

/// Tokens as they are reported piece by piece.
#[derive(Debug, Default)]
struct Tokens {
    input: u64,
    cached: Option<u64>,
    created: u64,
    output: u64,
}

impl Tokens {
    fn read(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let told = |name| number(usage, name);
        self.input = told("/input_tokens").unwrap_or(self.input);
        self.cached = told("/cache_read_input_tokens").or(self.cached);
        self.created = told("/cache_creation_input_tokens").unwrap_or(self.created);
        self.output = told("/output_tokens").unwrap_or(self.output);
    }

    /// Returns the usage: cached tokens, which Anthropic counts apart, are part of the prompt here.
    fn total(&self) -> Usage {
        let cached = self.cached.unwrap_or_default();
        let prompt = self.input.saturating_add(cached).saturating_add(self.created);
        Usage { cached_tokens: self.cached, ..Usage::new(prompt, self.output) }
    }
}

/// An answer as its blocks come.
#[derive(Debug, Default)]
struct Answer {
    assembly: Assembly,
    usage: Tokens,
    /// The block whose input is the answer itself.
    answer_block: Option<u64>,
}

impl Answer {
    fn block(&mut self, index: u64, block: &Value, sink: &mut dyn FnMut(&str)) {
        match text(block, "/type") {
            "text" => self.assembly.say(text(block, "/text"), sink),
            "thinking" => self.assembly.reasoning.push_str(text(block, "/thinking")),
            "tool_use" if text(block, "/name") == ANSWER_TOOL => self.answer_block = Some(index),
            "tool_use" => self.assembly.call(index, |call| {
                text(block, "/id").clone_into(&mut call.id);
                text(block, "/name").clone_into(&mut call.function.name);
            }),
            _ => {}
        }
    }

    fn arguments(&mut self, index: u64, json: &str, sink: &mut dyn FnMut(&str)) {
        if self.answer_block == Some(index) {
            self.assembly.say(json, sink);
        } else {
            self.assembly.call(index, |call| call.function.arguments.push_str(json));
        }
    }

    fn stop(&mut self, reason: &str) {
        self.assembly.finish = match reason {
            "" => return,
            "end_turn" | "stop_sequence" => Some(FinishReason::Stop),
            "max_tokens" | "model_context_window_exceeded" => Some(FinishReason::Length),
            // The tool that takes the answer is not a call.
            "tool_use" if self.assembly.has_calls() => Some(FinishReason::ToolCalls),
            "tool_use" => Some(FinishReason::Stop),
            "refusal" => Some(FinishReason::Refusal),
            other => Some(FinishReason::Other(other.to_owned())),
        };
    }

    fn response(&mut self) -> ChatResponse {
        self.assembly.usage = self.usage.total();
        self.assembly.response(0)
    }
}

pub(super) struct Stream {
    wire: Anthropic,
    model: String,
    answer: Answer,
    done: bool,
}

impl Stream {
    pub(super) fn new(wire: Anthropic, model: &str) -> Self {
        Self { wire, model: model.to_owned(), answer: Answer::default(), done: false }
    }
}

impl Decoder for Stream {
    fn piece(&mut self, data: &str, sink: &mut dyn FnMut(&str)) -> Result<Flow, LlmError> {
        if data.trim().is_empty() {
            return Ok(Flow::More);
        }
        let event = piece(self.wire.provider(), data)?;
        if let Some(error) = reported(&self.wire, &self.model, &event) {
            return Err(error);
        }
        let index = number(&event, "/index").unwrap_or_default();
        match text(&event, "/type") {
            "message_start" => {
                let (id, model) = (text(&event, "/message/id"), text(&event, "/message/model"));
                self.answer.assembly.name(id, model);
                self.answer.usage.read(event.pointer("/message/usage"));
            }
            "content_block_start" => {
                if let Some(block) = event.get("content_block") {
                    self.answer.block(index, block, sink);
                }
            }
            "content_block_delta" => match text(&event, "/delta/type") {
                "text_delta" => self.answer.assembly.say(text(&event, "/delta/text"), sink),
                "thinking_delta" => {
                    self.answer.assembly.reasoning.push_str(text(&event, "/delta/thinking"));
                }
                "input_json_delta" => {
                    self.answer.arguments(index, text(&event, "/delta/partial_json"), sink);
                }
                _ => {}
            },
            "message_delta" => {
                self.answer.stop(text(&event, "/delta/stop_reason"));
                self.answer.usage.read(event.get("usage"));
            }
            "message_stop" => {
                self.done = true;
                return Ok(Flow::Done);
            }
            // Pings, ends of blocks, and what comes in later versions.
            _ => {}
        }
        Ok(Flow::More)
    }

    fn held(&self) -> usize {
        self.answer.assembly.held()
    }

    fn finish(&mut self) -> Result<ChatResponse, LlmError> {
        if !self.done && self.answer.assembly.finish.is_none() {
            return Err(cut(self.wire.provider(), &self.answer.assembly.text));
        }
        Ok(self.answer.response())
    }
}
