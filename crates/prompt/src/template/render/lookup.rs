//! What a path means where it stands.

use super::{Path, PromptTemplate, Renderer, TemplateValue};
use crate::template::ops::Root;

/// One turn of an `#each`.
pub(super) struct Scope<'a> {
    pub(super) item: &'a TemplateValue,
    pub(super) index: usize,
    pub(super) last: bool,
}

/// What was found.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Value(&'a TemplateValue),
    Index(usize),
    Flag(bool),
}

impl Found<'_> {
    pub(super) fn is_true(self) -> bool {
        match self {
            Self::Value(value) => value.is_true(),
            // 0 is true like every number.
            Self::Index(_) => true,
            Self::Flag(flag) => flag,
        }
    }
}

impl<'a, W: ?Sized> Renderer<'a, '_, W> {
    #[inline]
    pub(super) fn find(&self, template: &'a PromptTemplate, path: &Path) -> Option<Found<'a>> {
        let program = &template.program;
        let head = || program.slice(path.head);
        let start = match (path.root, self.scopes.last()) {
            (Root::Name, _) => self.named(head())?,
            (Root::Item, Some(scope)) => scope.item,
            // Outside of any loop `item` and `this` are names like others.
            (Root::Item, None) => self.globals.get(head())?,
            (Root::Index, scope) => return scope.map(|scope| Found::Index(scope.index)),
            (Root::First, scope) => return scope.map(|scope| Found::Flag(scope.index == 0)),
            (Root::Last, scope) => return scope.map(|scope| Found::Flag(scope.last)),
        };
        let mut value = start;
        if path.rest_len > 0 {
            for segment in program.rest(path) {
                value = value.member(program.slice(*segment))?;
            }
        }
        Some(Found::Value(value))
    }

    /// A field of the innermost item that has one of this name, else a variable.
    #[inline]
    fn named(&self, name: &str) -> Option<&'a TemplateValue> {
        for scope in self.scopes.iter().rev() {
            if let TemplateValue::Object(fields) = scope.item
                && let Some(value) = fields.get(name)
            {
                return Some(value);
            }
        }
        self.globals.get(name)
    }
}
