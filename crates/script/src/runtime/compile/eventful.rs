//! The functions that can leave an event in the trace.
//!
//! A loop whose body can't has no events of its own, so that plain loops cost nothing (AS-29). The
//! analysis errs on the side of events: a call counts by its name.

use super::declare::{Declarations, Global};
use crate::syntax::ast::{Block, Expr, ExprKind, ImportKind, StatementKind};
use crate::syntax::walk::Parts;

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
struct Scan {
    eventful: bool,
    calls: Vec<u32>,
}

impl Scan {
    /// Walks with a work list: a tree may be deeper than the native stack.
    fn block(&mut self, block: &Block, resolve: &dyn Fn(&str) -> Option<Global>) {
        let mut open = Parts { blocks: vec![block], ..Parts::default() };
        loop {
            if let Some(expr) = open.exprs.pop() {
                self.expr(expr, resolve);
                open.add_expr(expr);
            } else if let Some(block) = open.blocks.pop() {
                for statement in &block.statements {
                    self.eventful |= matches!(statement.kind, StatementKind::Use(_));
                    open.add_statement(statement);
                }
            } else {
                return;
            }
        }
    }

    fn expr(&mut self, expr: &Expr, resolve: &dyn Fn(&str) -> Option<Global>) {
        let name = match &expr.kind {
            ExprKind::Name(name) => name,
            ExprKind::Generate(_) | ExprKind::ParallelFor(_) => return self.eventful = true,
            _ => return,
        };
        match resolve(name) {
            Some(Global::Function(number)) => self.calls.push(number),
            Some(Global::Agent(_)) => self.eventful = true,
            Some(Global::Import(_, kind)) => self.eventful |= kind != ImportKind::Llm,
            None => {}
        }
    }
}
