//! The shape of an answer: what a program expects a model to return (AS-5).
//!
//! A shape is data, not a type system: it is written in a program, sent to a provider as a JSON
//! Schema, shown to the model in the output contract and used to check the answer. The parser of
//! the written form belongs to the language; this module prints it, so both agree on one syntax.

mod bounds;
mod display;
mod named;
mod schema;
#[cfg(test)]
mod tests;

pub use bounds::{Bounds, Pattern};
pub(crate) use display::is_identifier;
pub use named::{Defined, View};
pub use schema::NotStrict;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The expected form of one value of an answer (AS-5).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A string only: numbers and booleans are never coerced into one.
    String,
    /// Any JSON number.
    Number,
    /// A whole number of 64 bits.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Any JSON value, including `null`.
    Json,
    /// A list; with a shape, every item matches it.
    List(Option<Box<Shape>>),
    /// An object with these fields, in this order.
    Object(Vec<Field>),
    /// One of these strings.
    Enum(Vec<String>),
    /// A value within bounds (TY-1).
    Bounded(Box<Bounds>),
    /// A shape by its name in the [`Shape::Defined`] around it (TY-1).
    Named(String),
    /// A shape with the definitions of the names in it, which may refer to themselves (TY-1).
    Defined(Box<Defined>),
}

/// One field of an object shape (AS-5).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The key in the JSON object.
    pub name: String,
    /// The shape of its value.
    pub shape: Shape,
    /// True if the field may be missing. `null` counts as missing.
    #[serde(default)]
    pub optional: bool,
    /// The meaning of the field, for the schema and the output contract (the `///` comment).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Field {
    /// Creates a required field without a description.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        Self { name: name.into(), shape, optional: false, description: None }
    }

    /// Returns the field as optional.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Returns the field with a description.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// A fault of a shape that makes it unusable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Lists and objects are nested deeper than [`Shape::MAX_DEPTH`].
    #[error("the shape is nested deeper than {limit} levels; make it flatter or use `json`")]
    TooDeep {
        /// The limit that was passed.
        limit: usize,
    },
    /// Two fields of one object have the same name.
    #[error("duplicate field `{name}` in one object; rename or remove one")]
    DuplicateField {
        /// The name that occurs twice.
        name: String,
    },
    /// An enum without a value.
    #[error("an enum needs at least one value, as in `\"yes\" | \"no\"`")]
    EmptyEnum,
    /// A name that nothing defines.
    #[error("nothing defines the shape `{name}`")]
    Undefined {
        /// The name.
        name: String,
    },
    /// A shape that contains itself, so that no value fits.
    #[error("the shape `{name}` contains itself; put it into a list or an optional field")]
    Endless {
        /// The name.
        name: String,
    },
    /// A pattern that is not a regular expression, or bounds that nothing satisfies.
    #[error("{0}")]
    Bounds(String),
}

impl Shape {
    /// The greatest nesting of lists and objects.
    pub const MAX_DEPTH: usize = 64;

    /// Creates a list whose items have the given shape.
    pub fn list(item: Shape) -> Self {
        Shape::List(Some(Box::new(item)))
    }

    /// Creates an enum of the given values.
    pub fn one_of<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        Shape::Enum(values.into_iter().map(Into::into).collect())
    }

    /// Returns the name of the type in the language: `string`, `list`, `object`, `enum` …
    pub fn type_name(&self) -> &'static str {
        match self {
            Shape::String => "string",
            Shape::Number => "number",
            Shape::Integer => "integer",
            Shape::Boolean => "boolean",
            Shape::Json => "json",
            Shape::List(_) => "list",
            Shape::Object(_) => "object",
            Shape::Enum(_) => "enum",
            Shape::Bounded(bounds) => bounds.shape.type_name(),
            Shape::Named(_) => "json",
            Shape::Defined(defined) => defined.shape.type_name(),
        }
    }

    /// Returns the shape as it is outside: within its bounds, and with its name resolved.
    #[must_use]
    pub fn plain(&self) -> &Shape {
        View::of(self).shape
    }

    /// Returns the fields of an object; each has the definitions that it needs.
    #[must_use]
    pub fn fields(&self) -> Option<Vec<Field>> {
        let view = View::of(self);
        let Shape::Object(fields) = view.shape else { return None };
        let whole = |field: &Field| Field { shape: view.whole(&field.shape), ..field.clone() };
        Some(fields.iter().map(whole).collect())
    }

    /// Checks that the shape can be used: its depth, no field twice, no empty enum.
    ///
    /// Shapes from a program or a file should pass through here once; the other methods recurse
    /// over the shape and rely on its depth.
    ///
    /// # Errors
    /// The first fault found, outermost first.
    pub fn check(&self) -> Result<(), ShapeError> {
        // A work list, so that a shape of any depth gets an error and not a stack overflow.
        let mut todo = vec![(self, 1_usize)];
        let defined = match self {
            Shape::Defined(defined) => Some(&**defined),
            _ => None,
        };
        if let Some(defined) = defined {
            defined.check()?;
            todo.extend(defined.definitions.values().map(|shape| (shape, 1)));
        }
        while let Some((shape, depth)) = todo.pop() {
            if depth > Self::MAX_DEPTH {
                return Err(ShapeError::TooDeep { limit: Self::MAX_DEPTH });
            }
            match shape {
                Shape::List(Some(item)) => todo.push((item, depth + 1)),
                Shape::Object(fields) => {
                    check_names(fields)?;
                    todo.extend(fields.iter().rev().map(|field| (&field.shape, depth + 1)));
                }
                Shape::Enum(values) if values.is_empty() => return Err(ShapeError::EmptyEnum),
                Shape::Bounded(bounds) => {
                    bounds.check()?;
                    todo.push((&bounds.shape, depth));
                }
                Shape::Defined(inner) if std::ptr::eq(shape, self) => {
                    todo.push((&inner.shape, depth));
                }
                Shape::Defined(_) => shape.check()?,
                Shape::Named(name)
                    if defined.is_none_or(|defined| !defined.definitions.contains_key(name)) =>
                {
                    return Err(ShapeError::Undefined { name: name.clone() });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn check_names(fields: &[Field]) -> Result<(), ShapeError> {
    let mut seen = std::collections::HashSet::with_capacity(fields.len());
    match fields.iter().find(|field| !seen.insert(&field.name)) {
        Some(field) => Err(ShapeError::DuplicateField { name: field.name.clone() }),
        None => Ok(()),
    }
}
