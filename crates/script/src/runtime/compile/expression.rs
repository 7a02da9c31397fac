//! Expressions (AS-7, AS-8).
//!
//! An expression is compiled into a register. Most write it in one last step; those that build
//! their value in several (see [`is_single_step`]) need a register that nothing else reads.

use super::declare::Global;
use super::function::FunctionCompiler;
use super::statement::check_help;
use crate::capability::noun;
use crate::runtime::code::{Constant, Handler, Op, Reg};
use crate::runtime::error::codes;
use crate::stack::deeper;
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, ImportKind, Name, Text, UnaryOp};
use crate::syntax::walk::{has_block, strip};
use contexture_diagnostic::Span;
use std::sync::Arc;

impl<'a> FunctionCompiler<'_, 'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr, to: Reg) {
        let expr = strip(expr);
        let mark = self.code.mark();
        deeper(|| self.expr_kind(expr, to));
        self.code.release(mark);
    }

    fn expr_kind(&mut self, expr: &'a Expr, to: Reg) {
        self.at(expr.span);
        match &expr.kind {
            ExprKind::None => self.put(Op::LoadNone { to }),
            ExprKind::Bool(value) => self.put(Op::LoadBool { to, value: *value }),
            ExprKind::Int(value) => self.int(*value, to),
            ExprKind::Float(value) => self.constant(Constant::Float(*value), to),
            ExprKind::Str(text) => self.constant(Constant::Str(Arc::from(text.as_str())), to),
            ExprKind::Interpolation(parts) => self.interpolation(parts, expr.span, to),
            ExprKind::List(items) => self.list(items, to),
            ExprKind::Object(fields) => self.object(fields, to),
            ExprKind::Name(name) => self.name(name, to),
            ExprKind::Paren(inner) => self.expr(inner, to),
            ExprKind::Unary { op: UnaryOp::Negate, operand } => self.negate(operand, expr, to),
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let from = self.operand(operand);
                self.at(expr.span);
                self.code.emit(Op::Not { to, from });
            }
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => self.truth(expr, to),
            ExprKind::Binary { .. } => self.binary(expr, to),
            ExprKind::Field { .. } | ExprKind::Index { .. } => self.postfix(expr, to),
            ExprKind::Call { .. }
            | ExprKind::Generate(_)
            | ExprKind::ParallelFor(_)
            | ExprKind::Try { .. }
                if self.scopes.in_use() =>
            {
                // It would run again for every prompt, and a `generate` in it would show it
                // again.
                let help = "store the result in a variable, and use that".to_owned();
                self.fail(codes::NOT_A_VALUE, "a `use` can't contain a call", Some(help));
            }
            ExprKind::Call { callee, arguments } => self.call(expr, callee, arguments, to),
            ExprKind::Generate(generate) => self.generate(generate, expr.span, to),
            ExprKind::ParallelFor(each) => self.parallel_for(each, expr.span, to),
            ExprKind::Try { body, error, handler } => {
                self.try_else(body, error.as_ref(), handler, to);
            }
            ExprKind::Error => {
                self.fail(codes::NOT_READABLE, "this expression could not be parsed", check_help());
            }
        }
    }

    fn put(&mut self, op: Op) {
        self.code.emit(op);
    }

    /// Returns a register that holds the value of an expression: a variable's own, else a new one.
    pub(super) fn operand(&mut self, expr: &'a Expr) -> Reg {
        if let Some(register) = self.variable_of(expr) {
            return register;
        }
        let to = self.code.temp();
        self.expr(expr, to);
        to
    }

    /// Returns the register of an expression that is a variable.
    pub(super) fn variable_of(&self, expr: &Expr) -> Option<Reg> {
        match &strip(expr).kind {
            ExprKind::Name(name) => self.scopes.variable(name),
            _ => None,
        }
    }

    /// Compiles two operands; the left one is read before the right one runs.
    pub(super) fn operands(&mut self, left: &'a Expr, right: &'a Expr) -> (Reg, Reg) {
        let mut first = self.operand(left);
        if self.variable_of(left).is_some() && has_block(right) {
            let to = self.code.temp();
            self.code.emit(Op::Move { to, from: first });
            first = to;
        }
        (first, self.operand(right))
    }

    fn int(&mut self, value: i64, to: Reg) {
        match i32::try_from(value) {
            Ok(value) => self.put(Op::LoadInt { to, value }),
            Err(_) => self.constant(Constant::Int(value), to),
        }
    }

    pub(super) fn constant(&mut self, constant: Constant, to: Reg) {
        let index = self.tables.constant(constant);
        self.code.emit(Op::LoadConstant { to, index });
    }

    fn list(&mut self, items: &'a [Expr], to: Reg) {
        self.code.emit(Op::NewList { to, capacity: super::tables::index(items.len()) });
        for item in items {
            let mark = self.code.mark();
            let value = self.operand(item);
            let take = self.variable_of(item).is_none();
            self.at(item.span);
            self.code.emit(Op::Append { list: to, item: value, take });
            self.code.release(mark);
        }
    }

    fn object(&mut self, fields: &'a [(Text, Expr)], to: Reg) {
        self.code.emit(Op::NewObject { to, capacity: super::tables::index(fields.len()) });
        for (key, value) in fields {
            let mark = self.code.mark();
            let take = self.variable_of(value).is_none();
            let value = self.operand(value);
            self.at(key.span);
            self.put_field(to, &key.value, value, take);
            self.code.release(mark);
        }
    }

    pub(super) fn put_field(&mut self, object: Reg, key: &str, value: Reg, take: bool) {
        match self.tables.name(key) {
            Some(name) => self.put(Op::PutField { object, name, value, take }),
            None => {
                let register = self.code.temp();
                self.constant(Constant::Str(Arc::from(key)), register);
                self.code.emit(Op::PutKey { object, key: register, value });
            }
        }
    }

    /// Compiles a name: a variable, or an imported file's value.
    pub(super) fn name(&mut self, name: &str, to: Reg) {
        if let Some(from) = self.scopes.variable(name) {
            if from != to {
                self.code.emit(Op::Move { to, from });
            }
            return;
        }
        let what = match self.global(name) {
            Some(Global::Import(import, ImportKind::File)) => {
                self.eventful += 1;
                self.code.emit(Op::LoadFile { to, import });
                return;
            }
            None => return self.unknown_name(name),
            Some(Global::Function(_)) => "a function",
            Some(Global::Agent(_)) => "an agent",
            Some(Global::Import(_, kind)) => noun(kind),
        };
        let help = match what {
            "a function" | "an agent" => format!("call it: `{name}(…)`"),
            _ => "store its result in a variable first".to_owned(),
        };
        self.fail(codes::NOT_A_VALUE, format!("`{name}` is {what}, not a value"), Some(help));
    }

    /// Compiles `-operand`. `-9` is a literal too, so that the least integer can be written.
    fn negate(&mut self, operand: &'a Expr, expr: &Expr, to: Reg) {
        match &strip(operand).kind {
            ExprKind::Int(value) if *value != i64::MIN => self.int(-*value, to),
            _ => {
                let from = self.operand(operand);
                self.at(expr.span);
                self.code.emit(Op::Negate { to, from });
            }
        }
    }

    /// Compiles `a.b`, `a[b]` and chains of them, from the inside out without recursion.
    fn postfix(&mut self, expr: &'a Expr, to: Reg) {
        let mut chain = Vec::new();
        let mut inner = expr;
        while let ExprKind::Field { base, .. } | ExprKind::Index { base, .. } = &inner.kind {
            chain.push(inner);
            inner = strip(base);
        }
        let chained = chain
            .iter()
            .any(|node| matches!(&node.kind, ExprKind::Index { index, .. } if has_block(index)));
        let mut base = match self.variable_of(inner) {
            Some(register) if !chained => register,
            _ => {
                let register = self.code.temp();
                self.expr(inner, register);
                register
            }
        };
        let middle = self.code.temp();
        for (left, node) in chain.iter().enumerate().rev() {
            let into = if left == 0 { to } else { middle };
            let mark = self.code.mark();
            match &node.kind {
                ExprKind::Field { name, .. } => {
                    self.at(node.span);
                    self.get_field(into, base, &name.text);
                }
                ExprKind::Index { index, .. } => {
                    let index = self.operand(index);
                    self.at(node.span);
                    self.code.emit(Op::GetIndex { to: into, base, index });
                }
                _ => {}
            }
            self.code.release(mark);
            base = into;
        }
    }

    pub(super) fn get_field(&mut self, to: Reg, base: Reg, name: &str) {
        if name == "length" {
            self.code.emit(Op::GetLength { to, base });
            return;
        }
        match self.tables.name(name) {
            Some(name) => self.put(Op::GetField { to, base, name }),
            None => {
                let index = self.code.temp();
                self.constant(Constant::Str(Arc::from(name)), index);
                self.code.emit(Op::GetIndex { to, base, index });
            }
        }
    }

    pub(super) fn set_field(&mut self, base: Reg, name: &str, value: Reg) {
        match self.tables.name(name) {
            Some(name) => self.put(Op::SetField { base, name, value }),
            None => {
                let index = self.code.temp();
                self.constant(Constant::Str(Arc::from(name)), index);
                self.code.emit(Op::SetIndex { base, index, value });
            }
        }
    }

    fn try_else(&mut self, body: &'a Block, error: Option<&'a Name>, handler: &'a Block, to: Reg) {
        let events = self.code.temp();
        let caught = self.code.temp();
        let done = self.code.label();
        self.code.emit(Op::EventsMark { at: events });
        let start = self.code.here();
        self.block_value(body, to);
        let end = self.code.here();
        self.code.jump(done);
        let target = self.code.here();
        self.code.handler(Handler { start, end, target, error: caught, events });
        self.scopes.enter();
        if let Some(name) = error {
            self.scopes.define(&name.text, caught);
        }
        self.block_value(handler, to);
        self.scopes.leave();
        self.code.place(done);
    }
}

