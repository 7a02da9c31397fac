//! `mock`: answers of the right type without a model.

use contexture_context::tokens::tokenizer_for;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink, Think};
use contexture_prompt::{ChatResponse, FinishReason, ResponseFormat, Usage};
use serde_json::{Map, Number, Value};

/// Its name, which its answers bear.
pub(crate) const NAME: &str = "mock";

/// A provider whose answers follow from the schema alone: for trying a program's flow.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mock;

impl Mock {
    /// Creates the mock.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl Provider for Mock {
    fn uri(&self) -> &'static str {
        NAME
    }

    fn calls_tools(&self) -> bool {
        false
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(LlmError::Cancelled);
            }
            let text = match answer_schema(call) {
                Some(schema) => placeholder(schema).to_string(),
                None => "mock answer".to_owned(),
            };
            if let Some(sink) = sink {
                sink(&text);
            }
            let mut reply = Reply::from(local_response(NAME, call, text));
            reply.warnings = unheeded_hints(NAME, call);
            Ok(reply)
        })
    }
}

/// Returns the schema that an answer has to follow, whichever field sets it.
pub(crate) fn answer_schema(call: &ChatCall) -> Option<&Value> {
    match (&call.schema, &call.request.response_format) {
        (Some(hint), _) => Some(&hint.schema),
        (None, Some(ResponseFormat::JsonSchema { json_schema })) => json_schema.schema.as_ref(),
        _ => None,
    }
}

/// Returns an answer made in this process, with its tokens counted.
pub(crate) fn local_response(model: &str, call: &ChatCall, text: String) -> ChatResponse {
    let counter = tokenizer_for(model);
    let prompt = call.request.messages.iter().map(|message| counter.count(&message.text()) as u64);
    let usage = Usage::new(prompt.sum(), counter.count(&text) as u64);
    ChatResponse {
        model: model.to_owned(),
        text,
        finish_reason: Some(FinishReason::Stop),
        usage,
        ..ChatResponse::default()
    }
}

/// Returns the hints of a call that mean nothing to a model in this process, for `debug` (AS-19).
pub(crate) fn unheeded_hints(model: &str, call: &ChatCall) -> Vec<String> {
    let reasons = call.think.is_some_and(|think| think != Think::Off);
    let hints = [("temperature", call.request.temperature.is_some()), ("think", reasons)];
    let given = hints.into_iter().filter(|(_, given)| *given);
    given.map(|(name, _)| format!("`{name}` was left out: {model} has no use for it")).collect()
}

/// Returns a placeholder that fits a JSON Schema: strings name their field, lists have two items,
/// the first of an enum is taken.
///
/// ```
/// use contexture_llm::mock::placeholder;
/// use serde_json::json;
/// let schema = json!({"type": "object", "properties": {
///     "title": {"type": "string"},
///     "tags": {"type": "array", "items": {"type": "string"}},
///     "score": {"type": "number"}
/// }});
/// assert_eq!(
///     placeholder(&schema),
///     json!({"title": "mock title", "tags": ["mock tags 1", "mock tags 2"], "score": 1})
/// );
/// ```
#[must_use]
pub fn placeholder(schema: &Value) -> Value {
    value_of(schema, "answer", 64)
}

fn value_of(schema: &Value, name: &str, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    if let Some(first) = schema.pointer("/enum/0").or_else(|| schema.get("const")) {
        return first.clone();
    }
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    if let Some(schema) = alternatives.into_iter().flatten().find(|schema| kind(schema) != "null") {
        return value_of(schema, name, depth);
    }
    match kind(schema) {
        "object" => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let fields: Map<String, Value> = properties
                .into_iter()
                .flatten()
                .map(|(key, schema)| (key.clone(), value_of(schema, key, depth)))
                .collect();
            Value::Object(fields)
        }
        "array" => {
            let item = |n: usize| match schema.get("items") {
                Some(items) => value_of(items, &format!("{name} {n}"), depth),
                None => Value::from(format!("mock {name} {n}")),
            };
            Value::Array(vec![item(1), item(2)])
        }
        "integer" | "number" => Value::Number(Number::from(1)),
        "boolean" => Value::Bool(true),
        "null" => Value::Null,
        _ => Value::from(format!("mock {}", name.replace('_', " "))),
    }
}

/// Returns the type a schema asks for; of several the first that is not `null`.
pub(crate) fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_prompt::OpenaiChatRequest;

    #[test]
    fn as_19_a_model_in_process_says_which_hints_it_does_not_heed() {
        let request = OpenaiChatRequest { temperature: Some(0.4), ..OpenaiChatRequest::default() };
        let call = ChatCall { think: Some(Think::High), ..ChatCall::from(request) };
        assert_eq!(
            unheeded_hints("mock", &call),
            [
                "`temperature` was left out: mock has no use for it",
                "`think` was left out: mock has no use for it",
            ]
        );
        let call = ChatCall { think: Some(Think::Off), ..ChatCall::default() };
        assert_eq!(unheeded_hints("mock", &call), Vec::<String>::new());
    }
}
