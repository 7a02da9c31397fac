//! The candidates that the bounds of a `use` leave: `max 1k..6k`, `keep head | tail`, `best 0..4 of`
//! (EV-10).
//!
//! Decision: bounds are another way to write `use one of` with the same source. They become candidates
//! here, once, so a run chooses among them, a trial tries them and a mark selects one as of any other
//! `use one of`.

use super::ast::{SelectedNode, Use, UseSource};
use contexture_context::Keep;
use std::iter::successors;

/// The most candidates that the bounds of a `use` may leave.
pub(crate) const MOST_CANDIDATES: usize = 64;

/// A candidate within the bounds of a `use`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundCandidate {
    /// What is chosen of each bound, in the order of the clauses: `best 2 4k tail`.
    pub(crate) name: String,
    /// The number of parts.
    pub(crate) best: Option<u64>,
    /// The limit of the budget.
    pub(crate) max: Option<u64>,
    /// The part that stays.
    pub(crate) keep: Option<Keep>,
}

/// Returns the candidates that the bounds of a `use` leave; one without a name when they leave no choice. A
/// range has its least number, doubled ones, and its greatest, besides the selected one.
pub(crate) fn candidates(used: &Use) -> Vec<BoundCandidate> {
    let chosen = |of: fn(&SelectedNode) -> Option<u64>| used.selected.as_ref().and_then(of);
    let best = used.best.as_ref();
    let best = numbers(best.map(|it| (it.low, it.limit)), chosen(|selected| selected.best));
    let max = used.max.as_ref();
    let max = numbers(max.map(|it| (it.low, it.limit)), chosen(|selected| selected.max));
    let first = used.keep.map(|(keep, _)| keep);
    let keep = first.into_iter().chain(used.keep_or.iter().copied()).map(Some);
    let keep: Vec<Option<Keep>> = if first.is_some() { keep.collect() } else { vec![None] };
    let mut found = Vec::new();
    for best in best {
        for max in &max {
            found.extend(keep.iter().map(|keep| candidate(used, (best, *max, *keep))));
        }
    }
    found
}

/// Returns the candidate that is shown unless another is chosen: the selected one, or that with the
/// greatest numbers.
pub(crate) fn selected(used: &Use, candidates: &[BoundCandidate]) -> usize {
    let keep = used.keep.map(|(keep, _)| keep);
    let wanted = match &used.selected {
        Some(SelectedNode { best, max, keep: chosen, .. }) => (*best, *max, chosen.or(keep)),
        None => (None, None, keep),
    };
    let best = wanted.0.or(used.best.as_ref().map(|best| best.limit));
    let max = wanted.1.or(used.max.as_ref().map(|max| max.limit));
    let is_wanted = |one: &BoundCandidate| (one.best, one.max, one.keep) == (best, max, wanted.2);
    candidates.iter().position(is_wanted).unwrap_or_default()
}

/// Reports whether the bounds of a `use` leave a choice.
pub(crate) fn is_open(used: &Use) -> bool {
    let is_range = used.best.as_ref().is_some_and(|best| best.low.is_some())
        || used.max.as_ref().is_some_and(|max| max.low.is_some());
    (is_range || !used.keep_or.is_empty()) && matches!(used.source, UseSource::Expr(_))
}

/// Returns a number of units as a program writes it: `2k`, `800`.
pub(crate) fn units(number: u64) -> String {
    match number % 1000 {
        0 if number > 0 => format!("{}k", number / 1000),
        _ => number.to_string(),
    }
}

/// Returns a part of a text as a program writes it.
pub(crate) const fn keep_word(keep: Keep) -> &'static str {
    match keep {
        Keep::Head => "head",
        Keep::Tail => "tail",
        Keep::Middle => "middle",
    }
}

fn candidate(
    used: &Use,
    (best, max, keep): (Option<u64>, Option<u64>, Option<Keep>),
) -> BoundCandidate {
    let is_best_open = used.best.as_ref().is_some_and(|best| best.low.is_some());
    let is_max_open = used.max.as_ref().is_some_and(|max| max.low.is_some());
    let count = best.filter(|_| is_best_open).map(|best| format!("best {best}"));
    let limit = max.filter(|_| is_max_open).map(units);
    let part = keep.filter(|_| !used.keep_or.is_empty()).map(|keep| keep_word(keep).to_owned());
    let parts: Vec<String> = count.into_iter().chain(limit).chain(part).collect();
    BoundCandidate { name: parts.join(" "), best, max, keep }
}

/// Returns the numbers of a bound, ascending: one, or those of its range.
fn numbers(bound: Option<(Option<u64>, u64)>, chosen: Option<u64>) -> Vec<Option<u64>> {
    let Some((low, limit)) = bound else { return vec![None] };
    let Some(low) = low else { return vec![Some(limit)] };
    let doubled = successors(Some(low.max(1)), |number| number.checked_mul(2));
    let doubled = doubled.take_while(|number| *number < limit);
    let within = chosen.filter(|number| (low..=limit).contains(number));
    let mut all: Vec<u64> = [low, limit].into_iter().chain(doubled).chain(within).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(Some).collect()
}
