//! The check of parameters against the schema that a client announced (CP-13).
//!
//! Decision: what JSON Schema demands of a value by itself is checked at any depth; `$ref`,
//! `pattern` and `format` are left to the client, which checks again. A client that gets too little
//! answers an error rather than a wrong result.

use serde_json::{Map, Value};

/// The depth to which parameters and schema are followed.
const MOST_DEPTH: usize = 64;
/// The most faults that are reported.
const MOST_FAULTS: usize = 20;

/// Returns the faults of the parameters of a call, by the schema that a client announced (CP-13):
/// one line for each, with the JSON pointer of its place; none when they may be sent.
#[must_use]
pub fn check(value: &Value, schema: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    place(value, schema, &mut String::new(), 0, &mut faults);
    faults.truncate(MOST_FAULTS);
    faults
}

fn place(value: &Value, schema: &Value, at: &mut String, depth: usize, faults: &mut Vec<String>) {
    let Value::Object(schema) = schema else {
        if schema == &Value::Bool(false) {
            tell(faults, at, "nothing", value);
        }
        return;
    };
    if faults.len() > MOST_FAULTS {
        return;
    }
    if depth > MOST_DEPTH {
        faults.push(format!("{} is nested deeper than {MOST_DEPTH} levels", shown_place(at)));
        return;
    }
    if let Some(kinds) = schema.get("type")
        && !names(kinds).is_empty()
        && !names(kinds).iter().any(|kind| is(value, kind))
    {
        return tell(faults, at, &names(kinds).join(" or "), value);
    }
    if let Some(Value::Array(words)) = schema.get("enum")
        && !words.contains(value)
    {
        let words: Vec<String> = words.iter().take(20).map(Value::to_string).collect();
        return tell(faults, at, &format!("one of {}", words.join(", ")), value);
    }
    if let Some(only) = schema.get("const").filter(|only| *only != value) {
        return tell(faults, at, &only.to_string(), value);
    }
    bounds(value, schema, at, faults);
    combined(value, schema, at, depth, faults);
    match value {
        Value::Object(fields) => object(fields, schema, at, depth, faults),
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                below(at, &index.to_string(), |at| place(item, schema, at, depth + 1, faults));
            }
        }
        _ => {}
    }
}

fn object(
    fields: &Map<String, Value>,
    schema: &Map<String, Value>,
    at: &mut String,
    depth: usize,
    faults: &mut Vec<String>,
) {
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            faults.push(format!("the field `{name}` is missing in {}", shown_place(at)));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in fields {
        let known = properties.and_then(|known| known.get(name));
        let others = schema.get("additionalProperties");
        match (known, others) {
            (Some(schema), _) => {
                below(at, name, |at| place(value, schema, at, depth + 1, faults));
            }
            (None, Some(Value::Bool(false))) if !schema.contains_key("patternProperties") => {
                faults.push(format!("the field `{name}` is not known in {}", shown_place(at)));
            }
            (None, Some(schema @ Value::Object(_))) => {
                below(at, name, |at| place(value, schema, at, depth + 1, faults));
            }
            _ => {}
        }
    }
}

