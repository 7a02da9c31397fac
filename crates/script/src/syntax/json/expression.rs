//! Expressions as JSON.

use super::Writer;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Generate, Text, UnaryOp};
use serde_json::{Value, json};

impl Writer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> Value {
        let span = expr.span;
        match &expr.kind {
            ExprKind::None => self.node("None", span, json!({})),
            ExprKind::Bool(value) => self.node("Bool", span, json!({ "value": value })),
            ExprKind::Int(value) => self.node("Int", span, json!({ "value": value })),
            ExprKind::Float(value) => self.node("Float", span, json!({ "value": value })),
            ExprKind::Str(value) => self.node("Str", span, json!({ "value": value })),
            ExprKind::List(items) => {
                self.node("List", span, json!({ "items": self.exprs(items) }))
            }
            ExprKind::Object(fields) => {
                self.node("Object", span, json!({ "fields": self.fields(fields) }))
            }
            ExprKind::Name(name) => self.node("Variable", span, json!({ "name": name })),
            ExprKind::Paren(inner) => {
                self.node("Paren", span, json!({ "inner": self.expr(inner) }))
            }
            ExprKind::Error => self.node("Error", span, json!({})),
            _ => self.compound(expr),
        }
    }

    fn compound(&self, expr: &Expr) -> Value {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Unary { op, operand } => {
                let op = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "not",
                };
                self.node("Unary", span, json!({ "op": op, "operand": self.expr(operand) }))
            }
            ExprKind::Binary { op, left, right, .. } => {
                let (left, right) = (self.expr(left), self.expr(right));
                let parts = json!({ "op": sign(*op), "left": left, "right": right });
                self.node("Binary", span, parts)
            }
            ExprKind::Field { base, name } => {
                let (base, name) = (self.expr(base), self.name(name));
                self.node("Field", span, json!({ "base": base, "name": name }))
            }
            ExprKind::Index { base, index } => {
                let (base, index) = (self.expr(base), self.expr(index));
                self.node("Index", span, json!({ "base": base, "index": index }))
            }
            ExprKind::Call { callee, arguments } => {
                let (callee, arguments) = (self.expr(callee), self.exprs(arguments));
                self.node("Call", span, json!({ "callee": callee, "arguments": arguments }))
            }
            ExprKind::Generate(generate) => self.generate(expr, generate),
            ExprKind::ParallelFor(node) => self.for_loop("ParallelFor", node, span),
            ExprKind::Try { body, error, handler } => {
                let error = error.as_ref().map(|name| self.name(name));
                let (body, handler) = (self.block(body), self.block(handler));
                self.node("Try", span, json!({ "body": body, "error": error, "else": handler }))
            }
            _ => self.node("Error", span, json!({})),
        }
    }

    fn generate(&self, expr: &Expr, generate: &Generate) -> Value {
        let shape = generate.shape.as_ref().map(|shape| self.shape(shape));
        let options = self.fields(&generate.options);
        self.node("Generate", expr.span, json!({ "options": options, "shape": shape }))
    }

    fn exprs(&self, exprs: &[Expr]) -> Vec<Value> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn fields(&self, fields: &[(Text, Expr)]) -> Vec<Value> {
        fields
            .iter()
            .map(|(key, value)| json!({ "key": self.text(key), "value": self.expr(value) }))
            .collect()
    }
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
