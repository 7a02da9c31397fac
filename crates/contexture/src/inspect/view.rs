//! What the inspector shows of a run, as JSON (IN-4): its head, a model call, a prompt, a text.

use super::kept::{Call, InspectError, Kept, SentRequest};
use super::listed::listed;
use contexture_context::manifest::{ItemRecord, Layer, MessageRecord, Piece, Span};
use contexture_context::secrets::MASK;
use contexture_context::{Digest, Manifest};
use contexture_store::runs::{RunEntry, RunError, RunId, RunStore};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// The longest text of a message in a prompt, in bytes; a longer one is read by parts.
pub const LONGEST_MESSAGE: usize = 64 << 10;

/// The most bytes of a part of a text.
pub const MOST_TEXT: usize = 256 << 10;

/// The state of a run under way.
pub const RUNNING: &str = "RUNNING";

/// Returns a run as lists have it, with its state in the words of flows.
#[must_use]
pub fn described(entry: &RunEntry) -> Value {
    let mut value = listed(entry);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("state".to_owned(), state(entry).into());
    }
    value
}

/// Returns the state of a run in the words of flows.
#[must_use]
pub fn state(entry: &RunEntry) -> &'static str {
    match entry.outcome.as_deref() {
        Some("done") => "COMPLETED",
        Some("cancelled") => "CANCELLED",
        Some(_) => "FAILED",
        None if entry.running => RUNNING,
        None => "INTERRUPTED",
    }
}

/// Returns the id of the trace that a run is exported as: the first 16 bytes of the SHA-256 of the run's
/// id, in hexadecimal digits.
#[must_use]
pub fn trace_id(run: &RunId) -> String {
    Digest::of_text(run.as_str()).hex().chars().take(32).collect()
}

/// Returns the head of a run: what lists have, the number of its lines and of its prompts, the id of
/// its trace, and remarks. A call that asked no model has a prompt, too.
///
/// # Errors
/// [`RunError`] when there is no such run or it can't be read.
pub fn head(store: &dyn RunStore, id: &RunId) -> Result<Value, RunError> {
    let mut value = described(&store.entry(id)?);
    // No call is number 0: the head alone is read.
    let head = store.head(id, 0..=0)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("lines".to_owned(), head.lines.into());
        fields.insert("prompts".to_owned(), head.calls.into());
        fields.insert("trace".to_owned(), trace_id(id).into());
        fields.insert("notes".to_owned(), json!(head.log.notes));
    }
    Ok(value)
}

/// Returns a model call: `{run, call, event, manifest}`, the manifest with its attempts.
///
/// # Errors
/// [`InspectError`] when there is no such call.
pub fn call(kept: Kept<'_>, number: u64) -> Result<Value, InspectError> {
    Ok(call_answer(kept, &kept.call(number)?))
}

pub(super) fn call_answer(kept: Kept<'_>, call: &Call<'_>) -> Value {
    let mut data = call.event.data.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.remove("manifest");
        fields.remove("attempts");
    }
    let mut manifest = json!(call.manifest);
    let items = manifest.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten();
    for (value, item) in items.zip(&call.manifest.items) {
        mark_later(value, &call.manifest, item);
    }
    json!({
        "run": kept.log.id.to_string(),
        "call": call.manifest.call,
        "event": {
            "id": call.event.id,
            "start_us": call.event.start_us,
            "duration_us": call.event.duration_us,
            "data": data,
        },
        "manifest": manifest,
    })
}

/// Returns the prompt of a model call as it was sent, with the places of its parts: `{messages,
/// items, layers, tools, attempts}`. A message longer than [`LONGEST_MESSAGE`] has no text.
///
/// # Errors
/// [`InspectError`] when there is no such call, or a text of it is missing.
pub fn prompt(kept: Kept<'_>, number: u64) -> Result<Value, InspectError> {
    prompt_answer(kept, &kept.call(number)?)
}

