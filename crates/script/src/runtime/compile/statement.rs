//! Statements (AS-6).

use super::declare::settle;
use super::function::FunctionCompiler;
use super::scope::VisibleUse;
use crate::runtime::code::{Op, Reg};
use crate::runtime::error::codes;
use crate::stack::deeper;
use crate::syntax::ast::{Block, Config, Expr, Statement, StatementKind, Use};
use contexture_diagnostic::Span;

impl<'a> FunctionCompiler<'_, 'a> {
    /// Compiles one statement; registers of variables it defines stay allocated until its block
    /// ends.
    pub(super) fn statement(&mut self, statement: &'a Statement) {
        deeper(|| self.statement_kind(statement));
    }

    fn statement_kind(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Assign { target, op, value } => self.assign(target, *op, value),
            StatementKind::Return(value) => self.return_(value.as_ref(), statement.span),
            StatementKind::If { arms, otherwise } => self.if_(arms, otherwise.as_ref()),
            StatementKind::Loop { until, max, body } => {
                self.loop_until(until, max.as_ref(), body, statement.span);
            }
            StatementKind::Repeat { count, body } => self.repeat(count, body, statement.span),
            StatementKind::For(each) => self.for_in(each, statement.span),
            StatementKind::Use(used) => self.use_(used),
            StatementKind::Config(config) => self.config(config),
            StatementKind::Expr(expr) => {
                let mark = self.code.mark();
                let to = self.code.temp();
                self.expr(expr, to);
                self.code.release(mark);
            }
            StatementKind::Error => {
                self.at(statement.span);
                self.fail(codes::NOT_READABLE, "this statement could not be parsed", check_help());
            }
        }
    }

    /// Compiles a setting, from here to the end of its block.
    pub(super) fn config(&mut self, config: &'a Config) {
        let depth = self.scopes.depth();
        if let Some(settings) = self.scopes.settings_mut() {
            settle(&[config], settings, depth);
        }
    }

    pub(super) fn block(&mut self, block: &'a Block) {
        let mark = self.code.mark();
        self.scopes.enter();
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.scopes.leave();
        self.code.release(mark);
    }

    /// Compiles a block as a scope whose last expression is its value; nothing else may read `to`.
    pub(super) fn block_value(&mut self, block: &'a Block, to: Reg) {
        let mark = self.code.mark();
        self.scopes.enter();
        match block.statements.split_last() {
            Some((Statement { kind: StatementKind::Expr(value), .. }, before)) => {
                before.iter().for_each(|statement| self.statement(statement));
                self.expr(value, to);
            }
            _ => {
                block.statements.iter().for_each(|statement| self.statement(statement));
                self.code.emit(Op::LoadNone { to });
            }
        }
        self.scopes.leave();
        self.code.release(mark);
    }

    fn if_(&mut self, arms: &'a [(Expr, Block)], otherwise: Option<&'a Block>) {
        let end = self.code.label();
        let last = arms.len().saturating_sub(1);
        for (number, (condition, block)) in arms.iter().enumerate() {
            let next = self.code.label();
            self.branch(condition, false, next);
            self.block(block);
            if number < last || otherwise.is_some() {
                self.code.jump(end);
            }
            self.code.place(next);
        }
        if let Some(block) = otherwise {
            self.block(block);
        }
        self.code.place(end);
    }

    fn return_(&mut self, value: Option<&'a Expr>, span: Span) {
        if self.scopes.in_parallel() {
            self.at(span);
            let help = "end the body with the expression that gives the item's value".to_owned();
            let message = "`return` can't leave a `parallel for`";
            return self.fail(codes::PARALLEL_RETURN, message, Some(help));
        }
        let mark = self.code.mark();
        let from = value.map(|value| self.operand(value));
        self.at(span);
        if self.loops > 0 {
            let exit = self.code.emit(Op::Nothing);
            self.exits.push(exit);
        }
        self.emit_return(from);
        self.code.release(mark);
    }

    fn use_(&mut self, tree: &'a Use) {
        let number = super::uses::site(self.tables, self.home.file, tree);
        let depth = self.scopes.depth();
        self.at(tree.span);
        self.code.emit(Op::UseEvent { site: number });
        self.eventful += 1;
        self.scopes.declare_use(VisibleUse { number, tree, depth, span: tree.span });
    }
}

pub(super) fn check_help() -> Option<String> {
    Some("run `contexture check` to see the errors".to_owned())
}
