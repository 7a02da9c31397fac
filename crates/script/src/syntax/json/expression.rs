//! Expressions as JSON.

use super::statement::for_parts;
use super::{At, begin, finish};
use crate::stack::deeper;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Generate, Text, UnaryOp};
use contexture_diagnostic::SourceFile;
use serde::ser::{Serialize, SerializeMap, Serializer};

const fn name_of(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::None => "None",
        ExprKind::Bool(_) => "Bool",
        ExprKind::Int(_) => "Int",
        ExprKind::Float(_) => "Float",
        ExprKind::Str(_) => "Str",
        ExprKind::List(_) => "List",
        ExprKind::Object(_) => "Object",
        ExprKind::Name(_) => "Variable",
        ExprKind::Paren(_) => "Paren",
        ExprKind::Unary { .. } => "Unary",
        ExprKind::Binary { .. } => "Binary",
        ExprKind::Field { .. } => "Field",
        ExprKind::Index { .. } => "Index",
        ExprKind::Call { .. } => "Call",
        ExprKind::Generate(_) => "Generate",
        ExprKind::ParallelFor(_) => "ParallelFor",
        ExprKind::Try { .. } => "Try",
        ExprKind::Error => "Error",
    }
}

impl Serialize for At<'_, Expr> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        deeper(|| {
            let mut map = begin(serializer, name_of(&self.0.kind))?;
            parts(&self.0.kind, &mut map, self.1)?;
            finish(map, self.0.span, self.1)
        })
    }
}

fn parts<M: SerializeMap>(
    kind: &ExprKind,
    map: &mut M,
    source: &SourceFile,
) -> Result<(), M::Error> {
    match kind {
        ExprKind::None | ExprKind::Error => Ok(()),
        ExprKind::Bool(value) => map.serialize_entry("value", value),
        ExprKind::Int(value) => map.serialize_entry("value", value),
        ExprKind::Float(value) => map.serialize_entry("value", value),
        ExprKind::Str(value) => map.serialize_entry("value", value),
        ExprKind::Name(name) => map.serialize_entry("name", name),
        ExprKind::List(items) => map.serialize_entry("items", &At(items.as_slice(), source)),
        ExprKind::Object(fields) => map.serialize_entry("fields", &At(fields.as_slice(), source)),
        ExprKind::Paren(inner) => map.serialize_entry("inner", &At(&**inner, source)),
        _ => compound(kind, map, source),
    }
}

fn compound<M: SerializeMap>(
    kind: &ExprKind,
    map: &mut M,
    source: &SourceFile,
) -> Result<(), M::Error> {
    match kind {
        ExprKind::Unary { op, operand } => {
            map.serialize_entry("op", prefix(*op))?;
            map.serialize_entry("operand", &At(&**operand, source))
        }
        ExprKind::Binary { op, left, right, .. } => {
            map.serialize_entry("op", infix(*op))?;
            map.serialize_entry("left", &At(&**left, source))?;
            map.serialize_entry("right", &At(&**right, source))
        }
        ExprKind::Field { base, name } => {
            map.serialize_entry("base", &At(&**base, source))?;
            map.serialize_entry("name", &At(name, source))
        }
        ExprKind::Index { base, index } => {
            map.serialize_entry("base", &At(&**base, source))?;
            map.serialize_entry("index", &At(&**index, source))
        }
        ExprKind::Call { callee, arguments } => {
            map.serialize_entry("callee", &At(&**callee, source))?;
            map.serialize_entry("arguments", &At(arguments.as_slice(), source))
        }
        ExprKind::Generate(generate) => generate_parts(generate, map, source),
        ExprKind::ParallelFor(each) => for_parts(each, map, source),
        ExprKind::Try { body, error, handler } => {
            map.serialize_entry("body", &At(body, source))?;
            map.serialize_entry("error", &At(error, source))?;
            map.serialize_entry("else", &At(handler, source))
        }
        _ => Ok(()),
    }
}

fn generate_parts<M: SerializeMap>(
    generate: &Generate,
    map: &mut M,
    source: &SourceFile,
) -> Result<(), M::Error> {
    map.serialize_entry("options", &At(generate.options.as_slice(), source))?;
    map.serialize_entry("shape", &At(&generate.shape, source))
}

impl Serialize for At<'_, (Text, Expr)> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("key", &At(&self.0.0, self.1))?;
        map.serialize_entry("value", &At(&self.0.1, self.1))?;
        map.end()
    }
}

const fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "not",
    }
}

/// An infix operator as it is written.
const fn infix(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
    }
}