impl<'a> FunctionCompiler<'_, 'a> {
    /// Compiles a string with values in it: the sum of its parts, so that it is a text with their
    /// labels.
    fn interpolation(&mut self, parts: &'a [Expr], span: Span, to: Reg) {
        let sum = self.code.temp();
        for (index, part) in parts.iter().enumerate() {
            let mark = self.code.mark();
            let right = if index == 0 { sum } else { self.code.temp() };
            self.expr(part, right);
            if index > 0 {
                self.at(span);
                self.code.emit(Op::Add { to: sum, left: sum, right });
            }
            self.code.release(mark);
        }
        self.code.emit(Op::Take { to, from: sum });
    }
}

/// Reports whether an expression writes its register in one last step, after all reads.
pub(super) fn is_single_step(expr: &Expr) -> bool {
    match &strip(expr).kind {
        ExprKind::None
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Unary { .. }
        | ExprKind::Field { .. }
        | ExprKind::Index { .. } => true,
        ExprKind::Binary { op, .. } => !matches!(op, BinaryOp::And | BinaryOp::Or),
        ExprKind::Interpolation(_)
        | ExprKind::List(_)
        | ExprKind::Object(_)
        | ExprKind::Paren(_)
        | ExprKind::Call { .. }
        | ExprKind::Generate(_)
        | ExprKind::ParallelFor(_)
        | ExprKind::Try { .. }
        | ExprKind::Error => false,
    }
}
