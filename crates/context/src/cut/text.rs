//! The cut of a text, by the part that is kept.

use super::ruler::{Cut, Ruler};
use super::{ends, middle};
use crate::budget::{Keep, Measure};
use crate::tokens::TokenCounter;

/// Cuts `text` to at most `limit` tokens or characters.
///
/// `counter` counts tokens; it is not called if `measure` is [`Measure::Chars`].
#[must_use]
pub fn cut<'a>(
    text: &'a str,
    limit: usize,
    measure: Measure,
    keep: Keep,
    counter: &dyn TokenCounter,
) -> Cut<'a> {
    let ruler = Ruler::new(measure, counter);
    match keep {
        Keep::Head => ends::head(ruler, text, limit),
        Keep::Tail => ends::tail(ruler, text, limit),
        Keep::Middle => middle::middle(ruler, text, limit),
    }
}
