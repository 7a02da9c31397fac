//! The types of values, as far as they are certain (TY-2).
//!
//! Decision: gradual and local. A type comes from a declared shape, a literal or an operator, and
//! flows through the variables and results of functions; everything else is unknown and silent. A
//! variable has one type in its function, joined over all its assignments, so that no order of
//! blocks can make a fault of a program that runs. What changes a value from elsewhere, such as a
//! field that is assigned anywhere in the program, takes away the certainty of that field
//! ([`facts`]). Nothing is reported inside `try`, whose handler may expect the failure.

mod arguments;
mod calls;
mod display;
mod facts;
mod fields;
mod flow;
mod operators;
mod outside;
mod shown;
#[cfg(test)]
mod tests;

pub use shown::{VariableType, type_of, variable_types};

use super::declarations::Declarations;
use crate::program::Program;
use crate::syntax::ast::{ShapeKind, ShapeNode};
use contexture_diagnostic::Diagnostic;
use facts::Facts;
use flow::FunctionTypes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The greatest number of fields of an object literal whose types are followed.
const MAX_FIELDS: usize = 256;

/// A type.
#[derive(Debug, Clone)]
pub(super) enum Type<'p> {
    /// No value yet.
    Never,
    /// Any value.
    Unknown,
    None,
    Boolean,
    Integer,
    Number,
    Text,
    /// One string, as written.
    Word(&'p str),
    /// A list, with the type of its items if that is certain.
    List(Option<Rc<Type<'p>>>),
    /// An object as written.
    Object(Rc<Vec<(&'p str, Type<'p>)>>),
    /// A value of a declared shape, in a file.
    Shaped(usize, &'p ShapeNode),
}

/// What kind of value a type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    None,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

impl Kind {
    const fn noun(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// The types of a program; those of functions are found when they are needed.
pub(super) struct Types<'p, 'c> {
    program: &'p Program,
    declarations: &'c Declarations<'p>,
    facts: Facts<'p>,
    /// The types of functions' values; `None` while one is being found.
    results: RefCell<HashMap<usize, Option<Type<'p>>>>,
    /// True if a file could not be parsed whole, so that a shape may lack a part.
    broken: bool,
}

impl<'p, 'c> Types<'p, 'c> {
    pub(super) fn new(program: &'p Program, declarations: &'c Declarations<'p>) -> Self {
        Self {
            program,
            declarations,
            facts: Facts::collect(program),
            results: RefCell::default(),
            broken: program.files.iter().any(|file| !file.parsed.is_valid()),
        }
    }

    /// Returns the faults of the functions in a file.
    pub(super) fn faults(&self, file: usize) -> Vec<Diagnostic> {
        if self.broken {
            return Vec::new();
        }
        let functions = self.declarations.functions.iter();
        let own = functions.filter(|decl| decl.file == file);
        own.flat_map(|decl| FunctionTypes::new(self, decl).faults()).collect()
    }

    /// Returns the type of a function's value.
    fn result_of(&self, number: usize) -> Type<'p> {
        let Some(decl) = self.declarations.functions.get(number) else { return Type::Unknown };
        if let Some(result) = &decl.func.result {
            return Type::Shaped(decl.file, result);
        }
        match self.results.borrow().get(&number) {
            Some(Some(known)) => return known.clone(),
            // It calls itself.
            Some(None) => return Type::Unknown,
            None => {}
        }
        self.results.borrow_mut().insert(number, None);
        let found = crate::stack::deeper(|| FunctionTypes::new(self, decl).value());
        self.results.borrow_mut().insert(number, Some(found.clone()));
        found
    }

    /// Resolves a shape to what its name stands for: neither a name nor, for a word of other
    /// files, unknown.
    fn resolved(&self, file: usize, node: &'p ShapeNode) -> Option<(usize, &'p ShapeNode)> {
        let (mut file, mut node) = (file, node);
        for _ in 0..contexture_answer::Shape::MAX_DEPTH {
            let ShapeKind::Named(name) = &node.kind else { return Some((file, node)) };
            let (home, decl) = self.declarations.shapes.find(file, &name.text)?;
            (file, node) = (home, &decl.shape);
        }
        None
    }

    /// Returns the type of a shape, with a plain one for what has no parts.
    fn shaped(&self, file: usize, node: &'p ShapeNode) -> Type<'p> {
        let Some((file, node)) = self.resolved(file, node) else { return Type::Unknown };
        match &node.kind {
            ShapeKind::String => Type::Text,
            ShapeKind::Number => Type::Number,
            ShapeKind::Integer => Type::Integer,
            ShapeKind::Boolean => Type::Boolean,
            ShapeKind::List(None) => Type::List(None),
            ShapeKind::List(Some(_)) | ShapeKind::Object(_) | ShapeKind::Enum(_) => {
                Type::Shaped(file, node)
            }
            ShapeKind::Json | ShapeKind::Error | ShapeKind::Named(_) => Type::Unknown,
        }
    }

    /// Returns the kind of a type's values, if all have one.
    fn kind(&self, of: &Type<'p>) -> Option<Kind> {
        Some(match of {
            Type::Never | Type::Unknown => return None,
            Type::None => Kind::None,
            Type::Boolean => Kind::Boolean,
            Type::Integer | Type::Number => Kind::Number,
            Type::Text | Type::Word(_) => Kind::Text,
            Type::List(_) => Kind::List,
            Type::Object(_) => Kind::Object,
            Type::Shaped(file, node) => match &self.resolved(*file, node)?.1.kind {
                ShapeKind::List(_) => Kind::List,
                ShapeKind::Object(_) => Kind::Object,
                ShapeKind::Enum(_) => Kind::Text,
                _ => return self.kind(&self.shaped(*file, node)),
            },
        })
    }

    /// Returns the type of what is either; none beside something else is that.
    fn join(&self, left: Type<'p>, right: Type<'p>) -> Type<'p> {
        match (left, right) {
            (Type::Never | Type::None, other) | (other, Type::Never | Type::None) => other,
            (Type::Shaped(file, node), Type::Shaped(other, same))
                if file == other && std::ptr::eq(node, same) =>
            {
                Type::Shaped(file, node)
            }
            (Type::Integer, Type::Integer) => Type::Integer,
            (Type::Integer | Type::Number, Type::Integer | Type::Number) => Type::Number,
            (Type::Word(one), Type::Word(other)) if one == other => Type::Word(one),
            (Type::List(Some(one)), Type::List(Some(other))) => {
                Type::List(Some(Rc::new(self.join((*one).clone(), (*other).clone()))))
            }
            // The same literal again, as in the next round.
            (left @ Type::Object(_), right @ Type::Object(_)) if self.is_same(&left, &right) => {
                left
            }
            (left, right) => match (self.kind(&left), self.kind(&right)) {
                (Some(Kind::Text), Some(Kind::Text)) => Type::Text,
                (Some(Kind::Boolean), Some(Kind::Boolean)) => Type::Boolean,
                (Some(Kind::List), Some(Kind::List)) => Type::List(None),
                _ => Type::Unknown,
            },
        }
    }

    /// Reports whether two types are alike, so that nothing more is learnt.
    fn is_same(&self, left: &Type<'p>, right: &Type<'p>) -> bool {
        match (left, right) {
            (Type::Shaped(file, node), Type::Shaped(other, same)) => {
                file == other && std::ptr::eq(*node, *same)
            }
            (Type::Word(one), Type::Word(other)) => one == other,
            (Type::List(Some(one)), Type::List(Some(other))) => self.is_same(one, other),
            (Type::List(one), Type::List(other)) => one.is_none() && other.is_none(),
            (Type::Object(one), Type::Object(other)) => {
                Rc::ptr_eq(one, other)
                    || one.len() == other.len()
                        && one.iter().zip(other.iter()).all(|((name, one), (same, other))| {
                            name == same && self.is_same(one, other)
                        })
            }
            (left, right) => std::mem::discriminant(left) == std::mem::discriminant(right),
        }
    }

    /// Returns the type of a list's items.
    fn item(&self, list: &Type<'p>) -> Type<'p> {
        match list {
            Type::List(Some(item)) if !self.facts.has_added_items => (**item).clone(),
            Type::Shaped(file, node) if !self.facts.lists_grow => {
                match self.resolved(*file, node).map(|(file, node)| (file, &node.kind)) {
                    Some((file, ShapeKind::List(Some(item)))) => self.shaped(file, item),
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        }
    }
}
