//! The arguments of a tool: one shape gives both the JSON Schema and the check.
//!
//! Decision: schemas are closed. An undeclared argument is an error that names it, since
//! a misspelt one would be ignored otherwise.

use crate::fault::Fault;
use crate::mcp::codes;
use contexture::answer::{Extra, Field, Shape, validate};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The most errors that are reported for a call.
const TOLD: usize = 10;

#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    /// `None` accepts any object.
    shape: Option<Shape>,
    schema: Arc<JsonObject>,
}

impl Arguments {
    /// Creates arguments with exactly these fields.
    pub(crate) fn of(fields: Vec<Field>) -> Self {
        let shape = Shape::Object(fields);
        let mut schema = shape.to_json_schema();
        close(&mut schema);
        Self { shape: Some(shape), schema: object(schema) }
    }

    /// Accepts any object.
    pub(crate) fn any() -> Self {
        Self { shape: None, schema: object(json!({ "type": "object" })) }
    }

    /// Replaces the schema of a field.
    pub(crate) fn with_schema(mut self, field: &str, schema: Value) -> Self {
        let properties = Arc::make_mut(&mut self.schema).get_mut("properties");
        if let Some(properties) = properties.and_then(Value::as_object_mut) {
            properties.insert(field.to_owned(), schema);
        }
        self
    }

    pub(crate) fn schema(&self) -> Arc<JsonObject> {
        Arc::clone(&self.schema)
    }

    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// A [`Fault`] that lists all mismatches.
    pub(crate) fn check(&self, tool: &str, arguments: &Value) -> Result<(), Fault> {
        let Some(shape) = &self.shape else { return Ok(()) };
        let faults = validate(arguments, shape, Extra::Refused, TOLD);
        if faults.is_empty() {
            return Ok(());
        }
        let mut told: Vec<String> = faults.errors.iter().map(ToString::to_string).collect();
        if faults.more > 0 {
            told.push(format!("and {} more", faults.more));
        }
        let message = format!("the arguments of `{tool}` do not fit: {}", told.join("; "));
        let paths: Vec<Value> = faults
            .errors
            .iter()
            .map(|fault| json!({ "path": fault.path, "expected": fault.expected, "found": fault.found }))
            .collect();
        Err(Fault::of(codes::BAD_ARGUMENTS, message)
            .with_help(format!("it takes {}", self.declared()))
            .with("details", paths))
    }

    /// Describes the arguments: `query string, max integer (optional)`.
    fn declared(&self) -> String {
        let Some(Shape::Object(fields)) = &self.shape else { return "any object".to_owned() };
        let one = |field: &Field| {
            let optional = if field.optional { " (optional)" } else { "" };
            format!("`{}` {}{optional}", field.name, field.shape)
        };
        match fields.iter().map(one).collect::<Vec<_>>() {
            fields if fields.is_empty() => "no arguments".to_owned(),
            fields => fields.join(", "),
        }
    }
}

/// Closes a schema at every level.
fn close(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(close);
        object.insert("additionalProperties".to_owned(), false.into());
    }
    if let Some(items) = object.get_mut("items") {
        close(items);
    }
    if let Some(definitions) = object.get_mut("$defs").and_then(Value::as_object_mut) {
        definitions.values_mut().for_each(close);
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(match schema {
        Value::Object(object) => object,
        _ => Map::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments() -> Arguments {
        let note = Shape::Object(vec![Field::new("text", Shape::String)]);
        Arguments::of(vec![
            Field::new("query", Shape::String),
            Field::new("notes", Shape::list(note)).optional(),
        ])
    }

    #[test]
    fn kn_16_schemas_are_closed_at_every_level() {
        assert_eq!(
            Value::Object((*arguments().schema()).clone()),
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string" },
                    "notes": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": { "text": { "type": "string" } },
                            "required": ["text"],
                            "additionalProperties": false
                        }
                    }
                },
                "required": ["query"],
                "additionalProperties": false
            })
        );
    }

    #[test]
    fn kn_16_wrong_arguments_are_reported_by_path() {
        let check = |value: Value| arguments().check("find", &value);
        assert_eq!(check(json!({ "query": "a", "notes": [{ "text": "b" }] })), Ok(()));
        assert_eq!(check(json!({ "query": "a", "notes": null })), Ok(()));
        let fault = check(json!({ "qeury": "a", "notes": [{ "text": 1 }] })).unwrap_err();
        assert_eq!(fault.code, "MCP1101");
        for part in ["query: expected string", "qeury: expected no field", "notes[0].text"] {
            assert!(fault.message.contains(part), "{part}: {}", fault.message);
        }
        assert!(fault.help.unwrap().contains("`query` string"));
        assert_eq!(Arguments::any().check("find", &json!({ "x": 1 })), Ok(()));
    }
}
