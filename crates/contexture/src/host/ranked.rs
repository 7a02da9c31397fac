//! What a `use … for …` selects by its question (CA-16).
//!
//! Decision: passages are ranked by the search of packs and taken best first, while the budget of
//! the `use` holds them. As of a pack, a passage without a word of the question is left out even
//! when there is room. Of several files the one with the best passage stands first; within a file,
//! a list or an object all keeps its order.

mod choose;
mod texts;

use super::errors::of_search;
use super::references::items::share;
use super::run_state::RunState;
use choose::choose;
use contexture_context::manifest::{
    LONGEST_QUESTION, LeftOut, MOST_LEFT_OUT, RankedPassage, RankedRecord, Site,
};
use contexture_context::{Budget, DeclaredItem, Measure, TokenCounter};
use contexture_knowledge::resolve::{Ranking, rank};
use contexture_script::host::{GenerateCall, HostError};
use std::collections::BTreeSet;
use texts::{SHORT, Texts};

/// The bytes below which no passage is parted.
const SHORTEST: usize = 40;

/// Selects from each item of a call that has a question.
pub(super) fn in_call(
    run: &RunState,
    call: &mut GenerateCall,
    counter: &dyn TokenCounter,
) -> Result<Vec<RankedRecord>, HostError> {
    let items = std::mem::take(&mut call.items);
    let mut places = Vec::with_capacity(items.len());
    let mut records = Vec::new();
    let of_one = |one: &DeclaredItem, other: &DeclaredItem| {
        one.question.is_some() && one.question == other.question && one.position == other.position
    };
    for group in items.chunk_by(of_one) {
        places.extend(group.iter().map(|_| call.items.len()));
        let source = group.first().map_or("", |item| item.source.as_str());
        let (shown, record) = select(run, (&call.site, source), group, counter)?;
        call.items.extend(shown);
        records.extend(record);
    }
    for used in &mut call.resources {
        used.before = places.get(used.before).copied().unwrap_or(call.items.len());
    }
    Ok(records)
}

/// Selects from the items of one `use` by their question; without one they stay as they are.
pub(super) fn select(
    run: &RunState,
    (site, source): (&Site, &str),
    items: &[DeclaredItem],
    counter: &dyn TokenCounter,
) -> Result<(Vec<DeclaredItem>, Option<RankedRecord>), HostError> {
    let first = items.first();
    let asked = first.and_then(|item| Some((item.question.as_deref()?, item.budget?)));
    let mut own: Vec<DeclaredItem> =
        items.iter().map(|item| DeclaredItem { question: None, ..item.clone() }).collect();
    let Some((question, budget)) = asked else { return Ok((own, None)) };
    if question.trim().is_empty() {
        share(&mut own, counter)?;
        run.warn(format!(
            "{site}: the question that selects from `{source}` is empty, so what comes first is shown"
        ));
        return Ok((own, None));
    }
    let Some(texts) = Texts::of(&own) else { return Ok((own, None)) };
    let found = rank(&texts.ranked(), question, longest(budget));
    let found = found.map_err(|error| of_search(source, &error))?;
    let chosen = choose(&texts, &found, budget, counter)?;
    let mut shown = texts.make(&found, &chosen);
    share(&mut shown, counter)?;
    if shown.is_empty() {
        run.warn(format!(
            "{site}: nothing in `{source}` has a word of the question that selects from it, so the model sees nothing of it"
        ));
    }
    let question = run.shown_to_model(question);
    let about = (source, question.as_str(), budget);
    Ok((shown, Some(record(about, &texts, (&found, &chosen), counter))))
}

/// Returns the most bytes of a passage, so that a budget holds some of them.
fn longest(budget: Budget) -> usize {
    let bytes = match budget.measure {
        Measure::Tokens => budget.limit.saturating_mul(4),
        Measure::Chars => budget.limit,
    };
    usize::try_from(bytes / 3).unwrap_or(usize::MAX).clamp(SHORTEST, SHORT)
}

fn record(
    (source, question, budget): (&str, &str, Budget),
    texts: &Texts<'_>,
    (found, chosen): (&Ranking, &[usize]),
    counter: &dyn TokenCounter,
) -> RankedRecord {
    let passage = |number: usize| {
        let passage = found.passages.get(number)?;
        Some(RankedPassage {
            text: texts.name(passage.text),
            heading: passage.heading.clone(),
            first_line: passage.first_line,
            last_line: passage.last_line,
            score: passage.score,
            tokens: counter.count(texts.slice(passage)) as u64,
        })
    };
    let shown: BTreeSet<usize> = chosen.iter().copied().collect();
    let of_texts = shown.iter().filter_map(|number| Some(found.passages.get(*number)?.text));
    let of_texts: BTreeSet<usize> = of_texts.collect();
    let others = (0..found.passages.len()).filter(|number| !shown.contains(number));
    let all: usize = found.counts.iter().sum();
    let first = texts.first();
    RankedRecord {
        source: source.to_owned(),
        label: first.label.clone(),
        position: first.position.clone().unwrap_or_default(),
        question: question.chars().take(LONGEST_QUESTION).collect(),
        budget,
        passages: chosen.iter().filter_map(|number| passage(*number)).collect(),
        left_out: LeftOut {
            texts: (texts.len() - of_texts.len()) as u64,
            passages: (all - shown.len()) as u64,
            best: others.take(MOST_LEFT_OUT).filter_map(passage).collect(),
        },
    }
}
