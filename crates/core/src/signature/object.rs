//! The arguments of a tool, as far as its JSON Schema defines them on the first level.

use contexture_context::field::{FieldFacts, FieldType};

use serde_json::{Map, Value};

fn field_of(name: &str, schema: &Value, required: bool) -> FieldFacts {
    let words = schema.get("enum").and_then(Value::as_array);
    let words = words.filter(|words| words.iter().all(Value::is_string));
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    let (name, types) = (name.to_owned(), types(schema));
    FieldFacts { name, required, types, words: words.map(str::to_owned).collect() }
}

/// Returns the types that a schema names. One that is put together otherwise may have any.
fn types(schema: &Value) -> Vec<FieldType> {
    match schema.get("type") {
        Some(Value::String(word)) => FieldType::parse(word).into_iter().collect(),
        Some(Value::Array(words)) => {
            let known: Vec<FieldType> =
                words.iter().filter_map(Value::as_str).filter_map(FieldType::parse).collect();
            if known.len() == words.len() { known } else { Vec::new() }
        }
        _ => one_of(schema),
    }
}

/// Reads `anyOf` and `oneOf` of plain types, as optional fields are often written.
fn one_of(schema: &Value) -> Vec<FieldType> {
    let all = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let mut found = Vec::new();
    for one in all.into_iter().flatten() {
        let Some(kind) = one.get("type").and_then(Value::as_str).and_then(FieldType::parse) else {
            return Vec::new();
        };
        found.push(kind);
    }
    found
}

/// The object that a tool takes, by its JSON Schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ObjectSignature {
    /// Its known fields.
    pub fields: Vec<FieldFacts>,
    /// True if other fields may stand beside them.
    pub open: bool,
}

