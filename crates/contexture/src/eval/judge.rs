//! Judging: whether a run is as expected (EV-2). Pure functions of what was observed.

use super::expect::{
    CourseWish, Expectation, Figure, Matches, Near, Overlap, PromptWish, Scorer, ValueSchema, Where,
};
use super::observed::{Observed, Prompt, ShownItem, ratio, shared};
use contexture_flow::condition::Roots as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The most characters of a value in a detail.
const SHOWN: usize = 300;

/// The most faults of a schema in a detail.
const FAULTS: usize = 3;

/// Whether an expectation is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The name of the expectation.
    pub name: String,
    /// True if it is met.
    pub passed: bool,
    /// What was and what should be, where it is not met.
    pub detail: Option<String>,
}

impl Verdict {
    /// Makes the verdict of a fault, if there is one.
    pub(super) fn of(name: &str, fault: Option<String>) -> Self {
        Self { name: name.to_owned(), passed: fault.is_none(), detail: fault }
    }
}

/// Judges a run by an expectation; `None` for a scorer, which runs a program.
#[must_use]
pub fn judge(expectation: &Expectation, observed: &Observed) -> Option<Verdict> {
    let value = &observed.value;
    let fault = match expectation {
        Expectation::Equals(expected) => difference(expected, value, "", Sameness::Whole),
        Expectation::Subset(expected) => difference(expected, value, "", Sameness::Part),
        Expectation::Matches(wish) => matches(wish, value),
        Expectation::Where(wish) => condition(wish, observed),
        Expectation::Near(wish) => near(wish, value),
        Expectation::Overlap(wish) => overlap(wish, value),
        Expectation::Schema(schema) => fits(schema, value),
        Expectation::Prompt(wish) => prompt(wish, observed),
        Expectation::Course(wish) => course(wish, observed),
        Expectation::Scorer(_) => return None,
    };
    Some(Verdict::of(expectation.name(), fault))
}

/// Judges a score.
pub(super) fn scored(scorer: &Scorer, score: f64) -> Verdict {
    // A score that is not a number reaches nothing.
    let reaches = score >= scorer.at_least;
    let told = || format!("{} gave {score}, expected at least {}", scorer.agent, scorer.at_least);
    Verdict::of("scorer", (!reaches).then(told))
}

/// Returns the figures of a run, and what is wrong with those that it does not have.
pub(super) fn figures(
    wished: &BTreeMap<String, Figure>,
    observed: &Observed,
) -> (BTreeMap<String, f64>, Option<String>) {
    let (mut figures, mut faults) = (BTreeMap::new(), Vec::new());
    let roots = observed.roots(wished.values().map(|Figure(path)| path));
    for (name, Figure(path)) in wished {
        let at = roots.find(path);
        match at.and_then(number) {
            Some(figure) => {
                figures.insert(name.clone(), figure);
            }
            None => faults.push(format!("{path} is {}, expected a number", found(at))),
        }
    }
    (figures, (!faults.is_empty()).then(|| faults.join("; ")))
}

/// Returns a value as a number: a truth value is 1 or 0.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(truth) => Some(if *truth { 1.0 } else { 0.0 }),
        Value::Number(number) => number.as_f64().filter(|number| number.is_finite()),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sameness {
    Whole,
    Part,
}

/// Returns the first difference of a value from what is expected, with its place.
fn difference(expected: &Value, found: &Value, place: &str, how: Sameness) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => fields(expected, found, place, how),
        (Value::Array(expected), Value::Array(found)) if how == Sameness::Part => {
            let has = |item: &&Value| found.iter().any(|one| is_part(item, one));
            let missing = expected.iter().find(|item| !has(item))?;
            Some(format!("{}no element is {}", at(place), shown(missing)))
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(n, (left, right))| {
                difference(left, right, &format!("{place}[{n}]"), how)
            })
        }
        _ if same_leaf(expected, found) => None,
        _ => Some(format!("{}expected {}, found {}", at(place), shown(expected), shown(found))),
    }
}

