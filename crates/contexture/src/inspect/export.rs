//! A whole run as one JSON value, with every text in place of its digest (AS-29).

use super::kept::Kept;
use crate::recorder::inline_texts;
use contexture_context::Digest;
use serde_json::{Value, json};

/// Returns the run with all texts inline: `{v, run, events}`. Items of a manifest have their `text`
/// and `value`, messages their `text`.
#[must_use]
pub fn export(kept: Kept<'_>) -> Value {
    let events = kept.log.events.iter().map(|event| {
        let mut event = json!(event);
        if let Some(data) = event.get_mut("data") {
            inline_texts(data, &mut |digest| kept.text(digest).ok());
            if let Some(manifest) = data.get_mut("manifest") {
                inline_manifest(kept, manifest);
            }
        }
        event
    });
    let events: Vec<Value> = events.collect();
    json!({ "v": contexture_context::TRACE_VERSION, "run": kept.log.id.to_string(), "events": events })
}

fn inline_manifest(kept: Kept<'_>, manifest: &mut Value) {
    for item in members(manifest, "items") {
        replace(kept, item, "text", "text_digest", Value::String);
        replace(kept, item, "value", "value_digest", |text| {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        });
    }
    for layer in members(manifest, "layers") {
        let digest = digest_of(layer.get("digest"));
        if let (Some(text), Some(layer)) =
            (digest.and_then(|digest| kept.text(&digest).ok()), layer.as_object_mut())
        {
            layer.insert("text".to_owned(), text.into());
        }
    }
    for message in members(manifest, "messages") {
        let record = serde_json::from_value(message.clone()).ok();
        let sent = record.and_then(|record| kept.message(&record).ok());
        if let (Some(sent), Some(message)) = (sent, message.as_object_mut()) {
            message.remove("pieces");
            message.insert("text".to_owned(), sent.text.into());
        }
    }
}

fn members<'v>(manifest: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    manifest.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

fn digest_of(value: Option<&Value>) -> Option<Digest> {
    value.and_then(Value::as_str).and_then(|text| text.parse().ok())
}

/// Inserts the value that a digest names under `name`, and the digest under `digest_name`.
fn replace(
    kept: Kept<'_>,
    item: &mut Value,
    name: &str,
    digest_name: &str,
    read: impl Fn(String) -> Value,
) {
    let Some(digest) = digest_of(item.get(name)) else { return };
    let Ok(text) = kept.text(&digest) else { return };
    if let Some(item) = item.as_object_mut() {
        item.insert(name.to_owned(), read(text));
        item.insert(digest_name.to_owned(), digest.to_string().into());
    }
}
