//! Calls as a program makes them: a method's name and an argument object, checked.

use super::record::{DELETED, OWN, take_label};
use super::{DEFAULT_LIMIT, Fields, MOST_RECORDS, Memory, MemoryError, Query};
use crate::store::labelled::LABEL;
use contexture_context::Label;
use contexture_diagnostic::nearest;
use serde_json::{Map, Value, json};

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryOutput {
    /// The value for the program.
    pub value: Value,
    /// Remarks on what was left out or could not be read, one line each.
    pub notes: Vec<String>,
    /// True if a query's limit left records out.
    pub truncated: bool,
    /// The label of what the records were made of, as far as it was kept with them.
    pub label: Label,
}

/// A method as it is offered to a model or shown to a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MemoryMethod {
    /// Its name.
    pub name: &'static str,
    /// True if it changes the memory: not in a dry run and not in `parallel for`.
    pub writes: bool,
    /// One or two sentences.
    pub description: &'static str,
    /// JSON Schema of its argument object.
    pub schema: Value,
}

const NAMES: [&str; 4] = ["add", "query", "update", "delete"];
const QUERY: [&str; 4] = ["kind", "text", "where", "limit"];

/// Returns the methods of every memory.
#[must_use]
pub fn methods() -> [MemoryMethod; 4] {
    let id = || json!({"type": "string", "description": "the id of a record"});
    let record = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    [
        MemoryMethod {
            name: "add",
            writes: true,
            description: "Adds a record with any fields and returns it with id, created_at and updated_at.",
            schema: record(
                json!({"kind": {"type": "string"}, "text": {"type": "string"}}),
                json!([]),
            ),
        },
        MemoryMethod {
            name: "query",
            writes: false,
            description: "Finds records: with a text the most relevant first, else the newest first.",
            schema: json!({
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "description": "the exact kind"},
                    "text": {"type": "string", "description": "words to search for"},
                    "where": {"type": "object", "description": "fields that must be equal"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_RECORDS},
                },
                "required": [],
                "additionalProperties": false,
            }),
        },
        MemoryMethod {
            name: "update",
            writes: true,
            description: "Sets fields of a record and returns it.",
            schema: record(json!({"id": id()}), json!(["id"])),
        },
        MemoryMethod {
            name: "delete",
            writes: true,
            description: "Removes a record. Returns {ok}, false when there was none.",
            schema: json!({
                "type": "object",
                "properties": {"id": id()},
                "required": ["id"],
                "additionalProperties": false,
            }),
        },
    ]
}

/// Calls a method of a memory (AS-26).
///
/// # Errors
/// [`MemoryError`]: an unknown method, an argument that does not fit, or what the memory reports.
pub fn call(
    memory: &dyn Memory,
    method: &str,
    argument: Value,
) -> Result<MemoryOutput, MemoryError> {
    call_labelled(memory, method, argument, &Label::default())
}

/// Does the same as [`call`] for an argument of a label, which is kept with the record if it is
/// lower than what a memory gives back anyway (GU-4).
///
/// # Errors
/// Those of [`call`].
pub fn call_labelled(
    memory: &dyn Memory,
    method: &str,
    argument: Value,
    label: &Label,
) -> Result<MemoryOutput, MemoryError> {
    let output = |mut value| {
        let label = take_label(&mut value).unwrap_or_default();
        MemoryOutput { value, notes: Vec::new(), truncated: false, label }
    };
    match method {
        "add" => Ok(output(memory.add(labelled(new_fields(fields(method, argument)?)?, label))?)),
        "query" => query(memory, fields(method, argument)?),
        "update" => {
            let mut fields = fields(method, argument)?;
            let id = id(method, &mut fields)?;
            not_set(method, &fields, &[LABEL])?;
            texts(method, &fields)?;
            Ok(output(memory.update(&id, labelled(fields, label))?))
        }
        "delete" => {
            let mut fields = fields(method, argument)?;
            let id = id(method, &mut fields)?;
            known(method, &fields, &["id"])?;
            Ok(output(json!({ "ok": memory.delete(&id)? })))
        }
        _ => Err(MemoryError::Method {
            name: method.chars().take(100).collect(),
            similar: nearest(method, NAMES).and_then(|name| NAMES.into_iter().find(|n| *n == name)),
        }),
    }
}

