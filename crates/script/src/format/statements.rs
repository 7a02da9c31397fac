//! Statements and blocks.

use super::build::{Builder, Op};
use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, Block, Candidate, Expr, For, Statement, StatementKind, Target, Use, UseSource,
};
use crate::syntax::token::TokenKind;
use crate::syntax::walk::has_block;

impl Builder<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        if self.empty_group() {
            return;
        }
        self.token();
        self.push(Op::Indent);
        self.statements(block);
        self.dedent();
        self.push(Op::Line { blank: false });
        self.token();
    }

    /// Prints statements, each on a line of its own.
    pub(super) fn statements(&mut self, block: &Block) {
        for (index, statement) in block.statements.iter().enumerate() {
            let blank = index > 0 && self.blank_before();
            self.push(Op::Line { blank });
            deeper(|| self.statement(statement));
        }
    }

    /// Prints a block that has a value: one short expression may stay on the line.
    pub(super) fn value_block(&mut self, block: &Block) {
        let short = match block.statements.as_slice() {
            [Statement { kind: StatementKind::Expr(expr), .. }] => !has_block(expr),
            _ => false,
        };
        if !short || self.second_starts_line() {
            return self.block(block);
        }
        self.begin(false);
        self.token();
        self.push(Op::Indent);
        self.push(Op::Soft { blank: false });
        for statement in &block.statements {
            self.statement(statement);
        }
        self.dedent();
        self.push(Op::Soft { blank: false });
        self.token();
        self.end();
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, value, .. } => {
                self.target(target);
                self.between();
                self.expr(value);
            }
            StatementKind::Return(value) => {
                self.token();
                if let Some(value) = value {
                    self.space();
                    self.expr(value);
                }
            }
            StatementKind::If { arms, otherwise } => self.if_else(arms, otherwise.as_ref()),
            StatementKind::Loop { until, max, body } => {
                self.token();
                self.between();
                self.expr(until);
                self.max(max.as_ref());
                self.space();
                self.block(body);
            }
            StatementKind::Repeat { count, body } => {
                self.token();
                self.between();
                self.expr(count);
                self.space();
                self.block(body);
            }
            StatementKind::For(each) => {
                self.for_head(each);
                self.block(&each.body);
            }
            StatementKind::Use(used) => self.used(used),
            StatementKind::Config(config) => self.config(config),
            StatementKind::Expr(expr) => self.expr(expr),
            StatementKind::Error => {}
        }
    }

    fn target(&mut self, target: &Target) {
        self.token();
        for step in &target.path {
            self.token();
            match step {
                Accessor::Field(_) => self.token(),
                Accessor::Index(index) => {
                    self.expr(index);
                    self.token();
                }
            }
        }
    }

    fn if_else(&mut self, arms: &[(Expr, Block)], otherwise: Option<&Block>) {
        for (index, (condition, block)) in arms.iter().enumerate() {
            if index > 0 {
                self.between();
            }
            self.token();
            self.space();
            self.expr(condition);
            self.space();
            self.block(block);
        }
        if let Some(block) = otherwise {
            self.between();
            self.block(block);
        }
    }

    fn max(&mut self, max: Option<&Expr>) {
        if let Some(max) = max {
            self.between();
            self.expr(max);
        }
    }

    /// Prints `for x in list max n` and a space.
    pub(super) fn for_head(&mut self, each: &For) {
        self.token();
        self.spaced();
        self.between();
        self.expr(&each.list);
        self.max(each.max.as_ref());
        self.space();
    }

    pub(super) fn used(&mut self, used: &Use) {
        self.token();
        match &used.source {
            UseSource::Expr(expr) => {
                self.clauses(expr.span.start);
                self.space();
                self.expr(expr);
            }
            UseSource::OneOf(candidates) => {
                self.spaced();
                self.between();
                self.by_lines(candidates, Self::candidate);
            }
        }
        if let Some(question) = &used.question {
            self.clauses(question.span.start);
            self.space();
            self.expr(question);
        }
        self.clauses(used.span.end);
    }

    fn candidate(&mut self, candidate: &Candidate) {
        self.token();
        self.token();
        self.space();
        match &candidate.source {
            Some(expr) => self.expr(expr),
            None => self.token(),
        }
        self.clauses(candidate.span.end);
    }

    /// Prints the words up to a byte of the source, with a space before each, but not after a
    /// minus, and not around the dots of a range.
    fn clauses(&mut self, end: u32) {
        let mut glued = false;
        while self.next_start() < end {
            let dot = self.at(TokenKind::Dot);
            let glues = dot || self.at(TokenKind::Minus);
            if !glued && !dot {
                self.space();
            }
            self.token();
            glued = glues;
        }
    }
}
