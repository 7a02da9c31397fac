//! The foundation of Contexture: the context of a model, its budgets, and the record of each model
//! call.
//!
//! The central type is the [`ContextItem`]: a label, the source of the text, the text itself, its
//! tokens, its budget, its cuts with their reasons, and its trust. Everything that reaches a model
//! is an item or a named layer of the prompt, and a [`Manifest`] records, per model call, the
//! digests of all of them with the decisions taken.
//!
//! Decision: this crate is pure. It touches no file, clock, network or random source, so that a
//! budget, a cut or a manifest is the same wherever it is made.
//!
//! ```
//! use contexture_context::{Budget, Keep, Measure};
//!
//! let budget = Budget::tokens(2_000).keeping(Keep::Tail);
//! assert_eq!(budget.limit, 2_000);
//! assert_eq!(budget.measure, Measure::Tokens);
//! ```

pub mod budget;
pub mod build;
#[cfg(feature = "csv")]
pub mod csv;
pub mod cut;
pub mod digest;
pub mod fence;
pub mod field;
pub mod item;
pub mod json;
pub mod label;
pub mod limits;
pub mod manifest;
mod recent;
pub mod secrets;
pub mod tokens;
pub mod trace;
pub mod trust;

pub use budget::{Budget, Keep, Measure, WrittenBudget};
pub use digest::Digest;
pub use item::{ContextItem, CutReason, CutRecord, DeclaredItem, ItemQuestion, Position};
pub use label::{Label, Readers, Source};
pub use limits::Limits;
pub use manifest::{MANIFEST_VERSION, Manifest};
pub use tokens::TokenCounter;
pub use trace::{TRACE_VERSION, TraceEvent, TraceKind};
pub use trust::Trust;
