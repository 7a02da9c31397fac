//! The functions that can leave an event in the trace.
//!
//! A loop whose body can't has no events of its own, so that plain loops cost nothing (AS-29). The
//! analysis errs on the side of events: a call counts by its name.

use super::declare::{Declarations, Global};
use crate::syntax::ast::{Accessor, Block, Expr, ExprKind, ImportKind, StatementKind};

/// Reports for each function whether it can produce an event.
pub(super) fn eventful_functions(declarations: &Declarations<'_>) -> Vec<bool> {
    let count = declarations.functions.len();
    let mut eventful = vec![false; count];
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut todo = Vec::new();
    for (number, decl) in declarations.functions.iter().enumerate() {
        let mut scan = Scan::default();
        let resolve = |name: &str| declarations.global(decl.file, decl.agent, name);
        scan.block(&decl.tree.body, &resolve);
        for callee in scan.calls {
            if let Some(callers) = callers.get_mut(callee as usize) {
                callers.push(super::tables::index(number));
            }
        }
        if scan.eventful {
            todo.push(super::tables::index(number));
        }
    }
    while let Some(number) = todo.pop() {
        let Some(flag) = eventful.get_mut(number as usize) else { continue };
        if !std::mem::replace(flag, true) {
            todo.extend(callers.get(number as usize).into_iter().flatten());
        }
    }
    eventful
}

#[derive(Default)]
struct Scan<'a> {
    eventful: bool,
    calls: Vec<u32>,
    blocks: Vec<&'a Block>,
    exprs: Vec<&'a Expr>,
}

impl<'a> Scan<'a> {
    /// Walks with a work list: a tree may be deeper than the native stack.
    fn block(&mut self, block: &'a Block, resolve: &dyn Fn(&str) -> Option<Global>) {
        self.blocks.push(block);
        loop {
            if let Some(expr) = self.exprs.pop() {
                self.expr(expr, resolve);
            } else if let Some(block) = self.blocks.pop() {
                block.statements.iter().for_each(|statement| self.statement(&statement.kind));
            } else {
                return;
            }
        }
    }

    fn statement(&mut self, statement: &'a StatementKind) {
        match statement {
            StatementKind::Assign { target, value, .. } => {
                self.exprs.push(value);
                for accessor in &target.path {
                    if let Accessor::Index(index) = accessor {
                        self.exprs.push(index);
                    }
                }
            }
            StatementKind::Return(value) => self.exprs.extend(value),
            StatementKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.exprs.push(condition);
                    self.blocks.push(block);
                }
                self.blocks.extend(otherwise);
            }
            StatementKind::Loop { until, max, body } => {
                self.exprs.push(until);
                self.exprs.extend(max);
                self.blocks.push(body);
            }
            StatementKind::Repeat { count, body } => {
                self.exprs.push(count);
                self.blocks.push(body);
            }
            StatementKind::For(each) => {
                self.exprs.push(&each.list);
                self.exprs.extend(&each.max);
                self.blocks.push(&each.body);
            }
            StatementKind::Use(_) => self.eventful = true,
            StatementKind::Expr(expr) => self.exprs.push(expr),
            StatementKind::Config(_) | StatementKind::Error => {}
        }
    }

    fn expr(&mut self, expr: &'a Expr, resolve: &dyn Fn(&str) -> Option<Global>) {
        match &expr.kind {
            ExprKind::List(items) => self.exprs.extend(items),
            ExprKind::Object(fields) => self.exprs.extend(fields.iter().map(|(_, value)| value)),
            ExprKind::Name(name) => self.name(resolve(name)),
            ExprKind::Paren(inner) => self.exprs.push(inner),
            ExprKind::Unary { operand, .. } => self.exprs.push(operand),
            ExprKind::Binary { left, right, .. } => self.exprs.extend([&**left, &**right]),
            ExprKind::Field { base, .. } => self.exprs.push(base),
            ExprKind::Index { base, index } => self.exprs.extend([&**base, &**index]),
            ExprKind::Call { callee, arguments } => {
                self.exprs.push(callee);
                self.exprs.extend(arguments);
            }
            ExprKind::Generate(_) | ExprKind::ParallelFor(_) => self.eventful = true,
            ExprKind::Try { body, handler, .. } => self.blocks.extend([body, handler]),
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Error => {}
        }
    }

    fn name(&mut self, global: Option<Global>) {
        match global {
            Some(Global::Function(number)) => self.calls.push(number),
            Some(Global::Agent(_)) => self.eventful = true,
            Some(Global::Import(_, kind)) => self.eventful |= kind != ImportKind::Llm,
            None => {}
        }
    }
}