fn query(memory: &dyn Memory, mut fields: Fields) -> Result<MemoryOutput, MemoryError> {
    fields.retain(|_, value| !value.is_null());
    known("query", &fields, &QUERY)?;
    texts("query", &fields)?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let limit = fields.get("limit").map(limit).transpose()?;
    let filter = match fields.get("where") {
        None => Map::new(),
        Some(Value::Object(filter)) => filter.clone(),
        Some(other) => return Err(wrong("query", "where", "an object of fields", other)),
    };
    let found = memory.query(&Query {
        kind: text("kind"),
        text: text("text").filter(|text| !text.trim().is_empty()),
        filter,
        limit: limit.unwrap_or(DEFAULT_LIMIT),
    })?;
    let mut notes = found.notes;
    if found.truncated && limit.is_none() {
        notes.push(format!("there are more than the {DEFAULT_LIMIT} records returned"));
    }
    let (mut records, mut label) = (found.records, Label::default());
    for own in records.iter_mut().filter_map(take_label) {
        label = label.join(&own);
    }
    Ok(MemoryOutput { value: records.into(), notes, truncated: found.truncated, label })
}

/// Adds a label to the fields of a record, if it tells more than that it came from a memory.
fn labelled(mut fields: Fields, label: &Label) -> Fields {
    if label.is_below_user() || !label.readers.is_everyone() {
        fields.insert(LABEL.to_owned(), json!(label));
    }
    fields
}

fn fields(method: &str, argument: Value) -> Result<Fields, MemoryError> {
    match argument {
        Value::Object(fields) => Ok(fields),
        Value::Null if method == "query" => Ok(Fields::new()),
        other => Err(MemoryError::Argument {
            message: format!("{method}: expected an object, found {}", type_of(&other)),
            help: format!("write `{method}({{ … }})`"),
        }),
    }
}

/// Checks the fields of a new record: none of those that a memory sets.
fn new_fields(fields: Fields) -> Result<Fields, MemoryError> {
    not_set("add", &fields, &OWN)?;
    not_set("add", &fields, &[DELETED, LABEL])?;
    texts("add", &fields)?;
    Ok(fields)
}

/// Refuses fields that a memory sets.
fn not_set(method: &str, fields: &Fields, names: &[&str]) -> Result<(), MemoryError> {
    let Some(name) = names.iter().find(|name| fields.contains_key(**name)) else { return Ok(()) };
    Err(MemoryError::Argument {
        message: format!("{method}: `{name}` is set by the memory"),
        help: "leave it out; to change a record that is there use update".to_owned(),
    })
}

/// Checks that `kind` and `text` are strings if present.
fn texts(method: &str, fields: &Fields) -> Result<(), MemoryError> {
    for name in ["kind", "text"] {
        match fields.get(name) {
            None | Some(Value::Null | Value::String(_)) => {}
            Some(other) => return Err(wrong(method, name, "a string", other)),
        }
    }
    Ok(())
}

fn id(method: &str, fields: &mut Fields) -> Result<String, MemoryError> {
    match fields.remove("id") {
        Some(Value::String(id)) => Ok(id),
        None | Some(Value::Null) => Err(MemoryError::Argument {
            message: format!("{method}: the argument `id` is missing"),
            help: "ids are those that add and query return".to_owned(),
        }),
        Some(other) => Err(wrong(method, "id", "a string", &other)),
    }
}

fn limit(value: &Value) -> Result<usize, MemoryError> {
    /// Exact as a float and as an integer of any width.
    const MOST: f64 = MOST_RECORDS as f64;
    let whole = value.as_f64().filter(|limit| limit.fract() == 0.0 && (1.0..=MOST).contains(limit));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    let limit = whole.map(|limit| limit as usize);
    let expected = format!("a whole number from 1 to {MOST_RECORDS}");
    limit.ok_or_else(|| wrong("query", "limit", &expected, value))
}

fn known(method: &str, fields: &Fields, names: &[&str]) -> Result<(), MemoryError> {
    let Some(unknown) = fields.keys().find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let list = names.join(", ");
    let near = nearest(unknown, names.iter().copied());
    let shown: String = unknown.chars().take(100).collect();
    Err(MemoryError::Argument {
        message: format!("{method}: there is no argument `{shown}`"),
        help: near.map_or_else(
            || format!("it takes {list}; other fields go into `where`"),
            |near| format!("did you mean `{near}`? It takes {list}"),
        ),
    })
}

fn wrong(method: &str, name: &str, expected: &str, found: &Value) -> MemoryError {
    let found = match found {
        Value::Number(number) => number.to_string(),
        other => type_of(other).to_owned(),
    };
    MemoryError::Argument {
        message: format!("{method}: `{name}` must be {expected}, found {found}"),
        help: format!("give {expected}"),
    }
}

const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "none",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
