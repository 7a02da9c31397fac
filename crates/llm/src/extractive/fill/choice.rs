//! Enums by mention, booleans by a rule.

use super::super::field::Field;
use super::super::rank::Index;
use super::super::source::{Kind, Source, Unit};
use super::super::terms::{listed, related, stem, terms, words};
use super::{Filler, text_of};
use serde_json::Value;

/// Names of fields that mean that something is as it should be.
const GOOD: &str = "ok accept approv valid pass support correct success consistent grounded faithful complete \
    通过";

/// Names of fields that mean that something was found.
const FOUND: &str = "done found answered answerable enough sufficient finished resolved 完成";

const NEGATIONS: &str = "not no never without none cannot can't won't isn't 不 没 无 未";

/// Values that other things are called by too: only beside the name of their field they are one.
const COMMON: &str = "low medium high none small large big good bad positive negative neutral yes no true false \
    other unknown mixed new old open closed done critical major minor normal short long first last \
    低 中 高 无 是 否 其他";

impl Filler<'_> {
    /// One of several values: the one that the fact of this name says, else the only one that the
    /// text mentions beside the field's name, else the only one at all if it means nothing else.
    pub(super) fn choice(&mut self, choices: &[Value], field: &Field) -> Option<Value> {
        let facts = self.facts_for(field).into_iter();
        let said = facts.map(|fact| (fact.unit, text_of(&fact.value)));
        let said: Vec<(Option<usize>, Option<Value>)> = said
            .map(|(unit, said)| (unit, only(choices, |name| mentions(&said, name) > 0)))
            .collect();
        if let Some((unit, first)) = said.first() {
            let agreed = said.iter().all(|(_, value)| value == first);
            self.used.extend(*unit);
            return first.clone().filter(|_| agreed);
        }
        let names = terms(&field.name);
        let units = || self.index.source.units.iter().filter(|unit| unit.kind != Kind::Quote);
        let named = |unit: &&Unit| {
            !names.is_empty()
                && names.iter().all(|name| unit.terms.iter().any(|term| related(name, term)))
        };
        let beside =
            only(choices, |name| units().filter(named).any(|unit| mentions(&unit.text, name) > 0));
        beside.or_else(|| {
            let found = only(choices, |name| units().any(|unit| mentions(&unit.text, name) > 0))?;
            (!listed(&text_of(&found).to_lowercase(), COMMON)).then_some(found)
        })
    }

    /// Returns all values that the text mentions.
    pub(super) fn choices(&self, choices: &[Value]) -> Vec<Value> {
        let said = |choice: &&Value| {
            let name = text_of(choice);
            self.index.source.units.iter().any(|unit| mentions(&unit.text, &name) > 0)
        };
        choices.iter().filter(said).cloned().collect()
    }

    /// Reads a fact of this name; else whether the question is answered, or the first item is
    /// supported by the others, for fields that ask that; else whether the text affirms it.
    pub(super) fn truth(&self, field: &Field) -> Option<bool> {
        let by_fact = self.fact_for(field).map(|fact| match &fact.value {
            Value::Bool(value) => Some(*value),
            Value::String(text) => yes_or_no(text),
            _ => None,
        });
        if let Some(said) = by_fact {
            return said;
        }
        let names: Vec<String> =
            words(&field.name).into_iter().map(|word| stem(&word.to_lowercase())).collect();
        let named = |list: &str| {
            names.iter().any(|name| list.split(' ').any(|word| stem(word) == *name || word == name))
        };
        if named(FOUND) {
            let asks = !self.ask.question.is_empty();
            return asks.then(|| !self.answers().is_empty());
        }
        if named(GOOD) {
            return self.borne_out();
        }
        self.said(&terms(&field.name))
    }

    /// Reports whether the others support all of the first document; alone nothing does.
    fn borne_out(&self) -> Option<bool> {
        let source = self.index.source;
        let (first, rest): (Vec<&Unit>, Vec<&Unit>) =
            source.units.iter().partition(|unit| unit.doc == 0);
        if first.is_empty() || rest.is_empty() {
            return None;
        }
        let others = Source { units: rest.into_iter().cloned().collect(), ..Source::default() };
        let others = Index::new(&others);
        let supported = first.iter().all(|unit| {
            let query: Vec<(String, f64)> =
                unit.terms.iter().map(|term| (term.clone(), 1.0)).collect();
            query.is_empty()
                || others.source.units.iter().any(|other| others.coverage(&query, other) >= 0.8)
        });
        Some(supported)
    }

    /// Reports whether a sentence speaks of all these terms: `Some(false)` with a negation.
    fn said(&self, wanted: &[String]) -> Option<bool> {
        let holds = |unit: &&Unit| {
            let said = |name: &String| unit.terms.iter().any(|term| related(name, term));
            !wanted.is_empty() && unit.kind != Kind::Heading && wanted.iter().all(said)
        };
        let unit = self.index.source.units.iter().find(holds)?;
        let lower = unit.text.to_lowercase();
        let negated = words(&lower).iter().any(|word| listed(word, NEGATIONS))
            || NEGATIONS.split(' ').any(|word| !word.is_ascii() && lower.contains(word));
        Some(!negated)
    }
}

/// Returns the only value for whose name something holds.
fn only(choices: &[Value], holds: impl Fn(&str) -> bool) -> Option<Value> {
    let mut found = choices.iter().filter(|choice| holds(&text_of(choice)));
    let first = found.next()?;
    found.next().is_none().then(|| first.clone())
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.trim().trim_end_matches(['.', '。', '!']).to_lowercase().as_str() {
        "yes" | "true" | "y" | "ja" | "oui" | "是" | "有" => Some(true),
        "no" | "false" | "n" | "nein" | "non" | "否" | "无" | "没有" => Some(false),
        _ => None,
    }
}

/// Counts the mentions of a value in a text, as a word of its own.
fn mentions(text: &str, value: &str) -> usize {
    let spaced = value.replace(['_', '-'], " ").to_lowercase();
    let text = text.to_lowercase();
    if spaced.is_empty() {
        return 0;
    }
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let count = |value: &str| {
        text.match_indices(value)
            .filter(|(at, _)| {
                let before = text.get(..*at).and_then(|text| text.chars().next_back());
                let after = text.get(at + value.len()..).and_then(|text| text.chars().next());
                !inside(before) && !inside(after)
            })
            .count()
    };
    let written = value.to_lowercase();
    if written == spaced { count(&spaced) } else { count(&spaced) + count(&written) }
}
