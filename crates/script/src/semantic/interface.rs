//! What a program offers and may touch, for those who call it (TY-12).
//!
//! Decision: shapes keep their names here, so that a client and a document show `Issue` once and
//! refer to it; the names of all shapes stand beside the entries.

use contexture_answer::{Field, Shape};
use contexture_core::policy::{Class, Verdict};
use serde_json::{Value, json};

/// The interface of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The functions that can be called from outside.
    pub entries: Vec<Entry>,
    /// The named shapes of its own file and of its entries, by name.
    pub shapes: Vec<NamedShape>,
    /// The imports that it can reach, in order.
    pub touches: Vec<Touch>,
    /// The names of the secrets that it reads.
    pub secrets: Vec<String>,
    /// What it forbids itself.
    pub policy: Vec<(Class, Verdict)>,
}

/// A function that can be called from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name of its action: `agent:Triage`, `agent:Triage.add`.
    pub action: String,
    /// The agent, or the stem of the file's name.
    pub agent: String,
    /// The function; absent for the entry of the agent.
    pub function: Option<String>,
    /// The lines of `///` above it; of the entry of an agent else those above the agent.
    pub doc: Option<String>,
    /// What it takes.
    pub input: EntryInput,
    /// The shape of its value, if it is declared or certain.
    pub result: Option<EntryResult>,
}

/// What an entry takes.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryInput {
    /// Nothing.
    Nothing,
    /// Any value, by the name of its parameter.
    Open(String),
    /// One object, whose fields are the parameters of the action; with the parameter's name.
    Whole(String, Shape),
    /// Values by name.
    Named(Vec<Field>),
}

/// The value of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryResult {
    /// Its shape.
    pub shape: Shape,
    /// True if `-> Shape` declares it. One that the types found may be none instead.
    pub is_declared: bool,
}

/// A shape with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedShape {
    /// The name.
    pub name: String,
    /// The lines of `///` above it.
    pub doc: Option<String>,
    /// What it stands for.
    pub shape: Shape,
}

/// An import with what is done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The kind: `model`, `tool`, `memory`.
    pub kind: &'static str,
    /// Its name in the program.
    pub name: String,
    /// Its URIs or path.
    pub from: Vec<String>,
    /// The file that imports it.
    pub file: String,
    /// The methods that the program calls or lets a model call, by name.
    pub methods: Vec<TouchedMethod>,
}

/// A method that a program may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedMethod {
    /// Its name.
    pub name: String,
    /// Its class, if it is known.
    pub class: Option<Class>,
    /// True if a model may call it.
    pub by_model: bool,
}

impl Entry {
    /// Returns the shape of the parameters of its action; `None` if any object will do.
    #[must_use]
    pub fn parameters(&self) -> Option<Shape> {
        match &self.input {
            EntryInput::Nothing => Some(Shape::Object(Vec::new())),
            EntryInput::Open(_) => None,
            EntryInput::Whole(_, shape) => Some(shape.clone()),
            EntryInput::Named(fields) => Some(Shape::Object(fields.clone())),
        }
    }
}

impl Touch {
    /// Returns it as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let method = |method: &TouchedMethod| {
            let class = method.class.map(Class::as_str);
            json!({ "name": method.name, "class": class, "by_model": method.by_model })
        };
        json!({
            "kind": self.kind,
            "name": self.name,
            "from": self.from,
            "file": self.file,
            "methods": self.methods.iter().map(method).collect::<Vec<_>>(),
        })
    }
}
