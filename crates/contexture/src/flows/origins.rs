//! The labels of what a step is given (AS-20, GU-4).
//!
//! Decision: results of steps are plain JSON, and what a step is given is made of the set and of
//! results. So the origin of a string is read off the set: a string without a reference is the
//! set's own, one with references has the labels of what they name. Only sets with an
//! agent, a generation or a set within them are followed; for others it has no effect.

use contexture_context::{Label, Trust};
use contexture_core::policy::Influence;
use contexture_flow::action::ActionCall;
use contexture_flow::condition::{Condition, Path};
use contexture_flow::reference::{Part, is_expanded, parts};
use contexture_flow::{Set, Step};
use contexture_protocol::content::Fallback;
use contexture_script::runtime::Given;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The trust level of a value of unknown origin.
const UNKNOWN: Trust = Trust::Tool;

/// The origins of a run.
#[derive(Default)]
pub(crate) struct Origins {
    /// The label of the set itself.
    own: Label,
    /// The steps as they stand in the set; none when the set is not followed.
    steps: Option<HashMap<String, Written>>,
    results: Mutex<BTreeMap<String, Label>>,
}

/// A step as it stands in the set.
struct Written {
    /// The steps whose results its condition asks for.
    asks: Vec<String>,
    dependencies: Vec<String>,
    action: String,
    parameters: Map<String, Value>,
    /// The actions that may replace it.
    others: Vec<(String, Map<String, Value>)>,
}

impl Origins {
    /// Returns the origins of a set; `matters` reports whether an action needs them.
    pub(crate) fn of(set: &Set, own: Label, matters: impl Fn(&str) -> bool) -> Self {
        let is_followed = set.steps.iter().any(|step| {
            matters(&step.action) || replacements(step).any(|other| matters(other.target()))
        });
        let steps = is_followed
            .then(|| set.steps.iter().map(|step| (step.id.clone(), Written::of(step))).collect());
        Self { own, steps, results: Mutex::default() }
    }

    /// Reports whether they are followed at all.
    pub(super) fn are_followed(&self) -> bool {
        self.steps.is_some()
    }

    /// Notes the label of a step's result.
    pub(crate) fn note(&self, step: &str, label: Label) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.insert(step.to_owned(), label);
    }

    /// Notes the labels of results that were kept.
    pub(super) fn restore(&self, labels: impl IntoIterator<Item = (String, Label)>) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.extend(labels);
    }

    /// Returns the label of a step's result, if it is known.
    pub(super) fn known(&self, step: &str) -> Option<Label> {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.get(step).cloned()
    }

    /// Returns the label of the set and all results.
    pub(super) fn all(&self) -> Label {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.values().fold(self.own.clone(), |all, label| all.join(label))
    }

    /// Returns the parameters of a call with their origins.
    pub(super) fn given(&self, call: &mut ActionCall) -> Vec<(String, Given)> {
        let written = self.written(call);
        std::mem::take(&mut call.parameters)
            .into_iter()
            .map(|(name, value)| {
                let template = written.and_then(|map| map.get(&name));
                (name, self.part(value, template))
            })
            .collect()
    }

    /// Reports whether a parameter of a call stands in the set as it is.
    pub(super) fn is_written(&self, call: &ActionCall, name: &str) -> bool {
        let template = self.written(call).and_then(|map| map.get(name));
        template.is_some_and(|template| {
            !holds_references(template) && call.parameters.get(name) == Some(template)
        })
    }

    /// Returns what decided that a call is made: who wrote the set, and the results that its
    /// condition asked for, or the condition of a step that it depends on.
    pub(super) fn decision(&self, call: &ActionCall) -> Label {
        let mut decision = self.own.clone();
        let Some(steps) = &self.steps else { return decision };
        let (mut open, mut seen) = (vec![&call.id], HashSet::new());
        while let Some(id) = open.pop() {
            let Some(step) = steps.get(id).filter(|_| seen.insert(id)) else { continue };
            let asked = step.asks.iter().map(|asked| self.of_step(asked));
            decision = asked.fold(decision, |all, one| all.join(&one));
            open.extend(&step.dependencies);
        }
        decision
    }

    fn of_step(&self, step: &str) -> Label {
        self.known(step).unwrap_or_else(|| Label::of(step, UNKNOWN))
    }

    /// Returns what had an influence on a call: what decided about it, and what its parameters name.
    pub(super) fn influence(&self, call: &ActionCall) -> Influence {
        let written = self.written(call);
        let label = |name: &String| match written.and_then(|written| written.get(name)) {
            Some(template) => self.label_of(template),
            None => unknown(),
        };
        let decision = self.decision(call);
        let arguments = call.parameters.keys().map(|name| (name.clone(), label(name)));
        Influence { decision, arguments: arguments.collect() }
    }

    /// Returns the label of all parameters of a call.
    pub(super) fn of_call(&self, call: &ActionCall) -> Label {
        let Some(written) = self.written(call) else { return unknown() };
        written.values().fold(self.own.clone(), |all, value| all.join(&self.label_of(value)))
    }

    fn written(&self, call: &ActionCall) -> Option<&Map<String, Value>> {
        let written = self.steps.as_ref()?.get(&call.id)?;
        if written.action == call.name {
            return Some(&written.parameters);
        }
        let other = written.others.iter().find(|(action, _)| *action == call.name);
        other.map(|(_, parameters)| parameters)
    }

    fn part(&self, value: Value, template: Option<&Value>) -> Given {
        match (value, template) {
            (Value::Object(fields), Some(Value::Object(templates))) => Given::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| {
                        let template = templates.get(&name);
                        (name, self.part(value, template))
                    })
                    .collect(),
            ),
            (Value::Array(items), Some(Value::Array(templates)))
                if items.len() == templates.len() =>
            {
                let pairs = items.into_iter().zip(templates);
                Given::List(pairs.map(|(item, template)| self.part(item, Some(template))).collect())
            }
            (value, Some(template)) if value == *template && !holds_references(template) => {
                Given::Value(value, self.own.clone())
            }
            (value, Some(Value::String(text))) if is_expanded(text) => {
                Given::Value(value, self.of_text(text))
            }
            (value, _) => Given::Value(value, unknown()),
        }
    }

    /// Returns the label of a template: that of all that it names.
    fn label_of(&self, template: &Value) -> Label {
        let mut all = self.own.clone();
        let mut open = vec![template];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) if is_expanded(text) => all = all.join(&self.of_text(text)),
                Value::Array(items) => open.extend(items),
                Value::Object(fields) => open.extend(fields.values()),
                _ => {}
            }
        }
        all
    }

    fn of_text(&self, text: &str) -> Label {
        let Ok(parts) = parts(text) else { return unknown() };
        parts.iter().fold(self.own.clone(), |all, part| match part {
            Part::Text(_) => all,
            Part::Path(path) => {
                all.join(&path.outcome().map_or_else(unknown, |id| self.of_step(id)))
            }
        })
    }
}

