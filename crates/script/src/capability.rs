//! What imports may name and what their bindings can do (AS-24 to AS-26), as the checker knows it.
//!
//! Decision: the checker has a table of its own instead of asking the crates that do the work, so
//! that a program can be checked, formatted and shown in an editor without any of them. The table
//! holds names, types and effects only; whoever puts the crates together tests that both agree.

mod methods;
mod pack;
mod uri;

#[cfg(test)]
mod tests;

pub use methods::{ENV, FILE, FIND, FRONTEND, GREP, HTTP, KNOWLEDGE, MEMORY, SED, SERVER};
pub use pack::{pack, tokens};
pub use uri::{UriFault, frontend, memory, model, server, tool};

use crate::syntax::ast::ImportKind;

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It changes nothing outside.
    Read,
    /// It changes files, a memory or something on a server, or is a request other than GET: not
    /// in `parallel for` (AS-10).
    Write,
}

/// The type that an argument must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentType {
    /// A string.
    Text,
    /// A whole number of at least 1.
    Count,
    /// A boolean.
    Flag,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// Tokens: a whole number of at least 1, or a string such as `"3k"`.
    Budget,
    /// An object.
    Object,
    /// Anything.
    Any,
}

impl ArgumentType {
    /// How messages name it.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Count => "a whole number of at least 1".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Self::Budget => {
                "tokens: a whole number of at least 1, or a string such as \"3k\"".to_owned()
            }
            Self::Object => "an object".to_owned(),
            Self::Any => "any value".to_owned(),
        }
    }
}

/// A field of the object that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ArgumentType,
    /// Whether it must be there.
    pub required: bool,
}

/// What a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// One object with these fields and no others.
    Fields(&'static [Argument]),
    /// One object with these fields and any others.
    Open(&'static [Argument]),
    /// One value that is no such object: the effects that `undo` reverses.
    Value,
}

impl Arguments {
    /// The fields that are known.
    #[must_use]
    pub const fn fields(self) -> &'static [Argument] {
        match self {
            Self::Fields(fields) | Self::Open(fields) => fields,
            Self::Value => &[],
        }
    }
}

/// A method of a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// What it takes.
    pub arguments: Arguments,
}

/// A tool, memory or pack by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability {
    /// The URI, or the form of it.
    pub uri: &'static str,
    /// Its methods.
    pub methods: &'static [Method],
}

impl Capability {
    /// The method of that name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|method| method.name == name)
    }
}

/// How a message names what a kind of import binds.
#[must_use]
pub const fn noun(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Llm => "a model",
        ImportKind::Tool => "a tool",
        ImportKind::Memory => "a memory",
        ImportKind::File => "a file",
        ImportKind::Agent => "an agent",
        ImportKind::Knowledge => "a knowledge pack",
        ImportKind::Resource => "a resource",
        ImportKind::Template => "a template",
    }
}
