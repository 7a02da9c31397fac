//! The sentences that answer a question, or none (CA-9).

use super::super::asked::{Wants, stands_in};
use super::super::rank::quality;
use super::super::source::{Kind, Unit};
use super::super::terms::related;
use super::Filler;
use super::text::descending;

/// The share of a question's weight that a sentence must hold to answer it.
const ANSWERS: f64 = 0.7;

/// The least weight of a term that shows something by itself.
const TELLING: f64 = 0.7;

/// The same for one of several points that an instruction asks for.
const TOUCHES: f64 = 0.25;

impl Filler<'_> {
    /// Returns the sentences that answer the question, best first.
    pub(super) fn answers(&self) -> Vec<(usize, f64)> {
        if let Some(lead) = self.definition() {
            return vec![(lead, 1.0)];
        }
        self.supporting(ANSWERS, self.ask.wants)
    }

    /// Returns the sentences that touch what an instruction asks for, best first.
    pub(super) fn touching_points(&self) -> Vec<(usize, f64)> {
        self.supporting(TOUCHES, Wants::Anything)
    }

    fn supporting(&self, least: f64, wants: Wants) -> Vec<(usize, f64)> {
        let support = self.index.support(&self.ask.question);
        let single = self.ask.question.iter().filter(|(_, weight)| *weight >= TELLING).count() <= 1;
        let alone = support.iter().filter(|share| **share >= least).count() == 1;
        let units = self.index.source.units.iter().enumerate();
        let mut scored: Vec<(usize, f64)> = units
            .filter(|(_, unit)| unit.kind != Kind::Heading && wants.allows(&unit.text))
            .filter(|(_, unit)| self.ask.literals.iter().all(|word| self.holds(unit, word)))
            .filter_map(|(at, unit)| {
                let share = *support.get(at)?;
                // One word in common shows little, unless it is what the sentence is about.
                let about = if least < ANSWERS {
                    self.tells(unit)
                } else {
                    !single || alone || self.is_about(unit)
                };
                (share >= least && about)
                    .then(|| (at, share + reads(unit) * 0.15 + self.bonus(at, unit)))
            })
            .collect();
        scored.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
        scored
    }

    /// Reports whether a sentence itself holds a term that shows something.
    fn tells(&self, unit: &Unit) -> bool {
        let mut question = self.ask.question.iter();
        question.any(|(term, weight)| *weight >= TELLING && unit.terms.contains(term))
    }

    /// Reports whether a sentence is about what is asked: it stands under it, begins with it, or is
    /// its entry in a form.
    fn is_about(&self, unit: &Unit) -> bool {
        let asked = |term: &String| {
            self.ask
                .question
                .iter()
                .any(|(known, weight)| *weight >= TELLING && related(known, term))
        };
        let heading = unit.section.and_then(|at| self.unit(at));
        let headed = heading.is_some_and(|heading| heading.terms.iter().any(asked));
        headed || unit.terms.first().is_some_and(asked) || unit.fact.is_some()
    }

    /// Reports whether a literal stands in a sentence or in the heading above.
    fn holds(&self, unit: &Unit, literal: &str) -> bool {
        let heading = unit.section.and_then(|at| self.unit(at));
        stands_in(literal, &unit.text)
            || heading.is_some_and(|heading| stands_in(literal, &heading.text))
    }

    /// What follows a heading at once answers it best, and what says to do something, how to do it.
    fn bonus(&self, at: usize, unit: &Unit) -> f64 {
        let opens = if unit.section.is_some_and(|heading| heading + 1 == at) { 0.03 } else { 0.0 };
        let tells = ["`-", "you can", "use ", "run ", "可以", "使用"];
        let told = self.ask.how && tells.iter().any(|word| unit.text.contains(word));
        opens + if told { 0.08 } else { 0.0 }
    }

    /// Returns the first sentence of a document, for a question what its subject is.
    fn definition(&self) -> Option<usize> {
        let ask = self.ask;
        let subjects = self.index.subjects();
        let known = ask.question.iter().all(|(term, _)| subjects.contains(term));
        if !ask.defines || ask.question.is_empty() || !known {
            return None;
        }
        let units = self.index.source.units.iter();
        units
            .clone()
            .position(|unit| matches!(unit.kind, Kind::Prose | Kind::Line) && quality(unit) >= 0.5)
    }
}

/// Rates how well a sentence reads; what introduces an example may be the answer.
fn reads(unit: &Unit) -> f64 {
    if unit.text.ends_with([':', '：']) { 0.7 } else { quality(unit) }
}
