//! A shape as JSON Schema, draft 2020-12 (AS-21): a plain one, and the strict form of OpenAI's
//! structured outputs.
//!
//! Both omit `$schema`: the result is embedded in requests, and some servers refuse keywords they
//! do not know.

use super::{Bounds, Field, Shape};
use serde_json::{Map, Value, json};
use thiserror::Error;

/// The reason why a shape has no strict schema.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotStrict {
    /// The answer itself is not an object.
    #[error("a strict schema must be an object at the top, and the shape is `{found}`")]
    RootNotObject {
        /// The type of the shape.
        found: &'static str,
    },
    /// A part that may have any value.
    #[error("`{path}` is a free `{found}`, and a strict schema needs the type of every part")]
    Untyped {
        /// The path in the shape: `items[].meta`.
        path: String,
        /// `json` or `list`.
        found: &'static str,
    },
    /// More levels, fields or enum values than a strict schema may have.
    #[error("the shape has more than {limit} {what}, the most a strict schema may have")]
    TooLarge {
        /// The unit of the limit.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// The limits that OpenAI documents for structured outputs.
const STRICT_MAX_LEVELS: usize = 10;
const STRICT_MAX_FIELDS: usize = 5000;
const STRICT_MAX_ENUM_VALUES: usize = 1000;

impl Shape {
    /// Returns the shape as JSON Schema, draft 2020-12 (AS-21).
    ///
    /// Properties keep the order of the fields, a description becomes `description`, optional
    /// fields are left out of `required`, and other fields are allowed. `json` is the schema that
    /// accepts everything.
    ///
    /// ```
    /// use contexture_answer::{Field, Shape};
    /// let shape = Shape::Object(vec![Field::new("ok", Shape::Boolean)]);
    /// assert_eq!(
    ///     shape.to_json_schema().to_string(),
    ///     r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#
    /// );
    /// ```
    pub fn to_json_schema(&self) -> Value {
        let mut definitions = Map::new();
        let schema = self.schema(&mut definitions);
        with_definitions(definitions, schema)
    }

    /// Returns the schema, and adds to the definitions that stand at the top.
    fn schema(&self, definitions: &mut Map<String, Value>) -> Value {
        match self {
            Shape::Json => json!({}),
            Shape::List(None) => json!({"type": "array"}),
            Shape::List(Some(item)) => {
                json!({"type": "array", "items": item.schema(definitions)})
            }
            Shape::Object(fields) => {
                let properties = properties(fields, |field| field.shape.schema(definitions));
                let required: Vec<&str> = fields
                    .iter()
                    .filter(|field| !field.optional)
                    .map(|field| field.name.as_str())
                    .collect();
                json!({"type": "object", "properties": properties, "required": required})
            }
            Shape::Enum(values) => json!({"type": "string", "enum": values}),
            Shape::Bounded(bounds) => bounded(bounds.shape.schema(definitions), bounds, false),
            Shape::Named(name) => reference(name),
            Shape::Defined(defined) => {
                for (name, shape) in &defined.definitions {
                    let schema = shape.schema(definitions);
                    definitions.insert(name.clone(), schema);
                }
                defined.shape.schema(definitions)
            }
            _ => json!({"type": self.type_name()}),
        }
    }

    /// Returns the shape as the strict JSON Schema of OpenAI's structured outputs: no additional
    /// properties, every field required, optional fields nullable.
    ///
    /// # Errors
    /// [`NotStrict`] names the first part that has no strict form: `json`, a `list` without a type,
    /// a top level that is not an object, or more levels, fields or enum values than allowed.
    pub fn to_strict_json_schema(&self) -> Result<Value, NotStrict> {
        let Shape::Object(_) = self.plain() else {
            return Err(NotStrict::RootNotObject { found: self.type_name() });
        };
        let mut strict = Strict::default();
        let schema = strict.shape(self, &mut Vec::new(), 1)?;
        Ok(with_definitions(strict.definitions, schema))
    }
}

fn bounded(mut schema: Value, bounds: &Bounds, is_strict: bool) -> Value {
    if let Value::Object(map) = &mut schema {
        bounds.add_to(map, is_strict);
    }
    schema
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// Returns a schema with definitions. One that is only a reference becomes its definition, since a
/// strict schema begins with an object.
fn with_definitions(definitions: Map<String, Value>, schema: Value) -> Value {
    if definitions.is_empty() {
        return schema;
    }
    let named = schema.get("$ref").and_then(Value::as_str);
    let named = named.and_then(|name| name.strip_prefix("#/$defs/"));
    let own = named.and_then(|name| definitions.get(name)).cloned();
    let mut schema = own.unwrap_or(schema);
    if let Value::Object(map) = &mut schema {
        map.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

fn properties(fields: &[Field], mut schema: impl FnMut(&Field) -> Value) -> Map<String, Value> {
    fields.iter().map(|field| (field.name.clone(), described(field, schema(field)))).collect()
}

fn described(field: &Field, mut schema: Value) -> Value {
    if let (Some(text), Value::Object(map)) = (&field.description, &mut schema) {
        let bounds = map.get("description").and_then(Value::as_str);
        let text = bounds.map_or_else(|| text.clone(), |bounds| format!("{text} ({bounds})"));
        map.insert("description".into(), text.into());
    }
    schema
}

#[derive(Default)]
struct Strict {
    fields: usize,
    enum_values: usize,
    definitions: Map<String, Value>,
}

impl Strict {
    fn shape<'a>(
        &mut self,
        shape: &'a Shape,
        path: &mut Vec<&'a str>,
        level: usize,
    ) -> Result<Value, NotStrict> {
        at_most("levels", level, STRICT_MAX_LEVELS)?;
        match shape {
            Shape::Json | Shape::List(None) => {
                Err(NotStrict::Untyped { path: path.concat(), found: shape.type_name() })
            }
            Shape::List(Some(item)) => {
                path.push("[]");
                let items = self.shape(item, path, level + 1)?;
                path.pop();
                Ok(json!({"type": "array", "items": items}))
            }
            Shape::Object(fields) => self.object(fields, path, level),
            Shape::Bounded(bounds) => {
                let mut schema = bounded(self.shape(&bounds.shape, path, level)?, bounds, true);
                // The one bound that has no keyword there is told in words.
                if let (Some(_), Shape::String, Value::Object(map)) =
                    (bounds.length, &bounds.shape, &mut schema)
                {
                    map.insert("description".to_owned(), bounds.describe().into());
                }
                Ok(schema)
            }
            Shape::Named(name) => Ok(reference(name)),
            Shape::Defined(defined) => {
                for (name, shape) in &defined.definitions {
                    let schema = self.shape(shape, path, level)?;
                    self.definitions.insert(name.clone(), schema);
                }
                self.shape(&defined.shape, path, level)
            }
            Shape::Enum(values) => {
                self.enum_values += values.len();
                at_most("enum values", self.enum_values, STRICT_MAX_ENUM_VALUES)?;
                Ok(json!({"type": "string", "enum": values}))
            }
            _ => Ok(json!({"type": shape.type_name()})),
        }
    }

    fn object<'a>(
        &mut self,
        fields: &'a [Field],
        path: &mut Vec<&'a str>,
        level: usize,
    ) -> Result<Value, NotStrict> {
        self.fields += fields.len();
        at_most("fields", self.fields, STRICT_MAX_FIELDS)?;
        let mut properties = Map::with_capacity(fields.len());
        for field in fields {
            let before = path.len();
            if before > 0 {
                path.push(".");
            }
            path.push(&field.name);
            let mut schema = self.shape(&field.shape, path, level + 1)?;
            path.truncate(before);
            if field.optional {
                schema = nullable(schema);
            }
            properties.insert(field.name.clone(), described(field, schema));
        }
        let required: Vec<&String> = properties.keys().collect();
        Ok(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }))
    }
}

fn at_most(what: &'static str, count: usize, limit: usize) -> Result<(), NotStrict> {
    if count > limit {
        return Err(NotStrict::TooLarge { what, limit });
    }
    Ok(())
}

/// Returns the schema that also accepts `null`. An enum beside a list of types would still refuse
/// it, so it becomes one of two alternatives.
fn nullable(mut schema: Value) -> Value {
    if schema.get("enum").is_some() || schema.get("$ref").is_some() {
        return json!({"anyOf": [schema, {"type": "null"}]});
    }
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    schema
}
