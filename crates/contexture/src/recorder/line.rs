//! A line that waits to be written.
//!
//! Decision, by measurement: a manifest becomes text at once and never a JSON value, which would
//! cost as much as all else about its call; and the data that an event began with are shared
//! between its line and the event under way.

use contexture_context::json::JsonText;
use contexture_context::{TRACE_VERSION, TraceKind};
use contexture_script::host::Event;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::Write as _;
use std::sync::Arc;

/// The bytes of a line beside its texts, as a rule at most.
const MARGIN: usize = 1 << 10;

/// The fields of a line beside its data, in the order of `TraceEvent`.
#[derive(Debug, Clone)]
pub(super) struct Head {
    v: u32,
    pub(super) id: u64,
    parent: Option<u64>,
    pub(super) kind: TraceKind,
    pub(super) start_us: u64,
    pub(super) duration_us: Option<u64>,
}

/// The new data of an event.
pub(super) struct Line {
    pub(super) head: Head,
    pub(super) data: Data,
}

/// The data of a [`Line`].
pub(super) enum Data {
    Fields {
        /// The data that the event began with.
        told: Option<Arc<Map<String, Value>>>,
        /// The data added since; it wins over `told`.
        more: Vec<(Cow<'static, str>, Field)>,
    },
    /// A value that is not an object.
    Whole(Value),
}

/// The value of a field.
pub(super) enum Field {
    Value(Value),
    /// JSON text.
    Text(String),
    /// JSON text that others hold, too.
    Shared(JsonText),
}

impl Head {
    pub(super) const fn of(event: &Event, start_us: u64, duration_us: Option<u64>) -> Self {
        let Event { id, parent, kind, .. } = *event;
        Self { v: TRACE_VERSION, id, parent, kind, start_us, duration_us }
    }

    /// Adds the head to `out`, without the end of its object: plain numbers, of which a model call
    /// writes dozens.
    fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let Self { v, id, parent, kind, start_us, duration_us } = self;
        // Writing to a vector cannot fail.
        let _ = write!(out, "{{\"v\":{v},\"id\":{id}");
        let _ = parent.map(|parent| write!(out, ",\"parent\":{parent}"));
        out.extend_from_slice(b",\"kind\":");
        serde_json::to_writer(&mut *out, kind)?;
        let _ = write!(out, ",\"start_us\":{start_us}");
        let _ = duration_us.map(|duration| write!(out, ",\"duration_us\":{duration}"));
        Ok(())
    }
}

impl Data {
    /// Returns the bytes of the fields that are texts of JSON.
    fn texts(&self) -> usize {
        let Self::Fields { more, .. } = self else { return 0 };
        let bytes = |field: &Field| match field {
            Field::Value(_) => 0,
            Field::Text(text) => text.len(),
            Field::Shared(text) => text.as_str().len(),
        };
        more.iter().map(|(_, field)| bytes(field)).sum()
    }

    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Object(fields) => {
                let more =
                    fields.into_iter().map(|(name, value)| (name.into(), Field::Value(value)));
                Self::Fields { told: None, more: more.collect() }
            }
            other => Self::Whole(other),
        }
    }
}

impl Field {
    fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Value(value) => serde_json::to_writer(out, value),
            Self::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Self::Shared(text) => {
                out.extend_from_slice(text.as_str().as_bytes());
                Ok(())
            }
        }
    }
}

impl Line {
    /// Adds a later line of the same event, as `TraceEvent::absorb` does.
    pub(super) fn absorb(&mut self, later: Self) {
        self.head.duration_us = later.head.duration_us.or(self.head.duration_us);
        match (&mut self.data, later.data) {
            (Data::Fields { more, .. }, Data::Fields { more: new, .. }) => {
                for (name, field) in new {
                    match more.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => *known = field,
                        None => more.push((name, field)),
                    }
                }
            }
            (_, Data::Whole(Value::Null)) => {}
            (data, new) => *data = new,
        }
    }

    /// Adds the line to `out`, with its end.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        // A text of megabytes is copied once: growing behind it would copy it again.
        out.reserve(self.data.texts().saturating_add(MARGIN));
        self.head.write(out)?;
        out.extend_from_slice(b",\"data\":");
        match &self.data {
            Data::Whole(value) => serde_json::to_writer(&mut *out, value)?,
            Data::Fields { told, more } => write_fields(told.as_deref(), more, out)?,
        }
        out.extend_from_slice(b"}\n");
        Ok(())
    }
}

