//! The form of the answer that a request asks for: `response_format`, and `text.format` (WA-8).

use super::error::Failure;
use super::parameters::{given, switch};
use contexture::answer::FieldError;
use contexture::turn::{Form, FormCheck};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The most bytes of a schema.
const BYTES: usize = 256 << 10;
/// The most parts that one value may be checked against.
const MOST: u64 = 10_000;
/// The longest way from one part to another.
const DEPTH: usize = 100;
/// The keywords whose schemas are for the value itself, and not for a part of it.
const IN_PLACE: [&str; 8] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// The most faults of a value that a model is told.
const FAULTS: usize = 20;

/// Reads the form at a place of a request; `nested` is where chat completions keep a schema.
pub(super) fn read(
    format: Option<&Value>,
    at: &str,
    nested: bool,
) -> Result<Option<Form>, Failure> {
    let Some(format) = format else { return Ok(None) };
    match format.get("type").and_then(Value::as_str) {
        Some("text") => Ok(None),
        Some("json_object") => {
            let check: FormCheck = Arc::new(|value| match value {
                Value::Object(_) => Vec::new(),
                other => vec![fault(String::new(), "a JSON object".to_owned(), other)],
            });
            Ok(Some(Form::new("object", json!({ "type": "object" }), false, check)))
        }
        Some("json_schema") if nested => {
            let at = format!("{at}.json_schema");
            let own = format.get("json_schema").and_then(Value::as_object);
            schema(own.ok_or_else(|| Failure::kind_of(at.clone(), "an object"))?, &at).map(Some)
        }
        Some("json_schema") => match format.as_object() {
            Some(own) => schema(own, at).map(Some),
            None => Err(Failure::kind_of(at, "an object")),
        },
        _ => Err(Failure::kind_of(format!("{at}.type"), "text, json_object or json_schema")),
    }
}

fn schema(format: &Map<String, Value>, at: &str) -> Result<Form, Failure> {
    let name = given(format, "name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Failure::kind_of(format!("{at}.name"), "a name"))?;
    let strict = switch(format, "strict", &format!("{at}.strict"))?;
    let at = format!("{at}.schema");
    let schema = given(format, "schema").filter(|schema| schema.is_object());
    let schema = schema.ok_or_else(|| Failure::kind_of(at.clone(), "a JSON Schema"))?;
    let bytes = schema.to_string().len();
    if bytes > BYTES {
        let message = format!("the schema takes {bytes} bytes, and at most {BYTES} are taken");
        return Err(Failure::param(at, "string_above_max_length", message));
    }
    if Weight::of(schema) > MOST {
        let message =
            "the references of the schema lead to too many parts to check one value against";
        return Err(Failure::param(at, "invalid_json_schema", message));
    }
    // A pattern takes linear time, whatever it is.
    let options = jsonschema::options().with_pattern_options(jsonschema::PatternOptions::regex());
    let validator = options.build(schema).map_err(|error| {
        let place = error.instance_path().to_string();
        let message =
            format!("`{at}` is not a JSON Schema that can be checked: {error} (at `{place}`)");
        Failure::param(at.clone(), "invalid_json_schema", message)
    })?;
    let check: FormCheck = Arc::new(move |value| {
        let faults = validator.iter_errors(value).take(FAULTS);
        let told = |error: jsonschema::ValidationError<'_>| FieldError {
            path: error.instance_path().to_string(),
            expected: "what the schema demands".to_owned(),
            found: error.to_string().chars().take(200).collect(),
        };
        faults.map(told).collect()
    });
    Ok(Form::new(name, schema.clone(), strict, check))
}

/// The parts of a schema that one value is checked against: references can make that many of few.
struct Weight<'s> {
    root: &'s Value,
    /// By the address of a part; one that is being looked at counts once.
    known: HashMap<usize, u64>,
}

impl<'s> Weight<'s> {
    /// Returns the most of all places in a schema.
    fn of(root: &'s Value) -> u64 {
        let mut weight = Self { root, known: HashMap::new() };
        let (mut most, mut left) = (0, vec![root]);
        while let Some(part) = left.pop() {
            most = most.max(weight.part(part, 0));
            match part {
                Value::Object(fields) => left.extend(fields.values()),
                Value::Array(parts) => left.extend(parts),
                _ => {}
            }
        }
        most
    }

    fn part(&mut self, part: &'s Value, depth: usize) -> u64 {
        let Some(fields) = part.as_object() else { return 0 };
        if depth > DEPTH {
            return u64::MAX;
        }
        let place = std::ptr::from_ref(part).addr();
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        self.known.insert(place, 1);
        let mut sum: u64 = 1;
        for value in IN_PLACE.iter().filter_map(|name| fields.get(*name)) {
            let more = match value {
                Value::String(to) => {
                    let found = to.strip_prefix('#').and_then(|at| self.root.pointer(at));
                    found.map_or(0, |found| self.part(found, depth + 1))
                }
                Value::Array(parts) => parts
                    .iter()
                    .fold(0, |sum: u64, one| sum.saturating_add(self.part(one, depth + 1))),
                one => self.part(one, depth + 1),
            };
            sum = sum.saturating_add(more);
        }
        self.known.insert(place, sum);
        sum
    }
}

fn fault(path: String, expected: String, found: &Value) -> FieldError {
    let found = found.to_string().chars().take(200).collect();
    FieldError { path, expected, found }
}