fn fields(
    expected: &Map<String, Value>,
    found: &Map<String, Value>,
    place: &str,
    how: Sameness,
) -> Option<String> {
    for (name, value) in expected {
        let place = format!("{place}.{name}");
        let Some(other) = found.get(name) else {
            return Some(format!("{}expected {}, found nothing", at(&place), shown(value)));
        };
        if let Some(told) = difference(value, other, &place, how) {
            return Some(told);
        }
    }
    let more = found.iter().find(|(name, _)| !expected.contains_key(*name));
    let (name, value) = more.filter(|_| how == Sameness::Whole)?;
    let place = format!("{place}.{name}");
    Some(format!("{}expected nothing, found {}", at(&place), shown(value)))
}

fn is_part(expected: &Value, found: &Value) -> bool {
    difference(expected, found, "", Sameness::Part).is_none()
}

/// Reports whether two values are the same: numbers by their worth, objects whatever their order.
fn same(left: &Value, right: &Value) -> bool {
    difference(left, right, "", Sameness::Whole).is_none()
}

/// Reports whether two values without parts are the same; others are not.
fn same_leaf(left: &Value, right: &Value) -> bool {
    let numbers = left.as_f64().zip(right.as_f64());
    left == right || numbers.is_some_and(|(one, other)| one == other)
}

/// Returns the beginning of a detail about a place in the value.
fn at(place: &str) -> String {
    let place = place.strip_prefix('.').unwrap_or(place);
    if place.is_empty() { String::new() } else { format!("at `{place}`: ") }
}

/// Returns a value in a detail: its beginning, and how much is left out.
fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    let all = text.chars().count();
    if all <= SHOWN {
        return text.to_owned();
    }
    let begin: String = text.chars().take(SHOWN).collect();
    format!("{begin}… ({} more characters)", all - SHOWN)
}

fn found(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), shown)
}

fn matches(wish: &Matches, value: &Value) -> Option<String> {
    let text = wish.path.of(value);
    match text.and_then(Value::as_str) {
        Some(text) if wish.pattern.0.is_match(text) => None,
        _ => Some(format!(
            "{} is {}, expected a text that matches `{}`",
            wish.path.words(),
            found(text),
            wish.pattern.0
        )),
    }
}

fn condition(wish: &Where, observed: &Observed) -> Option<String> {
    let roots = observed.roots(wish.condition.paths());
    if wish.condition.evaluate(&roots) {
        return None;
    }
    let mut read: Vec<String> = Vec::new();
    for path in wish.condition.paths() {
        let one = format!("{path} is {}", found(roots.find(path)));
        if !read.contains(&one) {
            read.push(one);
        }
    }
    let told = if read.is_empty() { String::new() } else { format!(": {}", read.join(", ")) };
    Some(format!("`{}` is false{told}", wish.text))
}

fn near(wish: &Near, value: &Value) -> Option<String> {
    let at = wish.path.of(value);
    let number = at.and_then(Value::as_f64);
    let is_near = number.is_some_and(|number| (number - wish.value).abs() <= wish.within);
    let (words, found) = (wish.path.words(), found(at));
    let told = || format!("{words} is {found}, expected {} within {}", wish.value, wish.within);
    (!is_near).then(told)
}

fn overlap(wish: &Overlap, value: &Value) -> Option<String> {
    let at = wish.path.of(value);
    let Some(list) = at.and_then(Value::as_array) else {
        return Some(format!("{} is {}, expected a list", wish.path.words(), found(at)));
    };
    let share = share(list, &wish.with);
    let with = shown(&Value::Array(wish.with.clone()));
    let (words, found) = (wish.path.words(), found(at));
    let least = wish.at_least;
    let told =
        || format!("{words} is {found}: overlap {share:.2} with {with}, expected at least {least}");
    // An expectation that is not a number is not met.
    let reaches = share >= least;
    (!reaches).then(told)
}

