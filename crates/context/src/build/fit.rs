//! The whole-prompt budget: which items are cut (AS-18).

use super::draft::{Draft, TooDeep};
use crate::item::{ContextItem, CutReason, DeclaredItem};
use crate::tokens::TokenCounter;
use std::cmp::Reverse;

/// The reason why a prompt cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// A value is too deeply nested.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    /// The prompt is too long even without any item.
    #[error(
        "`max_input` is {max} tokens, but identity, instruction, output contract and definitions of \
         tools alone take {fixed}; raise it to at least {fixed} or shorten them"
    )]
    Fixed {
        /// Tokens of the prompt without items.
        fixed: u64,
        /// The whole-prompt budget.
        max: u64,
    },
}

/// Creates all items of a prompt, so that the whole takes at most `max` tokens.
///
/// `measure` counts the tokens of the whole prompt with the given items laid out, leaving out those
/// that are [`left_out`](ContextItem::left_out); it is called again after each cut, so that labels
/// and blank lines count as they will be sent.
///
/// Items are cut in this order: the lowest priority first, among equals the one declared last. An
/// item is cut by the excess, completely if necessary, before the next one is. Each cut is recorded
/// with its reason.
///
/// # Errors
/// [`FitError::Fixed`] if the prompt is too long with every item left out, and
/// [`FitError::TooDeep`].
pub fn fit(
    declared: &[DeclaredItem],
    max: Option<u64>,
    counter: &dyn TokenCounter,
    measure: impl FnMut(&[ContextItem]) -> u64,
) -> Result<Vec<ContextItem>, FitError> {
    fit_with(declared, max, counter, measure, |_, _, _| None)
}

/// Does the same, but an item that has to be cut may be replaced by a shorter value: `shorter` is
/// called with its index among the declared ones, the tokens that it may take, including the fence,
/// and the budget that has no room for it: its own or that of the prompt. It returns the new value,
/// an empty one when nothing fits, or none when the item has to be cut like any other. A value that
/// does not fit the prompt leaves the item out; under its own budget the item is cut then.
///
/// # Errors
/// As [`fit`].
pub fn fit_with(
    declared: &[DeclaredItem],
    max: Option<u64>,
    counter: &dyn TokenCounter,
    mut measure: impl FnMut(&[ContextItem]) -> u64,
    mut shorter: impl FnMut(usize, u64, CutReason) -> Option<String>,
) -> Result<Vec<ContextItem>, FitError> {
    let mut drafts = Vec::with_capacity(declared.len());
    for (index, item) in declared.iter().enumerate() {
        let mut draft = Draft::new(index, item, counter)?;
        if let Some(room) = draft.room_when_cut()
            && let Some(value) = shorter(index, room, CutReason::ItemBudget)
        {
            draft.shorten(value);
        }
        drafts.push(draft);
    }
    let mut items: Vec<_> = drafts.iter().map(|draft| draft.item(None)).collect();
    let Some(max) = max else { return Ok(items) };
    let mut total = measure(&items);
    let mut order: Vec<_> = declared.iter().zip(&drafts).enumerate().collect();
    order.sort_by_key(|(index, (item, _))| (item.priority, Reverse(*index)));
    for (index, (_, draft)) in order {
        let mut step = 0;
        while let Some(excess) = total.checked_sub(max).filter(|excess| *excess > 0) {
            let Some(item) = items.get_mut(index).filter(|item| !item.left_out()) else {
                break;
            };
            // A second attempt means that joining cost some tokens: cut more each time.
            let room = item.tokens.saturating_sub(excess.saturating_add(step));
            *item = match (room > 0).then(|| shorter(index, room, CutReason::PromptBudget)) {
                Some(Some(value)) => draft.made_anew(value, room),
                Some(None) => draft.item(Some(room)),
                None => draft.left_out(),
            };
            step = step * 2 + 1;
            total = measure(&items);
        }
    }
    if total > max {
        return Err(FitError::Fixed { fixed: total, max });
    }
    Ok(items)
}
