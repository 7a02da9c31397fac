//! Numbers from labelled places, or none (CA-9). Numbers written as words are never guessed.

use super::super::field::Field;
use super::super::source::Kind;
use super::super::terms::{listed, related, stem, terms, words};
use super::Filler;
use super::facts::core;
use serde_json::{Number, Value};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) value: Value,
    /// Byte offset.
    at: usize,
    end: usize,
}

/// Words between a label and its number.
const BETWEEN: &str = "is was are were be of to at about around approximately approx ca only exactly than more less \
    least most over under up a an the now eur usd gbp cny no nr number amounts currently set";

impl Filler<'_> {
    /// Returns a number from a labelled place: a fact of the field's name, or a sentence in which
    /// the name stands right before or behind it. Places that say different things say nothing.
    pub(super) fn number(&mut self, field: &Field, integer: bool) -> Option<Value> {
        let (unit, found) = self.labelled(field, integer)?;
        self.used.extend(unit);
        let first = found.first()?.clone();
        found.iter().all(|value| value.as_f64() == first.as_f64()).then_some(first)
    }

    pub(super) fn numbers(&mut self, field: &Field, integer: bool) -> Vec<Value> {
        let mut values = self.labelled(field, integer).unwrap_or_default().1;
        values.truncate(self.size.items.max(1) * 4);
        values
    }

    /// Returns the numbers of all places that a field labels, and where the first stands.
    fn labelled(&self, field: &Field, integer: bool) -> Option<(Option<usize>, Vec<Value>)> {
        let fits = |value: &Value| !integer || !value.is_f64();
        let facts = self.facts_for(field);
        let read = |value: &Value| match value {
            Value::Number(_) => Some(value.clone()).filter(fits),
            Value::String(text) => numbers_in(text).into_iter().map(|found| found.value).find(fits),
            _ => None,
        };
        if let Some(first) = facts.first() {
            return Some((first.unit, facts.iter().filter_map(|fact| read(&fact.value)).collect()));
        }
        let names = terms(&field.name);
        let names = core(&names);
        let mut place = None;
        let mut values = Vec::new();
        for (at, unit) in self.index.source.units.iter().enumerate() {
            if matches!(unit.kind, Kind::Heading | Kind::Quote) {
                continue;
            }
            for Found { value, at: start, end } in numbers_in(&unit.text) {
                let before = unit.text.get(..start).unwrap_or_default();
                let after = unit.text.get(end..).unwrap_or_default();
                if fits(&value) && (labels(before, &names) || counts(after, &names)) {
                    place = place.or(Some(at));
                    values.push(value);
                }
            }
        }
        place.map(|at| (Some(at), values))
    }
}

/// Reports whether a text ends with a name, or a name and words such as "is about".
fn labels(before: &str, names: &[&String]) -> bool {
    let lower = before.to_lowercase();
    let clause = lower.rsplit(['.', ',', ';', '(', '。', '，', '；']).next().unwrap_or_default();
    let parts = words(clause);
    let kept = parts.iter().rposition(|word| !listed(word, BETWEEN)).map_or(0, |at| at + 1);
    let from = kept.saturating_sub(names.len() + 1);
    all_named(parts.get(from..kept).unwrap_or_default(), names)
}

/// Reports whether a text begins with what is counted, such as "carts were affected".
fn counts(after: &str, names: &[&String]) -> bool {
    let lower = after.to_lowercase();
    let clause = lower.split(['.', ',', ';', ')', '。', '，', '；']).next().unwrap_or_default();
    let parts: Vec<&str> =
        words(clause).into_iter().filter(|word| !listed(word, BETWEEN)).collect();
    all_named(parts.get(..parts.len().min(names.len())).unwrap_or_default(), names)
}

/// Reports whether all names are among some words.
fn all_named(words: &[&str], names: &[&String]) -> bool {
    let said = |name: &String| {
        words.iter().any(|word| related(name, &stem(word)) || terms(word).contains(name))
    };
    !names.is_empty() && names.iter().all(|name| said(name))
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
        let end = at + run.len();
        out.extend(number_of(body).map(|value| Found { value, at, end }));
        at = end;
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
