//! The types and calls of a client, before they are written in a language.
//!
//! Decision: every object gets a name, so that each language writes it as a type of its own; what
//! it is called comes from its place: `TriageResult`, `IssuePlace`.

use super::names::{Names, camel, pascal, snake};
use contexture::answer::{Field, Shape};
use contexture::script::semantic::interface::{Entry, EntryInput, Interface};
use std::collections::HashMap;

/// How a language names what it has.
pub(super) struct Style {
    /// Words that can't name a type.
    pub(super) types: &'static [&'static str],
    /// Words that can't name a call or an argument.
    pub(super) calls: &'static [&'static str],
    /// True if calls are named `triage_add` and not `triageAdd`.
    pub(super) is_snake: bool,
    /// True if a choice of words needs a name.
    pub(super) names_words: bool,
}

/// A client.
pub(super) struct Model {
    pub(super) types: Vec<TypeDef>,
    pub(super) calls: Vec<Call>,
}

/// A type.
pub(super) struct TypeDef {
    pub(super) name: String,
    pub(super) doc: Option<String>,
    /// An object whose fields have no objects in them, or what the name stands for.
    pub(super) shape: Shape,
}

/// A function that runs an entry.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) action: String,
    pub(super) doc: Option<String>,
    pub(super) arguments: Vec<Argument>,
    /// True if the one argument is the object of all parameters.
    pub(super) is_whole: bool,
    /// `json` if it is unknown.
    pub(super) result: Shape,
    /// True if the result may be none.
    pub(super) may_be_none: bool,
}

/// An argument.
pub(super) struct Argument {
    pub(super) name: String,
    /// The name of the parameter.
    pub(super) key: String,
    pub(super) shape: Shape,
}

impl Model {
    pub(super) fn of(interface: &Interface, style: &Style) -> Self {
        let mut names = Names::new(style.types);
        let shapes = interface.shapes.iter();
        let known = shapes.map(|own| (own.name.clone(), names.take(&own.name))).collect();
        let mut lifting = Lifting { style, names, known, types: Vec::new() };
        for own in &interface.shapes {
            let name = lifting.known.get(&own.name).cloned().unwrap_or_default();
            let shape = lifting.inside(&own.shape, &name);
            lifting.types.push(TypeDef { name, doc: own.doc.clone(), shape });
        }
        let mut calls = Names::new(style.calls);
        let entries = interface.entries.iter();
        let calls = entries.map(|entry| lifting.call(entry, &mut calls)).collect();
        Self { types: lifting.types, calls }
    }
}

struct Lifting<'s> {
    style: &'s Style,
    names: Names,
    /// The types of the named shapes.
    known: HashMap<String, String>,
    types: Vec<TypeDef>,
}

impl Lifting<'_> {
    fn call(&mut self, entry: &Entry, calls: &mut Names) -> Call {
        let own = format!("{} {}", entry.agent, entry.function.as_deref().unwrap_or_default());
        let own = own.trim();
        let name = if self.style.is_snake { snake(own) } else { camel(own) };
        let result = entry.result.as_ref();
        let shape = result.map_or(Shape::Json, |result| result.shape.clone());
        let mut names = Names::new(self.style.calls);
        let (is_whole, given) = match &entry.input {
            EntryInput::Nothing => (false, Vec::new()),
            EntryInput::Open(name) => (false, vec![Field::new(name.clone(), Shape::Json)]),
            EntryInput::Whole(name, shape) => (true, vec![Field::new(name.clone(), shape.clone())]),
            EntryInput::Named(fields) => (false, fields.clone()),
        };
        let argument = |field: &Field| Argument {
            name: names.take(&field.name),
            key: field.name.clone(),
            shape: self.outside(&field.shape, &format!("{own} {}", field.name)),
        };
        Call {
            arguments: given.iter().map(argument).collect(),
            name: calls.take(&name),
            action: entry.action.clone(),
            doc: entry.doc.clone(),
            is_whole,
            result: self.outside(&shape, &format!("{own} result")),
            may_be_none: result.is_some_and(|result| !result.is_declared),
        }
    }

    /// Returns what stands where a shape does: the name of an object.
    fn outside(&mut self, shape: &Shape, place: &str) -> Shape {
        let is_named = match shape {
            Shape::Object(_) => true,
            Shape::Enum(_) => self.style.names_words,
            _ => false,
        };
        if !is_named {
            return self.inside(shape, place);
        }
        let name = self.names.take(&pascal(place));
        let shape = self.inside(shape, place);
        self.types.push(TypeDef { name: name.clone(), doc: None, shape });
        Shape::Named(name)
    }

    /// Returns a shape whose parts are lifted out.
    fn inside(&mut self, shape: &Shape, place: &str) -> Shape {
        match shape {
            Shape::Object(fields) => {
                let field = |field: &Field| Field {
                    shape: self.outside(&field.shape, &format!("{place} {}", field.name)),
                    description: described(field),
                    ..field.clone()
                };
                Shape::Object(fields.iter().map(field).collect())
            }
            Shape::List(Some(item)) => Shape::list(self.outside(item, &format!("{place} item"))),
            Shape::Bounded(bounds) => self.outside(&bounds.shape, place),
            Shape::Named(name) => {
                Shape::Named(self.known.get(name).cloned().unwrap_or_else(|| name.clone()))
            }
            Shape::Defined(defined) => self.outside(&defined.shape, place),
            plain => plain.clone(),
        }
    }
}

/// Returns the description of a field with its bounds, which the types of a client lack.
fn described(field: &Field) -> Option<String> {
    let bounds = matches!(field.shape, Shape::Bounded(_)).then(|| format!("`{}`", field.shape));
    match (&field.description, bounds) {
        (Some(text), Some(bounds)) => Some(format!("{text} ({bounds})")),
        (text, bounds) => text.clone().or(bounds),
    }
}
