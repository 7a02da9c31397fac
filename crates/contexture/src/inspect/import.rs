//! A run that was exported, as a store of one run (IN-1, IN-14).

use contexture_context::Digest;
use contexture_context::manifest::Blob;
use contexture_store::masker::Masker;
use contexture_store::runs::{InMemoryRuns, LINE_BYTES, RunError, RunId, RunStore, RunWriter};
use contexture_store::stamp;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, Read as _};
use std::sync::Arc;

/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// The most events that a remark names.
const TOLD: usize = 10;

/// Reads a run as [`export`](super::export) gives it, in JSON lines or as one object, into a store of
/// its own. It keeps the id that the file names, so that it is the run of the same trace at a
/// collector. What is not an event, and events that are in no other, are told when the run is read.
///
/// # Errors
/// [`RunError`] when the file can't be read, or has no event.
pub fn import(name: &str, reader: impl BufRead) -> Result<(Arc<dyn RunStore>, RunId), RunError> {
    let failed = |reason: String| RunError::Io { path: name.to_owned(), reason };
    let store = InMemoryRuns::new(stamp::system());
    let mut reader = reader.take(FILE_BYTES);
    let mut run: Option<Box<dyn RunWriter>> = None;
    let mut parents = HashMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|error| failed(error.to_string()))? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        let value = serde_json::from_str::<Value>(&text);
        let run = match &mut run {
            Some(run) => run,
            None => run.insert(begun(&store, value.as_ref().ok())?),
        };
        match value {
            Ok(mut value) if value.get("events").is_some() => {
                let events = value.get_mut("events").and_then(Value::as_array_mut);
                for event in events.into_iter().flatten() {
                    add(&**run, event, &mut parents)?;
                }
            }
            Ok(mut event) => add(&**run, &mut event, &mut parents)?,
            Err(_) => run.append_lines(&format!("{}\n", text.trim_end()))?,
        }
    }
    let Some(run) = run.filter(|_| !parents.is_empty()) else {
        let reason = "it has no event, expected what `contexture trace export` prints";
        return Err(failed(reason.to_owned()));
    };
    let id = run.id().clone();
    if let Some(note) = apart(&parents) {
        store.note(&id, note);
    }
    Ok((Arc::new(store), id))
}

/// Begins a run under the id that the first line of a file names.
fn begun(store: &InMemoryRuns, first: Option<&Value>) -> Result<Box<dyn RunWriter>, RunError> {
    let masker = Arc::new(Masker::default());
    let named = first.and_then(|first| first.get("run")?.as_str());
    match named.and_then(RunId::parse) {
        Some(id) => Ok(store.begin_as(id, masker)),
        None => store.begin(masker),
    }
}

/// Tells of the events that no tree has: those within each other, and those in an event that the file
/// lacks.
fn apart(parents: &HashMap<u64, Option<u64>>) -> Option<String> {
    let mut within: HashMap<u64, bool> = HashMap::new();
    for id in parents.keys() {
        let (mut way, mut at) = (Vec::new(), *id);
        let is_within = loop {
            if let Some(known) = within.get(&at) {
                break *known;
            }
            // An event on the way is not within the tree unless the way ends at its root.
            within.insert(at, false);
            way.push(at);
            match parents.get(&at) {
                Some(Some(parent)) => at = *parent,
                Some(None) => break true,
                None => break false,
            }
        };
        way.into_iter().for_each(|id| {
            within.insert(id, is_within);
        });
    }
    let lost = |id: &&u64| within.get(*id) == Some(&false);
    let mut apart: Vec<u64> = parents.keys().filter(lost).copied().collect();
    apart.sort_unstable();
    let names: Vec<String> = apart.iter().take(TOLD).map(u64::to_string).collect();
    let more = match apart.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!apart.is_empty()).then(|| {
        format!(
            "events that are within each other, or in an event that the file lacks, are not shown: \
             {}{more}",
            names.join(", ")
        )
    })
}

fn add(
    run: &dyn RunWriter,
    event: &mut Value,
    parents: &mut HashMap<u64, Option<u64>>,
) -> Result<(), RunError> {
    let number = |name: &str| event.get(name).and_then(Value::as_u64);
    if let Some(id) = number("id").filter(|_| event.get("kind").is_some()) {
        parents.entry(id).or_insert(number("parent"));
    }
    let mut blobs = Vec::new();
    if let Some(manifest) = event.pointer_mut("/data/manifest") {
        for item in members(manifest, "items") {
            restore(item, ("text", "text_digest", "$text"), &mut blobs);
            restore(item, ("value", "value_digest", "$value"), &mut blobs);
        }
        for layer in members(manifest, "layers") {
            take_text(layer, &mut blobs);
        }
        for message in members(manifest, "messages") {
            if let Some(digest) = take_text(message, &mut blobs)
                && let Some(fields) = message.as_object_mut()
            {
                fields.insert("pieces".to_owned(), json!([{ "blob": digest }]));
            }
        }
    }
    run.keep(&blobs)?;
    run.append_lines(&format!("{event}\n"))
}

fn members<'v>(manifest: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    manifest.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Puts a digest back where its text stands, or the mark of one that was lost.
fn restore(item: &mut Value, (name, digest_name, mark): (&str, &str, &str), blobs: &mut Vec<Blob>) {
    let Some(fields) = item.as_object_mut() else { return };
    let parse = |value: &Value| value.as_str().and_then(|text| text.parse().ok());
    let digest: Option<Digest> = fields.get(digest_name).and_then(parse);
    let Some(digest) = digest else {
        let lost: Option<Digest> = fields.get(name).and_then(|value| parse(value.get(mark)?));
        if let Some(lost) = lost {
            fields.insert(name.to_owned(), json!(lost));
        }
        return;
    };
    let text = match fields.get(name) {
        Some(Value::String(text)) if name == "text" => text.clone(),
        Some(value) => value.to_string(),
        None => return,
    };
    fields.remove(digest_name);
    fields.insert(name.to_owned(), json!(digest));
    blobs.push(Blob { digest, text });
}

/// Takes the text of a part that names its digest, which is returned.
fn take_text(part: &mut Value, blobs: &mut Vec<Blob>) -> Option<Digest> {
    let fields = part.as_object_mut()?;
    let digest: Digest = fields.get("digest")?.as_str()?.parse().ok()?;
    let Some(Value::String(text)) = fields.remove("text") else { return None };
    blobs.push(Blob { digest: digest.clone(), text });
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr_1_mark_of_lost_text_becomes_its_digest() {
        let digest = Digest::of_text("gone");
        let items = json!([{ "text": { "$text": digest }, "value": { "$value": digest } }]);
        let data = json!({ "manifest": { "items": items } });
        let line = json!({ "v": 1, "id": 1, "kind": "generate", "start_us": 1, "data": data });
        let (store, id) = import("run.jsonl", line.to_string().as_bytes()).unwrap();
        let log = store.load(&id).unwrap();
        let item = &log.events[0].data["manifest"]["items"][0];
        assert_eq!(item, &json!({ "text": digest, "value": digest }));
    }
}
