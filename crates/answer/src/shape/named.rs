//! Shapes by name, which may contain themselves (TY-1).
//!
//! Decision: a shape is a tree, and one that contains itself is a tree with names in it and the
//! meaning of these beside it, as `$defs` are in a JSON Schema. A [`View`] carries both through
//! whatever follows a value into its parts, so that only this file knows of names.

use super::{Bounds, Field, Shape, ShapeError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A shape with the definitions of the names in it (TY-1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Defined {
    /// The shapes by name.
    pub definitions: BTreeMap<String, Shape>,
    /// The shape itself.
    pub shape: Shape,
}

impl Defined {
    /// Refuses a shape that every value would have to contain again.
    pub(super) fn check(&self) -> Result<(), ShapeError> {
        let mut done = BTreeSet::new();
        for name in self.definitions.keys() {
            let mut open = vec![name.as_str()];
            let mut seen = BTreeSet::new();
            while let Some(next) = open.pop().filter(|_| !done.contains(name.as_str())) {
                let Some(shape) = self.definitions.get(next) else { continue };
                let mut needed = Vec::new();
                collect(shape, &mut needed, true);
                if needed.contains(&name.as_str()) {
                    return Err(ShapeError::Endless { name: name.clone() });
                }
                open.extend(needed.into_iter().filter(|needed| seen.insert(*needed)));
            }
            done.insert(name.as_str());
        }
        Ok(())
    }
}

/// Collects the names that stand in a shape; with `is_required` those outside lists and optional
/// fields.
fn collect<'a>(shape: &'a Shape, names: &mut Vec<&'a str>, is_required: bool) {
    let mut open = vec![shape];
    while let Some(shape) = open.pop() {
        match shape {
            Shape::Named(name) => names.push(name),
            Shape::Bounded(bounds) => open.push(&bounds.shape),
            Shape::List(Some(item)) if !is_required => open.push(item),
            Shape::Object(fields) => {
                let needed = fields.iter().filter(|field| !(is_required && field.optional));
                open.extend(needed.map(|field| &field.shape));
            }
            _ => {}
        }
    }
}

/// A part of a shape, with its bounds and the meaning of its names.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The shape: neither bounds, a name nor definitions.
    pub shape: &'a Shape,
    /// Its bounds.
    pub bounds: Option<&'a Bounds>,
    /// The name by which it was reached.
    pub name: Option<&'a str>,
    definitions: Option<&'a BTreeMap<String, Shape>>,
}

impl<'a> View<'a> {
    /// Returns the view of a whole shape.
    #[must_use]
    pub fn of(shape: &'a Shape) -> Self {
        Self::resolve(shape, None)
    }

    /// Returns the view of a part of this shape.
    #[must_use]
    pub fn part(self, shape: &'a Shape) -> Self {
        Self::resolve(shape, self.definitions)
    }

    /// Returns the view of the shape of a field.
    #[must_use]
    pub fn field(self, field: &'a Field) -> Self {
        self.part(&field.shape)
    }

    /// Returns a part of this shape that can stand alone: with the definitions that it needs.
    pub(super) fn whole(self, part: &Shape) -> Shape {
        let mut names = Vec::new();
        collect(part, &mut names, false);
        match self.definitions {
            Some(definitions) if !names.is_empty() => {
                let (definitions, shape) = (definitions.clone(), part.clone());
                Shape::Defined(Box::new(Defined { definitions, shape }))
            }
            _ => part.clone(),
        }
    }

    fn resolve(mut shape: &'a Shape, mut definitions: Option<&'a BTreeMap<String, Shape>>) -> Self {
        let (mut bounds, mut name) = (None, None);
        // Names that mean each other are refused by `Shape::check`; here they mean anything.
        for _ in 0..=Shape::MAX_DEPTH {
            match shape {
                Shape::Bounded(inner) => {
                    bounds = bounds.or(Some(&**inner));
                    shape = &inner.shape;
                }
                Shape::Defined(inner) => {
                    definitions = Some(&inner.definitions);
                    shape = &inner.shape;
                }
                Shape::Named(own) => {
                    name = name.or(Some(own.as_str()));
                    let found = definitions.and_then(|all| all.get(own));
                    shape = found.unwrap_or(&Shape::Json);
                }
                _ => return Self { shape, bounds, name, definitions },
            }
        }
        Self { shape: &Shape::Json, bounds: None, name, definitions }
    }
}
