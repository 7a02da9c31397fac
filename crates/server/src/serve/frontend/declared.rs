//! Checks that parameters match the announced schema: nothing else is sent (CP-19).
//!
//! Decision: a parameter that the schema of the tool does not name is refused, not removed: the
//! caller gets an error, and no call changes its meaning. A schema without
//! parameters permits all, as does one with `additionalProperties`.

use contexture::frontend::FrontendFailure;
use contexture_protocol::ErrorCode;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The most parts of a schema that are searched for parameters.
const MOST_PARTS: usize = 1_000;

/// Reports whether the parameters may be sent to a client that announced this schema.
pub(super) fn declared(
    parameters: &Map<String, Value>,
    schema: &Value,
) -> Result<(), FrontendFailure> {
    let mut faults = contexture::frontend::faults(&Value::Object(parameters.clone()), schema);
    if faults.is_empty() {
        faults = undeclared(parameters, schema);
    }
    if faults.is_empty() {
        return Ok(());
    }
    let failure = FrontendFailure::new(
        ErrorCode::ValidationFailed.as_str(),
        format!("the parameters: {}", faults.join("; ")),
    );
    Err(FrontendFailure { details: Some(Value::from(faults)), ..failure })
}

fn undeclared(parameters: &Map<String, Value>, schema: &Value) -> Vec<String> {
    let names = Names::of(schema);
    if names.takes_others || !names.has_any {
        return Vec::new();
    }
    let others = parameters.keys().filter(|name| !names.has(name));
    let told = |name: &String| format!("the tool does not declare `{name}`: nothing else leaves");
    others.map(told).collect()
}

/// The parameters that a schema names.
#[derive(Default)]
struct Names<'a> {
    known: HashSet<&'a str>,
    patterns: Map<String, Value>,
    takes_others: bool,
    has_any: bool,
}

impl<'a> Names<'a> {
    fn of(root: &'a Value) -> Self {
        let mut names = Self::default();
        let mut open = vec![root];
        let mut seen = HashSet::new();
        let mut parts = 0;
        while let Some(part) = open.pop() {
            let Value::Object(schema) = part else { continue };
            parts += 1;
            if parts > MOST_PARTS {
                break;
            }
            names.part(schema);
            for word in ["allOf", "anyOf", "oneOf"] {
                open.extend(schema.get(word).and_then(Value::as_array).into_iter().flatten());
            }
            open.extend(["if", "then", "else"].iter().filter_map(|word| schema.get(*word)));
            let named = schema.get("dependentSchemas").and_then(Value::as_object);
            open.extend(named.into_iter().flat_map(Map::values));
            // A schema may name itself.
            let place = schema.get("$ref").and_then(Value::as_str).filter(|at| seen.insert(*at));
            open.extend(place.and_then(|at| root.pointer(at.strip_prefix('#')?)));
        }
        names
    }

    fn part(&mut self, schema: &'a Map<String, Value>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            self.has_any = true;
            self.known.extend(properties.keys().map(String::as_str));
        }
        let required = schema.get("required").and_then(Value::as_array);
        self.known.extend(required.into_iter().flatten().filter_map(Value::as_str));
        if let Some(patterns) = schema.get("patternProperties").and_then(Value::as_object) {
            self.has_any = true;
            self.patterns.extend(patterns.keys().map(|pattern| (pattern.clone(), json!(true))));
        }
        for word in ["additionalProperties", "unevaluatedProperties"] {
            let others = schema.get(word).unwrap_or(&Value::Bool(false));
            self.takes_others |= others != &Value::Bool(false);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name) || self.fits(name)
    }

    /// Reports whether a pattern of names has it.
    fn fits(&self, name: &str) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let of_names = json!({ "patternProperties": self.patterns, "additionalProperties": false });
        let one = Value::Object(Map::from_iter([(name.to_owned(), Value::Null)]));
        jsonschema::validator_for(&of_names).is_ok_and(|names| names.is_valid(&one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(parameters: Value, schema: &Value) -> Vec<String> {
        let Value::Object(parameters) = parameters else { panic!() };
        declared(&parameters, schema).map_or_else(
            |failure| serde_json::from_value(failure.details.unwrap()).unwrap(),
            |()| Vec::new(),
        )
    }

    #[test]
    fn cp_19_undeclared_parameter_is_refused_by_name() {
        let own = json!({ "type": "object", "properties": { "id": { "type": "string" } } });
        assert_eq!(refused(json!({ "id": "a" }), &own), [""; 0]);
        assert_eq!(
            refused(json!({ "id": "a", "secret": 1 }), &own),
            ["the tool does not declare `secret`: nothing else leaves"]
        );
        let nothing = json!({ "type": "object", "properties": {} });
        assert_eq!(refused(json!({ "secret": 1 }), &nothing).len(), 1);
    }

    #[test]
    fn cp_19_parameters_may_be_declared_anywhere_in_schema() {
        let parts = json!({
            "properties": { "a": {} },
            "allOf": [{ "properties": { "b": {} } }, { "$ref": "#/$defs/more" }],
            "anyOf": [{ "required": ["d"] }, {}],
            "patternProperties": { "^x-": {} },
            "$defs": { "more": { "properties": { "c": {} }, "$ref": "#/$defs/more" } },
        });
        let given = json!({ "a": 1, "b": 1, "c": 1, "d": 1, "x-e": 1 });
        assert_eq!(refused(given, &parts), [""; 0]);
        assert_eq!(refused(json!({ "a": 1, "e": 1, "x": 1 }), &parts).len(), 2);
    }

    #[test]
    fn cp_13_open_schema_accepts_all_parameters() {
        for schema in [
            json!({}),
            json!({ "type": "object" }),
            json!({ "properties": { "a": {} }, "additionalProperties": true }),
            json!({ "properties": { "a": {} }, "additionalProperties": { "type": "number" } }),
        ] {
            assert_eq!(refused(json!({ "b": 1 }), &schema), [""; 0], "{schema}");
        }
    }
}
