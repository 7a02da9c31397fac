//! What a function of a program takes, and how parameters become its input.

use contexture_answer::{Field, Shape};
use contexture_script::runtime::Given;
use contexture_script::syntax::ast::{Func, Param};
use contexture_script::syntax::shape_of;
use serde_json::{Map, Value, json};

/// The parameter that tells tries of one step from each other (FL-11).
const KEY: &str = "idempotencyKey";

/// What a function takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// One value of unknown form.
    Open(String),
    /// One object.
    Whole(Vec<Field>),
    /// One value that is no object.
    One(Field),
    /// Several values.
    Several(Vec<Field>),
}

impl Takes {
    pub(super) fn of(func: &Func) -> Self {
        let field = |param: &Param| {
            let shape = param.shape.as_ref().map_or(Shape::Json, shape_of);
            Field::new(param.name.text.clone(), shape)
        };
        match func.params.as_slice() {
            [] => Self::Nothing,
            [only] => match only.shape.as_ref().map(shape_of) {
                None => Self::Open(only.name.text.clone()),
                Some(Shape::Object(fields)) => Self::Whole(fields),
                Some(shape) => Self::One(Field::new(only.name.text.clone(), shape)),
            },
            several => Self::Several(several.iter().map(field).collect()),
        }
    }

    /// The schema of the parameters. An idempotency key may stand beside them (FL-11).
    pub(super) fn schema(&self) -> Value {
        let named: &[Field] = match self {
            Self::Open(_) => return json!({ "type": "object" }),
            Self::Whole(fields) => return object(fields, true),
            Self::Nothing => &[],
            Self::One(field) => std::slice::from_ref(field),
            Self::Several(fields) => fields,
        };
        object(named, false)
    }

    /// The input of the function.
    fn input(&self, mut given: Vec<(String, Given)>) -> Given {
        let sole = |given: &[(String, Given)], wanted: &str| matches!(given, [(name, _)] if name == wanted);
        let wanted = match self {
            Self::One(field) => Some(&field.name),
            Self::Open(name) if sole(&given, name) => Some(name),
            _ => None,
        };
        let found = wanted.and_then(|name| given.iter().position(|(own, _)| own == name));
        match found {
            Some(at) => given.swap_remove(at).1,
            None => Given::Object(given),
        }
    }
}

fn object(fields: &[Field], may_have_more: bool) -> Value {
    let mut properties = Map::new();
    for Field { name, shape, optional, .. } in fields {
        let schema = shape.to_json_schema();
        let schema =
            if *optional { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema };
        properties.insert(name.clone(), schema);
    }
    let required: Vec<&String> =
        fields.iter().filter(|field| !field.optional).map(|field| &field.name).collect();
    let required = json!(required);
    properties.entry(KEY).or_insert_with(|| json!({ "type": "string" }));
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": may_have_more,
    })
}

/// What a program is given, as its function takes it.
pub(super) fn input_of(takes: &Takes, given: Vec<(String, Given)>) -> Given {
    let declares = |fields: &[Field]| fields.iter().any(|field| field.name == KEY);
    let keeps = match takes {
        Takes::Open(_) => true,
        Takes::Whole(fields) | Takes::Several(fields) => declares(fields),
        Takes::Nothing | Takes::One(_) => false,
    };
    let given = given.into_iter().filter(|(name, _)| keeps || name != KEY);
    takes.input(given.collect())
}
