//! Records: flat objects with `id`, `created_at` and `updated_at` beside the program's own fields.

use super::{Fields, MemoryError, Query, RECORD_BYTES, RECORD_DEPTH};
use crate::stamp::iso_time;
use crate::store::labelled::{LABEL, read_label};
use contexture_context::Label;
use contexture_context::digest::canonical_json;
use serde_json::{Value, json};

/// The fields that a memory sets.
pub const OWN: [&str; 3] = ["id", "created_at", "updated_at"];

/// The field of a line that marks a record as removed, in a file that only grows.
pub const DELETED: &str = "$deleted";

/// Takes the label out of a record: what a program sees of it, and what it was made of.
pub fn take_label(record: &mut Value) -> Option<Label> {
    Some(read_label(&record.as_object_mut()?.shift_remove(LABEL)?))
}

/// Makes a new record.
///
/// # Errors
/// [`MemoryError::RecordTooLarge`].
pub fn create(id: &str, fields: Fields, now_us: u64) -> Result<Fields, MemoryError> {
    let now = Value::from(iso_time(now_us));
    let mut record = Fields::from_iter([("id".to_owned(), id.into())]);
    record.extend(fields);
    record.insert("created_at".to_owned(), now.clone());
    record.insert("updated_at".to_owned(), now);
    check(&record)?;
    Ok(record)
}

/// Changes some fields of a record.
///
/// # Errors
/// [`MemoryError::RecordTooLarge`].
pub fn change(mut record: Fields, mut fields: Fields, now_us: u64) -> Result<Fields, MemoryError> {
    // What is left of it stays as low as it was.
    let labels = [&record, &fields].map(|fields| fields.get(LABEL).map(read_label));
    if let [Some(old), Some(new)] = labels {
        fields.insert(LABEL.to_owned(), json!(old.join(&new)));
    }
    let own = |name: &String| OWN.contains(&name.as_str());
    record.extend(fields.into_iter().filter(|(name, _)| !own(name)));
    record.insert("updated_at".to_owned(), iso_time(now_us).into());
    check(&record)?;
    Ok(record)
}

fn check(record: &Fields) -> Result<(), MemoryError> {
    let depth = depth(record);
    if depth > RECORD_DEPTH {
        let limit = RECORD_DEPTH;
        return Err(MemoryError::RecordTooLarge { found: depth, unit: "levels", limit });
    }
    let bytes = serde_json::to_string(record).map_or(0, |json| json.len());
    if bytes > RECORD_BYTES {
        let limit = RECORD_BYTES;
        return Err(MemoryError::RecordTooLarge { found: bytes, unit: "bytes", limit });
    }
    Ok(())
}

/// Returns the levels of nesting; a flat record has one. It needs no recursion.
fn depth(record: &Fields) -> usize {
    let mut deepest = 1;
    let mut waiting: Vec<(&Value, usize)> = record.values().map(|value| (value, 1)).collect();
    while let Some((value, depth)) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                waiting.extend(fields.values().map(|field| (field, depth + 1)));
            }
            _ => continue,
        }
        deepest = deepest.max(depth + 1);
    }
    deepest
}

/// Reports whether a record has the kind and the fields that a query asks for.
#[must_use]
pub fn fits(record: &Fields, query: &Query) -> bool {
    let kind = record.get("kind").and_then(Value::as_str);
    if query.kind.is_some() && kind != query.kind.as_deref() {
        return false;
    }
    query.filter.iter().all(|(name, wanted)| {
        let found = record.get(name).unwrap_or(&Value::Null);
        // Canonical: 1 equals 1.0 and the order of fields does not matter (AS-7).
        found == wanted || canonical_json(found) == canonical_json(wanted)
    })
}

/// Returns the texts of a record that are searched: its `text`, and all other strings in it.
#[must_use]
pub fn texts(record: &Fields) -> (String, String) {
    let text = record.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let searched = |name: &str| !["text", "kind", LABEL].contains(&name) && !OWN.contains(&name);
    let mut waiting: Vec<&Value> =
        record.iter().filter(|(name, _)| searched(name)).map(|(_, value)| value).collect();
    let mut rest = String::new();
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                rest.push_str(text);
                rest.push('\n');
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
    }
    (text, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(value: Value) -> Fields {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn as_26_fields_are_equal_deeply() {
        let record = fields(json!({"a": 1, "b": {"x": [1.0], "y": 2}, "c": null}));
        let fits =
            |filter: Value| fits(&record, &Query { filter: fields(filter), ..Query::default() });
        assert!(fits(json!({})) && fits(json!({"a": 1.0})) && fits(json!({"c": null, "d": null})));
        assert!(fits(json!({"b": {"y": 2, "x": [1]}})));
        assert!(
            !fits(json!({"a": "1"})) && !fits(json!({"b": {"x": [1]}})) && !fits(json!({"d": 1}))
        );
    }

    #[test]
    fn as_26_records_are_limited_in_size_and_depth() {
        let mut deep = json!(1);
        for _ in 0..RECORD_DEPTH - 1 {
            deep = json!([deep]);
        }
        assert!(create("a", fields(json!({"deep": deep})), 0).is_ok());
        let error = create("a", fields(json!({"deep": [deep]})), 0).unwrap_err();
        assert_eq!(error.to_string(), "the record has 101 levels, the limit is 100");
        let error = create("a", fields(json!({"text": "x".repeat(RECORD_BYTES)})), 0).unwrap_err();
        assert_eq!(error.code(), "record_too_large");
    }

    #[test]
    fn as_26_search_covers_all_strings_of_record() {
        let record =
            fields(json!({"id": "i", "kind": "k", "text": "t", "goal": "g", "n": {"a": ["x"]}}));
        assert_eq!(texts(&record), ("t".to_owned(), "x\ng\n".to_owned()));
    }
}
