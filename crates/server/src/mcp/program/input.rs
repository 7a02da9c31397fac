//! The input of a program as the arguments of a tool, which are always an object.

use crate::mcp::arguments::Arguments;
use contexture::answer::{Field, Shape};
use contexture::script::syntax::ast::{Func, Param};
use contexture::script::syntax::shape_of;
use serde_json::Value;

/// How arguments become the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// They are the input.
    Whole,
    /// One of them is: the parameter takes no object.
    Field(String),
}

impl Input {
    /// The input for these arguments.
    pub(super) fn of(&self, mut arguments: Value) -> Value {
        match self {
            Self::Whole => arguments,
            Self::Field(name) => {
                let field = arguments.as_object_mut().and_then(|fields| fields.remove(name));
                field.unwrap_or_default()
            }
        }
    }
}

/// What the function that a program starts with takes.
pub(super) fn arguments(entry: &Func) -> (Arguments, Input) {
    match entry.params.as_slice() {
        [] => (Arguments::of(Vec::new()), Input::Whole),
        [only] => match only.shape.as_ref().map(shape_of) {
            None => (Arguments::any(), Input::Whole),
            Some(Shape::Object(fields)) => (Arguments::of(fields), Input::Whole),
            Some(shape) => {
                let name = only.name.text.clone();
                (Arguments::of(vec![Field::new(name.clone(), shape)]), Input::Field(name))
            }
        },
        several => {
            let field = |param: &Param| {
                let shape = param.shape.as_ref().map_or(Shape::Json, shape_of);
                Field::new(param.name.text.clone(), shape)
            };
            (Arguments::of(several.iter().map(field).collect()), Input::Whole)
        }
    }
}
