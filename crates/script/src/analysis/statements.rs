//! Statements: variables, loops and the restrictions of `parallel for`.

use super::Checker;
use super::declarations::Global;
use super::tools::is_literal;
use crate::capability::noun;
use crate::codes;
use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, AssignOp, Block, Expr, ExprKind, For, ImportKind, Name, Statement, StatementKind,
    Target, UnaryOp,
};
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;

impl<'p> Checker<'p, '_> {
    pub(super) fn block(&mut self, block: &'p Block) {
        self.scopes.enter();
        self.block_body(block);
        self.leave();
    }

    pub(super) fn block_body(&mut self, block: &'p Block) {
        let mut returned: Option<Span> = None;
        for statement in &block.statements {
            let readable = !matches!(statement.kind, StatementKind::Error);
            if let Some(place) = returned.take().filter(|_| readable) {
                let fault = codes::UNREACHABLE.at(statement.span, "unreachable statement");
                let fault = fault.with_label(place, "the function returns here");
                self.push(fault.with_help("remove it, or move it before the `return`"));
            }
            deeper(|| self.statement(statement));
            if matches!(statement.kind, StatementKind::Return(_)) {
                returned = Some(statement.span);
            }
        }
    }

    /// Leaves a scope, and reports the names that its uses waited for in vain.
    pub(super) fn leave(&mut self) {
        for pending in self.scopes.leave() {
            self.unknown_in_use(pending.name, pending.span, None);
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        match &statement.kind {
            StatementKind::Assign { target, op, value } => self.assign(target, *op, value),
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
                if self.scopes.in_parallel() {
                    let message = "`return` can't leave a `parallel for`";
                    let help = "end the body with the expression that gives the item's value";
                    self.push(codes::PARALLEL_RETURN.at(statement.span, message).with_help(help));
                }
            }
            StatementKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                if let Some(block) = otherwise {
                    self.block(block);
                }
            }
            StatementKind::Loop { until, max, body } => {
                self.expr(until);
                self.max(max.as_ref());
                self.block(body);
            }
            StatementKind::Repeat { count, body } => {
                self.expr(count);
                self.bound(count, "the count of `repeat`", 0);
                self.block(body);
            }
            StatementKind::For(each) => self.for_loop(each),
            StatementKind::Use(used) => self.use_statement(used),
            StatementKind::Config(config) => self.config(config),
            StatementKind::Expr(expr) => self.expr(expr),
            StatementKind::Error => {}
        }
    }

    fn max(&mut self, max: Option<&'p Expr>) {
        if let Some(max) = max {
            self.expr(max);
            self.bound(max, "`max`", 1);
        }
    }

    fn bound(&mut self, bound: &'p Expr, what: &str, least: i64) {
        let wrong = match &strip(bound).kind {
            ExprKind::Int(value) => *value < least,
            ExprKind::Unary { op: UnaryOp::Negate, operand } => {
                matches!(strip(operand).kind, ExprKind::Int(_) | ExprKind::Float(_))
            }
            kind => is_literal(kind),
        };
        if wrong {
            let positive =
                if least == 1 { "a positive whole number" } else { "a whole number from 0" };
            let message = format!("{what} must be {positive}");
            let help = "give a number, or a variable that holds one";
            self.push(codes::BAD_MAX.at(bound.span, message).with_help(help));
        }
    }

    fn for_loop(&mut self, each: &'p For) {
        self.list(&each.list);
        self.max(each.max.as_ref());
        self.scopes.enter();
        self.scopes.define(&each.variable.text, each.variable.span);
        self.block_body(&each.body);
        self.leave();
    }

    pub(super) fn parallel_for(&mut self, each: &'p For) {
        self.list(&each.list);
        self.max(each.max.as_ref());
        let outer = self.scopes.set_boundary(self.scopes.depth());
        self.scopes.enter();
        self.scopes.define(&each.variable.text, each.variable.span);
        self.block_body(&each.body);
        self.leave();
        self.scopes.set_boundary(outer);
    }

    fn list(&mut self, list: &'p Expr) {
        self.expr(list);
        let kind = &strip(list).kind;
        if is_literal(kind) && !matches!(kind, ExprKind::List(_)) {
            let message = "a loop needs a list";
            let help =
                "write the items in `[` and `]`; to repeat something n times, `repeat * n { … }`";
            self.push(codes::NOT_A_LIST.at(list.span, message).with_help(help));
        }
    }

    fn assign(&mut self, target: &'p Target, op: AssignOp, value: &'p Expr) {
        self.expr(value);
        for accessor in &target.path {
            if let Accessor::Index(index) = accessor {
                self.expr(index);
            }
        }
        match target.path.last() {
            None => self.assign_name(&target.base, op),
            Some(last) => self.assign_path(target, last),
        }
    }

    fn assign_name(&mut self, name: &'p Name, op: AssignOp) {
        if let Some(place) = self.scopes.outer(&name.text) {
            self.outer_write(&name.text, name.span, place);
            return;
        }
        if op != AssignOp::Set && !self.scopes.is_variable(&name.text) {
            self.unknown_name(&name.text, name.span);
            return;
        }
        self.scopes.assign(&name.text, name.span);
    }

    fn assign_path(&mut self, target: &'p Target, last: &'p Accessor) {
        let name = &target.base;
        if !self.scopes.is_variable(&name.text) {
            match self.global(&name.text) {
                None => self.unknown_name(&name.text, name.span),
                Some(global) => self.assign_into_global(name, global, target.span),
            }
            return;
        }
        if let Accessor::Index(index) = last
            && matches!(strip(index).kind, ExprKind::Int(_) | ExprKind::Float(_))
        {
            let message = "the items of a list are read-only";
            let help = "build a new list with `.add(…)`; a field of an object is `o[\"key\"]`";
            self.push(codes::INDEX_ASSIGNMENT.at(target.span, message).with_help(help));
        }
    }

    fn assign_into_global(&mut self, name: &Name, global: Global<'p>, span: Span) {
        let what = match global {
            Global::Function(_) => "a function",
            Global::Agent(_) => "an agent",
            Global::Shape => "a shape",
            Global::Import(import) => noun(import.kind),
        };
        let message = format!("`{}` is {what} and can't be changed", name.text);
        let file = matches!(global, Global::Import(import) if import.kind == ImportKind::File);
        let help = if file { "copy what you need into a variable" } else { "assign to a variable" };
        self.push(codes::NOT_ASSIGNABLE.at(span, message).with_help(help));
    }

    fn outer_write(&mut self, name: &str, span: Span, place: Span) {
        let message =
            format!("a `parallel for` can't change `{name}`, which is defined outside it");
        let fault = codes::OUTER_WRITE.at(span, message).with_label(place, "defined here");
        let help = "end the body with the item's value: `results = parallel for … { … value }`";
        self.push(fault.with_help(help));
    }
}

pub(super) fn root(expr: &Expr) -> Option<&str> {
    let mut at = expr;
    loop {
        at = match &at.kind {
            ExprKind::Name(name) => return Some(name),
            ExprKind::Paren(inner) => inner,
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => base,
            _ => return None,
        };
    }
}
