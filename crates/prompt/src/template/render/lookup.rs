//! Lookup of paths at a position.

use super::{Path, PromptTemplate, Renderer, TemplateValue};
use crate::template::ops::{NameIn, Root};

pub(super) struct Scope<'a> {
    pub(super) item: &'a TemplateValue,
    pub(super) index: usize,
    pub(super) last: bool,
}

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

impl<'a> Renderer<'a, '_> {
    pub(super) fn find(&self, template: &'a PromptTemplate, path: &Path) -> Option<Found<'a>> {
        if path.root.is_counter() {
            self.counter(path.root)
        } else {
            self.locate(template, path).map(Found::Value)
        }
    }

    pub(super) fn counter(&self, root: Root) -> Option<Found<'a>> {
        let scope = self.scopes.last()?;
        match root {
            Root::Index => Some(Found::Index(scope.index)),
            Root::First => Some(Found::Flag(scope.index == 0)),
            Root::Last => Some(Found::Flag(scope.last)),
            Root::Name | Root::Item => None,
        }
    }

    /// Returns the value of a path that begins with a name.
    #[inline]
    pub(super) fn locate(
        &self,
        template: &'a PromptTemplate,
        path: &Path,
    ) -> Option<&'a TemplateValue> {
        let program = &template.program;
        let head = NameIn(path.head, program);
        let start = match (path.root, self.scopes.last()) {
            (Root::Item, Some(scope)) => scope.item,
            // Outside of any loop `item` and `this` are names like others.
            _ => self.named(head)?,
        };
        if path.rest_len == 0 {
            return Some(start);
        }
        let mut names = program.rest(path).iter().copied();
        names.try_fold(start, |value, name| value.member_by(&NameIn(name, program)))
    }

    /// Returns a field of the innermost item that has it, else a variable.
    #[inline]
    fn named(&self, name: NameIn<'a>) -> Option<&'a TemplateValue> {
        for scope in self.scopes.iter().rev() {
            if let TemplateValue::Object(fields) = scope.item
                && let Some(value) = fields.find(&name)
            {
                return Some(value);
            }
        }
        self.globals.find(&name)
    }
}
