//! Expressions as JSON.
//!
//! Each kind has a function of its own: their frames are small, so that a tree of the greatest
//! height is written within a small stack.

use super::Writer;
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Generate, Name, Text, UnaryOp};
use serde_json::{Map, Value};

impl Writer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> Value {
        let mut node = Map::new();
        let kind = self.expr_parts(expr, &mut node);
        self.finish(kind, expr.span, node)
    }

    /// Puts the parts of an expression into its node; returns its type.
    fn expr_parts(&self, expr: &Expr, node: &mut Map<String, Value>) -> &'static str {
        match &expr.kind {
            ExprKind::None => "None",
            ExprKind::Bool(value) => put(node, "Bool", "value", Value::from(*value)),
            ExprKind::Int(value) => put(node, "Int", "value", Value::from(*value)),
            ExprKind::Float(value) => put(node, "Float", "value", Value::from(*value)),
            ExprKind::Str(value) => put(node, "Str", "value", Value::from(value.as_str())),
            ExprKind::List(items) => put(node, "List", "items", self.exprs(items)),
            ExprKind::Object(fields) => put(node, "Object", "fields", self.fields(fields)),
            ExprKind::Name(name) => put(node, "Variable", "name", Value::from(name.as_str())),
            ExprKind::Paren(inner) => put(node, "Paren", "inner", self.expr(inner)),
            ExprKind::Unary { op, operand } => self.unary(node, *op, operand),
            ExprKind::Binary { op, left, right, .. } => self.binary(node, *op, left, right),
            ExprKind::Field { base, name } => self.field(node, base, name),
            ExprKind::Index { base, index } => {
                self.two(node, "Index", ("base", base), ("index", index))
            }
            ExprKind::Call { callee, arguments } => self.call(node, callee, arguments),
            ExprKind::Generate(generate) => self.generate(node, generate),
            ExprKind::ParallelFor(each) => self.for_parts(node, "ParallelFor", each),
            ExprKind::Try { body, error, handler } => {
                self.try_else(node, body, error.as_ref(), handler)
            }
            ExprKind::Error => "Error",
        }
    }

    fn unary(&self, node: &mut Map<String, Value>, op: UnaryOp, operand: &Expr) -> &'static str {
        let sign = match op {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "not",
        };
        put(node, "", "op", Value::from(sign));
        put(node, "Unary", "operand", self.expr(operand))
    }

    fn binary(
        &self,
        node: &mut Map<String, Value>,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> &'static str {
        put(node, "", "op", Value::from(sign(op)));
        self.two(node, "Binary", ("left", left), ("right", right))
    }

    fn two(
        &self,
        node: &mut Map<String, Value>,
        kind: &'static str,
        first: (&str, &Expr),
        second: (&str, &Expr),
    ) -> &'static str {
        put(node, kind, first.0, self.expr(first.1));
        put(node, kind, second.0, self.expr(second.1))
    }

    fn field(&self, node: &mut Map<String, Value>, base: &Expr, name: &Name) -> &'static str {
        put(node, "", "base", self.expr(base));
        put(node, "Field", "name", self.name(name))
    }

    fn call(
        &self,
        node: &mut Map<String, Value>,
        callee: &Expr,
        arguments: &[Expr],
    ) -> &'static str {
        put(node, "", "callee", self.expr(callee));
        put(node, "Call", "arguments", self.exprs(arguments))
    }

    fn generate(&self, node: &mut Map<String, Value>, generate: &Generate) -> &'static str {
        put(node, "", "options", self.fields(&generate.options));
        let shape = generate.shape.as_ref().map_or(Value::Null, |shape| self.shape(shape));
        put(node, "Generate", "shape", shape)
    }

    fn try_else(
        &self,
        node: &mut Map<String, Value>,
        body: &Block,
        error: Option<&Name>,
        handler: &Block,
    ) -> &'static str {
        put(node, "", "body", self.block(body));
        put(node, "", "error", error.map_or(Value::Null, |name| self.name(name)));
        put(node, "Try", "else", self.block(handler))
    }

    fn exprs(&self, exprs: &[Expr]) -> Value {
        Value::Array(exprs.iter().map(|expr| self.expr(expr)).collect())
    }

    fn fields(&self, fields: &[(Text, Expr)]) -> Value {
        Value::Array(fields.iter().map(|field| self.key_and_value(field)).collect())
    }

    fn key_and_value(&self, (key, value): &(Text, Expr)) -> Value {
        let mut pair = Map::new();
        put(&mut pair, "", "key", self.text(key));
        put(&mut pair, "", "value", self.expr(value));
        Value::Object(pair)
    }
}

/// Puts a part into a node; returns the type given, which the last part of a node names.
pub(super) fn put(
    node: &mut Map<String, Value>,
    kind: &'static str,
    name: &str,
    value: Value,
) -> &'static str {
    node.insert(name.to_owned(), value);
    kind
}

/// An infix operator as it is written.
const fn sign(op: BinaryOp) -> &'static str {
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
