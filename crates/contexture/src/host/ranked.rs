//! What a `use … for …` selects by its question (CA-16).
//!
//! Decision: passages are ranked by the search of packs and taken best first, while the budget of
//! the `use` holds them. As of a pack, a passage without a word of the question is left out even
//! when there is room, and where the prompt has less room the worst passages yield first. Of several
//! files the one with the best passage stands first; within a file, a list or an object all keeps its
//! order.
//!
//! Decision: a plan is made before anything is seen (GU-7), so nothing is selected for it: what is
//! selected would tell of the data.

mod choose;
mod texts;

use super::errors::of_search;
use super::references::items::share;
use super::run_state::RunState;
use choose::choose;
use contexture_context::build::build_item;
use contexture_context::cut::Parts;
use contexture_context::manifest::{
    LONGEST_QUESTION, LeftOut, MOST_LEFT_OUT, RankedPassage, RankedRecord, Site,
};
use contexture_context::{Budget, ContextItem, DeclaredItem, ItemQuestion, Measure, TokenCounter};
use contexture_knowledge::resolve::{Ranking, rank};
use contexture_script::host::{GenerateCall, HostError};
use serde_json::Value;
use std::collections::BTreeSet;
use texts::{SHORT, Texts};

/// The bytes below which no passage is parted.
const SHORTEST: usize = 40;

/// Tokens that the line over a passage hardly exceeds: so too few passages are dropped at once, and
/// not too many.
const MOST_AROUND: u64 = 16;

/// What the questions of a call selected.
#[derive(Default)]
pub(super) struct Selections(Vec<Selection>);

/// What the question of one `use` selected.
struct Selection {
    source: String,
    question: String,
    budget: Budget,
    most: Option<u64>,
    /// All that it selected from.
    items: Vec<DeclaredItem>,
    found: Ranking,
    /// The numbers of the passages that are shown, best first.
    chosen: Vec<usize>,
}

impl Selections {
    /// Selects from each item of a call that has a question.
    pub(super) fn in_call(
        &mut self,
        run: &RunState,
        call: &mut GenerateCall,
        counter: &dyn TokenCounter,
    ) -> Result<(), HostError> {
        let items = std::mem::take(&mut call.items);
        let mut places = Vec::with_capacity(items.len());
        let of_one = |one: &DeclaredItem, other: &DeclaredItem| {
            one.question.is_some()
                && one.question == other.question
                && one.position == other.position
        };
        for group in items.chunk_by(of_one) {
            places.extend(group.iter().map(|_| call.items.len()));
            let source = group.first().map_or("", |item| item.source.as_str());
            let about = (&call.site, source, call.options.plan);
            let shown = self.select(run, about, group, counter)?;
            call.items.extend(shown);
        }
        for used in &mut call.resources {
            used.before = places.get(used.before).copied().unwrap_or(call.items.len());
        }
        Ok(())
    }

    /// Selects from the items of one `use` by their question; without one, and for a plan, what
    /// comes first has the budget.
    pub(super) fn select(
        &mut self,
        run: &RunState,
        (site, source, is_planned): (&Site, &str, bool),
        items: &[DeclaredItem],
        counter: &dyn TokenCounter,
    ) -> Result<Vec<DeclaredItem>, HostError> {
        let first = items.first().filter(|_| !is_planned);
        let asked = first.and_then(|item| Some((item.question.as_ref()?, item.budget?)));
        let mut own: Vec<DeclaredItem> =
            items.iter().map(|item| DeclaredItem { question: None, ..item.clone() }).collect();
        let blank = asked.is_some_and(|(question, _)| question.text.trim().is_empty());
        let Some((ItemQuestion { text: question, most }, budget)) = asked.filter(|_| !blank) else {
            let most = items.first().and_then(|item| item.question.as_ref()?.most);
            first_parts(&mut own, most);
            share(&mut own, counter)?;
            if blank {
                run.warn(format!(
                    "{site}: the question that selects from `{source}` is empty, so what comes first is shown"
                ));
            }
            return Ok(own);
        };
        let Some(texts) = Texts::of(&own) else { return Ok(own) };
        let found = rank(&texts.ranked(), question, longest(budget));
        let found = found.map_err(|error| of_search(source, &error))?;
        let chosen = choose(&texts, &found, (budget, *most), counter)?;
        let mut shown = texts.make(&found, &chosen);
        share(&mut shown, counter)?;
        if shown.is_empty() {
            run.warn(format!(
                "{site}: nothing in `{source}` has a word of the question that selects from it, so the model sees nothing of it"
            ));
        }
        let (source, question) = (source.to_owned(), run.shown_to_model(question).into_owned());
        self.0.push(Selection { source, question, budget, most: *most, items: own, found, chosen });
        Ok(shown)
    }

