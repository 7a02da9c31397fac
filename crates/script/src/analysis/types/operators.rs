//! Operators on values that they do not take.

use super::flow::{FunctionTypes, operand_span};
use super::{Kind, Type};
use crate::analysis::calls::listed;
use crate::codes;
use crate::syntax::ast::{AssignOp, BinaryOp, Expr, ExprKind, ShapeKind, UnaryOp};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, nearest};

impl<'p> FunctionTypes<'p, '_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &'p Expr) -> Type<'p> {
        let of = self.expr(operand);
        match op {
            UnaryOp::Not => Type::Boolean,
            UnaryOp::Negate => {
                self.number_wanted("-", operand, &of);
                numeric(&of)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        at: Span,
        left: &'p Expr,
        right: &'p Expr,
    ) -> Type<'p> {
        let (one, other) = (self.expr(left), self.expr(right));
        match op {
            BinaryOp::Or | BinaryOp::And => Type::Boolean,
            BinaryOp::Equal | BinaryOp::NotEqual => {
                self.compared(left, &one, right);
                self.compared(right, &other, left);
                Type::Boolean
            }
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                self.ordered(at, &one, &other);
                Type::Boolean
            }
            BinaryOp::Add => self.sum(at, &one, &other),
            BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => {
                let sign = sign(op);
                self.number_wanted(sign, left, &one);
                self.number_wanted(sign, right, &other);
                match (op, &one, &other) {
                    (BinaryOp::Divide, _, _) => Type::Number,
                    (_, Type::Integer, Type::Integer) => Type::Integer,
                    _ => Type::Number,
                }
            }
        }
    }

    /// Returns the type of `name += value` or `name -= value`.
    pub(super) fn compound(
        &mut self,
        op: AssignOp,
        target: Span,
        (old, new): (&Type<'p>, &Type<'p>),
        value: &'p Expr,
    ) -> Type<'p> {
        if op == AssignOp::Add {
            return self.sum(target, old, new);
        }
        self.number_wanted("-=", value, new);
        match (old, new) {
            (Type::Integer, Type::Integer) => Type::Integer,
            _ => Type::Number,
        }
    }

    /// Reports an operand that is certainly not a number.
    fn number_wanted(&mut self, sign: &str, operand: &'p Expr, of: &Type<'p>) {
        let Some(kind) = self.types.kind(of).filter(|kind| *kind != Kind::Number) else { return };
        let message = format!("`{sign}` takes numbers, not {}", kind.noun());
        let help = match kind {
            Kind::Text => "convert it first: `to_number(text)`",
            _ => "give a number",
        };
        let span = operand_span(operand);
        self.report(codes::WRONG_OPERAND.at(span, message).with_help(help));
    }

    /// Returns the type of a sum, and reports one that can't be.
    fn sum(&mut self, at: Span, one: &Type<'p>, other: &Type<'p>) -> Type<'p> {
        let (Some(left), Some(right)) = (self.types.kind(one), self.types.kind(other)) else {
            return Type::Unknown;
        };
        match (left, right) {
            (Kind::Number, Kind::Number) => match (one, other) {
                (Type::Integer, Type::Integer) => Type::Integer,
                _ => Type::Number,
            },
            (Kind::Text, Kind::Text | Kind::Number | Kind::Boolean)
            | (Kind::Number | Kind::Boolean, Kind::Text) => Type::Text,
            (Kind::List, Kind::List) => Type::List(None),
            _ => {
                let message = format!("`+` does not add {} and {}", left.noun(), right.noun());
                let help = match (left, right) {
                    (Kind::List, _) | (_, Kind::List) => {
                        "join the items first, as in `.join(\", \")`, or add with `.add(…)`"
                    }
                    (Kind::Object, _) | (_, Kind::Object) => "add one of its fields",
                    _ => "it adds numbers, joins strings, and joins a string with a number",
                };
                self.report(codes::WRONG_OPERAND.at(at, message).with_help(help));
                Type::Unknown
            }
        }
    }

    /// Reports an order of two values that have none.
    fn ordered(&mut self, at: Span, one: &Type<'p>, other: &Type<'p>) {
        let (Some(left), Some(right)) = (self.types.kind(one), self.types.kind(other)) else {
            return;
        };
        if left == right && matches!(left, Kind::Number | Kind::Text) {
            return;
        }
        let message = format!("{} and {} have no order", left.noun(), right.noun());
        let help = "compare two numbers, or two strings";
        self.report(codes::WRONG_OPERAND.at(at, message).with_help(help));
    }

    /// Reports the comparison of a choice with a word that is none of it.
    fn compared(&mut self, choice: &'p Expr, of: &Type<'p>, word: &'p Expr) {
        let (Type::Shaped(file, node), ExprKind::Str(text)) = (of, &strip(word).kind) else {
            return;
        };
        let Some((_, node)) = self.types.resolved(*file, node) else { return };
        let ShapeKind::Enum(words) = &node.kind else { return };
        if words.iter().any(|known| known.value == *text) || self.is_changed(choice) {
            return;
        }
        let names = || words.iter().map(|word| word.value.as_str());
        let message = format!("this is never {text:?}");
        let fault = codes::IMPOSSIBLE_WORD.at(word.span, message);
        let fault = match nearest(text, names()) {
            Some(near) => fault
                .with_help(format!("did you mean `{near}`?"))
                .with_edit(word.span, format!("{near:?}")),
            None => {
                let all: Vec<&str> = names().collect();
                fault.with_help(format!("it is one of {}", listed(&all)))
            }
        };
        let fault = match self.declared_here(of) {
            Some(span) => fault.with_label(span, "its words are declared here"),
            None => fault,
        };
        self.report(fault);
    }

    /// Reports whether the program assigns to a field of this name.
    fn is_changed(&self, expr: &Expr) -> bool {
        matches!(&strip(expr).kind, ExprKind::Field { name, .. }
            if self.types.facts.assigned.contains(name.text.as_str()))
    }
}

const fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        _ => "%",
    }
}

const fn numeric<'p>(of: &Type<'p>) -> Type<'p> {
    match of {
        Type::Integer => Type::Integer,
        _ => Type::Number,
    }
}
