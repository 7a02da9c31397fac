//! The methods of every tool, each one item: name, effect, arguments, description. The argument
//! checker, the JSON Schema for models and the help texts all derive from it.

use serde_json::{Map, Value, json};

/// The effect of a call on the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads the workspace or the environment and changes nothing.
    Read,
    /// Asks a server without changing anything there: not in a dry run (AS-31).
    Fetch,
    /// Changes files, or something on a server: not in a dry run and not in `parallel for`
    /// (AS-10).
    Write,
}

impl Effect {
    /// Reports whether a dry run may do it: no side effect, no network.
    #[must_use]
    pub const fn runs_in_dry_run(self) -> bool {
        matches!(self, Self::Read)
    }
}

/// A method as it is offered to a model or shown to a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// Its name, such as `read`.
    pub name: &'static str,
    /// Its effect on the world.
    pub effect: Effect,
    /// One or two sentences.
    pub description: &'static str,
    /// JSON Schema of its argument object.
    pub schema: Value,
}

pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) effect: Effect,
    pub(crate) description: &'static str,
    pub(crate) parameters: &'static [Parameter],
}

pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) description: &'static str,
}

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A string.
    Text,
    /// A whole number from 1 to this.
    Count(u64),
    /// A boolean.
    Flag,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// An object whose fields are strings, numbers or booleans.
    Fields,
    /// Anything.
    Any,
}

/// Returns a required parameter.
pub(crate) const fn needs(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, required: true, description }
}

/// Returns an optional parameter.
pub(crate) const fn takes(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, required: false, description }
}

impl Method {
    pub(crate) fn info(&self) -> MethodInfo {
        MethodInfo {
            name: self.name,
            effect: self.effect,
            description: self.description,
            schema: self.schema(),
        }
    }

    fn schema(&self) -> Value {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.to_owned(), parameter.schema()))
            .collect();
        let required: Vec<_> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| parameter.name)
            .collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Count(most) => json!({"type": "integer", "minimum": 1, "maximum": most}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Choice(words) => json!({"type": "string", "enum": words}),
            Kind::Fields => json!({
                "type": "object",
                "additionalProperties": {"type": ["string", "number", "boolean"]},
            }),
            Kind::Any => json!({}),
        };
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("description".to_owned(), self.description.into());
        }
        schema
    }
}