    /// Returns an item with fewer passages, within so many tokens; none for what no question
    /// selected, and for a passage alone, which is cut like any text.
    pub(super) fn shorter(
        &mut self,
        item: &DeclaredItem,
        room: u64,
        counter: &dyn TokenCounter,
    ) -> Option<String> {
        let own = self.0.iter_mut().find(|one| one.shows(&item.source, item.position.as_ref()))?;
        own.shorter(item, room, counter)
    }

    /// Returns the records of what is in the prompt, whose items these are.
    pub(super) fn records(
        self,
        items: &[ContextItem],
        counter: &dyn TokenCounter,
    ) -> Vec<RankedRecord> {
        let left_out = || items.iter().filter(|item| item.left_out());
        let records = self.0.into_iter().filter_map(|mut one| {
            let texts = Texts::of(&one.items)?;
            for item in left_out().filter(|item| item.position == texts.first().position) {
                let is_other = |number: &usize| match one.found.passages.get(*number) {
                    Some(passage) => !texts.is_in(passage.text, &item.source),
                    None => false,
                };
                one.chosen.retain(is_other);
            }
            Some(one.record(&texts, counter))
        });
        records.collect()
    }
}

impl Selection {
    fn shows(&self, source: &str, position: Option<&contexture_context::Position>) -> bool {
        self.items.iter().any(|item| item.source == source && item.position.as_ref() == position)
    }

    fn shorter(
        &mut self,
        item: &DeclaredItem,
        room: u64,
        counter: &dyn TokenCounter,
    ) -> Option<String> {
        let texts = Texts::of(&self.items)?;
        let passage = |number: &usize| self.found.passages.get(*number);
        let is_own = |number: &usize| {
            passage(number).is_some_and(|passage| texts.is_in(passage.text, &item.source))
        };
        let mut chosen = self.chosen.clone();
        if chosen.iter().filter(|number| is_own(number)).count() < 2 {
            return None;
        }
        let mut over: u64 = 1;
        let text = loop {
            while over > 0
                && let Some(worst) = chosen.iter().rposition(is_own)
            {
                let gone = chosen.remove(worst);
                let gone = passage(&gone).map_or(0, |one| counter.count(texts.slice(one)));
                over = over.saturating_sub(gone as u64 + MOST_AROUND);
            }
            let made = texts.make(&self.found, &chosen);
            let Some(left) = made.into_iter().find(|one| one.source == item.source) else {
                break String::new();
            };
            let left = DeclaredItem { budget: None, ..left };
            let taken = build_item(0, &left, counter).ok()?.tokens;
            if taken <= room {
                break Parts::of(&left.value).text().into_owned();
            }
            over = taken - room;
        };
        self.chosen = chosen;
        Some(text)
    }

    fn record(&self, texts: &Texts<'_>, counter: &dyn TokenCounter) -> RankedRecord {
        let found = &self.found;
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
        let shown: BTreeSet<usize> = self.chosen.iter().copied().collect();
        let of_texts = shown.iter().filter_map(|number| Some(found.passages.get(*number)?.text));
        let of_texts: BTreeSet<usize> = of_texts.collect();
        let others = (0..found.passages.len()).filter(|number| !shown.contains(number));
        let all: usize = found.counts.iter().sum();
        let first = texts.first();
        RankedRecord {
            source: self.source.clone(),
            label: first.label.clone(),
            position: first.position.clone().unwrap_or_default(),
            question: self.question.chars().take(LONGEST_QUESTION).collect(),
            budget: self.budget,
            most: self.most,
            passages: self.chosen.iter().filter_map(|number| passage(*number)).collect(),
            left_out: LeftOut {
                texts: (texts.len() - of_texts.len()) as u64,
                passages: (all - shown.len()) as u64,
                best: others.take(MOST_LEFT_OUT).filter_map(passage).collect(),
            },
        }
    }
}

/// Leaves the first items of a `use`, or the first values of its list.
fn first_parts(items: &mut Vec<DeclaredItem>, most: Option<u64>) {
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()) else { return };
    match items.as_mut_slice() {
        [DeclaredItem { value: Value::Array(values), .. }] => values.truncate(most),
        _ => items.truncate(most),
    }
}

/// Returns the most bytes of a passage, so that a budget holds some of them.
fn longest(budget: Budget) -> usize {
    let bytes = match budget.measure {
        Measure::Tokens => budget.limit.saturating_mul(4),
        Measure::Chars => budget.limit,
    };
    usize::try_from(bytes / 3).unwrap_or(usize::MAX).clamp(SHORTEST, SHORT)
}
