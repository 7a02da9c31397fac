//! Which passages the bounds of a `use` hold: its budget, and the most that it wants.

use super::texts::Texts;
use crate::host::errors::of_prompt;
use crate::host::references::items::taken;
use contexture_context::build::build_item;
use contexture_context::{Budget, DeclaredItem, Measure, TokenCounter};
use contexture_knowledge::resolve::Ranking;
use contexture_script::host::HostError;
use std::collections::BTreeSet;

/// Passages in a row that have no room, after which no further one is tried.
const MISSES: usize = 64;

/// Units that the line over a passage takes, or what stands around a part of a list, about.
const AROUND: u64 = 8;

/// Returns the numbers of the passages that are shown, best first. The best one is shown even if it
/// has to be cut.
pub(super) fn choose(
    texts: &Texts<'_>,
    found: &Ranking,
    (budget, most): (Budget, Option<u64>),
    counter: &dyn TokenCounter,
) -> Result<Vec<usize>, HostError> {
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let fence = fence(texts.first(), budget, counter)?;
    let (mut chosen, mut left, mut misses) = (Vec::new(), budget.limit, 0);
    let mut open = BTreeSet::new();
    for (number, passage) in found.passages.iter().enumerate() {
        if chosen.len() == most {
            break;
        }
        let text = texts.written(passage);
        let around = if open.contains(&passage.text) { 0 } else { fence };
        let cost = count(&text, budget, counter) + AROUND + around;
        if cost > left {
            misses += 1;
            if misses == MISSES {
                break;
            }
            continue;
        }
        left -= cost;
        open.insert(passage.text);
        chosen.push((number, cost));
    }
    if chosen.is_empty() && !found.passages.is_empty() {
        chosen.push((0, 0));
    }
    // Counts of parts do not quite add up to that of the whole.
    loop {
        let numbers: Vec<usize> = chosen.iter().map(|(number, _)| *number).collect();
        if numbers.len() < 2 {
            return Ok(numbers);
        }
        let taken = total(&texts.make(found, &numbers), budget, counter)?;
        let Some(mut over) = taken.checked_sub(budget.limit).filter(|over| *over > 0) else {
            return Ok(numbers);
        };
        while over > 0 && chosen.len() > 1 {
            over = over.saturating_sub(chosen.pop().map_or(0, |(_, cost)| cost));
        }
    }
}

fn count(text: &str, budget: Budget, counter: &dyn TokenCounter) -> u64 {
    match budget.measure {
        Measure::Tokens => counter.count(text) as u64,
        Measure::Chars => text.chars().count() as u64,
    }
}

/// Counts what items take when nothing is cut.
fn total(
    items: &[DeclaredItem],
    budget: Budget,
    counter: &dyn TokenCounter,
) -> Result<u64, HostError> {
    items.iter().try_fold(0_u64, |sum, item| {
        let item = DeclaredItem { budget: None, ..item.clone() };
        let built = build_item(0, &item, counter).map_err(of_prompt)?;
        Ok(sum.saturating_add(taken(&built, budget.measure)))
    })
}

/// Counts what the fence of an item takes.
fn fence(
    item: &DeclaredItem,
    budget: Budget,
    counter: &dyn TokenCounter,
) -> Result<u64, HostError> {
    let empty = DeclaredItem { value: "".into(), ..item.clone() };
    total(&[empty], budget, counter)
}
