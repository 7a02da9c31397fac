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
mod encode;
mod memo;
mod models;
mod pattern;
mod split;
mod twin;
mod vocabulary;

pub use bpe::{Bpe, CL100K_BASE, O200K_BASE, O200K_STAND_IN};
pub use models::tokenizer_for;
pub use twin::{Chars, FourBytes, Words};

use std::fmt;

/// Counts the tokens of a text as one model does.
///
/// Special tokens written in a text (`<|endoftext|>`) are ordinary text: what a program shows as
/// data is never read as a command to the model.
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// The name of the tokenizer, such as `o200k_base`.
    fn name(&self) -> &str;

    /// False when the model's own tokenizer is not public and this one stands in for it.
    fn exact(&self) -> bool;

    /// The tokens of `text`.
    fn count(&self, text: &str) -> usize;

    /// Where the tokens of `text` end, as rising byte offsets; the last is `text.len()` and an end
    /// may lie inside a character. Its length is [`count`](Self::count).
    fn token_ends(&self, text: &str) -> Vec<usize>;

    /// Whether `count(a + b) == count(a) + count(b)` for every `a` that ends with `before` and
    /// every `b` that begins with `after`. A counter that does not know says no: it is then
    /// slower, never wrong.
    fn seam(&self, before: char, after: char) -> bool {
        let _ = (before, after);
        false
    }
}

#[cfg(test)]
mod tests;
