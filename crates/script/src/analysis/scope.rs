//! Variables by lexical scope (AS-6), and the uses that wait for theirs (AS-13).

use super::declarations::MAX_CANDIDATES;
use crate::syntax::ast::{Block, StatementKind};
use crate::syntax::walk;
use contexture_diagnostic::Span;
use std::collections::HashMap;

/// A name in a `use` that was undefined where the `use` is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending<'p> {
    pub(super) name: &'p str,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Assigned {
    pub(super) name: Span,
    pub(super) statement: Span,
}

#[derive(Debug, Default)]
struct Scope<'p> {
    /// The span of each variable's definition.
    variables: HashMap<&'p str, Span>,
    pending: Vec<Pending<'p>>,
}

#[derive(Debug, Default)]
pub(super) struct Scopes<'p> {
    stack: Vec<Scope<'p>>,
    /// The outermost scope of the innermost `parallel for`; 0 when there is none.
    boundary: usize,
    /// The first assignment of each name in the function, wherever it is.
    assigned: HashMap<&'p str, Assigned>,
}

impl<'p> Scopes<'p> {
    pub(super) fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(super) fn enter_function(&mut self, body: &'p Block) {
        self.enter();
        let assigned = &mut self.assigned;
        walk::statements(body, &mut |statement| {
            let name = match &statement.kind {
                StatementKind::Assign { target, .. } if target.path.is_empty() => &target.base,
                StatementKind::For(each) => &each.variable,
                StatementKind::Assign { .. }
                | StatementKind::Return(_)
                | StatementKind::If { .. }
                | StatementKind::Loop { .. }
                | StatementKind::Repeat { .. }
                | StatementKind::Use(_)
                | StatementKind::Config(_)
                | StatementKind::Expr(_)
                | StatementKind::Error => return,
            };
            let found = Assigned { name: name.span, statement: statement.span };
            assigned.entry(&name.text).or_insert(found);
        });
    }

    /// Leaves a scope and returns the names that are still undefined where they were used.
    pub(super) fn leave(&mut self) -> Vec<Pending<'p>> {
        let Some(scope) = self.stack.pop() else { return Vec::new() };
        let unknown = |pending: &Pending<'_>| {
            !scope.variables.contains_key(pending.name) && self.find(pending.name).is_none()
        };
        scope.pending.iter().filter(|pending| unknown(pending)).copied().collect()
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn set_boundary(&mut self, boundary: usize) -> usize {
        std::mem::replace(&mut self.boundary, boundary)
    }

    pub(super) fn in_parallel(&self) -> bool {
        self.boundary > 0
    }

    pub(super) fn find(&self, name: &str) -> Option<(usize, Span)> {
        let scopes = self.stack.iter().enumerate().rev();
        scopes.filter_map(|(depth, scope)| Some((depth, *scope.variables.get(name)?))).next()
    }

    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn is_defined_here(&self, name: &str) -> bool {
        self.stack.last().is_some_and(|scope| scope.variables.contains_key(name))
    }

    pub(super) fn define(&mut self, name: &'p str, span: Span) {
        if let Some(scope) = self.stack.last_mut() {
            scope.variables.insert(name, span);
        }
    }

    pub(super) fn assign(&mut self, name: &'p str, span: Span) {
        if !self.is_variable(name) {
            self.define(name, span);
        }
    }

    /// Returns the definition of a variable outside the current `parallel for`.
    pub(super) fn outer(&self, name: &str) -> Option<Span> {
        let (depth, span) = self.find(name)?;
        (self.in_parallel() && depth < self.boundary).then_some(span)
    }

    pub(super) fn assigned_elsewhere(&self, name: &str) -> Option<Assigned> {
        self.assigned.get(name).copied()
    }

    pub(super) fn names(&self) -> Vec<&'p str> {
        if self.stack.iter().map(|scope| scope.variables.len()).sum::<usize>() > MAX_CANDIDATES {
            return Vec::new();
        }
        let all = self.stack.iter().flat_map(|scope| scope.variables.keys().copied());
        let mut names: Vec<&str> = all.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(super) fn wait(&mut self, pending: Pending<'p>) {
        if let Some(scope) = self.stack.last_mut() {
            scope.pending.push(pending);
        }
    }

    /// Returns the undefined names of visible uses that a `generate` here needs, each once.
    pub(super) fn missing_now(&mut self) -> Vec<Pending<'p>> {
        let mut missing = Vec::new();
        for depth in 0..self.stack.len() {
            let Some(scope) = self.stack.get(depth) else { continue };
            if scope.pending.is_empty() {
                continue;
            }
            let known = |name: &str| {
                self.stack.iter().take(depth + 1).any(|scope| scope.variables.contains_key(name))
            };
            let unknown: Vec<Pending<'p>> =
                scope.pending.iter().filter(|pending| !known(pending.name)).copied().collect();
            missing.extend(unknown);
            if let Some(scope) = self.stack.get_mut(depth) {
                scope.pending.clear();
            }
        }
        missing
    }
}