impl ObjectSignature {
    /// Reads a schema.
    ///
    /// A schema that names fields and is silent on others is taken to mean no others: a server
    /// drops fields that it does not know, and a misspelt one would be lost unseen.
    #[must_use]
    pub fn of(schema: &Map<String, Value>) -> Self {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut fields: Vec<FieldFacts> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| field_of(name, schema, required.contains(&name.as_str())))
            .collect();
        for name in required {
            if !fields.iter().any(|field| field.name == name) {
                fields.push(field_of(name, &Value::Null, true));
            }
        }
        let combined = ["allOf", "anyOf", "oneOf", "$ref", "if", "patternProperties"];
        let open = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => schema.contains_key("patternProperties"),
            Some(_) => true,
            // Without any names nothing could be misspelt.
            None => properties.is_none() || combined.iter().any(|word| schema.contains_key(*word)),
        };
        Self { fields, open }
    }

    /// Returns the argument as it is sent, or all its faults; `name` is as in `Fs.read`. An
    /// optional field that is `none`, which its type does not allow, is not sent.
    ///
    /// # Errors
    /// One line for each fault.
    pub fn check(&self, name: &str, argument: Value) -> Result<Map<String, Value>, Vec<String>> {
        let mut given = match argument {
            Value::Object(given) => given,
            Value::Null => Map::new(),
            other => {
                return Err(vec![format!("`{name}` takes an object, not {}", kind_of(&other))]);
            }
        };
        given.retain(|key, value| {
            let field = self.fields.iter().find(|field| field.name == *key);
            !(value.is_null() && field.is_some_and(|field| !field.required && !field.takes(value)))
        });
        let mut faults = Vec::new();
        for (key, value) in &given {
            match self.fields.iter().find(|field| field.name == *key) {
                Some(field) if field.takes(value) => {}
                Some(field) => faults.push(format!(
                    "the argument `{key}` of `{name}` must be {}, not {}",
                    field.describe(),
                    shown(value)
                )),
                None if self.open => {}
                None => faults.push(format!("`{name}` has no argument `{key}`")),
            }
        }
        let missing = self.fields.iter().filter(|field| field.required);
        for field in missing.filter(|field| !given.contains_key(&field.name)) {
            let wanted = field.describe();
            faults.push(format!("`{name}` needs the argument `{}`, {wanted}", field.name));
        }
        if faults.is_empty() { Ok(given) } else { Err(faults) }
    }

    /// Returns how the arguments are written, for a message.
    #[must_use]
    pub fn usage(&self) -> String {
        let part = |field: &FieldFacts| {
            let mark = if field.required { "" } else { "?" };
            format!("{}{mark}: {}", field.name, field.describe())
        };
        let parts: Vec<String> = self.fields.iter().map(part).collect();
        match (parts.is_empty(), self.open) {
            (true, false) => "it takes no arguments".to_owned(),
            (true, true) => "it takes an object".to_owned(),
            (false, _) => format!("it takes {{ {} }}", parts.join(", ")),
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    FieldType::of(value).describe()
}

/// Returns a value as a message shows it: short texts and numbers as they are.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() <= 40 => format!("{text:?}"),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        other => kind_of(other).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn signature(schema: Value) -> ObjectSignature {
        ObjectSignature::of(schema.as_object().unwrap())
    }

    fn read() -> ObjectSignature {
        signature(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "head": {"type": "integer"},
                "tail": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "sort": {"type": "string", "enum": ["name", "size"]},
                "any": {"$ref": "#/$defs/any"},
            },
            "required": ["path"],
        }))
    }

    fn faults(signature: &ObjectSignature, argument: Value) -> Vec<String> {
        signature.check("Fs.read", argument).err().unwrap_or_default()
    }

    #[test]
    fn as_25_arguments_are_checked_against_first_level_of_schema() {
        let read = read();
        for good in [
            json!({"path": "a"}),
            json!({"path": "a", "head": 3, "tail": 1.5, "sort": "name", "any": [{}]}),
            json!({"path": "a", "head": 3.0, "tail": null}),
        ] {
            assert_eq!(read.check("Fs.read", good.clone()), Ok(good.as_object().unwrap().clone()));
        }
        assert_eq!(faults(&read, json!({})), ["`Fs.read` needs the argument `path`, a string"]);
        assert_eq!(
            faults(&read, json!({"pth": "a", "path": 1, "head": 1.5, "sort": "date"})),
            [
                "`Fs.read` has no argument `pth`",
                "the argument `path` of `Fs.read` must be a string, not 1",
                "the argument `head` of `Fs.read` must be a whole number, not 1.5",
                "the argument `sort` of `Fs.read` must be one of \"name\", \"size\", not \"date\"",
            ]
        );
        assert_eq!(faults(&read, json!("a")), ["`Fs.read` takes an object, not a string"]);
        assert_eq!(
            read.usage(),
            "it takes { path: a string, head?: a whole number, tail?: a number or none, sort?: one of \
             \"name\", \"size\", any?: any value }"
        );
    }

    #[test]
    fn as_25_an_optional_argument_that_is_none_is_not_sent() {
        let sent = read().check("Fs.read", json!({"path": "a", "head": null, "tail": null}));
        assert_eq!(Value::Object(sent.unwrap()), json!({"path": "a", "tail": null}));
        assert!(!faults(&read(), json!({"path": null})).is_empty());
    }

    #[test]
    fn as_25_other_arguments_are_accepted_where_schema_allows_them() {
        let more = json!({"x": 1});
        for open in [
            json!({"properties": {}, "additionalProperties": true}),
            json!({"additionalProperties": {"type": "string"}}),
            json!({"anyOf": [{}]}),
            json!({}),
            json!({"type": "object"}),
            json!({"patternProperties": {"x": {}}, "additionalProperties": false}),
        ] {
            assert!(signature(open.clone()).check("T.run", more.clone()).is_ok(), "{open}");
        }
        for closed in [
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "additionalProperties": false}),
        ] {
            assert!(signature(closed.clone()).check("T.run", more.clone()).is_err(), "{closed}");
        }
        assert!(signature(json!({})).check("T.run", Value::Null).is_ok());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z]{0,8}".prop_map(Value::from),
            Just(json!("string")),
            Just(json!("object")),
        ];
        let words = prop_oneof![
            Just("type".to_owned()),
            Just("properties".to_owned()),
            Just("required".to_owned()),
            Just("enum".to_owned()),
            Just("anyOf".to_owned()),
            Just("additionalProperties".to_owned()),
            "[a-z]{1,3}",
        ];
        leaf.prop_recursive(4, 32, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((words.clone(), inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn as_25_check_ends_for_any_schema_and_argument(schema in any_json(), argument in any_json()) {
            let schema = match schema {
                Value::Object(schema) => schema,
                other => Map::from_iter([("properties".to_owned(), other)]),
            };
            let signature = ObjectSignature::of(&schema);
            if let Err(faults) = signature.check("T.run", argument) {
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
