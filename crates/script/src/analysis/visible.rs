//! What each `generate` can see: the uses of its file, its agent and the blocks around it (AS-13,
//! AS-14, TY-4).
//!
//! Decision: each use knows the visible one before it, so that the items of any number of model
//! calls take space in proportion to the program.

use crate::stack::deeper;
use crate::syntax::ast::{
    Block, Expr, ExprKind, Func, Generate, Item, Statement, StatementKind, Use,
};
use crate::syntax::walk::Parts;
use contexture_diagnostic::Span;

/// The condition of a block: of an `if`, or that it did not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) span: Span,
    pub(super) holds: bool,
}

/// A use, as it stands among those that are visible.
#[derive(Debug)]
pub(super) struct Shown<'p> {
    pub(super) used: &'p Use,
    /// The visible use before it.
    pub(super) above: Option<usize>,
    /// The conditions under which it is reached, outermost first.
    pub(super) conditions: Vec<Condition>,
    /// The function that it is in; none for the level of a file or an agent.
    pub(super) function: Option<&'p Func>,
    /// True if a `generate` sees it.
    pub(super) seen: bool,
}

/// A model call.
#[derive(Debug)]
pub(super) struct Call<'p> {
    pub(super) generate: &'p Generate,
    pub(super) span: Span,
    /// The last use that it sees.
    pub(super) last: Option<usize>,
    pub(super) function: &'p Func,
}

/// The uses and model calls of a file, in source order.
#[derive(Debug, Default)]
pub(super) struct Visible<'p> {
    pub(super) uses: Vec<Shown<'p>>,
    pub(super) calls: Vec<Call<'p>>,
}

impl<'p> Visible<'p> {
    pub(super) fn of(items: &'p [Item]) -> Self {
        let mut walk = Walk::default();
        walk.level(items);
        walk.functions(items);
        walk.found.calls.sort_by_key(|call| call.span.start);
        walk.found
    }

    /// Returns the uses that a call sees, the last one first.
    pub(super) fn seen_by(&self, call: &Call<'p>) -> impl Iterator<Item = &Shown<'p>> {
        self.chain(call.last)
    }

    /// Returns a use and those that are visible before it, the last one first.
    pub(super) fn chain(&self, last: Option<usize>) -> impl Iterator<Item = &Shown<'p>> {
        let first = last.and_then(|at| self.uses.get(at));
        std::iter::successors(first, |shown| self.uses.get(shown.above?))
    }
}

#[derive(Default)]
struct Walk<'p> {
    found: Visible<'p>,
    last: Option<usize>,
    conditions: Vec<Condition>,
    function: Option<&'p Func>,
}

impl<'p> Walk<'p> {
    fn level(&mut self, items: &'p [Item]) {
        for item in items {
            if let Item::Use(used) = item {
                self.used(used);
            }
        }
    }

    fn functions(&mut self, items: &'p [Item]) {
        for item in items {
            let last = self.last;
            match item {
                Item::Agent(agent) => {
                    self.level(&agent.items);
                    deeper(|| self.functions(&agent.items));
                }
                Item::Func(func) => {
                    self.function = Some(func);
                    self.block(&func.body);
                    self.function = None;
                }
                Item::Import(_) | Item::Config(_) | Item::Use(_) | Item::Shape(_) => {}
            }
            self.last = last;
        }
    }

    fn used(&mut self, used: &'p Use) {
        let shown = Shown {
            used,
            above: self.last,
            conditions: self.conditions.clone(),
            function: self.function,
            seen: false,
        };
        self.found.uses.push(shown);
        self.last = self.found.uses.len().checked_sub(1);
    }

    fn block(&mut self, block: &'p Block) {
        let last = self.last;
        for statement in &block.statements {
            deeper(|| self.statement(statement));
        }
        self.last = last;
    }

    fn statement(&mut self, statement: &'p Statement) {
        match &statement.kind {
            StatementKind::Use(used) => self.used(used),
            StatementKind::If { arms, otherwise } => self.branches(arms, otherwise.as_ref()),
            _ => self.parts(Parts::of_statement(statement)),
        }
    }

    fn branches(&mut self, arms: &'p [(Expr, Block)], otherwise: Option<&'p Block>) {
        let outer = self.conditions.len();
        for (condition, block) in arms {
            self.expr(condition);
            self.conditions.push(Condition { span: condition.span, holds: true });
            self.block(block);
            if let Some(last) = self.conditions.last_mut() {
                last.holds = false;
            }
        }
        if let Some(block) = otherwise {
            self.block(block);
        }
        self.conditions.truncate(outer);
    }

    fn parts(&mut self, parts: Parts<'p>) {
        parts.exprs.into_iter().for_each(|expr| self.expr(expr));
        parts.blocks.into_iter().for_each(|block| self.block(block));
    }

    fn expr(&mut self, expr: &'p Expr) {
        deeper(|| self.parts(Parts::of_expr(expr)));
        if let (ExprKind::Generate(generate), Some(function)) = (&expr.kind, self.function) {
            let call = Call { generate, span: expr.span, last: self.last, function };
            self.found.calls.push(call);
            self.mark_seen();
        }
    }

    /// Marks what is visible. The rest is marked already once a marked one is found.
    fn mark_seen(&mut self) {
        let mut at = self.last;
        while let Some(shown) = at.and_then(|at| self.found.uses.get_mut(at)) {
            if std::mem::replace(&mut shown.seen, true) {
                return;
            }
            at = shown.above;
        }
    }
}
