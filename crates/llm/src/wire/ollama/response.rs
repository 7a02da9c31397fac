//! Reading Ollama's answers: one JSON object, or one per line.

use super::super::assembly::{Assembly, name_calls, results_before};
use super::super::json::{cut, lacks, list, number, piece, text};
use super::super::refusal::failure;
use super::super::{Decoder, Flow, Refusal};
use super::{Ollama, Wire};
use contexture_core::error::LlmError;
use contexture_core::provider::ChatCall;
use contexture_prompt::{ChatResponse, FinishReason, ToolCall, Usage};
use serde_json::Value;

/// Returns the answer in a whole body.
pub(super) fn read(wire: &Ollama, call: &ChatCall, body: &Value) -> Result<ChatResponse, LlmError> {
    if let Some(error) = reported(wire, &call.request.model, body) {
        return Err(error);
    }
    if !body.get("message").is_some_and(Value::is_object) {
        return Err(lacks(wire.provider(), "message", body));
    }
    let reasoning = text(body, "/message/thinking");
    let mut calls = calls(body);
    name_calls(&mut calls, results_before(call));
    Ok(ChatResponse {
        id: String::new(),
        model: text(body, "/model").to_owned(),
        text: text(body, "/message/content").to_owned(),
        reasoning: (!reasoning.is_empty()).then(|| reasoning.to_owned()),
        finish_reason: finish(body, !calls.is_empty()),
        tool_calls: calls,
        usage: usage(body),
    })
}

fn reported(wire: &Ollama, model: &str, body: &Value) -> Option<LlmError> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let status =
        if error.as_str().is_some_and(|text| text.contains("not found")) { 404 } else { 500 };
    let said = body.to_string();
    Some(failure(wire.provider(), &Refusal { status, retry_after: None, body: &said, model }))
}

fn calls(body: &Value) -> Vec<ToolCall> {
    list(body, "/message/tool_calls")
        .iter()
        .map(|call| {
            let arguments = call.pointer("/function/arguments").map(Value::to_string);
            let name = text(call, "/function/name");
            ToolCall::function(text(call, "/id"), name, arguments.unwrap_or_default())
        })
        .collect()
}

fn finish(body: &Value, calls: bool) -> Option<FinishReason> {
    match text(body, "/done_reason") {
        // A limit of tokens may have ended the last call, too.
        "" | "stop" if calls => Some(FinishReason::ToolCalls),
        "" => None,
        word => Some(FinishReason::from(word)),
    }
}

fn usage(body: &Value) -> Usage {
    let told = |name| number(body, name).unwrap_or_default();
    Usage::new(told("/prompt_eval_count"), told("/eval_count"))
}

pub(super) struct Stream {
    wire: Ollama,
    model: String,
    results: usize,
    answer: Assembly,
    calls: Vec<ToolCall>,
    done: bool,
}

impl Stream {
    pub(super) fn new(wire: Ollama, call: &ChatCall) -> Self {
        Self {
            wire,
            model: call.request.model.clone(),
            results: results_before(call),
            answer: Assembly::default(),
            calls: Vec::new(),
            done: false,
        }
    }
}

impl Decoder for Stream {
    fn piece(&mut self, data: &str, sink: &mut dyn FnMut(&str)) -> Result<Flow, LlmError> {
        let line = piece(self.wire.provider(), data)?;
        if let Some(error) = reported(&self.wire, &self.model, &line) {
            return Err(error);
        }
        self.answer.name("", text(&line, "/model"));
        self.answer.reasoning.push_str(text(&line, "/message/thinking"));
        self.answer.say(text(&line, "/message/content"), sink);
        self.calls.extend(calls(&line));
        if line.get("done") == Some(&Value::Bool(true)) {
            self.done = true;
            self.answer.finish = finish(&line, !self.calls.is_empty());
            self.answer.usage = usage(&line);
            return Ok(Flow::Done);
        }
        Ok(Flow::More)
    }

    fn held(&self) -> usize {
        self.answer.held()
            + self.calls.iter().map(|call| call.function.arguments.len()).sum::<usize>()
    }

    fn finish(&mut self) -> Result<ChatResponse, LlmError> {
        if !self.done {
            return Err(cut(self.wire.provider(), &self.answer.text));
        }
        let mut response = self.answer.response(self.results);
        response.tool_calls = std::mem::take(&mut self.calls);
        name_calls(&mut response.tool_calls, self.results);
        Ok(response)
    }
}