fn write_fields(
    told: Option<&Map<String, Value>>,
    more: &[(Cow<'static, str>, Field)],
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let mut mark = b'{';
    let mut name_of = |name: &str, out: &mut Vec<u8>| {
        out.push(std::mem::replace(&mut mark, b','));
        let written = serde_json::to_writer(&mut *out, name);
        out.push(b':');
        written
    };
    let newer = |name: &str| more.iter().find(|(known, _)| known == name);
    for (name, value) in told.into_iter().flatten() {
        name_of(name, out)?;
        match newer(name) {
            Some((_, field)) => field.write(out)?,
            None => serde_json::to_writer(&mut *out, value)?,
        }
    }
    let is_told = |name: &str| told.is_some_and(|told| told.contains_key(name));
    for (name, field) in more.iter().filter(|(name, _)| !is_told(name)) {
        name_of(name, out)?;
        field.write(out)?;
    }
    if mark == b'{' {
        out.push(mark);
    }
    out.push(b'}');
    Ok(())
}

/// Reports whether no string of a JSON text is longer than `longest` bytes.
pub(super) fn is_inline(text: &str, longest: usize) -> bool {
    // A string that is too long covers such a block whole, and there is no quote within it.
    let blocks = text.as_bytes().chunks_exact(longest.div_ceil(2));
    let quoted = |pair: &[u8]| matches!(pair, [before, b'"'] if *before != b'\\');
    let suspect = blocks.into_iter().any(|block| !block.windows(2).any(quoted));
    !suspect || longest_string(text) <= longest
}

/// Returns the length of the longest string of a JSON text, escapes included.
fn longest_string(text: &str) -> usize {
    let (mut longest, mut escaped, mut began) = (0, false, None);
    for (at, byte) in text.bytes().enumerate() {
        match (byte, began) {
            _ if escaped => escaped = false,
            (b'\\', _) => escaped = true,
            (b'"', None) => began = Some(at + 1),
            (b'"', Some(start)) => {
                longest = longest.max(at - start);
                began = None;
            }
            _ => {}
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_29_a_text_that_is_kept_by_digest_is_never_written_as_it_is() {
        for before in 0..300 {
            for (unit, count) in [("x", 513), ("\"", 513), ("\\", 513), ("ä", 257), ("\n\"", 257)]
            {
                let value = json!(["b".repeat(before), unit.repeat(count), before]);
                assert!(!is_inline(&value.to_string(), 512), "{before} {unit:?}");
            }
            let value = json!({"a": ["b".repeat(before), "x".repeat(512), "\\"], "c": before});
            assert!(is_inline(&value.to_string(), 512));
        }
        assert!(is_inline("true", 512));
    }

    fn line(fields: Value) -> Line {
        let head = Head {
            v: 1,
            id: 7,
            parent: Some(3),
            kind: TraceKind::Generate,
            start_us: 5,
            duration_us: None,
        };
        Line { head, data: Data::of(fields) }
    }

    fn written(line: &Line) -> String {
        let mut out = Vec::new();
        line.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn as_29_line_reads_as_its_event() {
        let mut first = line(json!({"a": 1, "\"q\"": "\n"}));
        first.absorb(line(json!({"a": 2, "b": [null]})));
        assert_eq!(
            written(&first),
            "{\"v\":1,\"id\":7,\"parent\":3,\"kind\":\"generate\",\"start_us\":5,\
             \"data\":{\"a\":2,\"\\\"q\\\"\":\"\\n\",\"b\":[null]}}\n"
        );
        let event: contexture_context::TraceEvent = serde_json::from_str(&written(&first)).unwrap();
        assert_eq!(serde_json::to_string(&event).unwrap() + "\n", written(&first));
        for data in [json!({}), json!("text"), Value::Null] {
            let event: contexture_context::TraceEvent =
                serde_json::from_str(&written(&line(data.clone()))).unwrap();
            assert_eq!(event.data, data);
        }
    }

    #[test]
    fn as_29_what_is_learnt_counts_in_place_of_what_was_told() {
        let told = json!({"a": 1, "b": 2}).as_object().cloned().map(Arc::new);
        let more = vec![("a".into(), Field::Text("[3]".to_owned()))];
        let line = Line { data: Data::Fields { told, more }, ..line(Value::Null) };
        assert!(written(&line).ends_with("\"data\":{\"a\":[3],\"b\":2}}\n"));
    }
}
