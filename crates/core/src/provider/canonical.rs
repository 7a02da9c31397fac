//! The canonical JSON of a call, written without building it as a value first: a replayed run asks
//! for digests more often than for anything else.

use super::SchemaHint;
use contexture_context::digest::canonical_json;
use contexture_prompt::{ContentField, OpenaiChatMessage, OpenaiContentPart};
use serde::Serialize;
use serde_json::{Map, Value};

/// Returns the options and messages as `canonical_json` would write them.
pub(super) fn text(
    options: &Map<String, Value>,
    schema: Option<&SchemaHint>,
    messages: &[OpenaiChatMessage],
) -> String {
    let mut names: Vec<&str> = options.keys().map(String::as_str).collect();
    names.push("messages");
    names.extend(schema.map(|_| "schema"));
    names.sort_unstable();
    names.dedup();
    let mut out = Json::default();
    let mut before = "{";
    for name in names {
        out.raw(before);
        out.string(name);
        out.raw(":");
        match (name, options.get(name), schema) {
            ("schema", _, Some(schema)) => out.schema(schema),
            (_, Some(value), _) => out.raw(&canonical_json(value)),
            _ => out.list(messages, Json::message),
        }
        before = ",";
    }
    out.raw("}");
    // What is written are strings and JSON.
    String::from_utf8(out.0).unwrap_or_default()
}

/// JSON as it is written.
#[derive(Default)]
struct Json(Vec<u8>);

impl Json {
    fn raw(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    fn string(&mut self, text: &str) {
        // A string always becomes JSON.
        let _ = serde_json::to_writer(&mut self.0, text);
    }

    fn any(&mut self, value: &impl Serialize) {
        self.raw(&canonical_json(&serde_json::to_value(value).unwrap_or_default()));
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.raw("[");
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.raw(",");
            }
            write(self, item);
        }
        self.raw("]");
    }

    fn schema(&mut self, SchemaHint { canonical, strict, .. }: &SchemaHint) {
        self.raw("{\"schema\":");
        self.raw(canonical);
        self.raw(if *strict { ",\"strict\":true}" } else { ",\"strict\":false}" });
    }

    /// Writes a message; names of fields stand in order.
    fn message(&mut self, message: &OpenaiChatMessage) {
        let plain = message.extra.is_empty() && message.tool_calls.is_none();
        let (true, Some(content)) = (plain, &message.content) else { return self.any(message) };
        self.raw("{\"content\":");
        match content {
            ContentField::Text(text) => self.string(text),
            ContentField::Array(parts) => self.list(parts, Self::part),
        }
        if let Some(name) = &message.name {
            self.raw(",\"name\":");
            self.string(name);
        }
        self.raw(",\"role\":");
        self.string(message.role.as_str());
        if let Some(id) = &message.tool_call_id {
            self.raw(",\"tool_call_id\":");
            self.string(id);
        }
        self.raw("}");
    }

    fn part(&mut self, part: &OpenaiContentPart) {
        match part {
            OpenaiContentPart::Text { text } => {
                self.raw("{\"text\":");
                self.string(text);
                self.raw(",\"type\":\"text\"}");
            }
            other => self.any(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::provider::{ChatCall, SchemaHint, Think};
    use contexture_context::Digest;
    use contexture_prompt::{
        ContentField, OpenaiChatMessage, OpenaiChatRequest, OpenaiContentPart, Role, ToolCall,
    };
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn as_30_digest_is_that_of_canonical_request(
            texts in prop::collection::vec("\\PC{0,12}|[\"\\\\\u{0}-\u{1f}]{0,4}", 1..5),
            kinds in prop::collection::vec(0u8..6, 1..5),
            temperature in prop::option::of(-2.0f64..2.0),
        ) {
            let messages = texts.iter().zip(kinds.iter().cycle()).map(|(text, kind)| {
                let mut message = OpenaiChatMessage::of_text(Role::User, text.as_str());
                match kind {
                    0 => message.name = Some(text.clone()),
                    1 => message.content = Some(ContentField::Text(text.clone())),
                    2 => message.tool_calls = Some(vec![ToolCall::function("i", "f", text.as_str())]),
                    3 => message.tool_call_id = Some(text.clone()),
                    4 => drop(message.extra.insert("a".into(), json!({"b": text}))),
                    _ => message = OpenaiChatMessage::new(Role::Tool, vec![
                        OpenaiContentPart::image_url(text.as_str()), OpenaiContentPart::text("x")
                    ]),
                }
                message
            });
            let request = OpenaiChatRequest {
                model: "m".into(),
                messages: messages.collect(),
                temperature,
                extra: [("schema".to_owned(), json!(1)), ("a".to_owned(), json!(null))].into_iter().collect(),
                ..OpenaiChatRequest::default()
            };
            let call = ChatCall {
                schema: Some(SchemaHint::of_schema("a", json!({"z": 1, "a": [1.0]})).into()),
                think: Some(Think::Auto),
                max_output: Some(3),
                ..ChatCall::from(request)
            };
            prop_assert_eq!(call.digest(), Digest::of_json(&call.canonical()));
        }
    }
}
