//! Facts that a field names: `Invoice number: NP-1` for `invoice_number`.

use super::super::field::Field;
use super::super::source::Fact;
use super::super::terms::{related, terms};
use super::Filler;

impl Filler<'_> {
    /// Returns the facts that a field names, those that fit best.
    pub(super) fn facts_for(&self, field: &Field) -> Vec<&Fact> {
        let names = terms(&field.name);
        let fits = self.index.source.facts.iter().map(|fact| (fit(&names, field, fact), fact));
        let fits: Vec<(u32, &Fact)> = fits.filter(|(fit, _)| *fit >= 50).collect();
        let best = fits.iter().map(|(fit, _)| *fit).max().unwrap_or(0);
        fits.into_iter().filter(|(fit, _)| *fit == best).map(|(_, fact)| fact).collect()
    }
}

/// Rates how well a fact's key fits a field, 0 to 100.
fn fit(names: &[String], field: &Field, fact: &Fact) -> u32 {
    let share = |wanted: &[String]| {
        let common = fact.terms.iter().filter(|term| wanted.iter().any(|name| related(name, term)));
        let all = wanted.len().max(fact.terms.len()).max(1);
        u32::try_from(common.count() * 100 / all).unwrap_or(0)
    };
    let by_name = share(names);
    if by_name >= 50 || field.about.is_empty() {
        return by_name;
    }
    // The description may name it in other words, with more around them.
    let told = fact.terms.iter().all(|term| field.about.contains(term));
    if told && fact.terms.len() >= 2 { 50 } else { by_name }
}
