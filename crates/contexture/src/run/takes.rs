//! The parameters of the function that a run starts.

use contexture_answer::{Field, Shape};
use contexture_script::program::Program;
use contexture_script::syntax::ast::{Func, Param};

/// The parameters of a function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Takes {
    Nothing,
    /// One value of unknown form, by the name of its parameter.
    Open(String),
    /// One object.
    Whole(Vec<Field>),
    /// One value that is not an object.
    One(Field),
    /// Several values.
    Several(Vec<Field>),
}

impl Takes {
    /// Returns the parameters of a function of a file.
    pub(crate) fn of(program: &Program, file: usize, func: &Func) -> Self {
        let shapes = program.shapes();
        let field = |param: &Param| {
            let shape = param.shape.as_ref().map(|shape| shapes.shape_of(file, shape));
            // One that is too large is refused when the program is checked.
            let shape = shape.and_then(Result::ok).unwrap_or(Shape::Json);
            Field::new(param.name.text.clone(), shape)
        };
        match func.params.as_slice() {
            [] => Self::Nothing,
            [only] if only.shape.is_none() => Self::Open(only.name.text.clone()),
            [only] => {
                let field = field(only);
                field.shape.fields().map_or(Self::One(field), Self::Whole)
            }
            several => Self::Several(several.iter().map(field).collect()),
        }
    }
}
