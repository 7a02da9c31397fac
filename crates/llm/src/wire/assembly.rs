//! An answer as it grows.

use contexture_core::provider::ChatCall;
use contexture_prompt::{ChatResponse, FinishReason, Role, ToolCall, Usage};

/// Collects the pieces of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) finish: Option<FinishReason>,
    pub(crate) usage: Usage,
    calls: Vec<(u64, ToolCall)>,
}

impl Assembly {
    /// Adds text to the answer and passes it on.
    pub(crate) fn say(&mut self, text: &str, sink: &mut dyn FnMut(&str)) {
        if !text.is_empty() {
            self.text.push_str(text);
            sink(text);
        }
    }

    /// Keeps the first id and model that are sent.
    pub(crate) fn name(&mut self, id: &str, model: &str) {
        if self.id.is_empty() {
            id.clone_into(&mut self.id);
        }
        if self.model.is_empty() {
            model.clone_into(&mut self.model);
        }
    }

    /// Returns the index of a piece of a call that brings none: a new id begins a call, anything
    /// else continues the last one.
    pub(crate) fn slot(&self, id: &str) -> u64 {
        let known = self.calls.iter().find(|(_, call)| !id.is_empty() && call.id == id);
        let last = self.calls.last().map_or(0, |(index, _)| *index);
        match known {
            Some((index, _)) => *index,
            None if id.is_empty() || self.calls.is_empty() => last,
            None => last + 1,
        }
    }

    /// Changes the tool call with this index; it is begun when there is none yet.
    pub(crate) fn call(&mut self, index: u64, change: impl FnOnce(&mut ToolCall)) {
        if let Some((_, call)) = self.calls.iter_mut().find(|(known, _)| *known == index) {
            change(call);
            return;
        }
        let mut call = ToolCall::default();
        change(&mut call);
        self.calls.push((index, call));
    }

    /// Returns the bytes of text, reasoning and arguments so far.
    pub(crate) fn held(&self) -> usize {
        let arguments: usize =
            self.calls.iter().map(|(_, call)| call.function.arguments.len()).sum();
        self.text.len() + self.reasoning.len() + arguments
    }

    pub(crate) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Returns the answer; calls without an id get one that none of the `before` earlier results
    /// has.
    pub(crate) fn response(&mut self, before: usize) -> ChatResponse {
        let reasoning = std::mem::take(&mut self.reasoning);
        let mut calls: Vec<ToolCall> =
            std::mem::take(&mut self.calls).into_iter().map(|(_, call)| call).collect();
        name_calls(&mut calls, before);
        ChatResponse {
            id: std::mem::take(&mut self.id),
            model: std::mem::take(&mut self.model),
            text: std::mem::take(&mut self.text),
            reasoning: (!reasoning.is_empty()).then_some(reasoning),
            tool_calls: calls,
            finish_reason: self.finish.take(),
            usage: self.usage,
        }
    }
}

/// Gives calls without an id one that no earlier call of the conversation has; `before` is the
/// number of tool results it holds.
pub(crate) fn name_calls(calls: &mut [ToolCall], before: usize) {
    for (index, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() {
            call.id = format!("call_{}", before + index + 1);
        }
    }
}

/// Returns the number of tool results in the conversation, so that new calls get new ids.
pub(crate) fn results_before(call: &ChatCall) -> usize {
    call.request.messages.iter().filter(|message| message.role == Role::Tool).count()
}
