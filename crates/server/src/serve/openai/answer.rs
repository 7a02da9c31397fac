//! Answers in OpenAI's form: whole, or in chunks.

use super::ask::ChatAnswer;
use contexture::prompt::ToolCall;
use contexture_protocol::Refusal;
use serde_json::{Map, Value, json};

/// Returns the `object: "model"` of an agent.
pub(crate) fn model(id: &str, created: u64) -> Value {
    json!({ "id": id, "object": "model", "created": created, "owned_by": "contexture" })
}

/// Returns the `object: "chat.completion"`.
pub(crate) fn completion(id: &str, created: u64, model: &str, answer: ChatAnswer) -> Value {
    let finish = finish(&answer);
    let usage = usage(&answer);
    let is_silent = answer.text.is_empty() && !answer.calls.is_empty();
    let content = if is_silent { Value::Null } else { answer.text.into() };
    let mut message =
        json!({ "role": "assistant", "content": content, "refusal": null, "annotations": [] });
    if let (false, Some(fields)) = (answer.calls.is_empty(), message.as_object_mut()) {
        fields.insert("tool_calls".to_owned(), json!(answer.calls));
    }
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": finish,
    });
    let mut whole = json!({
        "id": id, "object": "chat.completion", "created": created, "model": model,
        "choices": [choice], "usage": usage,
    });
    tell_more(&mut whole, answer.more);
    whole
}

fn finish(answer: &ChatAnswer) -> &'static str {
    match answer {
        ChatAnswer { calls, .. } if !calls.is_empty() => "tool_calls",
        ChatAnswer { is_cut: true, .. } => "length",
        _ => "stop",
    }
}

fn usage(answer: &ChatAnswer) -> Value {
    let (prompt, completion) = (answer.prompt_tokens, answer.completion_tokens);
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt.saturating_add(completion),
    })
}

/// Adds the fields of this server beside those of OpenAI.
fn tell_more(whole: &mut Value, more: Map<String, Value>) {
    if let (Some(fields), false) = (whole.as_object_mut(), more.is_empty()) {
        fields.insert("contexture".to_owned(), Value::Object(more));
    }
}

/// The chunks of one stream: `object: "chat.completion.chunk"`.
pub(crate) struct Chunks {
    id: String,
    created: u64,
    model: String,
    with_usage: bool,
    /// The text sent so far of the incomplete answer.
    sent: String,
    /// True if a complete text was sent before it.
    is_after_break: bool,
}

impl Chunks {
    pub(crate) fn new(id: String, created: u64, model: String, with_usage: bool) -> Self {
        Self { id, created, model, with_usage, sent: String::new(), is_after_break: false }
    }

    /// Returns the first chunk, with the role.
    pub(crate) fn first(&self) -> Value {
        self.chunk(json!({ "role": "assistant", "content": "", "refusal": null }), Value::Null)
    }

    /// Returns the chunk of a piece of text.
    pub(crate) fn text(&mut self, text: &str) -> Option<Value> {
        if text.is_empty() {
            return None;
        }
        // The text after a tool call is a paragraph of its own.
        let gap = if std::mem::take(&mut self.is_after_break) { "\n\n" } else { "" };
        self.sent.push_str(text);
        Some(self.chunk(json!({ "content": format!("{gap}{text}") }), Value::Null))
    }

    /// Marks the text so far as complete in itself.
    pub(crate) fn pause(&mut self) {
        if !std::mem::take(&mut self.sent).is_empty() {
            self.is_after_break = true;
        }
    }

    /// Returns the last chunks: the rest of the text, the finish reason, and the usage.
    ///
    /// # Errors
    /// A refusal, if text was sent that the answer does not begin with.
    pub(crate) fn end(&mut self, answer: ChatAnswer) -> Result<Vec<Value>, Refusal> {
        let rest = answer.rest(&self.sent)?;
        let mut chunks: Vec<Value> = self.text(&rest).into_iter().collect();
        let calls = answer.calls.iter().enumerate();
        chunks.extend(calls.flat_map(|(index, call)| self.call(index, call)));
        let mut last = self.chunk(json!({}), finish(&answer).into());
        let usage = usage(&answer);
        tell_more(&mut last, answer.more);
        chunks.push(last);
        if self.with_usage {
            let mut last = self.chunk(json!({}), Value::Null);
            if let Some(fields) = last.as_object_mut() {
                fields.insert("choices".to_owned(), json!([]));
                fields.insert("usage".to_owned(), usage);
            }
            chunks.push(last);
        }
        Ok(chunks)
    }

    /// Returns the chunks of a call: its name, and its arguments.
    fn call(&self, index: usize, call: &ToolCall) -> [Value; 2] {
        let ToolCall { id, function, .. } = call;
        let begun = json!({
            "index": index, "id": id, "type": "function",
            "function": { "name": function.name, "arguments": "" },
        });
        let rest = json!({ "index": index, "function": { "arguments": function.arguments } });
        [begun, rest].map(|part| self.chunk(json!({ "tool_calls": [part] }), Value::Null))
    }

    fn chunk(&self, delta: Value, finish: Value) -> Value {
        let choice = json!({
            "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish,
        });
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created,
            "model": self.model, "choices": [choice],
        });
        if let (true, Some(fields)) = (self.with_usage, chunk.as_object_mut()) {
            fields.insert("usage".to_owned(), Value::Null);
        }
        chunk
    }
}