fn unknown() -> Label {
    Label::of("an unknown step", UNKNOWN)
}

impl Written {
    fn of(step: &Step) -> Self {
        let condition = step.condition.as_deref().and_then(|text| Condition::parse(text).ok());
        let paths = condition.iter().flat_map(Condition::paths);
        let asks = paths.filter_map(Path::outcome).map(str::to_owned).collect();
        let others = replacements(step).map(|other| {
            let parameters = other.parameters.clone();
            (other.target().to_owned(), parameters.unwrap_or_else(|| step.parameters.clone()))
        });
        Self {
            action: step.action.clone(),
            asks,
            dependencies: step.dependencies.clone(),
            others: others.collect(),
            parameters: step.parameters.clone(),
        }
    }
}

/// Returns the actions that may replace a step.
pub(super) fn replacements(step: &Step) -> impl Iterator<Item = &Fallback> {
    let recovery = step.recovery.as_ref().and_then(|recovery| recovery.alternative.as_ref());
    let client = step.frontend.as_ref().and_then(|says| says.alternative.as_ref());
    recovery.into_iter().chain(client)
}

/// Returns the ids of the outcomes that a template names, in no particular order.
pub(crate) fn outcomes_in(template: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![template];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if is_expanded(text) => {
                let parts = parts(text).unwrap_or_default();
                found.extend(parts.iter().filter_map(|part| match part {
                    Part::Text(_) => None,
                    Part::Path(path) => path.outcome().map(str::to_owned),
                }));
            }
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    found
}

pub(crate) fn holds_references(template: &Value) -> bool {
    let mut open = vec![template];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if is_expanded(text) => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    false
}

/// Returns the fields of what is given, if it is an object.
pub(super) fn fields(given: Given) -> Option<Vec<(String, Given)>> {
    match given {
        Given::Object(parts) => Some(parts),
        Given::Value(Value::Object(map), label) => {
            let part = |(name, value)| (name, Given::Value(value, label.clone()));
            Some(map.into_iter().map(part).collect())
        }
        Given::Text(text, label) => fields(Given::Value(text.value(), label)),
        Given::Value(..) | Given::List(_) => None,
    }
}

/// Returns the items of what is given, if it is a list.
pub(super) fn items(given: Given) -> Option<Vec<Given>> {
    match given {
        Given::List(parts) => Some(parts),
        Given::Value(Value::Array(items), label) => {
            Some(items.into_iter().map(|item| Given::Value(item, label.clone())).collect())
        }
        Given::Text(text, label) => items(Given::Value(text.value(), label)),
        Given::Value(..) | Given::Object(_) => None,
    }
}

/// Returns the label of all that is given.
pub(super) fn of_all(given: &Given) -> Label {
    let join = |all: Label, part: &Given| all.join(&of_all(part));
    match given {
        Given::Value(_, label) | Given::Text(_, label) => label.clone(),
        Given::List(parts) => parts.iter().fold(Label::default(), join),
        Given::Object(parts) => parts.iter().map(|(_, part)| part).fold(Label::default(), join),
    }
}