/// Checks `allOf`, `anyOf` and `oneOf`.
fn combined(
    value: &Value,
    schema: &Map<String, Value>,
    at: &mut String,
    depth: usize,
    faults: &mut Vec<String>,
) {
    let of = |word: &str| schema.get(word).and_then(Value::as_array);
    for one in of("allOf").into_iter().flatten() {
        place(value, one, at, depth + 1, faults);
    }
    for word in ["anyOf", "oneOf"] {
        let Some(all) = of(word) else { continue };
        let fits = |one: &&Value| {
            let mut own = Vec::new();
            place(value, one, &mut at.clone(), depth + 1, &mut own);
            own.is_empty()
        };
        let count = all.iter().filter(fits).count();
        if count == 0 || (word == "oneOf" && count > 1) {
            tell(faults, at, &format!("what {word} allows"), value);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of parameters are small numbers")]
fn bounds(value: &Value, schema: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let (size, words) = match value {
        Value::Number(number) => (number.as_f64(), ["minimum", "maximum"]),
        Value::String(text) => (Some(text.chars().count() as f64), ["minLength", "maxLength"]),
        Value::Array(items) => (Some(items.len() as f64), ["minItems", "maxItems"]),
        _ => (None, ["", ""]),
    };
    let Some(size) = size else { return };
    let bound = |word: &str| schema.get(word).and_then(Value::as_f64);
    let [least, most] = words;
    if let Some(bound) = bound(least).filter(|bound| size < *bound) {
        tell(faults, at, &format!("{least} {bound}"), value);
    }
    if let Some(bound) = bound(most).filter(|bound| size > *bound) {
        tell(faults, at, &format!("{most} {bound}"), value);
    }
    if let Some(bound) =
        bound("exclusiveMinimum").filter(|bound| value.is_number() && size <= *bound)
    {
        tell(faults, at, &format!("more than {bound}"), value);
    }
    if let Some(bound) =
        bound("exclusiveMaximum").filter(|bound| value.is_number() && size >= *bound)
    {
        tell(faults, at, &format!("less than {bound}"), value);
    }
}

fn names(kinds: &Value) -> Vec<&str> {
    match kinds {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        // A type that JSON does not have restricts nothing.
        _ => true,
    }
}

fn below(at: &mut String, name: &str, then: impl FnOnce(&mut String)) {
    let length = at.len();
    at.push('/');
    at.push_str(&name.replace('~', "~0").replace('/', "~1"));
    then(at);
    at.truncate(length);
}

fn shown_place(at: &str) -> String {
    if at.is_empty() { "the parameters".to_owned() } else { format!("`{at}`") }
}

fn tell(faults: &mut Vec<String>, at: &str, expected: &str, found: &Value) {
    let found = match found {
        Value::String(text) if text.chars().count() > 40 => "a longer text".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        other => other.to_string(),
    };
    faults.push(format!("{} must be {expected}, not {found}", shown_place(at)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cp_13_parameters_are_checked_against_announced_schema_at_any_depth() {
        let schema = json!({
            "type": "object",
            "properties": {
                "selector": { "type": "string", "minLength": 1 },
                "style": { "enum": ["pulse", "border"] },
                "duration": { "type": "integer", "minimum": 0, "maximum": 10000 },
                "boxes": { "type": "array", "items": {
                    "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"],
                } },
                "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            },
            "required": ["selector"],
            "additionalProperties": false,
        });
        let fits = |value: Value| check(&value, &schema);
        assert_eq!(
            fits(json!({ "selector": "#a", "boxes": [{ "x": 1 }], "either": null })),
            [""; 0]
        );
        assert_eq!(
            fits(json!({ "style": "glow" })),
            [
                "the field `selector` is missing in the parameters",
                "`/style` must be one of \"pulse\", \"border\", not \"glow\"",
            ]
        );
        assert_eq!(
            fits(json!({ "selector": "", "duration": 1.5 })),
            ["`/selector` must be minLength 1, not \"\"", "`/duration` must be integer, not 1.5",]
        );
        assert_eq!(
            fits(json!({ "selector": "a", "boxes": [{ "x": 1 }, { "x": "2" }, {}] })),
            ["`/boxes/1/x` must be number, not \"2\"", "the field `x` is missing in `/boxes/2`",]
        );
        assert_eq!(
            fits(json!({ "selector": "a", "extra": 1, "either": 2 })),
            [
                "the field `extra` is not known in the parameters",
                "`/either` must be what anyOf allows, not 2",
            ]
        );
        assert_eq!(fits(json!({ "selector": "a", "duration": 10001 })).len(), 1);
    }

    #[test]
    fn cp_13_a_schema_of_any_form_never_panics() {
        let mut deep = json!({});
        for _ in 0..200 {
            deep = json!({ "allOf": [deep], "properties": 3, "required": "x", "enum": {} });
        }
        assert_eq!(check(&json!(1), &deep).len(), 1);
        assert_eq!(check(&json!(1), &json!(false)).len(), 1);
        assert_eq!(check(&json!(1), &json!(true)), [""; 0]);
        assert_eq!(check(&json!(1), &json!({ "type": ["number", 3], "minimum": "x" })), [""; 0]);
    }
}