pub(super) fn prompt_answer(kept: Kept<'_>, call: &Call<'_>) -> Result<Value, InspectError> {
    let requests = kept.requests(call)?;
    let base = call.manifest.messages.len();
    let first = requests.first();
    let sent = |index: usize| first.and_then(|first| first.messages.get(index));
    let is_masked = (0..base).filter_map(sent).any(|sent| sent.text.contains(MASK));
    let manifest = match is_masked {
        true => placed(kept, &call.manifest),
        false => Cow::Borrowed(&call.manifest),
    };
    let messages: Vec<Value> = manifest
        .messages
        .iter()
        .enumerate()
        .map(|(index, record)| message(record, sent(index).map(|sent| sent.text.as_str())))
        .collect();
    let items: Vec<Value> = manifest.items.iter().map(|it| item(&manifest, it)).collect();
    let layers: Vec<Value> = manifest.layers.iter().map(|it| layer(kept, &manifest, it)).collect();
    let tools = first.map(|first| first.tools.clone()).unwrap_or_default();
    let attempts: Vec<Value> = requests.iter().map(|request| attempt(request, base)).collect();
    Ok(json!({
        "messages": messages, "items": items, "layers": layers, "tools": tools,
        "attempts": attempts,
    }))
}

fn message(record: &MessageRecord, text: Option<&str>) -> Value {
    let bytes = text.map_or(0, str::len);
    json!({
        "role": record.role,
        "text": text.filter(|text| text.len() <= LONGEST_MESSAGE),
        "bytes": bytes,
        "tokens": record.tokens,
        "digest": record.digest,
    })
}

fn attempt(request: &SentRequest, base: usize) -> Value {
    let answered = json!({
        "attempt": request.attempt,
        "messages": request.messages.get(base..).unwrap_or_default(),
        "answer": request.answer,
        "errors": request.errors,
    });
    match request.kept {
        Some(kept) => with(answered, "kept", kept.into()),
        None => answered,
    }
}

fn item(manifest: &Manifest, item: &ItemRecord) -> Value {
    let mut value = with(json!(item), "span", json!(item_span(manifest, item)));
    mark_later(&mut value, manifest, item);
    value
}

fn mark_later(value: &mut Value, manifest: &Manifest, item: &ItemRecord) {
    if let Some(fields) = value.as_object_mut().filter(|_| is_later(manifest, item)) {
        fields.insert("later".to_owned(), true.into());
    }
}

/// Reports whether an item is not of the prompt but came after it: the result of a tool that the
/// model asked for. Records of version 1 do not say so.
pub(super) fn is_later(manifest: &Manifest, item: &ItemRecord) -> bool {
    let is_left_out = item.cuts.iter().any(|cut| cut.left_out);
    manifest.version > 1 && item.tokens > 0 && !is_left_out && item_span(manifest, item).is_none()
}

/// Returns a manifest with the places of items and layers in the texts as they are kept: a part that
/// the record has masked is longer or shorter there than it was sent.
pub(super) fn placed<'a>(kept: Kept<'_>, manifest: &'a Manifest) -> Cow<'a, Manifest> {
    let mut placed = Cow::Borrowed(manifest);
    for (message, record) in manifest.messages.iter().enumerate() {
        let Some(moved) = moved(kept, manifest, (message, record)) else { continue };
        let place = |at: &mut usize| *at = moved.get(at).copied().unwrap_or(*at);
        let placed = placed.to_mut();
        let items = placed.messages.iter_mut().skip(message).take(1);
        for span in items.flat_map(|record| &mut record.spans) {
            place(&mut span.start);
            place(&mut span.end);
        }
        let layers = placed.layers.iter_mut().filter_map(|layer| layer.span.as_mut());
        for span in layers.filter(|span| span.message == message) {
            place(&mut span.start);
            place(&mut span.end);
        }
    }
    placed
}

