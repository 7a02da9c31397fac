//! The parameters of an action as the input of a program's function.

use crate::run::Takes;
use contexture_answer::{Field, Shape};
use contexture_script::runtime::Given;
use serde_json::{Value, json};

/// The parameter that distinguishes the attempts of one step (FL-11).
const KEY: &str = "idempotencyKey";

/// Returns the schema of the parameters. An idempotency key may stand beside them (FL-11).
pub(super) fn schema(takes: &Takes) -> Value {
    let named: &[Field] = match takes {
        Takes::Open(_) => return json!({ "type": "object" }),
        Takes::Whole(fields) | Takes::Several(fields) => fields,
        Takes::Nothing => &[],
        Takes::One(field) => std::slice::from_ref(field),
    };
    let mut schema = Shape::Object(named.to_vec()).to_json_schema();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for field in named.iter().filter(|field| field.optional) {
            if let Some(own) = properties.get_mut(&field.name) {
                *own = json!({ "anyOf": [own.take(), { "type": "null" }] });
            }
        }
        properties.entry(KEY).or_insert_with(|| json!({ "type": "string" }));
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    schema
}

/// Returns the input of a program, as its function takes it.
pub(super) fn input_of(takes: &Takes, mut given: Vec<(String, Given)>) -> Given {
    let declares = |fields: &[Field]| fields.iter().any(|field| field.name == KEY);
    let keeps = match takes {
        Takes::Open(_) => true,
        Takes::Whole(fields) | Takes::Several(fields) => declares(fields),
        Takes::Nothing | Takes::One(_) => false,
    };
    given.retain(|(name, _)| keeps || name != KEY);
    let sole = |wanted: &str| matches!(given.as_slice(), [(name, _)] if name == wanted);
    let wanted = match takes {
        Takes::One(field) => Some(&field.name),
        Takes::Open(name) if sole(name) => Some(name),
        _ => None,
    };
    match wanted.and_then(|name| given.iter().position(|(own, _)| own == name)) {
        Some(at) => given.swap_remove(at).1,
        None => Given::Object(given),
    }
}
