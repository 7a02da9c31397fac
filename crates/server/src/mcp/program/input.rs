//! The input of a program as the arguments of a tool, which are always an object.

use crate::mcp::arguments::Arguments;
use contexture::answer::{Field, Shape};
use contexture::script::program::{AgentId, Program};
use contexture::script::syntax::ast::{Func, Param, ShapeNode};
use serde_json::Value;

/// The conversion of arguments to input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// The arguments are the input.
    Whole,
    /// One argument is the input, as the parameter is not an object.
    Field(String),
}

impl Input {
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

/// Returns the arguments of the main function.
pub(super) fn arguments(program: &Program, agent: AgentId, entry: &Func) -> (Arguments, Input) {
    let shapes = program.shapes();
    // One that is too large is refused when the program is checked.
    let shape_of = |shape: &ShapeNode| shapes.shape_of(agent.file, shape).unwrap_or(Shape::Json);
    match entry.params.as_slice() {
        [] => (Arguments::of(Vec::new()), Input::Whole),
        [only] => match only.shape.as_ref().map(&shape_of) {
            None => (Arguments::any(), Input::Whole),
            Some(shape) => match shape.fields() {
                Some(fields) => (Arguments::of(fields), Input::Whole),
                None => {
                    let name = only.name.text.clone();
                    (Arguments::of(vec![Field::new(name.clone(), shape)]), Input::Field(name))
                }
            },
        },
        several => {
            let field = |param: &Param| {
                let shape = param.shape.as_ref().map_or(Shape::Json, &shape_of);
                Field::new(param.name.text.clone(), shape)
            };
            (Arguments::of(several.iter().map(field).collect()), Input::Whole)
        }
    }
}
