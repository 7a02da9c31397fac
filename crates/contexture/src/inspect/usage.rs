//! What runs took over time (IN-13): calls, tokens, cost, failures and latency by program, place and
//! model.
//!
//! What counts as a model call is decided by [`is_asked`] alone, and a request that broke off costs
//! its worst case, in the call as in its run: so the sums are the same by program, place and model.
//!
//! Decision: by program, the index of runs has everything and no trace is read. By place and by model,
//! the model calls of each run are read, as one run may have several.

use super::kept::Call;
use contexture_context::TraceKind;
use contexture_store::runs::{RunEntry, RunError, RunId, RunStore, is_asked};
use contexture_store::stamp::iso_time;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The most runs that an answer counts.
pub const MOST_RUNS: usize = 10_000;

/// What is counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageBy {
    /// The program of a run.
    Program,
    /// The place of a model call in its program.
    Place,
    /// The model that a call asked.
    Model,
}

/// A span of time that is counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageStep {
    /// An hour of UTC.
    Hour,
    /// A day of UTC.
    Day,
}

/// The runs to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageQuery {
    /// What is counted together.
    pub by: UsageBy,
    /// The span of time that is counted together.
    pub step: UsageStep,
    /// Only runs whose program ends so.
    pub program: Option<String>,
    /// Only runs that began at this time or later, in microseconds since 1970-01-01 UTC.
    pub from_us: Option<u64>,
    /// Only runs that began before this time.
    pub to_us: Option<u64>,
    /// The most runs, the newest first; at most [`MOST_RUNS`].
    pub limit: usize,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Everything.
    pub all: UsageRow,
    /// By program, place or model; the one with the most tokens first.
    pub rows: Vec<UsageRow>,
    /// By hour or day, the oldest first; the name is its beginning.
    pub times: Vec<UsageRow>,
    /// True if older runs were not counted.
    pub more: bool,
    /// What could not be read.
    pub notes: Vec<String>,
}

/// Sums of runs, or of model calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct UsageRow {
    /// The program, place, model or time.
    pub name: String,
    /// The runs.
    pub runs: u64,
    /// The model calls that asked a model.
    pub calls: u64,
    /// The runs that failed; by place and model the calls that did.
    pub failed: u64,
    /// Tokens of the prompts.
    pub input: u64,
    /// Tokens of the answers.
    pub output: u64,
    /// Tokens of the prompts that providers had in their caches.
    pub cached: u64,
    /// True if a part of the tokens was counted here, as a provider reported none.
    pub estimated: bool,
    /// Millionths of each currency.
    pub cost: BTreeMap<String, u64>,
    /// The runs or calls whose price is not known.
    pub unpriced: u64,
    /// The time that half of the runs or calls took at most, in microseconds.
    pub median_us: Option<u64>,
    /// The time that 95 of 100 took at most.
    pub most_us: Option<u64>,
}

/// A run or a model call.
struct Observed<'a> {
    sums: &'a RunEntry,
    is_failed: bool,
}

/// Sums that grow.
#[derive(Default)]
struct Sum {
    row: UsageRow,
    /// The number of the run that was added last.
    run: Option<usize>,
    times: Vec<u64>,
}

impl Sum {
    fn add(&mut self, run: usize, observed: &Observed<'_>) {
        let (row, sums) = (&mut self.row, observed.sums);
        if self.run.replace(run) != Some(run) {
            row.runs += 1;
        }
        row.calls += sums.calls;
        row.failed += u64::from(observed.is_failed);
        row.input = row.input.saturating_add(sums.input);
        row.output = row.output.saturating_add(sums.output);
        row.cached = row.cached.saturating_add(sums.cached.unwrap_or_default());
        row.estimated |= sums.estimated;
        match cost(sums.cost.as_ref()) {
            Some((currency, micros)) => {
                let sum = row.cost.entry(currency).or_default();
                *sum = sum.saturating_add(micros);
            }
            None => row.unpriced += u64::from(sums.calls > 0),
        }
        self.times.extend(sums.duration_us);
    }

