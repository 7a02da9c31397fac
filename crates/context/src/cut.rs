//! Cutting a text to a budget (AS-16).
//!
//! The kept part ends at a token and at a whole visible character (a grapheme), and at the end of a
//! line or sentence if one is near, else of a word. The marker `… [clipped: 1234 of 5678 tokens]`
//! means that 1234 of the text's 5678 tokens were removed; it counts towards the limit and is left
//! out if it does not fit beside one token of text. The result, counted again as a whole, never
//! exceeds the limit.
//!
//! - `keep head` keeps the beginning; the marker follows it.
//! - `keep tail` keeps the end; the marker precedes it.
//! - `keep middle` keeps the middle of the text, with a marker on each side that was cut as long as
//!   the two take no more than half of the limit; otherwise one at the end covers both.
//!
//! Decision: the cost follows the limit, not the text. The count of the whole text, which the
//! marker names, is exact for texts up to [`EXACT_BYTES`] or four times what the limit holds;
//! beyond that it is estimated from samples, rounded, and marked: `… [clipped: 250000 of 258000
//! tokens] (estimated)`.
//!
//! Characters are Unicode scalar values, and always counted exactly. Lists keep whole items, and of
//! the next one as much of its long texts as fits; objects keep whole fields: see [`Parts`].
//!
//! ```
//! use contexture_context::{cut::cut, tokens::Words, Keep, Measure};
//!
//! let text = "One two three four five six. Seven eight. Nine ten eleven.";
//! let head = cut(text, 14, Measure::Tokens, Keep::Head, &Words);
//! assert_eq!(head.text, text);
//! let head = cut(text, 10, Measure::Tokens, Keep::Head, &Words);
//! assert_eq!(head.text, "One two three four… [clipped: 7 of 11 tokens]");
//! assert_eq!((head.clipped, head.before, head.after), (true, 11, 9));
//! let tail = cut(text, 10, Measure::Tokens, Keep::Tail, &Words);
//! assert_eq!(tail.text, "… [clipped: 7 of 11 tokens] eight. Nine ten eleven.");
//! ```

mod bounds;
mod ends;
mod known;
mod list;
mod marker;
mod middle;
mod passage;
mod ruler;
mod text;
mod total;
mod walk;

pub use list::Parts;
pub(crate) use ruler::Ruler;
pub use ruler::{Cut, EXACT_BYTES, Kept};
pub use text::cut;

use crate::budget::Measure;
use crate::tokens::TokenCounter;

/// Returns the tokens of `text`, exact if it is no longer than [`EXACT_BYTES`], else from samples;
/// and whether it is exact.
pub(crate) fn estimate(text: &str, counter: &dyn TokenCounter) -> (usize, bool) {
    let ruler = Ruler::new(Measure::Tokens, counter);
    let total = total::after(ruler, text, walk::NOWHERE);
    (total.count, total.exact)
}

#[cfg(test)]
mod tests;
