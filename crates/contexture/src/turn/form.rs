//! The form of an answer that a caller asks for by a JSON Schema (WA-8).
//!
//! Decision: the schema becomes a shape as far as shapes express it, by which the answer is asked for,
//! read leniently and streamed; what shapes can't express is any JSON there, and the caller's own check
//! of the whole schema decides. So no schema is refused for its keywords, and none is checked in part.

use contexture_answer::{Field, FieldError, Shape};
use contexture_core::provider::SchemaHint;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The check of a value against the whole schema.
pub type FormCheck = Arc<dyn Fn(&Value) -> Vec<FieldError> + Send + Sync>;

/// The most parts of a schema that become parts of a shape.
const PARTS: usize = 2_000;

/// The form of an answer.
#[derive(Clone)]
pub struct Form {
    hint: Arc<SchemaHint>,
    shape: Shape,
    check: FormCheck,
}

impl Form {
    /// Creates the form of a schema.
    #[must_use]
    pub fn new(name: &str, schema: Value, strict: bool, check: FormCheck) -> Self {
        let mut parts = PARTS;
        let shape = Reader { root: &schema, parts: &mut parts }.shape(&schema, 1);
        let shape = if shape.check().is_ok() { shape } else { Shape::Json };
        let mut hint = SchemaHint::of_schema(name, schema);
        hint.strict = strict;
        Self { hint: Arc::new(hint), shape, check }
    }

    pub(crate) const fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn hint(&self) -> Arc<SchemaHint> {
        Arc::clone(&self.hint)
    }

    /// Returns what is wrong with a value.
    #[must_use]
    pub fn faults(&self, value: &Value) -> Vec<FieldError> {
        (self.check)(value)
    }
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form").field("hint", &self.hint).finish_non_exhaustive()
    }
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        self.hint == other.hint
    }
}

/// A reader of a schema with what is left of its bound.
struct Reader<'s> {
    root: &'s Value,
    parts: &'s mut usize,
}

impl Reader<'_> {
    fn shape(&mut self, schema: &Value, depth: usize) -> Shape {
        let Some(schema) = schema.as_object().filter(|_| depth <= Shape::MAX_DEPTH) else {
            return Shape::Json;
        };
        let Some(left) = self.parts.checked_sub(1) else { return Shape::Json };
        *self.parts = left;
        if let Some(place) = schema.get("$ref").and_then(Value::as_str) {
            let root = self.root;
            let found = place.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
            return found.map_or(Shape::Json, |found| self.shape(found, depth + 1));
        }
        let words = |all: &Value| {
            let words = all.as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
            words.collect::<Option<Vec<_>>>().filter(|words| !words.is_empty())
        };
        match (schema.get("enum"), schema.get("const"), kind(schema)) {
            (Some(all), _, _) => words(all).map_or(Shape::Json, Shape::Enum),
            (_, Some(Value::String(word)), _) => Shape::Enum(vec![word.clone()]),
            (_, Some(_), _) => Shape::Json,
            (_, _, Some("object")) => self.object(schema, depth),
            (_, _, Some("array")) => {
                let items = schema.get("items").filter(|_| !schema.contains_key("prefixItems"));
                items.map_or(Shape::List(None), |items| Shape::list(self.shape(items, depth + 1)))
            }
            (_, _, Some("string")) => Shape::String,
            (_, _, Some("number")) => Shape::Number,
            (_, _, Some("integer")) => Shape::Integer,
            (_, _, Some("boolean")) => Shape::Boolean,
            _ => Shape::Json,
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Shape {
        let properties = schema.get("properties").and_then(Value::as_object);
        let Some(properties) = properties.filter(|all| !all.is_empty()) else { return Shape::Json };
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        };
        let field = |(name, property): (&String, &Value)| Field {
            optional: !is_required(name),
            description: property.get("description").and_then(Value::as_str).map(str::to_owned),
            ..Field::new(name.clone(), self.shape(property, depth + 1))
        };
        Shape::Object(properties.iter().map(field).collect())
    }
}

/// Returns the one type of a schema, unless other keywords say more of it than shapes can.
fn kind(schema: &Map<String, Value>) -> Option<&str> {
    let others = ["anyOf", "oneOf", "allOf", "not", "if"];
    let kind = schema.get("type").and_then(Value::as_str);
    kind.filter(|_| others.iter().all(|other| !schema.contains_key(*other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape(schema: Value) -> String {
        Form::new("f", schema, false, Arc::new(|_| Vec::new())).shape().to_string()
    }

    #[test]
    fn wa_8_schema_becomes_shape_as_far_as_shapes_go() {
        let city = json!({ "type": "object", "properties": {
            "name": { "type": "string", "minLength": 1 },
            "kind": { "enum": ["town", "city"] },
            "mayor": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "parts": { "type": "array", "items": { "$ref": "#/$defs/part" } },
        }, "required": ["name", "kind", "mayor", "parts"],
        "$defs": { "part": { "type": "object", "properties": { "at": { "type": "integer" } } } } });
        let told = shape(city);
        for part in ["name string", "\"town\" | \"city\"", "mayor json", "at?: integer"] {
            assert!(told.contains(part), "{told}");
        }
        assert_eq!(shape(json!({ "type": "object" })), "json");
        assert_eq!(shape(json!(true)), "json");
    }

    #[test]
    fn wa_8_recursive_and_exploding_schemas_have_a_bound() {
        let node = json!({ "type": "object", "properties": {
            "left": { "$ref": "#" }, "right": { "$ref": "#" },
        } });
        assert!(shape(node).len() < 200_000);
        assert_eq!(shape(json!({ "$ref": "#" })), "json");
        assert_eq!(shape(json!({ "$ref": "https://example.org/x.json" })), "json");
    }
}
