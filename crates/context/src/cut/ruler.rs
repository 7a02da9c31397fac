//! The unit and counter of a cut, and its result.

use crate::budget::Measure;
use crate::tokens::{Chars, TokenCounter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Texts up to this many bytes are always counted completely, so that the marker's figures are
/// exact.
pub const EXACT_BYTES: usize = 128 * 1024;

/// A text cut to its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The kept part, with its markers.
    pub text: Cow<'a, str>,
    /// True if anything was removed.
    pub clipped: bool,
    /// The count of the whole text, in the units of the measure.
    pub before: usize,
    /// False when `before` and `removed` are estimates.
    pub before_exact: bool,
    /// The count of `text`, including markers; always exact.
    pub after: usize,
    /// The removed amount: `before` minus the rest of it, as in the markers.
    pub removed: usize,
    /// The number of items or fields kept, for a list or an object cut between them.
    pub kept: Option<Kept>,
}

/// The number of items of a list, or fields of an object, that were kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    /// The items or fields in the text.
    pub kept: usize,
    /// The items or fields of the value.
    pub of: usize,
    /// Those of the kept items in which long texts were cut.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shortened: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The unit and counter of a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ruler<'c> {
    pub(super) counter: &'c dyn TokenCounter,
    pub(super) measure: Measure,
}

impl<'c> Ruler<'c> {
    pub(crate) fn new(measure: Measure, counter: &'c dyn TokenCounter) -> Self {
        let counter = match measure {
            Measure::Tokens => counter,
            Measure::Chars => &Chars,
        };
        Self { counter, measure }
    }

    pub(crate) fn count(self, text: &str) -> usize {
        self.counter.count(text)
    }

    /// Returns the count of two joined texts, given that of everything but `added`; none if joining
    /// may change it.
    pub(super) fn count_at_seam(
        self,
        known: usize,
        joined: (&str, &str),
        added: &str,
    ) -> Option<usize> {
        let (Some(before), Some(after)) = (joined.0.chars().next_back(), joined.1.chars().next())
        else {
            return Some(known + self.count(added));
        };
        self.counter.seam(before, after).then(|| known + self.count(added))
    }

    pub(super) fn count_joined(self, front: &str, back: &str) -> usize {
        match (front, back) {
            (text, "") | ("", text) => self.count(text),
            _ => self.count(&format!("{front}{back}")),
        }
    }

    /// Reports whether counting all of a text of `bytes` is in proportion to having counted
    /// `counted`.
    pub(super) fn is_cheap(self, bytes: usize, counted: usize) -> bool {
        self.measure == Measure::Chars || bytes <= EXACT_BYTES.max(counted.saturating_mul(4))
    }
}

impl<'a> Cut<'a> {
    pub(super) fn whole(text: &'a str, count: usize) -> Self {
        Self {
            text: Cow::Borrowed(text),
            clipped: false,
            before: count,
            before_exact: true,
            after: count,
            removed: 0,
            kept: None,
        }
    }
}
