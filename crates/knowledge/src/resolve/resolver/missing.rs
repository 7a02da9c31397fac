//! Facts that a task asks for and the packs do not have (KN-9).

use super::query::Query;
use super::query::asking::is_filler;
use crate::index::{Area, View};
use crate::item::{CatalogItem, Profile};
use crate::resolve::types::{Missing, standing};
use crate::said::quote;
use std::collections::HashSet;

const MOST: usize = 12;

/// Returns the words of the task that nothing selected holds, but for those that go without saying
/// in a pack that answers; when nothing was selected, all that it is about.
pub(super) fn missing(query: &Query, found: &HashSet<usize>, is_empty: bool) -> Vec<Missing> {
    let content: Vec<usize> = query
        .terms
        .iter()
        .enumerate()
        .filter(|(_, term)| term.is_content && (is_empty || !term.is_weak))
        .map(|(number, _)| number)
        .collect();
    if content.is_empty() || is_empty && content.iter().all(|number| found.contains(number)) {
        let whole = query.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let fact: String = whole.chars().take(200).collect();
        return if is_empty { vec![Missing::new(fact)] } else { Vec::new() };
    }
    let mut facts = Vec::new();
    let all = facts_of(query, &content, found);
    // A character that is left of a run is not a fact, but where there is nothing else to name.
    let says = |fact: &String| !is_filler(fact);
    let has_facts = all.iter().any(says);
    for fact in all.into_iter().filter(|fact| if has_facts { says(fact) } else { is_empty }) {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    facts.truncate(MOST);
    facts.into_iter().map(Missing::new).collect()
}

/// Runs of neighbouring words that nothing has.
fn facts_of(query: &Query, content: &[usize], found: &HashSet<usize>) -> Vec<String> {
    // What stands in a term that was found is not missing, although a pair with its neighbour is. A
    // character alone says so only of what is left of a pair: words have two and more.
    let mut known = vec![false; query.text.len()];
    let mut hinted = known.clone();
    for term in found.iter().filter_map(|number| query.terms.get(*number)) {
        let marks = if term.is_hint { &mut hinted } else { &mut known };
        marks.get_mut(term.at.clone()).unwrap_or_default().fill(true);
    }
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for number in content.iter().filter(|number| !found.contains(number)) {
        let Some(term) = query.terms.get(*number) else { continue };
        let is_marked = |marks: &[bool], byte: &usize| marks.get(*byte).copied().unwrap_or(true);
        let is_rest = term.at.clone().any(|byte| is_marked(&known, &byte));
        let is_open =
            |byte: &usize| !(is_marked(&known, byte) || is_rest && is_marked(&hinted, byte));
        let Some(start) = term.at.clone().find(is_open) else { continue };
        let end = term.at.clone().rev().find(is_open).map_or(term.at.end, |last| last + 1);
        match runs.last_mut() {
            Some(run) if start <= run.end || is_blank(&query.text, run.end, start) => {
                run.end = run.end.max(end);
            }
            _ => runs.push(start..end),
        }
    }
    let texts = runs.into_iter().filter_map(|run| query.text.get(run));
    texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

fn is_blank(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|between| between.chars().all(|c| c == ' ' || c == '-'))
}

/// The most missing facts that a warning names.
const MOST_NAMED: usize = 5;

/// Warnings about a pack itself: its status, its trust, what its profile promises and it lacks.
pub(super) fn of_pack(item: &CatalogItem, view: &View) -> Vec<String> {
    let mut warnings = standing(item);
    if item.profile == Profile::DocumentFirst {
        warnings.extend(document_gaps(item, view));
    }
    warnings
}

/// Returns the warning about facts that are missing, in one sentence; the list has all of them.
pub(super) fn of_missing(missing: &[Missing]) -> Option<String> {
    let (named, more) = missing.split_at(missing.len().min(MOST_NAMED));
    let named: Vec<String> = named.iter().map(|fact| format!("`{}`", fact.fact)).collect();
    if named.is_empty() {
        return None;
    }
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let named = named.join(", ");
    Some(format!("missing: nothing is known about {named}{more}; ask user or mark unknown"))
}

fn document_gaps(item: &CatalogItem, view: &View) -> Vec<String> {
    let name = &item.name;
    let mut gaps = Vec::new();
    let has_documents = view.listing.keys().any(|path| path.starts_with("documents/"));
    if !has_documents {
        gaps.push(format!("`{name}` is document-first, but `documents/` is missing"));
    }
    match item.metadata.primary_document.as_deref() {
        None if item.primary_is_outside() => gaps.push(format!(
            "`{name}` is document-first, but its primary document lies outside the pack and is \
             ignored"
        )),
        None => gaps.push(format!(
            "`{name}` is document-first, but its primary document is missing: `KNOWLEDGE.md` \
             declares no `metadata.primaryDocument`"
        )),
        Some(path) => {
            let plain = path.strip_prefix("./").unwrap_or(path);
            if !view.listing.contains_key(plain) {
                gaps.push(format!(
                    "`{name}` is document-first, but its primary document `{}` is missing",
                    quote(path)
                ));
            }
        }
    }
    if !view.opened.areas.contains(&Area::Split) {
        gaps.push(format!("`{name}` is document-first, but `compiled/splits/` is missing"));
    }
    gaps
}
