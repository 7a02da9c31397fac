//! A whole run as one JSON value, with every text in place of its digest (AS-29).

use super::kept::Kept;
use crate::recorder::inline_texts;
use contexture_context::Digest;
use contexture_context::manifest::{MessageRecord, assemble};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A run with its texts inline.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// `{v, run, events}`. Items of a manifest have their `text` and `value`, messages their `text`;
    /// for one that is lost stands `{"$text": digest}` or `{"$value": digest}`.
    pub run: Value,
    /// The digests of the texts that are missing or altered.
    pub lost: BTreeSet<Digest>,
}

/// Returns the run with all texts inline, as far as they are there.
#[must_use]
pub fn export(kept: Kept<'_>) -> Exported {
    let mut texts = Texts { kept, lost: BTreeSet::new() };
    let events = kept.log.events.iter().map(|event| {
        let mut event = json!(event);
        if let Some(data) = event.get_mut("data") {
            texts.inline(data);
        }
        event
    });
    let events: Vec<Value> = events.collect();
    let run = json!({
        "v": contexture_context::TRACE_VERSION, "run": kept.log.id.to_string(), "events": events,
    });
    Exported { run, lost: texts.lost }
}

/// The texts of a run, and those that were not found.
struct Texts<'a> {
    kept: Kept<'a>,
    lost: BTreeSet<Digest>,
}

impl Texts<'_> {
    fn get(&mut self, digest: &Digest) -> Option<String> {
        let found = self.kept.text(digest).ok();
        if found.is_none() {
            self.lost.insert(digest.clone());
        }
        found
    }

    fn inline(&mut self, data: &mut Value) {
        self.note_values(data);
        inline_texts(data, &mut |digest| self.get(digest));
        if let Some(manifest) = data.get_mut("manifest") {
            self.note_values(manifest);
            self.inline_manifest(manifest);
        }
    }

    /// Notes the values that could not be put back when the run was read.
    fn note_values(&mut self, data: &Value) {
        let values = data.as_object().into_iter().flat_map(|fields| fields.values());
        let lost = values.filter(|value| value.get("bytes").is_some());
        self.lost.extend(lost.filter_map(|value| digest_of(value.get("$value"))));
    }

    fn inline_manifest(&mut self, manifest: &mut Value) {
        for item in members(manifest, "items") {
            self.replace(item, ("text", "text_digest", "$text"), Value::String);
            self.replace(item, ("value", "value_digest", "$value"), |text| {
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            });
        }
        for layer in members(manifest, "layers") {
            let text = digest_of(layer.get("digest")).and_then(|digest| self.get(&digest));
            if let (Some(text), Some(layer)) = (text, layer.as_object_mut()) {
                layer.insert("text".to_owned(), text.into());
            }
        }
        for message in members(manifest, "messages") {
            let record: Option<MessageRecord> = serde_json::from_value(message.clone()).ok();
            let sent =
                record.and_then(|record| assemble(&record.pieces, |digest| self.get(digest)).ok());
            if let (Some(sent), Some(message)) = (sent, message.as_object_mut()) {
                message.remove("pieces");
                message.insert("text".to_owned(), sent.into());
            }
        }
    }

    /// Inserts what a digest names under `name` and the digest under `digest_name`; what is lost is
    /// marked, so that its digest is not taken for it.
    fn replace(
        &mut self,
        item: &mut Value,
        (name, digest_name, mark): (&str, &str, &str),
        read: impl Fn(String) -> Value,
    ) {
        let Some(digest) = digest_of(item.get(name)) else { return };
        let text = self.get(&digest);
        let Some(item) = item.as_object_mut() else { return };
        match text {
            Some(text) => {
                item.insert(name.to_owned(), read(text));
                item.insert(digest_name.to_owned(), digest.to_string().into());
            }
            None => drop(item.insert(name.to_owned(), json!({ mark: digest }))),
        }
    }
}

fn members<'v>(manifest: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    manifest.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

fn digest_of(value: Option<&Value>) -> Option<Digest> {
    value.and_then(Value::as_str).and_then(|text| text.parse().ok())
}
