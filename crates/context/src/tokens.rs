//! Tokens: how a model counts text (AS-16).
//!
//! [`tokenizer_for`] gives the counter of a model. Vocabularies are built into the program and
//! searched where they lie, never decoded: a run pays for the tokens that its texts hold.
//!
//! Decision: text is cut along *seams*, places between two characters that no token and no rule of
//! the tokenizer ever spans (see [`TokenCounter::seam`]). Counts of the pieces between seams add
//! up exactly, from the front as from the back, which is what makes the cost of a cut depend on
//! its budget and not on the text.
//!
//! ```
//! use contexture_context::tokens::tokenizer_for;
//!
//! let counter = tokenizer_for("openai://gpt-4o");
//! assert_eq!(counter.name(), "o200k_base");
//! assert_eq!(counter.count("Hello, world!"), 4);
//! assert!(!tokenizer_for("anthropic://claude-sonnet-4").exact());
//! ```

mod bpe;
mod counter;
mod encode;
mod memo;
mod models;
mod pattern;
mod plain;
mod segments;
mod split;
mod vocabulary;

pub use bpe::{Bpe, CL100K_BASE, CL100K_STAND_IN, O200K_BASE, O200K_STAND_IN};
pub use counter::TokenCounter;
pub use models::tokenizer_for;
pub use plain::{Chars, FourBytes, Words};

#[cfg(test)]
mod tests;
