//! From the declarations of a program to the text of the prompt (AS-16, AS-18, AS-20).
//!
//! [`build_item`] creates a [`ContextItem`] from a [`DeclaredItem`]: the value as text, cut to the
//! item's own budget, made harmless, and fenced if it is not trusted. [`fit`] does so for all items
//! of a prompt and, if the whole is too long, cuts them in the declared order.
//!
//! Decision: a budget holds for the finished text, fence, marker and backslashes included. The
//! finished text is counted and cut until it fits. An item that cannot keep its fence is left out:
//! data is never shown without a fence.
//!
//! ```
//! use contexture_context::build::build_item;
//! use contexture_context::{tokens::Words, Budget, DeclaredItem, Keep, Label};
//!
//! let declared = DeclaredItem {
//!     label: Some("note".to_owned()),
//!     source: "note".to_owned(),
//!     position: None,
//!     value: "one two three four five six seven eight nine ten eleven".into(),
//!     budget: Some(Budget::tokens(10)),
//!     keep: Keep::Head,
//!     priority: 0,
//!     question: None,
//!     origin: Label::default(),
//!     fence: None,
//! };
//! let item = build_item(0, &declared, &Words)?;
//! assert_eq!(item.text, "one two three four… [clipped: 7 of 11 tokens]");
//! assert_eq!((item.tokens, item.tokens_before, item.clipped), (9, 11, true));
//! # Ok::<(), contexture_context::build::TooDeep>(())
//! ```

mod draft;
mod fit;

pub use draft::TooDeep;
pub use fit::{FitError, fit, fit_with};

use crate::item::{ContextItem, DeclaredItem};
use crate::tokens::TokenCounter;
use draft::Draft;

/// Creates an item from its declaration, under its own budget alone.
///
/// # Errors
/// [`TooDeep`] if the value is nested deeper than the default of [`Limits::value_depth`](crate::limits::Limits::value_depth).
pub fn build_item(
    index: usize,
    declared: &DeclaredItem,
    counter: &dyn TokenCounter,
) -> Result<ContextItem, TooDeep> {
    Ok(Draft::new(index, declared, counter)?.item(None))
}

#[cfg(test)]
mod tests;
