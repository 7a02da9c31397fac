//! Facts that a field names: `Invoice number: NP-1` for `invoice_number`.

use super::super::field::Field;
use super::super::source::Fact;
use super::super::terms::{related, terms};
use super::Filler;

/// Words that a key may have beside the name of a field.
const BESIDE: &[&str] = &["amount", "sum", "grand", "due", "payable", "final", "name"];

/// Words of a field's name that a key may leave out.
const LEFT_OUT: &[&str] = &["number", "name", "amount", "sum", "id", "value", "text"];

impl Filler<'_> {
    /// Returns the facts that a field names, those that fit best.
    pub(super) fn facts_for(&self, field: &Field) -> Vec<&Fact> {
        let fits = self.index.source.facts.iter().map(|fact| (fit(field, fact), fact));
        let fits: Vec<(usize, &Fact)> = fits.filter(|(fit, _)| *fit > 0).collect();
        let best = fits.iter().map(|(fit, _)| *fit).max().unwrap_or(0);
        fits.into_iter().filter(|(fit, _)| *fit == best).map(|(_, fact)| fact).collect()
    }

    /// Returns the one fact that a field names; `None` when several say different things.
    pub(super) fn fact_for(&self, field: &Field) -> Option<&Fact> {
        let facts = self.facts_for(field);
        let first = *facts.first()?;
        facts.iter().all(|fact| fact.value == first.value).then_some(first)
    }
}

/// Returns the terms of a field's name that have to be met: without "number" in "invoice number".
pub(super) fn core(names: &[String]) -> Vec<&String> {
    let needed: Vec<&String> =
        names.iter().filter(|name| !LEFT_OUT.contains(&name.as_str())).collect();
    if needed.is_empty() { names.iter().collect() } else { needed }
}

/// Rates how well a fact's key fits a field; 0 for not at all. A key that says more than the field,
/// such as "total discount" for `total`, names something else.
fn fit(field: &Field, fact: &Fact) -> usize {
    let names = terms(&field.name);
    let met = |name: &String| fact.terms.iter().any(|term| related(name, term));
    let missing = names.iter().filter(|name| !met(name)).count();
    let further = fact.terms.iter().filter(|term| !names.iter().any(|name| related(name, term)));
    let (told, other): (Vec<&String>, Vec<&String>) =
        further.partition(|term| BESIDE.contains(&term.as_str()) || field.about.contains(term));
    let named = !names.is_empty() && core(&names).into_iter().all(met);
    if named && other.is_empty() && (missing == 0 || told.is_empty()) {
        return 100_usize.saturating_sub(10 * (missing + told.len())).max(60);
    }
    // The description may name it in other words, with more around them.
    let described = fact.terms.iter().all(|term| field.about.contains(term));
    if described && fact.terms.len() >= 2 { 50 } else { 0 }
}
