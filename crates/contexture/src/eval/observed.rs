//! What is judged: the value of a run, what its models saw, and what it did (EV-2).

use crate::inspect::{InspectError, Kept, prefix};
use crate::run::Run;
use contexture_context::manifest::AttemptRecord;
use contexture_context::{TraceKind, Trust};
use contexture_flow::condition::Path;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What a run gave and did, for expectations.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Observed {
    /// The value of the program.
    pub value: Value,
    /// The prompts of its model calls, in their order.
    pub prompts: Vec<Prompt>,
    /// Its course.
    pub course: Course,
}

/// The prompt of a model call.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// The URI of the model.
    pub model: String,
    /// Tokens of the whole prompt.
    pub tokens: u64,
    /// Its messages, one after the other.
    pub text: String,
    /// The items of which something is shown.
    pub items: Vec<ShownItem>,
}

/// An item of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ShownItem {
    /// Its label.
    pub label: Option<String>,
    /// Its source expression.
    pub source: String,
    /// Its trust.
    pub trust: Trust,
}

impl ShownItem {
    /// Returns its label, or its source where it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.source)
    }
}

/// The course of a run.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Course {
    /// The number of model calls.
    pub calls: u64,
    /// The number of their attempts together.
    pub attempts: u64,
    /// The calls of tools in order, as in `File.read`.
    pub tools: Vec<String>,
    /// The files that were changed.
    pub files: BTreeSet<String>,
    /// The least share of the bytes of a prompt with which the next one begins; absent when there are
    /// not two.
    pub stable_prefix: Option<f64>,
    /// The tokens that models took.
    pub tokens: u64,
    /// Dollars; absent when a model has no price.
    pub cost: Option<f64>,
}

/// The fields of `prompt` in a condition.
pub(super) const PROMPT_FIELDS: [&str; 4] = ["items", "model", "text", "tokens"];

/// The fields of `course` in a condition.
pub(super) const COURSE_FIELDS: [&str; 7] =
    ["attempts", "calls", "cost", "files", "stable_prefix", "tokens", "tools"];

impl Observed {
    /// Returns what a run tells by itself, without its prompts and tools.
    #[must_use]
    pub fn of_run(run: &Run) -> Self {
        let course = Course {
            calls: run.calls.len() as u64,
            attempts: run.calls.iter().map(|call| call.attempts.len() as u64).sum(),
            tools: Vec::new(),
            files: BTreeSet::new(),
            stable_prefix: None,
            tokens: run.usage.total_tokens,
            cost: run.cost.actual,
        };
        Self { value: run.value.clone(), prompts: Vec::new(), course }
    }

    /// Adds what the record of the run has: prompts, and the whole course.
    ///
    /// # Errors
    /// [`InspectError`] when a text of a prompt is missing.
    pub fn with_record(mut self, kept: Kept<'_>) -> Result<Self, InspectError> {
        let mut course = Course { cost: Some(0.0), ..Course::default() };
        for call in kept.calls() {
            let manifest = &call.manifest;
            course.calls += 1;
            course.attempts += manifest.attempts.len() as u64;
            course.tokens += manifest.attempts.iter().map(tokens_of).sum::<u64>();
            let price = manifest.cost.as_ref().map(|cost| cost.micros);
            course.cost = course.cost.zip(price).map(|(sum, micros)| sum + dollars(micros));
            let shown = manifest.items.iter().filter(|item| item.tokens > 0);
            let shown = shown.map(|item| ShownItem {
                label: item.label.clone(),
                source: item.source.clone(),
                trust: item.trust,
            });
            self.prompts.push(Prompt {
                model: manifest.model.uri.clone(),
                tokens: manifest.tokens,
                text: prefix::text(kept, manifest)?,
                items: shown.collect(),
            });
        }
        let mut tools: Vec<_> = kept.log.of_kind(TraceKind::Tool).collect();
        tools.sort_by_key(|event| event.id);
        course.files = tools.iter().flat_map(|event| changed_files(&event.data)).collect();
        course.tools = tools
            .into_iter()
            .map(|event| {
                let word = |name: &str| event.data.get(name).and_then(Value::as_str);
                let (tool, method) = (word("name"), word("method"));
                format!("{}.{}", tool.unwrap_or_default(), method.unwrap_or_default())
            })
            .collect();
        let pairs = self.prompts.iter().zip(self.prompts.iter().skip(1));
        let shares = pairs.map(|(before, after)| ratio(shared(before, after)));
        course.stable_prefix = shares.reduce(f64::min);
        self.course = course;
        Ok(self)
    }

    /// Returns the roots of paths; `prompt` is the first one.
    pub(super) fn roots<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> Value {
        let mut roots = Map::new();
        for path in paths {
            let root = path.root();
            if !roots.contains_key(root) {
                roots.insert(root.to_owned(), self.root(root));
            }
        }
        Value::Object(roots)
    }

    fn root(&self, name: &str) -> Value {
        let Course { calls, attempts, tools, files, stable_prefix, tokens, cost } = &self.course;
        let prompt = |prompt: &Prompt| {
            let items: Vec<&str> = prompt.items.iter().map(ShownItem::name).collect();
            let Prompt { model, tokens, text, .. } = prompt;
            json!({ "items": items, "model": model, "text": text, "tokens": tokens })
        };
        match name {
            "value" => self.value.clone(),
            "prompt" => self.prompts.first().map(prompt).unwrap_or_default(),
            "course" => json!({
                "calls": calls, "attempts": attempts, "tools": tools, "files": files,
                "stable_prefix": stable_prefix, "tokens": tokens, "cost": cost,
            }),
            _ => Value::Null,
        }
    }
}

/// Returns the bytes with which a prompt begins as the one before it, and all bytes of that.
pub(super) fn shared(before: &Prompt, prompt: &Prompt) -> (usize, usize) {
    (prefix::shared_prefix(&before.text, &prompt.text), before.text.len())
}

/// Returns the share of a part; all of nothing.
#[allow(clippy::cast_precision_loss, reason = "a share needs no more digits")]
pub(super) fn ratio((part, all): (usize, usize)) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

/// Returns the files that a call of a tool changed, as its result says; folders are not files.
fn changed_files(data: &Value) -> Vec<String> {
    let effects = data.get("value").and_then(|value| value.get("effects")?.as_array());
    let path = |effect: &Value| {
        let kind = effect.get("kind")?.as_str()?;
        let path = effect.get("path")?.as_str()?;
        matches!(kind, "create" | "change" | "delete").then(|| path.to_owned())
    };
    effects.into_iter().flatten().filter_map(path).collect()
}

fn tokens_of(attempt: &AttemptRecord) -> u64 {
    attempt.prompt_tokens.unwrap_or_default() + attempt.completion_tokens.unwrap_or_default()
}

#[allow(clippy::cast_precision_loss, reason = "no run costs that much")]
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}
