//! The value of a reply.

use crate::port::{Content, Reply};
use serde_json::{Value, json};

/// Returns the value of a reply: its structured part when it has one, the text of a single text,
/// nothing of none, and a list of its parts otherwise. Images and the like are described, not
/// carried.
#[must_use]
pub fn value(reply: Reply) -> Value {
    if let Some(structured) = reply.structured {
        return structured;
    }
    let mut parts: Vec<Value> = match <[Content; 1]>::try_from(reply.content) {
        Ok([Content::Text(text)]) => return text.into(),
        Ok([part]) => return described(part),
        Err(parts) => parts.into_iter().map(described).collect(),
    };
    if parts.is_empty() { Value::Null } else { std::mem::take(&mut parts).into() }
}

/// Returns the message of a failed reply.
#[must_use]
pub fn words(reply: &Reply) -> String {
    let texts: Vec<&str> = reply
        .content
        .iter()
        .filter_map(|part| match part {
            Content::Text(text) | Content::Resource { text, .. } => Some(text.trim()),
            Content::Bytes { .. } | Content::Link { .. } => None,
        })
        .filter(|text| !text.is_empty())
        .collect();
    match (texts.is_empty(), &reply.structured) {
        (true, Some(value)) => value.to_string(),
        _ => texts.join("; "),
    }
}

fn described(part: Content) -> Value {
    match part {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Bytes { kind, mime, bytes, uri } => {
            let mut object = json!({ "type": kind, "mime": mime, "bytes": bytes });
            if let (Some(uri), Some(fields)) = (uri, object.as_object_mut()) {
                fields.insert("uri".to_owned(), uri.into());
            }
            object
        }
        Content::Resource { uri, mime, text } => {
            json!({ "type": "resource", "uri": uri, "mime": mime, "text": text })
        }
        Content::Link { uri, name } => json!({ "type": "link", "uri": uri, "name": name }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(content: Vec<Content>) -> Reply {
        Reply { content, ..Reply::default() }
    }

    #[test]
    fn as_25_reply_is_structured_value_text_or_parts() {
        let text = |text: &str| Content::Text(text.to_owned());
        assert_eq!(value(reply(vec![text("hi")])), json!("hi"));
        assert_eq!(value(reply(vec![])), Value::Null);
        let image = Content::Bytes {
            kind: "image",
            mime: Some("image/png".to_owned()),
            bytes: 12,
            uri: None,
        };
        let described = json!({"type": "image", "mime": "image/png", "bytes": 12});
        assert_eq!(value(reply(vec![image.clone()])), described);
        assert_eq!(
            value(reply(vec![text("hi"), image])),
            json!([{"type": "text", "text": "hi"}, described])
        );
        let structured = Reply { structured: Some(json!({"n": 1})), ..reply(vec![text("{}")]) };
        assert_eq!(value(structured), json!({"n": 1}));
        let null = Reply { structured: Some(Value::Null), ..reply(vec![text("x")]) };
        assert_eq!(value(null), Value::Null);
    }

    #[test]
    fn as_25_failure_reports_what_tool_says() {
        let texts = vec![Content::Text(" no such file ".into()), Content::Text("sorry".into())];
        assert_eq!(words(&reply(texts)), "no such file; sorry");
        let structured = Reply { structured: Some(json!({"code": 4})), ..reply(vec![]) };
        assert_eq!(words(&structured), "{\"code\":4}");
    }
}