/// Returns the common elements of two sets by those of both together; 1 for two empty ones.
#[allow(clippy::cast_precision_loss, reason = "a list has fewer elements")]
fn share(left: &[Value], right: &[Value]) -> f64 {
    let (left, right) = (distinct(left), distinct(right));
    let common = left.iter().filter(|one| right.iter().any(|other| same(one, other))).count();
    let all = left.len() + right.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

fn distinct(list: &[Value]) -> Vec<&Value> {
    let mut set: Vec<&Value> = Vec::new();
    for one in list {
        if !set.iter().any(|known| same(known, one)) {
            set.push(one);
        }
    }
    set
}

fn fits(schema: &ValueSchema, value: &Value) -> Option<String> {
    let faults = schema.0.iter_errors(value).take(FAULTS).map(|fault| {
        let place = fault.instance_path().to_string();
        let place = if place.is_empty() { "the value".to_owned() } else { format!("`{place}`") };
        cut(&format!("{place}: {fault}"))
    });
    let faults: Vec<String> = faults.collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

fn prompt(wish: &PromptWish, observed: &Observed) -> Option<String> {
    let number = wish.call.unwrap_or(1);
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let Some(prompt) = index.and_then(|index| observed.prompts.get(index)) else {
        let calls = observed.prompts.len();
        return Some(format!("expected a model call {number}, found {calls} of them"));
    };
    let mut faults = Vec::new();
    if let Some(name) = &wish.has_item
        && !prompt
            .items
            .iter()
            .any(|item| item.label.as_ref() == Some(name) || item.source == *name)
    {
        let items: Vec<&str> = prompt.items.iter().map(ShownItem::name).collect();
        faults.push(format!("no item is `{name}`, the prompt has [{}]", items.join(", ")));
    }
    if let Some(text) = &wish.keeps
        && !prompt.text.contains(text.as_str())
    {
        faults.push(format!("`{}` is not in the prompt", cut(text)));
    }
    if let Some(most) = wish.max_tokens.filter(|most| prompt.tokens > *most) {
        faults.push(format!("the prompt has {} tokens, expected at most {most}", prompt.tokens));
    }
    faults.extend(distrusted(wish, prompt));
    let before = index.and_then(|index| observed.prompts.get(index.checked_sub(1)?));
    faults.extend(unstable(wish, before, prompt));
    (!faults.is_empty()).then(|| format!("call {number}: {}", faults.join("; ")))
}

fn distrusted(wish: &PromptWish, prompt: &Prompt) -> Option<String> {
    let least = wish.least_trust?;
    // Greater is trusted less.
    let item = prompt.items.iter().find(|item| item.trust > least)?;
    let (name, trust) = (item.name(), item.trust.as_str());
    Some(format!("`{name}` is of trust {trust}, expected at least {}", least.as_str()))
}

/// Returns the fault of a prompt that begins with too little of the one before it.
fn unstable(wish: &PromptWish, before: Option<&Prompt>, prompt: &Prompt) -> Option<String> {
    let least = wish.stable_prefix?;
    let Some(before) = before else {
        return Some("no prompt stands before it: `call` names a later one".to_owned());
    };
    let (shared, all) = shared(before, prompt);
    let share = ratio((shared, all));
    // An expectation that is not a number is not met.
    let reaches = share >= least;
    let told = || {
        format!(
            "it begins with {shared} of {all} bytes of the prompt before it, a share of {share:.3}, expected at least {least}"
        )
    };
    (!reaches).then(told)
}

fn course(wish: &CourseWish, observed: &Observed) -> Option<String> {
    let course = &observed.course;
    let mut faults = Vec::new();
    let mut number = |what: &str, wished: Option<u64>, found: u64| {
        if let Some(wished) = wished.filter(|wished| *wished != found) {
            faults.push(format!("{found} {what}, expected {wished}"));
        }
    };
    number("model calls", wish.calls, course.calls);
    number("attempts", wish.attempts, course.attempts);
    if let Some(tools) = wish.tools.as_ref().filter(|tools| **tools != course.tools) {
        let (found, wished) = (course.tools.join(", "), tools.join(", "));
        faults.push(format!("the tools are [{found}], expected [{wished}]"));
    }
    if let Some(files) = wish.files.as_ref().filter(|files| **files != course.files) {
        let list = |files: &BTreeSet<String>| files.iter().cloned().collect::<Vec<_>>().join(", ");
        let (found, wished) = (list(&course.files), list(files));
        faults.push(format!("the files changed are [{found}], expected [{wished}]"));
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[cfg(test)]
mod tests;
