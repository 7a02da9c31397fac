//! Scopes: the variables, uses and settings that are visible at a position (AS-6, AS-14).
//!
//! A block is a scope, and within a block earlier statements run first; so the variable that a name
//! means, and the uses that a `generate` sees, are known at compile time.

use super::declare::Settings;
use crate::runtime::code::Reg;
use crate::syntax::ast::Use;
use contexture_diagnostic::Span;
use std::collections::HashMap;

/// A visible `use`: its number in the tables, its tree, and where to evaluate it.
#[derive(Clone, Copy)]
pub(super) struct VisibleUse<'a> {
    pub(super) number: u32,
    pub(super) tree: &'a Use,
    /// The number of scopes, from the outermost, that its expression sees.
    pub(super) depth: usize,
    /// The span to report when it fails.
    pub(super) span: Span,
}

#[derive(Default)]
struct Scope<'a> {
    variables: HashMap<&'a str, Reg>,
    uses: Vec<VisibleUse<'a>>,
    settings: Settings<'a>,
}

/// The scopes around the position that is being compiled, outermost first.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    stack: Vec<Scope<'a>>,
    /// The number of visible scopes; all, except while a `use` or a setting is evaluated.
    visible: Option<usize>,
    /// True while a `use` is evaluated.
    in_use: bool,
    /// The outermost scope of the innermost `parallel for`.
    boundary: usize,
}

/// The effect of an assignment to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Variable(Reg),
    /// Update a variable outside the current `parallel for`.
    Outer,
    New,
}

impl<'a> Scopes<'a> {
    pub(super) fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    fn seen(&self) -> impl DoubleEndedIterator<Item = &Scope<'a>> {
        self.stack.iter().take(self.visible.unwrap_or(usize::MAX))
    }

    /// Reports whether a `use` is being evaluated.
    pub(super) fn in_use(&self) -> bool {
        self.in_use
    }

    /// Notes whether a `use` is evaluated.
    pub(super) fn set_in_use(&mut self, in_use: bool) {
        self.in_use = in_use;
    }

    /// Makes only the outermost `depth` scopes visible, and returns the former depth.
    pub(super) fn set_visible(&mut self, depth: Option<usize>) -> Option<usize> {
        std::mem::replace(&mut self.visible, depth)
    }

    /// Makes the next scope the boundary of a `parallel for`.
    pub(super) fn set_boundary(&mut self, boundary: usize) -> usize {
        std::mem::replace(&mut self.boundary, boundary)
    }

    pub(super) fn in_parallel(&self) -> bool {
        self.boundary > 0
    }

    pub(super) fn variable(&self, name: &str) -> Option<Reg> {
        self.seen().rev().find_map(|scope| scope.variable(name))
    }

    pub(super) fn place(&self, name: &str) -> Place {
        let found = self.stack.iter().enumerate().rev();
        let mut found = found.filter_map(|(depth, scope)| Some((depth, scope.variable(name)?)));
        match found.next() {
            Some((depth, _)) if depth < self.boundary => Place::Outer,
            Some((_, register)) => Place::Variable(register),
            None => Place::New,
        }
    }

    pub(super) fn define(&mut self, name: &'a str, register: Reg) {
        if let Some(scope) = self.stack.last_mut() {
            scope.variables.insert(name, register);
        }
    }

    pub(super) fn names(&self) -> Vec<&'a str> {
        self.seen().flat_map(|scope| scope.variables.keys().copied()).collect()
    }

    /// Returns the variables of the innermost scope, by register.
    pub(super) fn innermost(&self) -> Vec<(&'a str, Reg)> {
        let scope = self.stack.last();
        let mut variables: Vec<_> = scope
            .map(|scope| {
                scope.variables.iter().map(|(name, register)| (*name, *register)).collect()
            })
            .unwrap_or_default();
        variables.sort_by_key(|(_, register)| *register);
        variables
    }

    pub(super) fn declare_use(&mut self, used: VisibleUse<'a>) {
        if let Some(scope) = self.stack.last_mut() {
            scope.uses.push(used);
        }
    }

    /// Returns all visible uses, outermost scope first, then in order of declaration.
    pub(super) fn uses(&self) -> Vec<VisibleUse<'a>> {
        self.stack.iter().flat_map(|scope| scope.uses.iter().copied()).collect()
    }

    pub(super) fn settings_mut(&mut self) -> Option<&mut Settings<'a>> {
        self.stack.last_mut().map(|scope| &mut scope.settings)
    }

    /// Returns the settings in force: of each kind the innermost.
    pub(super) fn settings(&self) -> Settings<'a> {
        self.stack.iter().rev().fold(Settings::default(), |inner, scope| Settings {
            model: inner.model.or(scope.settings.model),
            role: inner.role.or(scope.settings.role),
            description: inner.description.or(scope.settings.description),
        })
    }
}

impl Scope<'_> {
    fn variable(&self, name: &str) -> Option<Reg> {
        self.variables.get(name).copied()
    }
}
