//! Numbers near the words of a field. Numbers written as words are never guessed.

use super::super::field::Field;
use super::super::source::Unit;
use super::super::terms::{related, stem, terms};
use super::Filler;
use serde_json::{Number, Value};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) value: Value,
    /// Byte offset.
    at: usize,
}

impl Filler<'_> {
    pub(super) fn number(&mut self, field: &Field, integer: bool) -> Option<Value> {
        let fits = |value: &Value| !integer || value.is_i64() || value.is_u64();
        let by_fact = self.facts_for(field).into_iter().find_map(|fact| {
            let value = match &fact.value {
                Value::Number(_) => Some(fact.value.clone()),
                Value::String(text) => {
                    numbers_in(text).into_iter().map(|found| found.value).find(|value| fits(value))
                }
                _ => None,
            };
            value.filter(|value| fits(value)).map(|value| (fact.unit, value))
        });
        if let Some((unit, value)) = by_fact {
            self.used.extend(unit);
            return Some(value);
        }
        let names: Vec<String> =
            terms(&field.name).into_iter().chain(field.about.iter().cloned()).collect();
        let near = self.nearest(&names, integer);
        let (at, value) = near.or_else(|| {
            // A number in what says most about the question, for a field that only says "value".
            let topic: Vec<String> = self.ask.topic.iter().map(|(term, _)| term.clone()).collect();
            field.required.then(|| self.nearest(&topic, integer)).flatten()
        })?;
        self.used.insert(at);
        Some(value)
    }

    /// Returns the number that stands nearest to the words of a field, in the unit that holds most
    /// of them.
    fn nearest(&self, names: &[String], integer: bool) -> Option<(usize, Value)> {
        let mut best: Option<(f64, usize, Value)> = None;
        for (at, unit) in self.index.source.units.iter().enumerate() {
            let hits = hits(unit, names);
            if hits.is_empty() {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "a handful of terms")]
            let many = hits.len() as f64;
            for Found { value, at: place } in numbers_in(&unit.text) {
                if integer && value.is_f64() {
                    continue;
                }
                let distance =
                    hits.iter().map(|hit| hit.abs_diff(place)).min().unwrap_or(usize::MAX);
                #[expect(clippy::cast_precision_loss, reason = "a place in a sentence")]
                let score = many / (1.0 + distance as f64 / 20.0);
                if best.as_ref().is_none_or(|(known, ..)| score > *known) {
                    best = Some((score, at, value));
                }
            }
        }
        best.map(|(_, at, value)| (at, value))
    }

    pub(super) fn numbers(&mut self, field: &Field, integer: bool) -> Vec<Value> {
        let facts = self.facts_for(field);
        let by_fact = facts.iter().flat_map(|fact| match &fact.value {
            Value::Number(_) => vec![fact.value.clone()],
            Value::String(text) => numbers_in(text).into_iter().map(|found| found.value).collect(),
            _ => Vec::new(),
        });
        let mut values: Vec<Value> = by_fact.collect();
        if values.is_empty() {
            let names: Vec<String> =
                terms(&field.name).into_iter().chain(field.about.iter().cloned()).collect();
            let units =
                self.index.source.units.iter().filter(|unit| !hits(unit, &names).is_empty());
            values =
                units.flat_map(|unit| numbers_in(&unit.text)).map(|found| found.value).collect();
        }
        values.retain(|value| !integer || !value.is_f64());
        values.truncate(self.size.items.max(1) * 4);
        values
    }
}

/// Returns the places of the words of a unit that mean one of `names`.
fn hits(unit: &Unit, names: &[String]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut at = 0;
    for word in unit.text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let plain = word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let dense = terms(&plain);
        let same = |name: &String| {
            (!plain.is_empty() && related(name, &stem(&plain))) || dense.contains(name)
        };
        if names.iter().any(same) {
            out.push(at);
        }
        at += word.len();
    }
    out
}

/// Returns the numbers of a text; those inside dates, times, versions and names do not count.
pub(super) fn numbers_in(text: &str) -> Vec<Found> {
    let mut out = Vec::new();
    let mut at = 0;
    for run in text.split_inclusive(|c: char| {
        c.is_whitespace() || !(c.is_alphanumeric() || ".,:-/_'%+".contains(c))
    }) {
        let body =
            run.trim_end_matches(|c: char| c.is_whitespace() || !(c.is_alphanumeric() || c == '%'));
        out.extend(number_of(body).map(|value| Found { value, at }));
        at += run.len();
    }
    out
}

/// Returns the number that a run of characters is: `1,200`, `-3.5`, `38%`, `40ms`, `约40毫秒`.
fn number_of(run: &str) -> Option<Value> {
    let start = run.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = run.split_at_checked(start)?;
    let negative =
        before.ends_with('-') && !before.trim_end_matches('-').ends_with(char::is_alphanumeric);
    let lead = before.trim_end_matches(['-', '+']);
    if lead.chars().last().is_some_and(|c| c.is_ascii() && !c.is_whitespace()) {
        return None;
    }
    let end =
        rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(rest.len());
    let (digits, after) = rest.split_at_checked(end)?;
    let digits = digits.trim_end_matches(['.', ',']);
    if after.starts_with(['-', '/', ':', '_']) || after.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    parse(digits, negative)
}

fn parse(digits: &str, negative: bool) -> Option<Value> {
    let plain = plain(digits)?;
    let signed = if negative { format!("-{plain}") } else { plain };
    if let Ok(whole) = signed.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let float: f64 = signed.parse().ok()?;
    Number::from_f64(float).map(Value::Number)
}

/// Returns the digits with a full stop as decimal mark and no marks between groups of three; `None`
/// for what is a version or a date.
fn plain(digits: &str) -> Option<String> {
    let (commas, stops) = (digits.matches(',').count(), digits.matches('.').count());
    let (group, decimal) = match (commas, stops) {
        (0, 0 | 1) => return Some(digits.to_owned()),
        // One comma: before three digits it groups, as in `1,200`, else it is `3,5`.
        (1, 0) if !grouped(digits, ',') => return Some(digits.replace(',', ".")),
        (_, 0) => (',', '.'),
        (0, _) => return None,
        _ if digits.rfind('.') > digits.rfind(',') => (',', '.'),
        _ => ('.', ','),
    };
    let (whole, rest) = digits.split_once(decimal).unwrap_or((digits, ""));
    if !grouped(whole, group) || rest.contains([',', '.']) {
        return None;
    }
    let whole = whole.replace(group, "");
    Some(if rest.is_empty() { whole } else { format!("{whole}.{rest}") })
}

fn grouped(digits: &str, mark: char) -> bool {
    let mut groups = digits.split(mark);
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    first && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_24_numbers_are_read_and_names_are_not() {
        let read = |text: &str| -> Vec<Value> {
            numbers_in(text).into_iter().map(|found| found.value).collect()
        };
        assert_eq!(
            read("about 1,200 carts, 38% and -3.5 °C"),
            [json!(1200), json!(38), json!(-3.5)]
        );
        assert_eq!(
            read("$418.60 (418,60 €) 1.234,5 in 40ms 大约40毫秒 2.0 版本"),
            [json!(418.6), json!(418.6), json!(1234.5), json!(40), json!(40), json!(2.0)]
        );
        assert_eq!(
            read("NP-2024-0317 A4 8f31c02 2024-03-17 09:12 v1.2.3 1.2.3 3/4 x2"),
            [] as [Value; 0]
        );
        assert_eq!(read("port 7878."), [json!(7878)]);
        assert_eq!(read("twelve"), [] as [Value; 0]);
    }
}
