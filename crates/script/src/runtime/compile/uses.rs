//! `use` declarations (AS-12 to AS-17, EV-10).

use super::tables::{Tables, push};
use crate::runtime::code::{CandidateSite, Place, UseSite};
use crate::syntax::ast::{BudgetNode, Use, UseSource};
use crate::syntax::freedom;
use contexture_context::{Budget, Keep};

/// The tokens that a `use` with a question may take without `max`, as a knowledge pack may.
const DEFAULT_BUDGET: u64 = 2000;

pub(super) fn site(tables: &mut Tables, file: usize, tree: &Use) -> u32 {
    let common = tree.max.as_ref();
    let has_question = tree.question.is_some();
    let keep = tree.keep.map(|(keep, _)| keep);
    let (one_of, candidates, selected) = match &tree.source {
        UseSource::Expr(expr) => {
            let candidates = freedom::candidates(tree);
            let selected = freedom::selected(tree, &candidates);
            let sites = candidates.into_iter().map(|one| CandidateSite {
                name: one.name,
                // The best 0 of anything are nothing.
                source: Some(expr.span).filter(|_| one.best != Some(0)),
                budget: budget(common, one.max, one.keep, has_question),
                keep: one.keep.unwrap_or_default(),
                most: one.best,
            });
            (freedom::is_open(tree), sites.collect(), selected)
        }
        UseSource::OneOf(candidates) => {
            let sites = candidates.iter().map(|candidate| {
                let keep = candidate.keep.map(|(keep, _)| keep).or(keep);
                CandidateSite {
                    name: candidate.name.text.clone(),
                    source: candidate.source.as_ref().map(|expr| expr.span),
                    budget: budget(candidate.max.as_ref().or(common), None, keep, has_question),
                    keep: keep.unwrap_or_default(),
                    most: None,
                }
            });
            let selected = candidates.iter().position(|candidate| candidate.selected.is_some());
            (true, sites.collect(), selected.unwrap_or(0))
        }
    };
    let site = UseSite {
        place: Place { file, span: tree.span },
        question: tree.question.as_ref().map(|question| question.span),
        label: tree.label.as_ref().map(|label| label.value.clone()),
        priority: tree.priority.map_or(0, |(priority, _)| priority),
        candidates,
        selected,
        one_of,
    };
    push(&mut tables.program.uses, site)
}

/// Returns the budget of a candidate: as written, with a limit within its range.
fn budget(
    node: Option<&BudgetNode>,
    limit: Option<u64>,
    keep: Option<Keep>,
    has_question: bool,
) -> Option<Budget> {
    let keep = keep.unwrap_or_default();
    match node {
        Some(node) => {
            let limit = limit.unwrap_or(node.limit);
            Some(Budget { limit, measure: node.measure, keep })
        }
        None => has_question.then(|| Budget::tokens(DEFAULT_BUDGET).keeping(keep)),
    }
}
