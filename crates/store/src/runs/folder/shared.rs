//! Long lists in lines of a trace, kept by their parts as texts are (GR-1).
//!
//! Decision: a list of messages that each turn is given stands in a line of each turn, and a prompt
//! with an item per message names them all. So a value of a line that is longer than a block of the
//! disk is kept as text, and the line has `{"$value": digest, "bytes": n}`. Whoever asks for a run
//! gets the values in their places. A line of the run itself stays whole: it is what lists of runs
//! are made of.

use super::parts::{Large, Parts};
use crate::runs::{RunError, RunLog};
use contexture_context::{Digest, TraceEvent, TraceKind};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The bytes of a line, and of a value in it, that are not kept elsewhere.
const LONG: usize = 4 << 10;

/// The name of a digest in place of a value.
const VALUE: &str = "$value";

/// The beginning of a digest in place of a value, as it stands in a line.
const WRITTEN: &str = "\"$value\":\"";

/// The value of an event whose own values are kept one by one.
const MANIFEST: &str = "manifest";

/// A value that is kept as text.
struct Kept {
    digest: Digest,
    text: String,
}

/// Keeps the long values of lines, and returns the lines without them. Where that fails they stay.
pub(super) fn shorten<'l>(lines: Cow<'l, str>, parts: &Parts) -> Cow<'l, str> {
    if lines.len() <= LONG || !lines.split('\n').any(|line| line.len() > LONG) {
        return lines;
    }
    let (mut out, mut kept) = (String::new(), Vec::new());
    for line in lines.split_inclusive('\n') {
        let short = if line.len() > LONG { shortened(line, &mut kept) } else { None };
        match short {
            Some(short) => {
                out.push_str(&short);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    let mut large = Vec::new();
    for Kept { digest, text } in &kept {
        large.push(Large { digest, text: Cow::Borrowed(text), masked: false });
    }
    if large.is_empty() || parts.keep(&large).is_err() { lines } else { out.into() }
}

fn shortened(line: &str, kept: &mut Vec<Kept>) -> Option<String> {
    let mut event: TraceEvent = serde_json::from_str(line).ok()?;
    if event.kind == TraceKind::Run {
        return None;
    }
    let before = kept.len();
    for (name, value) in event.data.as_object_mut()? {
        match value {
            Value::Object(fields) if name == MANIFEST => {
                fields.values_mut().for_each(|value| take(value, kept));
            }
            value => take(value, kept),
        }
    }
    if kept.len() == before {
        return None;
    }
    serde_json::to_string(&event).ok()
}

/// Takes a long list or object out of its place.
fn take(value: &mut Value, kept: &mut Vec<Kept>) {
    if !matches!(value, Value::Array(_) | Value::Object(_)) {
        return;
    }
    let text = value.to_string();
    if text.len() > LONG {
        let digest = Digest::of_text(&text);
        *value = json!({ VALUE: digest, "bytes": text.len() });
        kept.push(Kept { digest, text });
    }
}

/// Puts the values of a run back in their places; one that is missing is told in the notes.
pub(super) fn restore(
    log: &mut RunLog,
    mut text: impl FnMut(&Digest) -> Result<Option<String>, RunError>,
) {
    for event in &mut log.events {
        let Value::Object(fields) = &mut event.data else { continue };
        for (name, value) in fields {
            let missing = match value {
                Value::Object(own) if name == MANIFEST => {
                    own.values_mut().find_map(|value| put_back(value, &mut text))
                }
                value => put_back(value, &mut text),
            };
            if let Some(why) = missing {
                log.notes.push(format!("`{name}` of event {} is left out: {why}", event.id));
            }
        }
    }
}

/// Returns why a value could not be put back.
fn put_back(
    value: &mut Value,
    text: &mut impl FnMut(&Digest) -> Result<Option<String>, RunError>,
) -> Option<String> {
    let (digest, bytes) = reference(value.as_object()?)?;
    let found = match text(&digest) {
        Ok(found) => found.filter(|text| text.len() as u64 == bytes),
        Err(error) => return Some(error.to_string()),
    };
    match found.and_then(|text| serde_json::from_str(&text).ok()) {
        Some(found) => {
            *value = found;
            None
        }
        None => Some(format!("the store has no text {digest}")),
    }
}

fn reference(fields: &Map<String, Value>) -> Option<(Digest, u64)> {
    let digest = fields.get(VALUE)?.as_str()?.parse().ok()?;
    Some((digest, fields.get("bytes")?.as_u64()?)).filter(|_| fields.len() == 2)
}

/// Returns the digests of the values that were taken out of lines.
pub(super) fn digests(lines: &str) -> impl Iterator<Item = Digest> {
    let after = |(at, _)| lines.get(at + WRITTEN.len()..)?.split('"').next();
    lines.match_indices(WRITTEN).filter_map(move |found| after(found)?.parse().ok())
}