/// Returns where the borders of items and layers stand in a message as it is kept, by where they
/// stood in what was sent; `None` where no piece was masked.
fn moved(
    kept: Kept<'_>,
    manifest: &Manifest,
    (message, record): (usize, &MessageRecord),
) -> Option<HashMap<usize, usize>> {
    let layers = manifest.layers.iter().filter_map(|layer| layer.span.as_ref());
    let of_layers = layers.filter(|span| span.message == message);
    let of_layers = of_layers.flat_map(|span| [span.start, span.end]);
    let of_items = record.spans.iter().flat_map(|span| [span.start, span.end]);
    // Each item and layer is a piece, and so is what stands between two of them.
    let borders: BTreeSet<usize> = of_items.chain(of_layers).filter(|at| *at > 0).collect();
    let mut end = 0;
    let mut ends = Vec::with_capacity(record.pieces.len());
    for piece in &record.pieces {
        end += match piece {
            Piece::Text(text) => text.len(),
            Piece::Blob(digest) => kept.text(digest).ok()?.len(),
        };
        ends.push(end);
    }
    let is_each_known = (borders.len()..=borders.len() + 1).contains(&ends.len());
    let moved: HashMap<usize, usize> = borders.into_iter().zip(ends).collect();
    (is_each_known && moved.iter().any(|(sent, kept)| sent != kept)).then_some(moved)
}

/// Returns the place of an item in the messages, the first one if it has several.
pub(super) fn item_span(manifest: &Manifest, item: &ItemRecord) -> Option<Span> {
    manifest.messages.iter().enumerate().find_map(|(message, record)| {
        let place = record.spans.iter().find(|place| place.item == item.index)?;
        Some(Span { message, start: place.start, end: place.end })
    })
}

fn layer(kept: Kept<'_>, manifest: &Manifest, layer: &Layer) -> Value {
    with(json!(layer), "span", json!(layer_span(kept, manifest, layer)))
}

/// Returns the place of a layer in the messages.
pub(super) fn layer_span(kept: Kept<'_>, manifest: &Manifest, layer: &Layer) -> Option<Span> {
    layer.span.clone().or_else(|| found_layer(kept, manifest, layer))
}

/// Finds a layer among the pieces of the messages, of which it is one: records of earlier versions
/// do not name its place.
fn found_layer(kept: Kept<'_>, manifest: &Manifest, layer: &Layer) -> Option<Span> {
    for (message, record) in manifest.messages.iter().enumerate() {
        let mut start = 0;
        for piece in &record.pieces {
            let (bytes, is_found) = match piece {
                Piece::Text(text) => (text.len(), Digest::of_text(text) == layer.digest),
                Piece::Blob(digest) => (kept.text(digest).ok()?.len(), *digest == layer.digest),
            };
            let end = start + bytes;
            if is_found {
                return Some(Span { message, start, end });
            }
            start = end;
        }
    }
    None
}

fn with(mut value: Value, name: &str, field: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.insert(name.to_owned(), field);
    }
    value
}

/// Returns a part of a text of a run: `{text, offset, next, total}`, offsets in bytes, widened to
/// whole characters. A digest may be that of a message.
///
/// # Errors
/// [`InspectError`] when the run has no such text.
pub fn text_part(
    store: &dyn RunStore,
    id: &RunId,
    digest: &Digest,
    (offset, limit): (usize, usize),
) -> Result<Value, InspectError> {
    let text = text_of(store, id, digest)?;
    let start = text.floor_char_boundary(offset);
    let end = text.ceil_char_boundary(start.saturating_add(limit.min(MOST_TEXT)));
    let mut part = Map::new();
    part.insert("text".to_owned(), text.get(start..end).unwrap_or_default().into());
    part.insert("offset".to_owned(), start.into());
    part.insert("next".to_owned(), (end < text.len()).then_some(end).into());
    part.insert("total".to_owned(), text.len().into());
    Ok(part.into())
}

fn text_of(store: &dyn RunStore, id: &RunId, digest: &Digest) -> Result<String, InspectError> {
    let failed = |error: RunError| InspectError::Store(error.to_string());
    if let Some(text) = store.text(id, digest).map_err(failed)? {
        return Ok(text);
    }
    let head = store.head(id, 1..=u64::MAX).map_err(failed)?;
    let kept = Kept { store, log: &head.log };
    let message = kept.calls().into_iter().find_map(|call| {
        call.manifest.messages.into_iter().find(|record| record.digest == *digest)
    });
    let missing = || InspectError::MissingText { digest: digest.clone() };
    Ok(kept.message(&message.ok_or_else(missing)?)?.text)
}
