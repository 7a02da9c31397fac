//! Possible values of the variables at a position. A branch records its changes separately, to be
//! joined after it.

use super::held::{Held, Outside, Root};
use contexture_diagnostic::Span;
use std::collections::BTreeMap;

/// The values that a branch assigned to variables from outside it.
pub(super) type Changes<'p> = BTreeMap<&'p str, Held<'p>>;

#[derive(Debug, Default)]
struct Scope<'p> {
    variables: BTreeMap<&'p str, Variable<'p>>,
    /// True if it is the outermost scope of a `parallel for`.
    parallel: bool,
}

#[derive(Debug)]
struct Variable<'p> {
    held: Held<'p>,
    /// The definition in this scope; `None` for a variable from outside that was assigned here.
    defined: Option<Span>,
}

#[derive(Debug, Default)]
pub(super) struct Scopes<'p> {
    stack: Vec<Scope<'p>>,
}

impl<'p> Scopes<'p> {
    pub(super) fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    /// Enters a `parallel for`: everything that exists now is outside.
    pub(super) fn enter_parallel(&mut self) {
        self.stack.push(Scope { parallel: true, ..Scope::default() });
    }

    pub(super) fn leave(&mut self) -> Changes<'p> {
        let Some(scope) = self.stack.pop() else { return Changes::new() };
        let assigned = scope.variables.into_iter().filter(|(_, found)| found.defined.is_none());
        assigned.map(|(name, found)| (name, found.held)).collect()
    }

    pub(super) fn define(&mut self, name: &'p str, span: Span, held: Held<'p>) {
        if let Some(scope) = self.stack.last_mut() {
            scope.variables.insert(name, Variable { held, defined: Some(span) });
        }
    }

    pub(super) fn held(&self, name: &'p str) -> Option<Held<'p>> {
        let mut crossed = false;
        let mut found: Option<&Variable<'p>> = None;
        for scope in self.stack.iter().rev() {
            if let Some(variable) = scope.variables.get(name) {
                let nearest = found.get_or_insert(variable);
                match variable.defined {
                    Some(span) if crossed => {
                        return Some(Held::root(Root::Outside(Outside { name, span })));
                    }
                    _ if !crossed => return Some(nearest.held.clone()),
                    _ => {}
                }
            }
            crossed |= scope.parallel;
        }
        found.map(|variable| variable.held.clone())
    }

    pub(super) fn assign(&mut self, name: &'p str, span: Span, held: Held<'p>) {
        let known = self.stack.iter().any(|scope| scope.variables.contains_key(name));
        let Some(scope) = self.stack.last_mut() else { return };
        let here = scope.variables.get(name).and_then(|variable| variable.defined);
        let defined = if known { here } else { Some(span) };
        scope.variables.insert(name, Variable { held, defined });
    }

    /// Changes the known parts of a variable; one from outside a `parallel for` stays.
    pub(super) fn update(&mut self, name: &'p str, change: impl FnOnce(&mut Held<'p>)) {
        let Some(mut held) = self.held(name) else { return };
        let of_itself =
            |root: &Root<'p>| matches!(root, Root::Outside(found) if found.name == name);
        if held.roots.iter().any(of_itself) {
            return;
        }
        change(&mut held);
        self.assign(name, Span::default(), held);
    }

    /// Joins branches of which one was taken.
    pub(super) fn join(&mut self, branches: &[Changes<'p>]) {
        let mut names: Vec<&'p str> = branches.iter().flat_map(|all| all.keys().copied()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let Some(before) = self.held(name) else { continue };
            let each = branches.iter().map(|all| all.get(name).unwrap_or(&before).clone());
            if let Some(held) = each.reduce(Held::join) {
                self.assign(name, Span::default(), held);
            }
        }
    }
}
