//! The targets of imports and the methods of their bindings (AS-24 to AS-26).
//!
//! Decision: the checker reads the signatures of `contexture-core` instead of asking the crates that
//! do the work, so that a program can be checked, formatted and shown in an editor without them.

mod pack;
mod uri;

#[cfg(test)]
mod tests;

pub use contexture_core::signature::tables::{
    ENV, FILE, FIND, FRONTEND, GREP, HTTP, KNOWLEDGE, MEMORY, NATIVE, SED, SERVER,
};
pub use contexture_core::signature::{Form, Kind, Method, Parameter, Signature};
pub use pack::{pack, tokens};
pub use uri::{OPTIMIZER, UriFault, frontend, memory, model, native, server, tool};

use crate::syntax::ast::ImportKind;

/// The function that gives the handle of a secret (GU-9).
pub(crate) const SECRET: &str = "secret";

/// The function that lets a value up for a reason (GU-4).
pub(crate) const TRUST: &str = "trust";

/// The function by which a program says what it does (CA-8).
pub(crate) const PROGRESS: &str = "progress";

/// The function by which a program fails (TY-6).
pub(crate) const FAIL: &str = "fail";

/// Reports whether a text names a secret: as a variable of the environment is named.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.len() <= 128 && name.chars().all(is_part)
}

/// Returns the noun that messages use for the binding of a kind of import.
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
        ImportKind::Shape => "a shape",
        ImportKind::Func => "a function",
    }
}
