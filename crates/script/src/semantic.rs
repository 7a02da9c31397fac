//! The semantic model of a program: what the analysis knows besides the faults.
//!
//! Decision: the checker fills it on its one walk, and everything that shows or judges a program
//! before it runs reads it, so that the list of effects is what was checked. It begins with what
//! each `generate` may cause (GU-2).

pub mod ceiling;
pub mod find;
pub mod grant;
pub mod interface;
pub mod symbols;
pub mod written;

#[cfg(test)]
mod tests;

use contexture_core::policy::Class;
use contexture_diagnostic::{Diagnostic, Span};

/// The result of the analysis of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SemanticModel {
    /// The faults, ordered by file and position.
    pub faults: Vec<Diagnostic>,
    /// The model calls, ordered by file and position.
    pub generates: Vec<GenerateFacts>,
}

/// The facts about a `generate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateFacts {
    /// The file, by the name of its source.
    pub file: String,
    /// The whole expression.
    pub span: Span,
    /// The methods that its model may call, in the order of `tools`, each once.
    pub can: Vec<Cause>,
    /// True if its model plans these calls before it sees any data, or may be told to (GU-7).
    pub plan: bool,
}

/// A method that a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The tool by its name in the program, such as `File`.
    pub tool: String,
    /// The method, such as `read`.
    pub method: String,
    /// Its class.
    pub class: Class,
}
