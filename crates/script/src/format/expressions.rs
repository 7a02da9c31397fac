//! Expressions. A line break before or after an operator, or before `.`, is kept, and the operator
//! begins the line.

use super::build::{Builder, Op};
use crate::stack::deeper;
use crate::syntax::ast::{Expr, ExprKind, Generate, MOST_OUTPUT, Text, UnaryOp};
use crate::syntax::token::TokenKind;

impl Builder<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        deeper(|| self.expr_kind(&expr.kind));
    }

    fn expr_kind(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Interpolation(_)
            | ExprKind::Name(_)
            | ExprKind::Error => self.token(),
            ExprKind::Int(_) => self.int(),
            ExprKind::List(items) => self.bracketed(false, items, Self::expr),
            ExprKind::Object(fields) => self.object(fields),
            ExprKind::Paren(inner) => {
                self.token();
                self.expr(inner);
                self.token();
            }
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::Binary { left, right, .. } => self.binary(left, right),
            ExprKind::Field { base, .. } => self.field(base),
            ExprKind::Index { base, index } => {
                self.expr(base);
                self.token();
                self.expr(index);
                self.token();
            }
            ExprKind::Call { callee, arguments } => self.call(callee, arguments),
            ExprKind::Generate(generate) => self.generate(generate),
            ExprKind::ParallelFor(each) => {
                self.token();
                self.space();
                self.for_head(each);
                self.value_block(&each.body);
            }
            ExprKind::Try { body, error, handler } => {
                self.token();
                self.space();
                self.value_block(body);
                self.spaced();
                if error.is_some() {
                    self.spaced();
                }
                self.space();
                self.value_block(handler);
            }
        }
    }

    /// Prints an integer; the least one is a minus and a number.
    fn int(&mut self) {
        let minus = self.at(TokenKind::Minus);
        self.token();
        if minus {
            self.token();
        }
    }

    fn object(&mut self, fields: &[(Text, Expr)]) {
        self.bracketed(true, fields, |builder, (_, value)| {
            builder.token();
            builder.token();
            builder.space();
            builder.expr(value);
        });
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) {
        self.token();
        // Two minus signs side by side would begin a comment.
        if op == UnaryOp::Not || self.at(TokenKind::Minus) {
            self.space();
        }
        self.expr(operand);
    }

    fn binary(&mut self, left: &Expr, right: &Expr) {
        self.expr(left);
        if self.next_starts_line() || self.second_starts_line() {
            self.push(Op::Indent);
            self.push(Op::Line { blank: false });
            self.token();
            self.space();
            self.expr(right);
            self.push(Op::Dedent);
        } else {
            self.between();
            self.expr(right);
        }
    }

    fn field(&mut self, base: &Expr) {
        self.expr(base);
        if self.next_starts_line() || self.second_starts_line() {
            self.push(Op::Indent);
            self.push(Op::Line { blank: false });
            self.token();
            self.token();
            self.push(Op::Dedent);
        } else {
            self.token();
            self.token();
        }
    }

    fn call(&mut self, callee: &Expr, arguments: &[Expr]) {
        self.expr(callee);
        if !self.at(TokenKind::OpenParen) {
            return self.without_brackets(arguments);
        }
        let Some((last, others)) = arguments.split_last() else {
            return self.bracketed(false, arguments, Self::expr);
        };
        let container = |expr: &Expr| matches!(expr.kind, ExprKind::Object(_) | ExprKind::List(_));
        let long_text =
            others.is_empty() && matches!(last.kind, ExprKind::Str(_) | ExprKind::Interpolation(_));
        let hugs = (container(last) || long_text) && others.iter().all(is_plain);
        if !hugs {
            return self.bracketed(false, arguments, Self::expr);
        }
        self.token();
        for argument in others {
            self.expr(argument);
            self.token();
            self.space();
        }
        self.expr(last);
        self.skip_comma();
        self.token();
    }

    /// Prints `progress "text"` or `fail "reason" code "E_CODE"`.
    fn without_brackets(&mut self, arguments: &[Expr]) {
        for (index, argument) in arguments.iter().enumerate() {
            self.space();
            if index > 0 {
                self.token();
                self.space();
            }
            self.expr(argument);
        }
    }

    /// Prints an option of `generate`: `key: value`, or `max_output: 800 to 3200`.
    fn option(&mut self, option: &[(Text, Expr)]) {
        for (index, (_, value)) in option.iter().enumerate() {
            if index > 0 {
                self.space();
            } else {
                self.token();
            }
            self.token();
            self.space();
            self.expr(value);
        }
    }

    fn generate(&mut self, generate: &Generate) {
        self.token();
        self.token();
        let options: Vec<_> =
            generate.options.chunk_by(|_, (next, _)| next.value == MOST_OUTPUT).collect();
        self.bracketed(true, &options, |builder, option| builder.option(option));
        self.skip_comma();
        self.token();
        if let Some(shape) = &generate.shape {
            self.between();
            self.shape(shape);
        }
    }
}

/// Reports whether an argument never needs lines of its own.
fn is_plain(expr: &Expr) -> bool {
    let mut root = expr;
    while let ExprKind::Field { base, .. } = &root.kind {
        root = base;
    }
    matches!(
        root.kind,
        ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Interpolation(_)
            | ExprKind::Name(_)
    )
}
