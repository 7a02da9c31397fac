//! Runs in a list, and the head of a run: what is read of many runs, or of a long one, at once.

use super::{RunError, RunId, RunLog, RunSummary};
use contexture_context::TraceEvent;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run in a list, with the sums of its model calls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEntry {
    /// The id.
    pub run: String,
    /// Its start, in microseconds since 1970-01-01 UTC; `None` when its first line is lost.
    pub start_us: Option<u64>,
    /// Its duration; `None` while it is under way, and when it was killed.
    pub duration_us: Option<u64>,
    /// Its program.
    pub program: String,
    /// The owner whom a server ran it for; none for one of the command line.
    pub owner: Option<String>,
    /// What it is a part of: `{flow, step}`, or `{run}` for the answers of a recheck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<Value>,
    /// `done`, `failed` or `cancelled`; `None` without an end.
    pub outcome: Option<String>,
    /// The code of its failure.
    pub code: Option<String>,
    /// The message of its failure.
    pub message: Option<String>,
    /// The model that was asked last.
    pub model: Option<String>,
    /// All models that were asked, in the order of their last calls.
    pub models: Vec<String>,
    /// Its model calls.
    pub calls: u64,
    /// Tokens of their prompts.
    pub input: u64,
    /// Tokens of their answers.
    pub output: u64,
    /// Tokens of their prompts that providers had in their caches, if reported.
    pub cached: Option<u64>,
    /// True if a part of these tokens was counted here, as a provider reported none.
    pub estimated: bool,
    /// The reason why the last answer ended, if reported.
    pub finish: Option<String>,
    /// Its cost, as its end says.
    pub cost: Option<Value>,
    /// The size of its trace in bytes.
    pub bytes: u64,
    /// True while it is under way.
    #[serde(skip)]
    pub running: bool,
}

/// The runs that a list has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunList {
    /// The runs, the newest first.
    pub entries: Vec<RunEntry>,
    /// The number of all runs, wanted or not.
    pub all: usize,
    /// True if more runs are wanted than there was room for.
    pub more: bool,
    /// Remarks on what could not be read, one line each.
    pub notes: Vec<String>,
}

/// The event of a run and some of its model calls, without the events between them.
#[derive(Debug, Clone, PartialEq)]
pub struct RunHead {
    /// These events.
    pub log: RunLog,
    /// The number of all model calls.
    pub calls: u64,
    /// The number of all lines.
    pub lines: u64,
}

impl RunList {
    /// Lists the runs that are wanted, at most so many; `entry` reads one.
    pub fn of(
        ids: &[RunId],
        wanted: &dyn Fn(&RunEntry) -> bool,
        most: usize,
        mut entry: impl FnMut(&RunId) -> Result<RunEntry, RunError>,
    ) -> Self {
        let mut list = Self { all: ids.len(), ..Self::default() };
        for id in ids {
            match entry(id) {
                Ok(entry) if !wanted(&entry) => {}
                Ok(_) if list.entries.len() >= most => {
                    list.more = true;
                    break;
                }
                Ok(entry) => list.entries.push(entry),
                // It was removed meanwhile.
                Err(RunError::Unknown { .. }) => {}
                Err(error) => list.notes.push(format!("run {id} is left out: {error}")),
            }
        }
        list
    }
}

impl RunEntry {
    /// Returns the entry of a run, with the sums that its end has.
    #[must_use]
    pub fn of(summary: &RunSummary) -> Self {
        let data = &summary.data;
        let word = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let error = |name: &str| word(data.get("error").and_then(|error| error.get(name)));
        let mut entry = Self {
            run: summary.id.to_string(),
            start_us: summary.start_us,
            duration_us: summary.duration_us,
            program: word(data.get("program")).unwrap_or_default(),
            owner: word(data.get("owner")),
            part_of: data.get("part_of").cloned(),
            outcome: word(data.get("outcome")),
            code: error("code"),
            message: error("message"),
            finish: word(data.get("finish")),
            cost: data.get("cost").cloned(),
            bytes: summary.bytes,
            ..Self::default()
        };
        entry.calls = data.get("model_calls").and_then(Value::as_u64).unwrap_or_default();
        entry.add_usage(data);
        let asked = data.get("models_asked").and_then(Value::as_array).into_iter().flatten();
        asked.filter_map(Value::as_str).for_each(|model| entry.add_model(model));
        // Earlier versions did not say.
        if entry.calls > 0 && entry.model.is_none() {
            entry.model = word(data.get("default_model"));
        }
        entry
    }

    fn add_model(&mut self, model: &str) {
        self.models.retain(|known| known != model);
        self.models.push(model.to_owned());
        self.model = Some(model.to_owned());
    }

    /// Reports whether the end of a run has the sums of its calls.
    #[must_use]
    pub fn is_summed_up(summary: &RunSummary) -> bool {
        summary.data.get("model_calls").is_some()
    }

    /// Adds a model call to the sums.
    pub fn add_call(&mut self, call: &TraceEvent) {
        self.calls += 1;
        self.add_usage(&call.data);
        if let Some(model) = call.data.get("model").and_then(Value::as_str) {
            self.add_model(model);
        }
        let attempts = call.data.get("attempts").and_then(Value::as_array);
        let finish = attempts.and_then(|all| all.last()?.get("finish_reason")?.as_str());
        self.finish = finish.map(str::to_owned).or(self.finish.take());
    }

    fn add_usage(&mut self, data: &Value) {
        let usage = data.get("usage");
        let tokens = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        self.input = self.input.saturating_add(tokens("prompt_tokens").unwrap_or_default());
        self.output = self.output.saturating_add(tokens("completion_tokens").unwrap_or_default());
        if let Some(cached) = tokens("cached_tokens") {
            self.cached = Some(self.cached.unwrap_or_default().saturating_add(cached));
        }
        self.estimated |= data.get("usage_estimated").and_then(Value::as_bool) == Some(true);
    }

    /// Reports whether the run gave no value: it failed, or was killed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        match self.outcome.as_deref() {
            Some(outcome) => outcome == "failed",
            None => !self.running,
        }
    }
}
