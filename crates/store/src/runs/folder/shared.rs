//! Long lists in lines of a trace, kept by their parts as texts are (GR-1).
//!
//! Decision: a list of messages that each turn is given stands in a line of each turn, and a prompt
//! with an item per message names them all. So a value of a line that is longer than a block of the
//! disk is kept as text, and the line has `{"$value": digest, "bytes": n}`. Whoever asks for a run
//! gets the values in their places. Of a line of the run itself, which lists of runs are made of, only
//! the value that it ended with is kept so.

use super::parts::{Parts, Text};
use crate::runs::{RunError, RunLog};
use contexture_context::{Digest, json};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The bytes of a line, and of a value in it, that are not kept elsewhere.
const LONG: usize = 4 << 10;

/// The name of a digest in place of a value.
const VALUE: &str = "$value";

/// The beginning of a digest in place of a value, as it stands in a line.
const WRITTEN: &str = "\"$value\":\"";

/// The name, in quotes, of the value whose own values are kept one by one.
const MANIFEST: &str = "\"manifest\"";

/// The name, in quotes, of the value that an event ended with.
const RESULT: &str = "\"value\"";

/// The kind of the event of a run, as it stands in a line.
const RUN: &str = "\"run\"";

/// A value that is kept as text.
struct Kept<'l> {
    digest: Digest,
    text: &'l str,
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
        large.push(Text { digest, text: Cow::Borrowed(text), masked: false });
    }
    if large.is_empty() || parts.keep(&large).is_err() { lines } else { out.into() }
}

/// Returns a line without its long values, which are not read for that; `None` if it has none.
fn shortened<'l>(line: &'l str, kept: &mut Vec<Kept<'l>>) -> Option<String> {
    let (event, data) = json::fields_and_within(line, "\"data\"")?;
    let kind = event.iter().find(|(name, _)| *name == "\"kind\"");
    let is_run = kind?.1 == RUN;
    let before = kept.len();
    let mut out = String::new();
    write(&event, &mut out, |name, value, out| match name {
        "\"data\"" => write(&data, out, |name, value, out| {
            let manifest = if name == MANIFEST { json::fields(value) } else { None };
            match manifest {
                _ if is_run && name != RESULT => out.push_str(value),
                Some(fields) => write(&fields, out, |_, value, out| take(value, kept, out)),
                None => take(value, kept, out),
            }
        }),
        _ => out.push_str(value),
    });
    (kept.len() > before).then_some(out)
}

/// Returns a line without the value that its event ended with, which lists of runs do not show and
/// which may be long; `None` for a line that is torn.
pub(super) fn without_value(line: &str) -> Option<String> {
    let event = json::fields(line)?;
    let mut out = String::new();
    write(&event, &mut out, |name, value, out| match json::fields(value) {
        Some(mut data) if name == "\"data\"" => {
            data.retain(|(name, _)| *name != RESULT);
            write(&data, out, |_, value, out| out.push_str(value));
        }
        _ => out.push_str(value),
    });
    Some(out)
}

/// Writes an object, its values as `put` does.
fn write<'l>(
    fields: &[(&'l str, &'l str)],
    out: &mut String,
    mut put: impl FnMut(&'l str, &'l str, &mut String),
) {
    out.push('{');
    for (number, (name, value)) in fields.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        out.push_str(name);
        out.push(':');
        put(name, value, out);
    }
    out.push('}');
}

/// Writes a value, a long list or object by its digest.
fn take<'l>(text: &'l str, kept: &mut Vec<Kept<'l>>, out: &mut String) {
    if text.len() <= LONG || !text.starts_with(['[', '{']) {
        return out.push_str(text);
    }
    let digest = Digest::of_text(text);
    out.push_str(&json!({ VALUE: digest, "bytes": text.len() }).to_string());
    kept.push(Kept { digest, text });
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
                Value::Object(own) if name == MANIFEST.trim_matches('"') => {
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
        Err(error) => return Some(error.line()),
    };
    match found.and_then(|text| json::read(text.as_bytes()).ok()) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::RunId;
    use contexture_context::{TraceEvent, TraceKind};

    fn line(kind: TraceKind, data: &Value) -> String {
        let event = json!({ "v": 1, "id": 7, "kind": kind, "start_us": 5, "data": data });
        format!("{event}\n")
    }

    #[test]
    fn gr_5_long_values_leave_line_and_come_back() {
        let long = json!(vec!["a \" ] text"; 1_000]);
        let deep = format!("{}{long}{}", "[".repeat(300), "]".repeat(300));
        let deep: Value = json::read(deep.as_bytes()).unwrap();
        let data = json!({
            "value": long, "deep": deep, "text": "t".repeat(LONG), "short": [1],
            "manifest": { "items": long, "model": { "uri": "m" } },
        });
        let line = line(TraceKind::Input, &data);
        let mut kept = Vec::new();
        let short = shortened(&line, &mut kept).unwrap();
        assert!(short.len() < 2 * LONG, "{short}");
        let texts: Vec<&str> = kept.iter().map(|kept| kept.text).collect();
        assert_eq!(texts, [long.to_string(), deep.to_string(), long.to_string()]);
        let event: TraceEvent = json::read(short.as_bytes()).unwrap();
        assert_eq!(event.data["value"]["bytes"], long.to_string().len());
        assert_eq!(event.data["short"], json!([1]));
        let find = |digest: &Digest| {
            let found = kept.iter().find(|kept| kept.digest == *digest);
            Ok(found.map(|kept| kept.text.to_owned()))
        };
        let id = RunId::parse("abcd").unwrap();
        let mut log = RunLog::of_lines(id, [event], Vec::new()).unwrap();
        restore(&mut log, find);
        assert_eq!((&log.events[0].data, log.notes), (&data, Vec::<String>::new()));
    }

    #[test]
    fn gr_1_of_line_of_run_only_its_value_is_kept_elsewhere() {
        let long = json!(vec![1; LONG]);
        let data = json!({ "outcome": "done", "models": long, "value": long });
        let mut kept = Vec::new();
        let line = line(TraceKind::Run, &data);
        let short = shortened(&line, &mut kept).unwrap();
        let short: TraceEvent = serde_json::from_str(&short).unwrap();
        let value = json!({ "$value": Digest::of_text(&long.to_string()), "bytes": 2 * LONG + 1 });
        let data = json!({ "outcome": "done", "models": long, "value": value });
        assert_eq!((short.data, kept.len()), (data, 1));
    }

    #[test]
    fn gr_5_line_that_is_torn_stays_whole() {
        let data = json!({ "outcome": "done", "value": vec![1; LONG] });
        let (of_run, other) = (line(TraceKind::Run, &data), line(TraceKind::Tool, &data));
        let mut kept = Vec::new();
        let short: TraceEvent = serde_json::from_str(&without_value(&of_run).unwrap()).unwrap();
        assert_eq!((short.id, short.data), (7, json!({ "outcome": "done" })));
        assert_eq!(shortened(other.get(..other.len() / 2).unwrap(), &mut kept), None);
        assert!(kept.is_empty());
    }
}