    fn named(mut self, name: String) -> UsageRow {
        self.times.sort_unstable();
        let at = |percent: usize| {
            let rank = (self.times.len() * percent).div_ceil(100);
            self.times.get(rank.saturating_sub(1)).copied()
        };
        UsageRow { name, median_us: at(50), most_us: at(95), ..self.row }
    }
}

/// Returns the currency and the millionths of a cost.
fn cost(cost: Option<&Value>) -> Option<(String, u64)> {
    let cost = cost?;
    let currency = cost.get("currency")?.as_str()?.to_owned();
    let actual = cost.get("actual")?.as_f64().filter(|actual| *actual >= 0.0)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is not below 0")]
    let micros = (actual * 1_000_000.0).round() as u64;
    Some((currency, micros))
}

/// Counts what runs took.
///
/// # Errors
/// [`RunError`] when no run can be read.
pub fn usage(store: &dyn RunStore, query: &UsageQuery) -> Result<Usage, RunError> {
    let wanted = |entry: &RunEntry| {
        let start = entry.start_us.unwrap_or_default();
        query.program.as_ref().is_none_or(|program| entry.program.ends_with(program))
            && query.from_us.is_none_or(|from| start >= from)
            && query.to_us.is_none_or(|to| start < to)
    };
    let list = store.list(&wanted, query.limit.min(MOST_RUNS))?;
    let mut counted =
        Counted { query, all: Sum::default(), rows: BTreeMap::new(), times: BTreeMap::new() };
    let mut notes = list.notes;
    for (run, entry) in list.entries.iter().enumerate() {
        if let Err(error) = counted.run(store, run, entry) {
            notes.push(format!("the calls of run {} are left out: {error}", entry.run));
        }
    }
    Ok(counted.end(list.more, notes))
}

struct Counted<'q> {
    query: &'q UsageQuery,
    all: Sum,
    rows: BTreeMap<String, Sum>,
    times: BTreeMap<u64, Sum>,
}

