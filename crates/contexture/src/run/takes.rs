//! The parameters of the function that a run starts.

use contexture_answer::{Field, Shape};
use contexture_script::syntax::ast::{Func, Param};
use contexture_script::syntax::shape_of;

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
    pub(crate) fn of(func: &Func) -> Self {
        let field = |param: &Param| {
            let shape = param.shape.as_ref().map_or(Shape::Json, shape_of);
            Field::new(param.name.text.clone(), shape)
        };
        match func.params.as_slice() {
            [] => Self::Nothing,
            [only] if only.shape.is_none() => Self::Open(only.name.text.clone()),
            [only] => match field(only) {
                Field { shape: Shape::Object(fields), .. } => Self::Whole(fields),
                field => Self::One(field),
            },
            several => Self::Several(several.iter().map(field).collect()),
        }
    }
}
