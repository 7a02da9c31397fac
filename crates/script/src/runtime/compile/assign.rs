//! Assignment (AS-6): updates the nearest variable, or defines one in this scope; `o.a.b = v` sets
//! the last field.

use super::expression::is_single_step;
use super::function::FunctionCompiler;
use super::scope::Place;
use crate::runtime::code::{Op, Reg};
use crate::runtime::error::codes;
use crate::syntax::ast::{Accessor, AssignOp, Expr, ExprKind, Name, Target};
use crate::syntax::walk::{expressions, has_block, strip};
use contexture_diagnostic::Span;

impl<'a> FunctionCompiler<'_, 'a> {
    pub(super) fn assign(&mut self, target: &'a Target, op: AssignOp, value: &'a Expr) {
        match target.path.split_last() {
            None => self.assign_name(target, op, value),
            Some((last, middle)) => {
                let mark = self.code.mark();
                self.assign_path(target, middle, last, op, value);
                self.code.release(mark);
            }
        }
    }

    fn assign_name(&mut self, target: &'a Target, op: AssignOp, value: &'a Expr) {
        let name = &target.base;
        match (self.scopes.place(&name.text), op) {
            (Place::Variable(to), AssignOp::Set) => self.set_variable(to, value),
            (Place::Variable(to), _) => self.change(to, to, op, value),
            (Place::New, AssignOp::Set) => {
                let to = self.code.temp();
                let mark = self.code.mark();
                self.expr(value, to);
                self.code.release(mark);
                self.scopes.define(&name.text, to);
            }
            (Place::New, _) => {
                self.at(name.span);
                self.unknown_name(&name.text);
            }
            (Place::Outer, _) => self.outer_write(name),
        }
    }

    fn set_variable(&mut self, to: Reg, value: &'a Expr) {
        if is_single_step(value) {
            return self.expr(value, to);
        }
        let mark = self.code.mark();
        let from = self.code.temp();
        self.expr(value, from);
        self.code.emit(Op::Take { to, from });
        self.code.release(mark);
    }

    /// Compiles `to = from + value` or `to = from - value`.
    fn change(&mut self, to: Reg, from: Reg, op: AssignOp, value: &'a Expr) {
        let mark = self.code.mark();
        let left = if has_block(value) {
            let copy = self.code.temp();
            self.code.emit(Op::Move { to: copy, from });
            copy
        } else {
            from
        };
        if let Some(int) = small_int(value) {
            self.at(value.span);
            self.code.emit(match op {
                AssignOp::Subtract => Op::SubtractInt { to, left, value: int },
                _ => Op::AddInt { to, left, value: int },
            });
        } else {
            let right = self.operand(value);
            self.at(value.span);
            self.code.emit(match op {
                AssignOp::Subtract => Op::Subtract { to, left, right },
                _ => Op::Add { to, left, right },
            });
        }
        self.code.release(mark);
    }

    fn outer_write(&mut self, name: &Name) {
        self.at(name.span);
        let message = format!("a `parallel for` can't assign `{}`, which is outside it", name.text);
        let help = "end the body with the item's value, and use the list of results".to_owned();
        self.fail(codes::OUTER_WRITE, message, Some(help));
    }

    fn assign_path(
        &mut self,
        target: &'a Target,
        middle: &'a [Accessor],
        last: &'a Accessor,
        op: AssignOp,
        value: &'a Expr,
    ) {
        let mut base = self.base(&target.base, has_block(value));
        for accessor in middle {
            let to = self.code.temp();
            self.access(to, base, accessor, target.span);
            base = to;
        }
        let index = match last {
            Accessor::Index(index) => {
                let register = self.code.temp();
                self.expr(index, register);
                Some(register)
            }
            Accessor::Field(_) => None,
        };
        let result = self.code.temp();
        match (op, last) {
            (AssignOp::Set, _) => self.expr(value, result),
            (AssignOp::Add, Accessor::Field(name)) if self.can_add_in_place(&name.text, value) => {
                return self.add_to_field(target.span, (base, &name.text), value, result);
            }
            _ => {
                self.at(target.span);
                self.read(result, base, last, index);
                self.change(result, result, op, value);
            }
        }
        self.at(target.span);
        match (last, index) {
            (Accessor::Field(name), _) => self.set_field(base, &name.text, result),
            (Accessor::Index(_), Some(index)) => {
                self.code.emit(Op::SetIndex { base, index, value: result });
            }
            (Accessor::Index(_), None) => {}
        }
    }

    /// Reports whether a value may be computed before the field that it is added to is read: nothing
    /// in it may change the field.
    fn can_add_in_place(&mut self, name: &str, value: &'a Expr) -> bool {
        let mut is_pure = true;
        expressions(value, &mut |part| is_pure &= is_single_step(part) || is_paren(part));
        is_pure && name != "length" && self.tables.name(name).is_some()
    }

    fn add_to_field(
        &mut self,
        span: Span,
        (base, name): (Reg, &str),
        value: &'a Expr,
        result: Reg,
    ) {
        let right = self.operand(value);
        self.at(span);
        if let Some(name) = self.tables.name(name) {
            self.code.emit(Op::AddToField { base, name, value: right });
        }
        self.get_field(result, base, name);
        self.at(value.span);
        self.code.emit(Op::Add { to: result, left: result, right });
        self.at(span);
        self.set_field(base, name, result);
    }

    /// Returns the register of the variable at the start of a path.
    fn base(&mut self, name: &'a Name, copy: bool) -> Reg {
        match self.scopes.variable(&name.text) {
            Some(register) if !copy => register,
            Some(from) => {
                let to = self.code.temp();
                self.code.emit(Op::Move { to, from });
                to
            }
            None => {
                let to = self.code.temp();
                self.at(name.span);
                self.name(&name.text, to);
                to
            }
        }
    }

    fn access(&mut self, to: Reg, base: Reg, accessor: &'a Accessor, span: Span) {
        let index = match accessor {
            Accessor::Index(index) => Some(self.operand(index)),
            Accessor::Field(_) => None,
        };
        self.at(span);
        self.read(to, base, accessor, index);
    }

    fn read(&mut self, to: Reg, base: Reg, accessor: &'a Accessor, index: Option<Reg>) {
        match (accessor, index) {
            (Accessor::Field(name), _) => self.get_field(to, base, &name.text),
            (Accessor::Index(_), Some(index)) => {
                self.code.emit(Op::GetIndex { to, base, index });
            }
            (Accessor::Index(_), None) => {}
        }
    }
}

fn is_paren(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Paren(_))
}

/// Returns an integer literal that fits into an instruction.
pub(super) fn small_int(expr: &Expr) -> Option<i16> {
    match &strip(expr).kind {
        ExprKind::Int(value) => i16::try_from(*value).ok(),
        _ => None,
    }
}