impl Counted<'_> {
    fn run(&mut self, store: &dyn RunStore, run: usize, entry: &RunEntry) -> Result<(), RunError> {
        if self.query.by == UsageBy::Program {
            let observed = Observed { sums: entry, is_failed: entry.is_failed() };
            self.add(run, entry.start_us, &entry.program, &observed);
            return Ok(());
        }
        let Some(id) = RunId::parse(&entry.run) else { return Ok(()) };
        let head = store.head(&id, 1..=u64::MAX)?;
        for event in head.log.of_kind(TraceKind::Generate).filter(|event| is_asked(event)) {
            let mut sums = RunEntry { duration_us: event.duration_us, ..RunEntry::default() };
            sums.add_call(event);
            let name = Call::of(event).map(|Call { manifest, .. }| match self.query.by {
                UsageBy::Place => manifest.site.to_string(),
                _ => manifest.model.uri,
            });
            let is_failed = event.data.get("error").is_some_and(|error| !error.is_null());
            let observed = Observed { sums: &sums, is_failed };
            self.add(run, Some(event.start_us), &name.unwrap_or_default(), &observed);
        }
        Ok(())
    }

    fn add(&mut self, run: usize, start: Option<u64>, name: &str, observed: &Observed<'_>) {
        self.all.add(run, observed);
        self.rows.entry(name.to_owned()).or_default().add(run, observed);
        if let Some(start) = start {
            let step = match self.query.step {
                UsageStep::Hour => 3_600_000_000,
                UsageStep::Day => 86_400_000_000,
            };
            self.times.entry(start - start % step).or_default().add(run, observed);
        }
    }

    fn end(self, more: bool, notes: Vec<String>) -> Usage {
        let mut rows: Vec<UsageRow> =
            self.rows.into_iter().map(|(name, sum)| sum.named(name)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.input.saturating_add(row.output)));
        let times = self.times.into_iter().map(|(start, sum)| sum.named(iso_time(start)));
        Usage { all: self.all.named(String::new()), rows, times: times.collect(), more, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_store::runs::InMemoryRuns;
    use contexture_store::stamp;
    use serde_json::json;
    use std::sync::Arc;

    /// 2026-01-02 00:00 UTC.
    const DAY: u64 = 1_767_312_000_000_000;

    /// A run that began at a time, with calls: model, line, input, output, duration, failed.
    fn add(
        store: &InMemoryRuns,
        (program, start): (&str, u64),
        outcome: &str,
        calls: &[(&str, u64, u64, u64, u64, bool)],
    ) {
        let run = store.begin(Arc::default()).unwrap();
        let mut lines = String::new();
        let mut event = |id: u64, kind: &str, duration: u64, data: Value| {
            let event = json!({
                "v": 1, "id": id, "parent": if id > 1 { Some(1) } else { None }, "kind": kind,
                "start_us": start + id, "duration_us": duration, "data": data,
            });
            lines.push_str(&format!("{event}\n"));
        };
        event(1, "run", 900, json!({ "program": program, "outcome": outcome }));
        for (index, (model, line, input, output, took, failed)) in calls.iter().enumerate() {
            let number = index as u64 + 1;
            let mut data = json!({
                "cost": { "micros": input * 2, "currency": "USD", "source": "x" },
                "usage": { "prompt_tokens": input, "completion_tokens": output },
                "manifest": {
                    "version": 2, "call": number, "layers": [], "items": [], "messages": [],
                    "site": { "file": program, "line": line, "column": 3 }, "options": {}, "tokens": input,
                    "model": { "uri": model, "tokenizer": "o200k_base", "tokenizer_exact": true },
                },
            });
            if *model == "of no price" {
                data.as_object_mut().unwrap().remove("cost");
            }
            if *failed {
                data["error"] = json!({ "code": "server", "message": "x" });
                data["attempts"] = json!([{ "attempt": 1, "failure": "x" }]);
            }
            event(number + 1, "generate", *took, data);
        }
        run.append_lines(&lines).unwrap();
    }

    fn store() -> InMemoryRuns {
        let store = InMemoryRuns::new(stamp::system());
        let first = ("a", 5, 100, 10, 50, false);
        add(
            &store,
            ("p.as", DAY),
            "done",
            &[first, ("b", 9, 20, 2, 70, true), ("a", 5, 1, 1, 10, false)],
        );
        add(&store, ("p.as", DAY + 3_600_000_000), "failed", &[("b", 9, 30, 3, 90, true)]);
        add(&store, ("q.as", DAY + 25 * 3_600_000_000), "done", &[]);
        store
    }

    fn query(by: UsageBy) -> UsageQuery {
        let (step, limit) = (UsageStep::Day, MOST_RUNS);
        UsageQuery { by, step, program: None, from_us: None, to_us: None, limit }
    }

    fn shown(rows: &[UsageRow]) -> Vec<(&str, u64, u64, u64, u64, u64)> {
        let of = |row: &UsageRow| (row.runs, row.calls, row.failed, row.input, row.output);
        let rows = rows.iter().map(|row| (row.name.as_str(), of(row)));
        rows.map(|(name, (runs, calls, failed, input, output))| {
            (name, runs, calls, failed, input, output)
        })
        .collect()
    }

    #[test]
    fn in_13_usage_by_program_counts_runs() {
        let usage = usage(&store(), &query(UsageBy::Program)).unwrap();
        assert_eq!(shown(&usage.rows), [("p.as", 2, 4, 1, 151, 16), ("q.as", 1, 0, 0, 0, 0)]);
        assert_eq!(
            shown(&usage.times),
            [
                ("2026-01-02T00:00:00.000Z", 2, 4, 1, 151, 16),
                ("2026-01-03T00:00:00.000Z", 1, 0, 0, 0, 0)
            ]
        );
        assert_eq!(shown(&[usage.all]), [("", 3, 4, 1, 151, 16)]);
        assert_eq!((usage.rows[0].median_us, usage.more), (Some(900), false));
    }

    #[test]
    fn in_13_usage_by_model_and_place_counts_calls() {
        let models = usage(&store(), &query(UsageBy::Model)).unwrap();
        assert_eq!(shown(&models.rows), [("a", 1, 2, 0, 101, 11), ("b", 2, 2, 2, 50, 5)]);
        let [a, b] = models.rows.as_slice() else { panic!("{models:?}") };
        assert_eq!(
            (a.median_us, a.most_us, b.median_us, b.most_us),
            (Some(10), Some(50), Some(70), Some(90))
        );
        assert_eq!((a.cost["USD"], b.cost["USD"], models.all.cost["USD"]), (202, 100, 302));
        let places = usage(&store(), &query(UsageBy::Place)).unwrap();
        assert_eq!(
            shown(&places.rows),
            [("p.as:5:3", 1, 2, 0, 101, 11), ("p.as:9:3", 2, 2, 2, 50, 5)]
        );
    }

    #[test]
    fn in_13_usage_of_span_and_program_leaves_out_others_and_says_what_is_missing() {
        let hour = 3_600_000_000;
        let asked = UsageQuery {
            program: Some("p.as".to_owned()),
            from_us: Some(DAY + hour),
            to_us: Some(DAY + 2 * hour),
            step: UsageStep::Hour,
            ..query(UsageBy::Program)
        };
        let found = usage(&store(), &asked).unwrap();
        assert_eq!(shown(&found.times), [("2026-01-02T01:00:00.000Z", 1, 1, 1, 30, 3)]);
        let newest = usage(&store(), &UsageQuery { limit: 1, ..query(UsageBy::Program) }).unwrap();
        assert_eq!((newest.all.runs, newest.more), (1, true));
    }

    #[test]
    fn in_13_sums_are_same_by_program_place_and_model() {
        let store = store();
        let run = store.begin(Arc::default()).unwrap();
        let lines = [
            json!({ "kind": "run", "id": 1, "data": { "program": "k.as" } }),
            json!({ "kind": "generate", "id": 2, "data": {
                "from_record": true, "value": 1, "manifest": { "call": 1 },
            } }),
            json!({ "kind": "generate", "id": 3, "data": {
                "refused": true, "error": { "code": "COST_LIMIT" }, "attempts": [{ "attempt": 1 }],
                "manifest": { "call": 2 },
            } }),
        ];
        for mut line in lines {
            line["v"] = json!(1);
            line["start_us"] = json!(DAY);
            run.append_lines(&format!("{line}\n")).unwrap();
        }
        for by in [UsageBy::Program, UsageBy::Place, UsageBy::Model] {
            let all = usage(&store, &query(by)).unwrap().all;
            assert_eq!((all.calls, all.input, all.output, all.unpriced), (4, 151, 16, 0), "{by:?}");
            assert_eq!(all.cost["USD"], 302, "{by:?}");
        }
    }

    #[test]
    fn in_13_run_without_known_price_is_counted_as_such() {
        let store = store();
        let call = ("of no price", 5, 100, 10, 50, false);
        add(&store, ("r.as", DAY), "done", &[call, ("a", 6, 1, 1, 1, false)]);
        let all = |by| usage(&store, &query(by)).unwrap().all;
        let (runs, calls) = (all(UsageBy::Program), all(UsageBy::Place));
        // The run as a whole has no known cost, one of its calls has.
        assert_eq!((runs.cost["USD"], runs.unpriced), (302, 1));
        assert_eq!((calls.cost["USD"], calls.unpriced), (304, 1));
        let cost_of = |value: Value| cost(Some(&value));
        assert_eq!(
            cost_of(json!({ "actual": 0.000_25, "currency": "USD" })),
            Some(("USD".to_owned(), 250))
        );
        assert_eq!(cost_of(json!({ "actual": null, "currency": "USD" })), None);
    }
}
