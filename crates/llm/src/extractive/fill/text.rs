//! Texts and lists of texts.

use super::super::field::{Field, Role};
use super::super::rank::{ends_sentence, overlap, quality};
use super::super::source::{Kind, Unit};
use super::super::terms::{related, stem, topic_terms, words};
use super::{Filler, text_of};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The share of the best relevance that a further item of a list must have.
const NEAR: f64 = 0.6;

impl Filler<'_> {
    pub(super) fn string(&mut self, field: &Field) -> Option<String> {
        if field.role == Role::Summary {
            return self.summary(field);
        }
        // Places that say different things say nothing.
        if !self.facts_for(field).is_empty() {
            let (unit, text) =
                self.fact_for(field).map(|fact| (fact.unit, text_of(&fact.value)))?;
            self.used.extend(unit);
            return Some(text);
        }
        match field.role {
            Role::Keyword => return self.keywords(1, field).pop(),
            Role::Named => return self.pattern(field),
            Role::Title => return self.title(),
            Role::Summary | Role::Plain => {}
        }
        let most = field.count.map_or(1, |(_, most)| most).min(self.size.sentences.max(1));
        let chosen = self.relevant(field, most);
        (!chosen.is_empty()).then(|| self.join(&chosen))
    }

    /// Returns a word of the form that the field's name means, such as an address of mail.
    fn pattern(&self, field: &Field) -> Option<String> {
        let fits: fn(&str) -> bool = match field.name.rsplit(' ').next()? {
            "email" | "mail" => |word| word.contains('@') && word.contains('.'),
            "url" | "link" | "website" => |word| word.contains("://"),
            _ => return None,
        };
        let words = self.index.source.units.iter().flat_map(|unit| unit.text.split(' '));
        let trimmed = words.map(|word| word.trim_matches(|c: char| "<>()[]`\"',;.".contains(c)));
        trimmed.into_iter().find(|word| fits(word)).map(str::to_owned)
    }

    /// Returns the title of the longest document that has one, else the name of a file.
    fn title(&self) -> Option<String> {
        let source = self.index.source;
        let length = |doc: usize| source.units.iter().filter(|unit| unit.doc == doc).count();
        let titled = source
            .titles
            .iter()
            .enumerate()
            .filter_map(|(doc, title)| Some((doc, title.as_ref()?)));
        let longest = titled.max_by_key(|(doc, _)| (length(*doc), std::cmp::Reverse(*doc)));
        let name = || source.names.iter().flatten().next().cloned();
        longest.map(|(_, title)| title.clone()).or_else(name)
    }

    /// Returns the units, in the order of the text, with a space between them.
    fn join(&mut self, chosen: &[usize]) -> String {
        self.used.extend(chosen.iter().copied());
        let texts = chosen.iter().filter_map(|at| self.unit(*at)).map(|unit| unit.text.as_str());
        texts.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn unit(&self, at: usize) -> Option<&Unit> {
        self.index.source.units.get(at)
    }

    /// Returns the units that support a text field, best first: what answers the question, for a
    /// field that names nothing; what speaks of all that the name says, or of a part that the
    /// description names by its label, for any other.
    fn ranked(&self, field: &Field, several: bool) -> Vec<(usize, f64)> {
        if !field.terms.is_empty() {
            return self.named(field);
        }
        if !self.ask.specific {
            return self.central();
        }
        let answers = self.answers();
        if answers.is_empty() && several { self.touching_points() } else { answers }
    }

    fn named(&self, field: &Field) -> Vec<(usize, f64)> {
        let own = self.index.relevance(&field.query());
        let units = &self.index.source.units;
        let says = |unit: &Unit| {
            field.terms.iter().all(|name| unit.terms.iter().any(|term| related(name, term)))
        };
        let mut scored: Vec<(usize, f64)> = units
            .iter()
            .enumerate()
            .filter(|(_, unit)| unit.kind != Kind::Heading)
            .filter_map(|(at, unit)| {
                let heading = unit.section.and_then(|at| units.get(at));
                // A heading that says more names something else.
                let headed = heading.is_some_and(|heading| {
                    says(heading) && heading.terms.len() <= field.terms.len() + 1
                });
                let labelled = self.is_labelled(unit, field);
                if !(headed || labelled || says(unit)) {
                    return None;
                }
                let of = |scores: &[f64]| scores.get(at).copied().unwrap_or_default();
                let place =
                    if headed || labelled { 20.0 / (1.0 + distance(at, unit)) } else { 0.0 };
                let fresh = if self.used.contains(&at) { 0.4 } else { 1.0 };
                let touch = of(&own) + of(&self.touched) + place;
                Some((at, touch * quality(unit).max(0.05) * fresh))
            })
            .filter(|(_, score)| *score > 0.0)
            .collect();
        scored.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
        scored
    }

    /// Returns the units by what they say of the whole, best first.
    fn central(&self) -> Vec<(usize, f64)> {
        let units = self.index.source.units.iter().enumerate();
        let mut scored: Vec<(usize, f64)> = units
            .filter(|(_, unit)| unit.kind != Kind::Heading)
            .map(|(at, unit)| {
                let fresh = if self.used.contains(&at) { 0.4 } else { 1.0 };
                let touch = self.touched.get(at).copied().unwrap_or_default();
                (at, (self.weight(at, unit) + touch * 0.3) * quality(unit).max(0.05) * fresh)
            })
            .collect();
        scored.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
        scored
    }

    /// Reports for each unit whether it holds any of these terms.
    fn touching(&self, names: &[String]) -> Vec<bool> {
        let touches = |unit: &Unit| {
            unit.terms.iter().any(|term| names.iter().any(|name| related(name, term)))
        };
        let real = |unit: &Unit| unit.kind != Kind::Heading && touches(unit);
        self.index.source.units.iter().map(real).collect()
    }

    /// Reports whether the description of a field names the item of a unit by its label.
    fn is_labelled(&self, unit: &Unit, field: &Field) -> bool {
        let label = self.index.source.labels.get(unit.doc);
        let meant = |term: &String| field.told.contains(term);
        label.is_some_and(|terms| terms.len() >= 2 && terms.iter().all(meant))
    }

    /// Weighs a unit for the whole, by its words and its place.
    fn weight(&self, at: usize, unit: &Unit) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a place in a text")]
        let place = unit.place as f64;
        let early = 1.0 / (1.0 + place * 0.05);
        let opens = if unit.opens { 0.15 } else { 0.0 };
        self.index.central(at) * 0.6 + early * 0.4 + opens
    }

    /// Returns up to `most` units for a text field, in the order of the text.
    fn relevant(&self, field: &Field, most: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> =
            self.ranked(field, false).into_iter().take(most).map(|(at, _)| at).collect();
        chosen.sort_unstable();
        chosen
    }

    fn summary(&mut self, field: &Field) -> Option<String> {
        let most = field.count.map_or(3, |(_, most)| most).min(self.size.sentences.max(1));
        let chosen = self.summary_units(most);
        (!chosen.is_empty()).then(|| self.join(&chosen))
    }

    /// Returns the sentences that best describe the whole, in the order of the text.
    pub(super) fn summary_units(&self, most: usize) -> Vec<usize> {
        let units = || self.index.source.units.iter().enumerate();
        let reads = |unit: &Unit| {
            let running = matches!(unit.kind, Kind::Prose | Kind::Line);
            running && ends_sentence(&unit.text) && quality(unit) >= 0.5
        };
        let prose = units().any(|(_, unit)| reads(unit));
        let topic = &self.touched;
        let most_relevant = topic.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut lead = 1.6;
        let mut scored = Vec::new();
        for (at, unit) in units() {
            if unit.kind == Kind::Heading || (prose && !reads(unit)) {
                continue;
            }
            let touch = topic.get(at).copied().unwrap_or_default() / most_relevant;
            let score = (self.weight(at, unit) + touch * 0.5 + lead) * quality(unit);
            if quality(unit) >= 0.5 {
                lead *= 0.4;
            }
            scored.push((at, score));
        }
        scored.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
        let mut chosen = self.distinct(&scored, most, 0.6);
        chosen.sort_unstable();
        chosen
    }

    /// Returns the best units that do not repeat one another.
    fn distinct(&self, scored: &[(usize, f64)], most: usize, limit: f64) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        for (at, _) in scored.iter().take(400) {
            if chosen.len() >= most {
                break;
            }
            let Some(unit) = self.unit(*at) else { continue };
            let repeats = chosen.iter().filter_map(|known| self.unit(*known)).any(|known| {
                known.text == unit.text || (overlap(known, unit) > limit && unit.terms.len() > 2)
            });
            if !repeats {
                chosen.push(*at);
            }
        }
        chosen
    }

    /// Returns texts for a list, in the order of the text.
    pub(super) fn strings(&mut self, field: &Field) -> Vec<String> {
        let most = self.most(field);
        if field.role == Role::Keyword {
            return self.keywords(most, field);
        }
        let facts = self.facts_for(field);
        if !facts.is_empty() {
            let mut values: Vec<String> = Vec::new();
            let units: Vec<usize> = facts.iter().filter_map(|fact| fact.unit).collect();
            for text in facts.iter().map(|fact| text_of(&fact.value)) {
                if !values.contains(&text) {
                    values.push(text);
                }
            }
            values.truncate(most);
            self.used.extend(units);
            return values;
        }
        let named = self.touching(&field.terms).contains(&true);
        if field.may_be_empty && !named {
            return Vec::new();
        }
        let mut ranked = self.ranked(field, true);
        let best = ranked.first().map_or(0.0, |(_, score)| *score);
        let close = if named || self.ask.specific { NEAR } else { 0.0 };
        ranked.retain(|(at, score)| {
            let reads = self.unit(*at).is_some_and(|unit| quality(unit) >= 0.3);
            *score >= best * close && (reads || *score >= best)
        });
        let mut chosen = self.distinct(&ranked, most, 0.7);
        chosen.sort_unstable();
        self.used.extend(chosen.iter().copied());
        chosen.into_iter().filter_map(|at| self.unit(at)).map(|unit| said(unit, field)).collect()
    }

    /// Returns the most items of a list.
    fn most(&self, field: &Field) -> usize {
        let units = self.index.source.units.len();
        let usual = if units >= 12 { 5 } else { units.div_ceil(2).clamp(3, 5) };
        // Of a range such as "three to six" the middle, rounded up.
        let asked =
            field.count.map_or(usual, |(least, most)| usize::midpoint(least, most + 1).min(most));
        asked.min(self.size.items)
    }

    /// Returns the words that matter most, as they are written: those that are asked about first.
    fn keywords(&mut self, most: usize, field: &Field) -> Vec<String> {
        let asked = |term: &str| self.ask.topic.iter().any(|(known, _)| known == term);
        let units = self.index.source.units.iter().enumerate();
        let read = units.filter(|(_, unit)| unit.kind != Kind::Cell && !unit.text.contains("]("));
        let said = read.flat_map(|(at, unit)| {
            let weight = self.index.central(at) + 0.1;
            words(&unit.text).into_iter().map(move |word| (word, weight))
        });
        let wanted = self.ask.words.iter().map(|word| (word.as_str(), 0.5));
        // By term: where it came first, how it was written there, its weight.
        let mut forms: HashMap<String, (usize, &str, f64)> = HashMap::new();
        for (word, weight) in wanted.chain(said) {
            let plain = word.chars().count() >= 3 && word.chars().all(char::is_alphabetic);
            let Some(term) = topic_terms(word).pop().filter(|_| plain) else { continue };
            let bonus = if asked(&term) && !field.terms.contains(&term) { 3.0 } else { 0.0 };
            let order = forms.len();
            forms.entry(term).or_insert((order, word, bonus)).2 += weight;
        }
        let mut forms: Vec<_> = forms.into_values().collect();
        forms.sort_by(|a, b| descending(a.2, b.2).then(a.0.cmp(&b.0)));
        forms.into_iter().take(most).map(|(_, word, _)| word.to_owned()).collect()
    }

    /// Returns an answer without a schema: one sentence for a question, some for anything else.
    pub(in super::super) fn paragraph(&mut self, question: bool) -> Option<String> {
        let most = if question { 1 } else { self.size.sentences };
        let mut chosen = if self.ask.specific {
            let field = Field::new("", "", true);
            let ranked = self.ranked(&field, !question);
            let best = ranked.first().map_or(0.0, |(_, score)| *score);
            let near: Vec<_> =
                ranked.into_iter().filter(|(_, score)| *score >= best * NEAR).collect();
            self.distinct(&near, most, 0.7)
        } else {
            self.summary_units(most)
        };
        chosen.sort_unstable();
        (!chosen.is_empty()).then(|| self.join(&chosen))
    }
}

/// Counts the units between a unit and the heading above it.
#[expect(clippy::cast_precision_loss, reason = "a place in a text")]
fn distance(at: usize, unit: &Unit) -> f64 {
    let from = unit.section.map_or(unit.place, |heading| at.saturating_sub(heading + 1));
    from as f64
}

/// Returns the text of a unit in a list: the value of a fact whose key only names its kind.
fn said(unit: &Unit, field: &Field) -> String {
    let Some((key, value)) = &unit.fact else { return unit.text.clone() };
    let word = key.split(['(', '!']).next().unwrap_or_default();
    let commit =
        ["feat", "fix", "docs", "perf", "refactor", "chore", "test", "build", "ci", "style"];
    let named = words(key).len() <= 2
        && words(key)
            .iter()
            .any(|word| field.terms.iter().any(|name| related(name, &stem(&word.to_lowercase()))));
    if commit.contains(&word) || named { value.clone() } else { unit.text.clone() }
}

pub(super) fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}
