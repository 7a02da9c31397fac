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
//! use contexture_context::{tokens::Words, Budget, DeclaredItem, Keep, Trust};
//!
//! let declared = DeclaredItem {
//!     label: Some("note".to_owned()),
//!     source: "note".to_owned(),
//!     position: None,
//!     value: "one two three four five six seven eight nine ten eleven".into(),
//!     budget: Some(Budget::tokens(10)),
//!     keep: Keep::Head,
//!     priority: 0,
//!     trust: Trust::Program,
//!     fence: None,
//! };
//! let item = build_item(0, &declared, &Words)?;
//! assert_eq!(item.text, "one two three four… [clipped: 7 of 11 tokens]");
//! assert_eq!((item.tokens, item.tokens_before, item.clipped), (9, 11, true));
//! # Ok::<(), contexture_context::build::TooDeep>(())
//! ```

mod draft;
mod fit;

pub use fit::{FitError, fit, fit_with};

use crate::limits::Limits;
use crate::tokens::TokenCounter;
use crate::{ContextItem, DeclaredItem};
use draft::Draft;
use serde_json::Value;

/// A value that cannot become an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{expression}` is nested more than {limit} levels deep; `use` a part of it")]
pub struct TooDeep {
    /// The item's source expression.
    pub expression: String,
    /// The greatest nesting allowed.
    pub limit: usize,
}

/// Creates an item from its declaration, under its own budget alone.
///
/// # Errors
/// [`TooDeep`] if the value is nested deeper than the default of [`Limits::value_depth`].
pub fn build_item(
    index: usize,
    declared: &DeclaredItem,
    counter: &dyn TokenCounter,
) -> Result<ContextItem, TooDeep> {
    Ok(Draft::new(index, declared, counter)?.item(None))
}

fn check_depth(declared: &DeclaredItem) -> Result<(), TooDeep> {
    let limit = Limits::default().value_depth;
    let mut open = vec![(&declared.value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > limit {
            return Err(TooDeep { expression: declared.source.clone(), limit });
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
