//! From the written form of a shape to the shape (AS-5).

use super::ast::{FieldNode, ShapeKind, ShapeNode};
use contexture_answer::{Field, Shape};

/// Returns the shape of a tree. A part that could not be parsed is `json`: a program with such a
/// shape is refused before it runs.
#[must_use]
pub fn shape_of(node: &ShapeNode) -> Shape {
    match &node.kind {
        ShapeKind::String => Shape::String,
        ShapeKind::Number => Shape::Number,
        ShapeKind::Integer => Shape::Integer,
        ShapeKind::Boolean => Shape::Boolean,
        ShapeKind::Json | ShapeKind::Error => Shape::Json,
        ShapeKind::List(None) => Shape::List(None),
        ShapeKind::List(Some(item)) => Shape::list(shape_of(item)),
        ShapeKind::Object(fields) => Shape::Object(fields.iter().map(field_of).collect()),
        ShapeKind::Enum(values) => Shape::one_of(values.iter().map(|text| text.value.as_str())),
    }
}

fn field_of(node: &FieldNode) -> Field {
    let shape = node.shape.as_ref().map_or(Shape::String, shape_of);
    Field {
        name: node.name.text.clone(),
        shape,
        optional: node.optional,
        description: node.description.clone(),
    }
}
