//! A run that was exported, as a store of one run (IN-1, IN-14).

use contexture_context::Digest;
use contexture_context::manifest::Blob;
use contexture_store::masker::Masker;
use contexture_store::runs::{InMemoryRuns, LINE_BYTES, RunError, RunId, RunStore, RunWriter};
use contexture_store::stamp;
use serde_json::{Value, json};
use std::io::{BufRead, Read as _};
use std::sync::Arc;

/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// Reads a run as [`export`](super::export) gives it, in JSON lines or as one object, into a store of
/// its own, under a new id. A line that is not an event is kept, and told when the run is read.
///
/// # Errors
/// [`RunError`] when the file can't be read, or has no event.
pub fn import(name: &str, reader: impl BufRead) -> Result<(Arc<dyn RunStore>, RunId), RunError> {
    let failed = |reason: String| RunError::Io { path: name.to_owned(), reason };
    let store = InMemoryRuns::new(stamp::system());
    let run = store.begin(Arc::new(Masker::default()))?;
    let mut reader = reader.take(FILE_BYTES);
    let mut events = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|error| failed(error.to_string()))? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        match serde_json::from_str::<Value>(&text) {
            Ok(mut value) if value.get("events").is_some() => {
                for event in
                    value.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten()
                {
                    events += 1;
                    add(&*run, event)?;
                }
            }
            Ok(mut event) => {
                events += u64::from(event.get("kind").is_some());
                add(&*run, &mut event)?;
            }
            Err(_) => run.append_lines(&format!("{}\n", text.trim_end()))?,
        }
    }
    if events == 0 {
        let reason = "it has no event, expected what `contexture trace export` prints";
        return Err(failed(reason.to_owned()));
    }
    let id = run.id().clone();
    Ok((Arc::new(store), id))
}

fn add(run: &dyn RunWriter, event: &mut Value) -> Result<(), RunError> {
    let mut blobs = Vec::new();
    if let Some(manifest) = event.pointer_mut("/data/manifest") {
        for item in members(manifest, "items") {
            restore(item, "text", "text_digest", &mut blobs);
            restore(item, "value", "value_digest", &mut blobs);
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

/// Puts a digest back where its text stands.
fn restore(item: &mut Value, name: &str, digest_name: &str, blobs: &mut Vec<Blob>) {
    let Some(fields) = item.as_object_mut() else { return };
    let digest = fields.get(digest_name).and_then(Value::as_str).and_then(|text| text.parse().ok());
    let Some(digest) = digest else { return };
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
