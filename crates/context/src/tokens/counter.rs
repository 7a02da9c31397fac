//! The interface of a tokenizer.

use std::fmt;

/// Counts the tokens of a text as one model does.
///
/// Special tokens written in a text (`<|endoftext|>`) are ordinary text: what a program shows as
/// data is never read as a command to the model.
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// Returns the name of the tokenizer, such as `o200k_base`.
    fn name(&self) -> &str;

    /// Reports whether it is the model's own tokenizer, which may not be public.
    fn exact(&self) -> bool;

    /// Counts the tokens of `text`.
    fn count(&self, text: &str) -> usize;

    /// Returns the ends of the tokens of `text` as rising byte offsets; the last is `text.len()`
    /// and an end may lie inside a character. Its length is [`count`](Self::count).
    fn token_ends(&self, text: &str) -> Vec<usize>;

    /// Reports whether `count(a + b) == count(a) + count(b)` for every `a` that ends with `before`
    /// and every `b` that begins with `after`. A counter that does not know returns false: it is
    /// then slower, never wrong.
    fn seam(&self, before: char, after: char) -> bool {
        let _ = (before, after);
        false
    }
}
