//! The canonical JSON of a call, written without building it as a value first: a replayed run asks
//! for digests more often than for anything else.

use super::SchemaHint;
use contexture_context::digest::canonical_json;
use contexture_prompt::{ContentField, OpenaiChatMessage, OpenaiContentPart};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Returns the options and messages as `canonical_json` would write them.
pub(super) fn text(
    options: Map<String, Value>,
    schema: Option<&SchemaHint>,
    messages: &[OpenaiChatMessage],
) -> String {
    let mut fields: BTreeMap<String, String> =
        options.into_iter().map(|(name, value)| (name, canonical_json(&value))).collect();
    if let Some(SchemaHint { canonical, strict, .. }) = schema {
        let hint = format!("{{\"schema\":{canonical},\"strict\":{strict}}}");
        fields.insert("schema".to_owned(), hint);
    }
    fields.insert("messages".to_owned(), list(messages.iter().map(message)));
    let fields: Vec<String> =
        fields.into_iter().map(|(name, value)| format!("{}:{value}", string(&name))).collect();
    format!("{{{}}}", fields.join(","))
}

fn list(items: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for item in items {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

/// Returns a message; names of fields stand in order.
fn message(message: &OpenaiChatMessage) -> String {
    let plain = message.extra.is_empty() && message.tool_calls.is_none();
    let (true, Some(content)) = (plain, &message.content) else { return any(message) };
    let content = match content {
        ContentField::Text(text) => string(text),
        ContentField::Array(parts) => list(parts.iter().map(part)),
    };
    let mut out = format!("{{\"content\":{content}");
    if let Some(name) = &message.name {
        out.push_str(",\"name\":");
        out.push_str(&string(name));
    }
    out.push_str(",\"role\":");
    out.push_str(&string(message.role.as_str()));
    if let Some(id) = &message.tool_call_id {
        out.push_str(",\"tool_call_id\":");
        out.push_str(&string(id));
    }
    out.push('}');
    out
}

fn part(part: &OpenaiContentPart) -> String {
    match part {
        OpenaiContentPart::Text { text } => {
            format!("{{\"text\":{},\"type\":\"text\"}}", string(text))
        }
        other => any(other),
    }
}

fn string(text: &str) -> String {
    // A string always becomes JSON.
    serde_json::to_string(text).unwrap_or_default()
}

fn any(value: &impl Serialize) -> String {
    canonical_json(&serde_json::to_value(value).unwrap_or_default())
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
