//! Shapes as a program writes them, in one line, for what an editor shows (TY-9).

use crate::stack::deeper;
use crate::syntax::ast::{BoundKind, FieldNode, ShapeKind, ShapeNode};

/// The length at which a shape is cut off.
const MOST: usize = 400;

/// Writes a shape in one line; a long one ends in `…`.
#[must_use]
pub fn written(shape: &ShapeNode) -> String {
    let mut text = String::new();
    write(shape, &mut text);
    clipped(text)
}

/// Cuts a long text off, with `…` at its end.
pub(crate) fn clipped(mut text: String) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => {
            text.truncate(at);
            text + "…"
        }
        None => text,
    }
}

fn write(shape: &ShapeNode, text: &mut String) {
    if text.len() > 4 * MOST {
        return;
    }
    match &shape.kind {
        ShapeKind::String => text.push_str("string"),
        ShapeKind::Number => text.push_str("number"),
        ShapeKind::Integer => text.push_str("integer"),
        ShapeKind::Boolean => text.push_str("boolean"),
        ShapeKind::List(None) => text.push_str("list"),
        ShapeKind::List(Some(item)) => {
            text.push_str("list[");
            deeper(|| write(item, text));
            text.push(']');
        }
        ShapeKind::Object(fields) if fields.is_empty() => text.push_str("{}"),
        ShapeKind::Object(fields) => {
            text.push_str("{ ");
            for (index, field) in fields.iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                write_field(field, text);
            }
            text.push_str(" }");
        }
        ShapeKind::Enum(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("{:?}", word.value)).collect();
            text.push_str(&words.join(" | "));
        }
        ShapeKind::Named(name) => text.push_str(&name.text),
        ShapeKind::Json | ShapeKind::Error => text.push_str("json"),
    }
    shape.bounds.iter().for_each(|bound| write_bound(&bound.kind, text));
}

fn write_bound(bound: &BoundKind, text: &mut String) {
    let written = match bound {
        BoundKind::Min(least) => format!(" min {least}"),
        BoundKind::Max(most) => format!(" max {most}"),
        BoundKind::Length(least, most) if least == most => format!(" length {most}"),
        BoundKind::Length(least, most) => format!(" length {least} to {most}"),
        BoundKind::Pattern(pattern) => format!(" pattern {:?}", pattern.value),
    };
    text.push_str(&written);
}

fn write_field(field: &FieldNode, text: &mut String) {
    text.push_str(&field.name.text);
    text.push_str(if field.optional { "? " } else { " " });
    match &field.shape {
        Some(shape) => deeper(|| write(shape, text)),
        None => text.push_str("string"),
    }
}
