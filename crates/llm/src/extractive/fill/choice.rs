//! Enums by mention, booleans by a rule.

use super::super::field::Field;
use super::super::rank::Index;
use super::super::source::{Source, Unit};
use super::super::terms::{listed, related, stem, terms, words};
use super::{Filler, neutral, text_of};
use serde_json::Value;

/// Names of fields that mean that something is as it should be.
const GOOD: &str = "ok accept approv valid pass support correct success consistent grounded faithful complete \
    通过";

/// Names of fields that mean that something was found.
const FOUND: &str = "done found answered answerable enough sufficient finished resolved 完成";

const NEGATIONS: &str = "not no never without none cannot can't won't isn't 不 没 无 未";

const FAULTS: &str = "fail error invalid wrong broken reject missing incorrect 失败 错误";

/// The share of a question's weight that a sentence must cover to count as its answer.
const ANSWERS: f64 = 0.6;

impl Filler<'_> {
    /// One of several values: the one that the fact of this name, or the text, mentions.
    pub(super) fn choice(&mut self, choices: &[Value], field: &Field) -> Option<Value> {
        let by_fact = self.facts_for(field).into_iter().find_map(|fact| {
            let said = text_of(&fact.value);
            let found = choices.iter().find(|choice| mentions(&said, &text_of(choice)) > 0)?;
            Some((fact.unit, found.clone()))
        });
        if let Some((unit, value)) = by_fact {
            self.used.extend(unit);
            return Some(value);
        }
        let relevance = self.index.relevance(&self.whole_query(field));
        let weigh = |choice: &Value| -> f64 {
            let name = text_of(choice);
            let units = self.index.source.units.iter().zip(&relevance);
            units
                .map(|(unit, relevance)| {
                    let count = u32::try_from(mentions(&unit.text, &name)).unwrap_or(u32::MAX);
                    f64::from(count) * (0.1 + relevance)
                })
                .sum()
        };
        let weighed: Vec<(f64, &Value)> =
            choices.iter().map(|choice| (weigh(choice), choice)).collect();
        let best = weighed.iter().map(|(weight, _)| *weight).fold(0.0, f64::max);
        let found = weighed.iter().find(|(weight, _)| best > 0.0 && *weight >= best);
        match found {
            Some((_, choice)) => Some((*choice).clone()),
            None if !field.required => None,
            None => neutral(choices).cloned(),
        }
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
        let by_fact = self.facts_for(field).into_iter().find_map(|fact| match &fact.value {
            Value::Bool(value) => Some(*value),
            Value::String(text) => yes_or_no(text),
            _ => None,
        });
        if by_fact.is_some() {
            return by_fact;
        }
        let names: Vec<String> =
            words(&field.name).into_iter().map(|word| stem(&word.to_lowercase())).collect();
        let named = |list: &str| {
            names.iter().any(|name| list.split(' ').any(|word| stem(word) == *name || word == name))
        };
        if named(FOUND) {
            return Some(self.answered());
        }
        if named(GOOD) {
            return Some(self.borne_out());
        }
        let wanted: Vec<String> =
            terms(&field.name).into_iter().chain(field.about.iter().cloned()).collect();
        let said = self.said(&wanted);
        (field.required || said.is_some()).then(|| said.unwrap_or(false))
    }

    /// Reports whether some sentence covers what is asked.
    fn answered(&self) -> bool {
        let asked = &self.ask.question;
        let covers = |unit: &Unit| self.index.coverage(asked, unit) >= ANSWERS;
        !asked.is_empty() && self.index.source.units.iter().any(covers)
    }

    /// Reports whether the others support all of the first document; alone, whether it speaks of
    /// no fault.
    fn borne_out(&self) -> bool {
        let source = self.index.source;
        let (first, rest): (Vec<&Unit>, Vec<&Unit>) =
            source.units.iter().partition(|unit| unit.doc == 0);
        if first.is_empty() || rest.is_empty() {
            let faults: Vec<String> = FAULTS.split(' ').map(stem).collect();
            return self.said(&faults) != Some(true);
        }
        let others = Source { units: rest.into_iter().cloned().collect(), ..Source::default() };
        let others = Index::new(&others);
        first.iter().all(|unit| {
            let query: Vec<(String, f64)> =
                unit.terms.iter().map(|term| (term.clone(), 1.0)).collect();
            query.is_empty()
                || others.source.units.iter().any(|other| others.coverage(&query, other) >= 0.8)
        })
    }

    /// Reports whether the text speaks of these terms: `Some(false)` with a negation.
    fn said(&self, wanted: &[String]) -> Option<bool> {
        let holds = |unit: &&Unit| {
            unit.terms.iter().any(|term| wanted.iter().any(|name| related(name, term)))
        };
        let unit = self.index.source.units.iter().find(holds)?;
        let lower = unit.text.to_lowercase();
        let negated = words(&lower).iter().any(|word| listed(word, NEGATIONS))
            || NEGATIONS.split(' ').any(|word| !word.is_ascii() && lower.contains(word));
        Some(!negated)
    }
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
