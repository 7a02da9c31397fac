//! The template engine (PT-1 to PT-6).
//!
//! A template is compiled once, in one pass and without recursion, to a flat list of operations
//! whose texts and names are ranges of the source; rendering borrows values from the context and
//! copies only the text it prints.
//!
//! Decision: the engine is hand-written, by requirement. It has no expressions, helpers or
//! escaping: the program decides what a prompt shows, and the text is taken literally.

mod check;
mod compile;
mod compiled;
mod context;
mod fault;
mod files;
#[cfg(feature = "folders")]
mod folders;
mod json;
mod key;
mod needs;
mod ops;
mod partials;
mod references;
mod registry;
mod render;
mod rendering;
mod tag;
mod value;

pub use crate::error::ReferenceError;
pub use check::{CheckReport, check, check_with};
pub use compiled::PromptTemplate;
pub use context::TemplateContext;
pub use files::decode_source;
pub use needs::{Need, Requirement};
pub use partials::{AmbiguousPartial, gather_partials, partial_file};
pub use references::{Include, Included, References};
pub use registry::PromptTemplateRegistry;
pub use value::{TemplateNumber, TemplateObject, TemplateValue};

#[cfg(test)]
mod tests;
