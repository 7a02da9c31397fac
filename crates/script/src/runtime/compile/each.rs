//! Methods that call a function for each item of a list (AS-8, TY-6): loops, so that the function may
//! have effects like any other.

use super::builder::{Label, behind};
use super::declare::Global;
use super::function::FunctionCompiler;
use crate::library::{self, Body, Each, Receiver};
use crate::runtime::code::{Op, Reg};
use crate::syntax::ast::{Expr, Name};

/// The registers of a turn.
#[derive(Clone, Copy)]
struct Registers {
    made: Reg,
    item: Reg,
    /// The first argument of the function, and its result.
    argument: Reg,
}

impl<'a> FunctionCompiler<'_, 'a> {
    /// Compiles such a call; returns false if it is another one.
    pub(super) fn each(
        &mut self,
        expr: &'a Expr,
        base: &'a Expr,
        (name, arguments): (&'a Name, &'a [Expr]),
        to: Reg,
    ) -> bool {
        let Some(entry) = library::method(Receiver::List, &name.text) else { return false };
        let Body::Each(each, _) = entry.body else { return false };
        let Some((function, rest)) = arguments.split_first() else { return false };
        let Some(Global::Function(function)) = self.global_of(function) else { return false };
        if arguments.len() < entry.least() || arguments.len() > entry.most() {
            return false;
        }
        let given = entry.function_parameter().map_or(1, |(_, count)| count);
        if self.arity(function, given, expr.span) {
            self.at(expr.span);
            self.each_loop(base, (each, &name.text, function), rest.first(), to);
        }
        true
    }

    fn each_loop(
        &mut self,
        base: &'a Expr,
        (each, name, function): (Each, &str, u32),
        start: Option<&'a Expr>,
        to: Reg,
    ) {
        let span = self.code.span;
        let (whole, state) = (self.code.temps(2), self.code.temps(4));
        let (made, item, argument) = (behind(whole, 1), behind(state, 3), self.code.temps(2));
        let at = Registers { made, item, argument };
        self.expr(base, whole);
        if let Some(start) = start {
            self.expr(start, made);
        }
        self.code.span = span;
        self.code.emit(Op::Move { to: state, from: whole });
        let name = self.tables.name(name).unwrap_or_default();
        self.code.emit(Op::EachBegin { at: state, name });
        self.begin(each, made);
        let (test, next, end) = (self.code.label(), self.code.label(), self.code.label());
        self.code.jump(test);
        let target = self.code.here();
        if each == Each::Reduce {
            self.code.emit(Op::Move { to: argument, from: made });
        }
        let own = behind(argument, usize::from(each == Each::Reduce));
        self.code.emit(Op::Move { to: own, from: item });
        self.note_call(function);
        self.code.emit(Op::Call { at: argument, function });
        self.turn(each, at, (next, end));
        self.code.place(next);
        self.code.place(test);
        self.code.emit(Op::WalkNext { at: state, target });
        self.code.place(end);
        let from = match each {
            Each::Keyed(how) => {
                self.code.emit(Op::ByKeys { at: whole, how });
                whole
            }
            _ => made,
        };
        self.code.emit(Op::Take { to, from });
    }

    /// Sets what is made before the first item.
    fn begin(&mut self, each: Each, made: Reg) {
        match each {
            Each::Map | Each::Filter | Each::Keyed(_) => {
                self.code.emit(Op::NewList { to: made, capacity: 0 });
            }
            Each::Find => {
                self.code.emit(Op::LoadNone { to: made });
            }
            Each::Any | Each::All => {
                self.code.emit(Op::LoadBool { to: made, value: each == Each::All });
            }
            Each::Reduce => {}
        }
    }

    /// Uses the result of the function for one item.
    fn turn(&mut self, each: Each, at: Registers, (next, end): (Label, Label)) {
        let Registers { made, item, argument } = at;
        match each {
            Each::Map | Each::Keyed(_) => {
                self.code.emit(Op::Append { list: made, item: argument, take: true });
                return;
            }
            Each::Reduce => {
                self.code.emit(Op::Take { to: made, from: argument });
                return;
            }
            Each::All => self.code.emit(Op::IfFalse { from: argument }),
            Each::Filter | Each::Find | Each::Any => self.code.emit(Op::IfTrue { from: argument }),
        };
        self.code.jump(next);
        match each {
            Each::Filter => {
                self.code.emit(Op::Append { list: made, item, take: true });
                return;
            }
            Each::Find => self.code.emit(Op::Take { to: made, from: item }),
            _ => self.code.emit(Op::LoadBool { to: made, value: each == Each::Any }),
        };
        self.code.jump(end);
    }
}
