//! The shape of a generation, as a set writes it.
//!
//! Decision: a text in the syntax of programs, `{ title string, points list[string] }`, or the part
//! of JSON Schema that shapes can express. Any other keyword is refused: an answer that is checked
//! against less than was asked for would pass unseen.

use contexture_answer::{Field, Shape};
use contexture_context::Limits;
use contexture_script::syntax::{parse_shape, shape_of};
use serde_json::{Map, Value};

/// Keywords that do not restrict what fits.
const WORDS: [&str; 6] = ["title", "description", "$schema", "$id", "examples", "default"];

/// Returns the shape, and whether fields that it does not have are refused.
pub(crate) fn read(written: &Value, limits: &Limits) -> Result<(Option<Shape>, bool), String> {
    let (shape, is_strict) = match written {
        Value::String(text) => {
            let (node, faults) = parse_shape(text, limits);
            if let Some(fault) = faults.first() {
                return Err(fault.message.clone());
            }
            (shape_of(&node), false)
        }
        schema => {
            let mut is_strict = false;
            (of_schema(schema, 1, &mut is_strict)?, is_strict)
        }
    };
    shape.check().map_err(|error| error.to_string())?;
    Ok((Some(shape), is_strict))
}

fn of_schema(schema: &Value, depth: usize, is_strict: &mut bool) -> Result<Shape, String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(Shape::Json),
        Value::Object(schema) => schema,
        _ => return Err("a schema is an object".to_owned()),
    };
    if depth > Shape::MAX_DEPTH {
        return Err(format!("the schema is nested deeper than {} levels", Shape::MAX_DEPTH));
    }
    let own: &[&str] = match schema.get("type").map(Value::as_str) {
        None if schema.contains_key("enum") => &["enum"],
        None => &[],
        Some(Some("object")) => &["type", "properties", "required", "additionalProperties"],
        Some(Some("array")) => &["type", "items"],
        Some(Some("string")) => &["type", "enum"],
        Some(Some("number" | "integer" | "boolean")) => &["type"],
        Some(_) => {
            return Err(
                "`type` is object, array, string, number, integer or boolean; `required` says what may be missing"
                    .to_owned(),
            );
        }
    };
    let is_more = |name: &&String| !own.contains(&name.as_str()) && !WORDS.contains(&name.as_str());
    if let Some(name) = schema.keys().find(is_more) {
        return Err(format!("the keyword `{name}` can't be checked here"));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => object(schema, depth, is_strict),
        Some("array") => match schema.get("items") {
            None => Ok(Shape::List(None)),
            Some(items) => Ok(Shape::list(of_schema(items, depth + 1, is_strict)?)),
        },
        Some("number") => Ok(Shape::Number),
        Some("integer") => Ok(Shape::Integer),
        Some("boolean") => Ok(Shape::Boolean),
        kind => match (schema.get("enum"), kind) {
            (Some(words), _) => words_of(words).map(Shape::Enum),
            (None, Some(_)) => Ok(Shape::String),
            (None, None) => Ok(Shape::Json),
        },
    }
}

fn object(
    schema: &Map<String, Value>,
    depth: usize,
    is_strict: &mut bool,
) -> Result<Shape, String> {
    match schema.get("additionalProperties") {
        None | Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => *is_strict = true,
        Some(_) => return Err("`additionalProperties` is true or false here".to_owned()),
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    if let Some(name) = required.iter().find(|name| !properties.contains_key(**name)) {
        return Err(format!("`{name}` is required, and not among the properties"));
    }
    let mut fields = Vec::with_capacity(properties.len());
    for (name, property) in properties {
        let shape = of_schema(property, depth + 1, is_strict)?;
        let described = property.get("description").and_then(Value::as_str);
        fields.push(Field {
            optional: !required.contains(&name.as_str()),
            description: described.map(str::to_owned),
            ..Field::new(name.clone(), shape)
        });
    }
    Ok(Shape::Object(fields))
}

fn words_of(words: &Value) -> Result<Vec<String>, String> {
    let words = words.as_array().map(|words| words.iter().map(Value::as_str).collect());
    let words: Option<Vec<&str>> = words.unwrap_or_default();
    let words = words.ok_or("`enum` holds strings here")?;
    Ok(words.into_iter().map(str::to_owned).collect())
}
