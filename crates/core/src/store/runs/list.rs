//! Runs in a list, and the head of a run: what is read of many runs, or of a long one, at once.

use super::{RunError, RunId, RunLog, RunSummary};
use contexture_context::TraceEvent;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// The model that was asked last (see [`is_asked`]).
    pub model: Option<String>,
    /// All models that were asked, in the order of their last calls.
    pub models: Vec<String>,
    /// The model calls that asked a model (see [`is_asked`]).
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
    /// Its cost, as its end says, or the sum of its calls where it has none: `actual` is null where
    /// that of a call is not known.
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

/// Reports whether a model was asked for a model call: the rule by which calls are counted, wherever
/// they are (IN-13). A call that kept a recorded or a cached answer, that a limit refused before its
/// first request, or that failed before there was a request, took nothing and does not count.
#[must_use]
pub fn is_asked(call: &TraceEvent) -> bool {
    let data = &call.data;
    let says = |name: &str| data.get(name) == Some(&Value::Bool(true));
    let has_failed = data.get("error").is_some_and(|error| !error.is_null());
    let is_tried = data.get("attempts").is_some();
    !(says("from_record") || says("from_cache") || says("refused") || (has_failed && !is_tried))
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

    /// Adds a model call to the sums, if it asked a model.
    pub fn add_call(&mut self, call: &TraceEvent) {
        if !is_asked(call) {
            return;
        }
        self.calls += 1;
        self.add_usage(&call.data);
        self.add_cost(&call.data);
        // The program's name for it may stand for another one.
        let asked = call.data.pointer("/manifest/model/uri").or_else(|| call.data.get("model"));
        if let Some(model) = asked.and_then(Value::as_str) {
            self.add_model(model);
        }
        let attempts = call.data.get("attempts").and_then(Value::as_array);
        let finish = attempts.and_then(|all| all.last()?.get("finish_reason")?.as_str());
        self.finish = finish.map(str::to_owned).or(self.finish.take());
    }

    fn add_cost(&mut self, data: &Value) {
        let cost = data.get("cost");
        let micros = cost.and_then(|cost| cost.get("micros")?.as_f64());
        let before = self.cost.as_ref().map_or(Some(0.0), |cost| cost.get("actual")?.as_f64());
        let actual = micros.zip(before).map(|(micros, before)| before + micros / 1_000_000.0);
        let known = self.cost.as_ref().and_then(|cost| cost.get("currency"));
        let currency = known.or_else(|| cost.and_then(|cost| cost.get("currency")));
        self.cost = Some(json!({ "actual": actual, "currency": currency }));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn call(data: Value) -> TraceEvent {
        let event = json!({ "v": 1, "id": 2, "kind": "generate", "start_us": 1, "data": data });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn in_13_call_counts_if_model_was_asked() {
        let fault = json!({ "code": "x" });
        let tried = json!([{ "attempt": 1 }]);
        for (data, counts) in [
            (json!({ "attempts": tried }), true),
            (json!({ "attempts": tried, "error": fault }), true),
            (json!({ "attempts": tried, "error": fault, "refused": true }), false),
            (json!({ "error": fault }), false),
            (json!({ "value": 1, "from_record": true }), false),
            (json!({ "value": 1, "from_cache": true }), false),
        ] {
            assert_eq!(is_asked(&call(data.clone())), counts, "{data}");
        }
    }

    #[test]
    fn in_13_run_without_end_has_model_that_was_asked_and_sum_of_costs() {
        let asked = |micros: Option<u64>| {
            call(json!({
                "model": "openai://of-the-program",
                "manifest": { "model": { "uri": "openai://asked" } },
                "usage": { "prompt_tokens": 3, "completion_tokens": 1 },
                "cost": micros.map(|micros| json!({ "micros": micros, "currency": "USD" })),
            }))
        };
        let mut entry = RunEntry::default();
        entry.add_call(&asked(Some(5)));
        entry.add_call(&asked(Some(7)));
        assert_eq!(entry.models, ["openai://asked"]);
        assert_eq!((entry.calls, entry.input), (2, 6));
        assert_eq!(entry.cost, Some(json!({ "actual": 0.000_012, "currency": "USD" })));
        entry.add_call(&asked(None));
        entry.add_call(&asked(Some(1)));
        assert_eq!(entry.cost, Some(json!({ "actual": null, "currency": "USD" })));
    }
}
