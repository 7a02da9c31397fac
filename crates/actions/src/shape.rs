//! The parameters of an action: their JSON Schema with descriptions, and their values read by it.
//!
//! Decision: a parameter that an action does not know is refused, because nothing would show that
//! it had no effect; the aids for trying flows out (`echo`, `sleep`, `fail`) take anything.

use crate::failure::invalid;
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind};
use serde_json::{Map, Value, json};

/// The parameters of an action.
pub(crate) struct Shape {
    description: &'static str,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    open: bool,
}

impl Shape {
    pub(crate) fn new(description: &'static str) -> Self {
        Self { description, properties: Map::new(), required: Vec::new(), open: false }
    }

    /// Adds a required parameter.
    pub(crate) fn needs(mut self, name: &'static str, schema: Value, means: &str) -> Self {
        self.required.push(name);
        self.takes(name, schema, means)
    }

    /// Adds an optional parameter.
    pub(crate) fn takes(mut self, name: &'static str, mut schema: Value, means: &str) -> Self {
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("description".to_owned(), means.into());
        }
        self.properties.insert(name.to_owned(), schema);
        self
    }

    /// Allows any other parameter as well.
    pub(crate) fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Returns an action of a kind with these parameters; `QUERY` and `ANALYSIS` are idempotent
    /// (FL-4).
    pub(crate) fn of(self, kind: ActionKind) -> ActionInfo {
        ActionInfo::of(kind).with_parameters(self.schema())
    }

    fn schema(mut self) -> Value {
        if !self.open {
            let key = json!({"type": "string", "description": "what makes a repeated call the same call (FL-11)"});
            self.properties.insert("idempotencyKey".to_owned(), key);
        }
        json!({
            "type": "object",
            "description": self.description,
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": self.open,
        })
    }
}

/// Returns the schema of a text.
pub(crate) fn text() -> Value {
    json!({"type": "string"})
}

/// Returns the schema of a whole number.
pub(crate) fn whole(least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

/// Returns the schema of a boolean.
pub(crate) fn flag() -> Value {
    json!({"type": "boolean"})
}

/// Returns the schema of one of these words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// Returns the schema of seconds, with fractions.
pub(crate) fn seconds(most: u64) -> Value {
    json!({"type": "number", "exclusiveMinimum": 0, "maximum": most})
}

/// Returns a required text. The engine has checked that already, but an action can be called
/// without it.
pub(crate) fn text_of<'a>(call: &'a ActionCall, name: &str) -> Result<&'a str, ActionFailure> {
    match call.parameters.get(name) {
        Some(Value::String(text)) => Ok(text),
        found => Err(unfit(name, "a string", found)),
    }
}

/// Returns an optional text.
pub(crate) fn text_if<'a>(
    call: &'a ActionCall,
    name: &str,
) -> Result<Option<&'a str>, ActionFailure> {
    match call.parameters.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text_of(call, name).map(Some),
    }
}

/// Returns the failure of a parameter that is missing or of another type.
pub(crate) fn unfit(name: &str, expected: &str, found: Option<&Value>) -> ActionFailure {
    let found = found.map_or("nothing", type_of);
    invalid(format!("`{name}`: expected {expected}, found {found}"))
}

/// Returns the type of a value, with an article.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
