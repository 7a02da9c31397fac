//! A response as it grows: its items, and the events that tell of them.

use super::super::ask::ChatAnswer;
use super::super::error::Failure;
use contexture::prompt::ToolCall;
use contexture_protocol::Refusal;
use serde_json::{Map, Value, json};

/// A response under way.
pub(crate) struct Items {
    /// The fields that do not change.
    fields: Map<String, Value>,
    /// The id without its prefix, of which those of items are made.
    stem: String,
    /// The number of the next event.
    number: u64,
    output: Vec<Value>,
    /// The text of the message under way.
    open: Option<String>,
    /// The messages so far.
    messages: usize,
}

impl Items {
    pub(crate) fn new(id: &str, created: u64, model: &str, echo: Map<String, Value>) -> Self {
        let stem = id.strip_prefix("resp_").unwrap_or(id).to_owned();
        let own = json!({
            "id": id, "object": "response", "created_at": created, "completed_at": null,
            "status": "in_progress", "incomplete_details": null, "model": model, "output": [],
            "error": null, "usage": null,
        });
        let mut fields = match own {
            Value::Object(own) => own,
            _ => Map::new(),
        };
        fields.extend(echo);
        Self { fields, stem, number: 0, output: Vec::new(), open: None, messages: 0 }
    }

    /// Returns the first events.
    pub(crate) fn begin(&mut self) -> Vec<Value> {
        let response = Value::Object(self.fields.clone());
        let of = |kind: &str| json!({ "type": kind, "response": response });
        let all = [of("response.created"), of("response.in_progress")];
        all.into_iter().map(|event| self.numbered(event)).collect()
    }

    /// Returns the events of a piece of text.
    pub(crate) fn text(&mut self, text: &str) -> Vec<Value> {
        if text.is_empty() {
            return Vec::new();
        }
        let mut events = if self.open.is_none() { self.begin_message() } else { Vec::new() };
        self.open.get_or_insert_default().push_str(text);
        let mut event = self.part_event("response.output_text.delta");
        put(&mut event, "delta", text.into());
        put(&mut event, "logprobs", json!([]));
        events.push(self.numbered(event));
        events
    }

    /// Returns the events at the end of a message after which the agent goes on.
    pub(crate) fn pause(&mut self) -> Vec<Value> {
        self.end_message("completed")
    }

    /// Returns the last events; the last one has the whole response.
    ///
    /// # Errors
    /// A refusal, if text was sent that the answer does not begin with.
    pub(crate) fn end(&mut self, answer: ChatAnswer, now: u64) -> Result<Vec<Value>, Refusal> {
        let sent = self.open.clone().unwrap_or_default();
        let rest = answer.rest(&sent)?;
        let mut events = self.text(&rest);
        let status = if answer.is_cut { "incomplete" } else { "completed" };
        if self.open.is_none() && answer.calls.is_empty() && self.output.is_empty() {
            events.extend(self.begin_message());
            self.open = Some(String::new());
        }
        events.extend(self.end_message(status));
        for (place, call) in answer.calls.iter().enumerate() {
            events.extend(self.call(place, call));
        }
        let (prompt, completion) = (answer.prompt_tokens, answer.completion_tokens);
        self.fields.insert(
            "usage".to_owned(),
            json!({
                "input_tokens": prompt, "input_tokens_details": { "cached_tokens": 0 },
                "output_tokens": completion, "output_tokens_details": { "reasoning_tokens": 0 },
                "total_tokens": prompt.saturating_add(completion),
            }),
        );
        if answer.is_cut {
            let reason = json!({ "reason": "max_output_tokens" });
            self.fields.insert("incomplete_details".to_owned(), reason);
        } else {
            self.fields.insert("completed_at".to_owned(), now.into());
        }
        if !answer.more.is_empty() {
            self.fields.insert("contexture".to_owned(), answer.more.into());
        }
        events.push(self.ended(status));
        Ok(events)
    }

    /// Returns the last event of a response that failed.
    pub(crate) fn fail(&mut self, refused: &Refusal) -> Value {
        let Failure { code, message, .. } = Failure::of(refused);
        self.fields.insert("error".to_owned(), json!({ "code": code, "message": message }));
        self.end_message("incomplete");
        self.ended("failed")
    }

    /// Returns the response as it stands.
    pub(crate) fn into_response(self) -> Value {
        Value::Object(self.fields)
    }

    fn ended(&mut self, status: &str) -> Value {
        self.fields.insert("status".to_owned(), status.into());
        self.fields.insert("output".to_owned(), self.output.clone().into());
        let kind = format!("response.{status}");
        let event = json!({ "type": kind, "response": self.fields });
        self.numbered(event)
    }

    fn begin_message(&mut self) -> Vec<Value> {
        self.messages += 1;
        let item = self.message("in_progress", json!([]));
        let added = json!({ "type": "response.output_item.added", "output_index": self.output.len(), "item": item });
        let mut part = self.part_event("response.content_part.added");
        put(&mut part, "part", of_text(""));
        [added, part].into_iter().map(|event| self.numbered(event)).collect()
    }

    fn end_message(&mut self, status: &str) -> Vec<Value> {
        let Some(text) = self.open.take() else { return Vec::new() };
        let mut done = self.part_event("response.output_text.done");
        put(&mut done, "text", text.as_str().into());
        put(&mut done, "logprobs", json!([]));
        let mut part = self.part_event("response.content_part.done");
        put(&mut part, "part", of_text(&text));
        let item = self.message(status, json!([of_text(&text)]));
        let whole = self.done(item);
        [done, part, whole].into_iter().map(|event| self.numbered(event)).collect()
    }

    fn call(&mut self, place: usize, call: &ToolCall) -> Vec<Value> {
        let id = format!("fc_{}_{place}", self.stem);
        let index = self.output.len();
        let item = |arguments: &str, status: &str| {
            json!({
                "id": id, "type": "function_call", "status": status, "call_id": call.id,
                "name": call.function.name, "arguments": arguments,
            })
        };
        let arguments = call.function.arguments.as_str();
        let added = json!({
            "type": "response.output_item.added", "output_index": index,
            "item": item("", "in_progress"),
        });
        let delta = json!({
            "type": "response.function_call_arguments.delta", "item_id": id,
            "output_index": index, "delta": arguments,
        });
        let done = json!({
            "type": "response.function_call_arguments.done", "item_id": id,
            "output_index": index, "name": call.function.name, "arguments": arguments,
        });
        let whole = self.done(item(arguments, "completed"));
        [added, delta, done, whole].into_iter().map(|event| self.numbered(event)).collect()
    }

    /// Adds an item to the output, and returns the event of its end.
    fn done(&mut self, item: Value) -> Value {
        let index = self.output.len();
        self.output.push(item.clone());
        json!({ "type": "response.output_item.done", "output_index": index, "item": item })
    }

    fn message(&self, status: &str, content: Value) -> Value {
        json!({
            "id": self.message_id(), "type": "message", "status": status, "role": "assistant",
            "content": content,
        })
    }

    fn message_id(&self) -> String {
        format!("msg_{}_{}", self.stem, self.messages)
    }

    fn part_event(&self, kind: &str) -> Value {
        json!({
            "type": kind, "item_id": self.message_id(), "output_index": self.output.len(),
            "content_index": 0,
        })
    }

    fn numbered(&mut self, mut event: Value) -> Value {
        put(&mut event, "sequence_number", self.number.into());
        self.number += 1;
        event
    }
}

fn of_text(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn put(event: &mut Value, name: &str, value: Value) {
    if let Some(fields) = event.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}
