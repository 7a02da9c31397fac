//! Signatures of what a program imports: methods, parameters and effects (AS-25, AS-26, KN-9).
//!
//! Decision: each built-in tool has one table, [`tables`], from which the checker, the argument
//! check of a call, the JSON Schema for models and the help texts derive. It holds facts only, so
//! that a program is checked without the crates that do the work.

mod object;
pub mod tables;

pub use object::ObjectSignature;

use crate::policy::Class;
use serde_json::{Map, Value, json};

/// The effect of a call on the world. It is the [`Class`] of the call, with reading here and
/// reading from a server kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads the workspace or the environment and changes nothing.
    Read,
    /// Asks a server without changing anything there: not in a dry run (AS-31).
    Fetch,
    /// Changes files or a memory: not in a dry run and not in `parallel for` (AS-10).
    Write,
    /// Sends data to others, or changes something on a server: not in a dry run and not in
    /// `parallel for`.
    Send,
    /// Starts something whose effects are unknown: not in a dry run and not in `parallel for`.
    Execute,
}

impl Effect {
    /// Returns the class that privileges and policies go by (GU-2).
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::Read | Self::Fetch => Class::Read,
            Self::Write => Class::Write,
            Self::Send => Class::Send,
            Self::Execute => Class::Execute,
        }
    }

    /// Returns the effect of a tool that is not local, by its class.
    #[must_use]
    pub const fn of_remote(class: Class) -> Self {
        match class {
            Class::Read => Self::Fetch,
            Class::Write => Self::Write,
            Class::Send => Self::Send,
            Class::Execute => Self::Execute,
        }
    }

    /// Reports whether it leaves something changed.
    #[must_use]
    pub const fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::Fetch)
    }

    /// Reports whether a dry run may do it: no side effect, no network (AS-31).
    #[must_use]
    pub const fn runs_in_dry_run(self) -> bool {
        matches!(self, Self::Read)
    }
}

/// A tool, memory or pack by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// The URI, or the form of it.
    pub uri: &'static str,
    /// Its methods.
    pub methods: &'static [Method],
}

impl Signature {
    /// Returns the method of that name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|method| method.name == name)
    }
}

/// A method of a tool, memory or pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name, such as `read`.
    pub name: &'static str,
    /// Its effect.
    pub effect: Effect,
    /// One or two sentences for a model; empty where no model is offered it.
    pub description: &'static str,
    /// The fields of the object that it takes.
    pub parameters: &'static [Parameter],
    /// The form of its argument.
    pub form: Form,
}

/// The form of the argument that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One object with the parameters as fields and no others.
    Closed,
    /// One object with the parameters and any other fields.
    Open,
    /// In a program one value that is not such an object: the effects that `undo` reverses.
    Value,
}

/// A field of the object that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// True if it is required.
    pub required: bool,
    /// A phrase for models and help texts; may be empty.
    pub description: &'static str,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A whole number from 1 to this.
    Count(u64),
    /// A boolean.
    Flag,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// Tokens: a whole number of at least 1, or a string such as `"3k"`.
    Budget,
    /// An object whose fields are strings, numbers or booleans.
    Fields,
    /// An object.
    Object,
    /// Anything.
    Any,
}

impl Kind {
    /// Describes the type for a message.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Count(_) => "a whole number of at least 1".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Self::Budget => {
                "tokens: a whole number of at least 1, or a string such as \"3k\"".to_owned()
            }
            Self::Fields | Self::Object => "an object".to_owned(),
            Self::Any => "any value".to_owned(),
        }
    }

    fn schema(self) -> Map<String, Value> {
        let schema = match self {
            Self::Text => json!({ "type": "string" }),
            Self::Count(most) => json!({ "type": "integer", "minimum": 1, "maximum": most }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Choice(words) => json!({ "type": "string", "enum": words }),
            Self::Budget => json!({ "type": ["integer", "string"] }),
            Self::Fields => json!({
                "type": "object",
                "additionalProperties": { "type": ["string", "number", "boolean"] },
            }),
            Self::Object => json!({ "type": "object" }),
            Self::Any => json!({}),
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

impl Method {
    /// Returns its class.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.effect.class()
    }

    /// Reports whether a `parallel for` may call it: AS-10 allows no request but GET there,
    /// although HEAD changes nothing.
    #[must_use]
    pub fn runs_in_parallel(&self) -> bool {
        !self.effect.changes() && self.name != "head"
    }

    /// Returns the required parameter, if there is one and no other: a bare value stands for it
    /// (TY-7).
    #[must_use]
    pub fn only_required(&self) -> Option<&'static Parameter> {
        let mut required = self.parameters.iter().filter(|parameter| parameter.required);
        let only = required.next().filter(|_| required.next().is_none());
        only.filter(|_| self.form != Form::Value)
    }

    /// Returns the JSON Schema of its argument object.
    #[must_use]
    pub fn schema(&self) -> Value {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.to_owned(), parameter.schema()))
            .collect();
        let required = self.parameters.iter().filter(|parameter| parameter.required);
        let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": self.form == Form::Open,
        })
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        schema.insert("description".to_owned(), self.description.into());
        Value::Object(schema)
    }
}
