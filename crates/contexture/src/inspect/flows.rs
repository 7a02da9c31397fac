//! Runs of sets, live from their journal (IN-11).
//!
//! Decision: a run is shown as `flow show` has it; what the page needs beside it is the picture that
//! `flow graph` draws, and the values that the conditions of steps read.

use crate::flows::{StepHistory, is_within, listed, shown};
use contexture_flow::Set;
use contexture_flow::condition::{Condition, Roots as _};
use contexture_flow::picture::Picture;
use contexture_protocol::Limits;
use contexture_protocol::content::Status;
use contexture_store::flows::{
    Filter, FlowJournal, FlowStoreError, RunSummary, Wait, WaitFilter, WaitState,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// The most bytes of a value that a condition reads; a longer one is told by its size.
const MOST_OPERAND: usize = 1_000;

/// The reason why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowPictureError {
    /// The journal can't be read, or has no such run.
    #[error(transparent)]
    Store(#[from] FlowStoreError),
    /// The set of the run can't be drawn.
    #[error("{0}")]
    Picture(String),
}

/// Returns runs of sets, the newest first and at most so many, without those of sets within their
/// steps.
///
/// # Errors
/// [`FlowStoreError`] when they can't be read.
pub fn outer_flows(
    journal: &dyn FlowJournal,
    mut filter: Filter,
    most: usize,
) -> Result<Vec<RunSummary>, FlowStoreError> {
    let mut found = Vec::new();
    loop {
        filter.limit = most;
        let runs = journal.runs(&filter)?;
        let is_last = runs.len() < most;
        filter.before = runs.last().map(|last| last.run.clone());
        found.extend(runs.into_iter().filter(|run| !is_within(&run.run)));
        if is_last || found.len() >= most {
            return Ok(found);
        }
    }
}

/// Returns a page of runs of sets: `{flows, next}`.
///
/// # Errors
/// [`FlowStoreError`] when they can't be read.
pub fn flows(
    journal: &dyn FlowJournal,
    after: Option<String>,
    limit: usize,
) -> Result<Value, FlowStoreError> {
    let filter = Filter { before: after, ..Filter::default() };
    let mut found = outer_flows(journal, filter, limit.saturating_add(1))?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(|last| last.run.clone());
    let flows: Vec<Value> = found.iter().map(with_owner).collect();
    Ok(json!({ "flows": flows, "next": next }))
}

fn with_owner(run: &RunSummary) -> Value {
    let mut value = listed(run);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("owner".to_owned(), run.owner.as_str().into());
    }
    value
}

/// The steps of a set that are wanted: those of a state, or all; behind the first `after` of these, at
/// most so many.
#[derive(Debug, Clone, Copy)]
pub struct StepPage {
    /// The `next` of the page before.
    pub after: usize,
    /// How many.
    pub limit: usize,
    /// The state; a step that has not begun is `PENDING`.
    pub state: Option<Status>,
}

/// Returns a run with its set, the outcomes of its steps, its events, for each step with a condition the
/// values that it reads: `conditions`, and the number of all its steps by their state: `states`. It has
/// the steps of the page, and fewer if the answer would have more bytes of JSON than `most`, unless it is
/// one step; `next` is where the rest begins.
///
/// # Errors
/// [`FlowStoreError`] when no run has the id, or it can't be read.
pub fn flow(
    journal: &dyn FlowJournal,
    run: &str,
    mut wanted: StepPage,
    most: usize,
) -> Result<Value, FlowStoreError> {
    let summary = journal.summary(run)?;
    let (log, document) = (journal.log(run)?, journal.document(run)?);
    let mut value = shown(&summary, (&log, &document.text), |_| true);
    let results = value.get("results").cloned().unwrap_or_default();
    let conditions = conditions(&document.text, &results);
    let states = states(&value, &results);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("owner".to_owned(), summary.owner.as_str().into());
        fields.insert("conditions".to_owned(), conditions.into());
        fields.insert("masked".to_owned(), document.masked.into());
        fields.insert("states".to_owned(), states.into());
    }
    loop {
        let mut page = value.clone();
        part(&mut page, &results, wanted);
        if wanted.limit <= 1 || page.to_string().len() <= most {
            return Ok(page);
        }
        wanted.limit /= 2;
    }
}

/// Returns the places of the lists of steps in a run. A set is kept as it was given: bare, or as a
/// message with its content.
fn lists(run: &Value) -> [String; 3] {
    let content = if run.pointer("/set/content").is_some() { "/set/content" } else { "/set" };
    ["instructions", "calls", "toolCalls"].map(|list| format!("{content}/{list}"))
}

fn id_of(step: &Value) -> Option<&str> {
    step.get("instructionId").or_else(|| step.get("callId")).and_then(Value::as_str)
}

fn state_of<'a>(step: &Value, results: &'a Value) -> &'a str {
    let status = id_of(step).and_then(|id| results.get(id)?.get("status"));
    status.and_then(Value::as_str).unwrap_or(Status::Pending.as_str())
}

/// Counts the steps of a run by their state.
fn states(run: &Value, results: &Value) -> Map<String, Value> {
    let steps = lists(run).into_iter().filter_map(|list| run.pointer(&list)?.as_array()).flatten();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for step in steps {
        *counts.entry(state_of(step, results)).or_default() += 1;
    }
    counts.into_iter().map(|(state, count)| (state.to_owned(), count.into())).collect()
}

/// Leaves a part of the steps of a run, with all that it has of them.
fn part(run: &mut Value, results: &Value, wanted: StepPage) {
    let end = wanted.after.saturating_add(wanted.limit);
    let mut place = 0;
    let mut shown: HashSet<String> = HashSet::new();
    for list in lists(run) {
        let Some(steps) = run.pointer_mut(&list).and_then(Value::as_array_mut) else { continue };
        steps.retain(|step| {
            if wanted.state.is_some_and(|state| state.as_str() != state_of(step, results)) {
                return false;
            }
            let is_shown = (wanted.after..end).contains(&place);
            place += 1;
            if is_shown {
                shown.extend(id_of(step).map(str::to_owned));
            }
            is_shown
        });
    }
    for name in ["results", "conditions"] {
        if let Some(fields) = run.get_mut(name).and_then(Value::as_object_mut) {
            fields.retain(|id, _| shown.contains(id));
        }
    }
    let is_of = |id: Option<&Value>| id.and_then(Value::as_str).is_none_or(|id| shown.contains(id));
    if let Some(events) = run.get_mut("events").and_then(Value::as_array_mut) {
        events.retain(|event| is_of(event.get("id")));
    }
    if let Some(order) = run.get_mut("order").and_then(Value::as_array_mut) {
        order.retain(|id| is_of(Some(id)));
    }
    if let Some(fields) = run.as_object_mut() {
        fields.insert("next".to_owned(), (end < place).then_some(end).into());
    }
}

/// Returns the calls and questions that wait, the oldest first: of one run, or of all runs and turns,
/// those behind a place and at most so many; all when `limit` is 0.
///
/// # Errors
/// [`FlowStoreError`] when they can't be read.
pub fn open_waits(
    journal: &dyn FlowJournal,
    run: Option<&str>,
    (after, limit): (u64, usize),
) -> Result<Vec<Wait>, FlowStoreError> {
    let run = run.map(str::to_owned);
    let state = Some(WaitState::Open);
    journal.waits(&WaitFilter { run, state, after, limit, ..WaitFilter::default() })
}

/// Returns the values that the condition of each step reads, as far as steps have ended.
fn conditions(document: &str, results: &Value) -> Map<String, Value> {
    let Ok(set) = Set::parse(document.as_bytes(), &Limits::FILE) else { return Map::new() };
    let roots = json!({ "dependencies": results, "results": results });
    let mut found = Map::new();
    for step in &set.steps {
        let Some(text) = step.condition.as_deref() else { continue };
        let Ok(condition) = Condition::parse(text) else { continue };
        let read = condition.paths().into_iter().map(|path| {
            let span = path.span();
            let named = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            json!({ "path": named, "value": roots.find(path).map(short) })
        });
        let values = read.collect::<Vec<_>>();
        found.insert(step.id.clone(), json!({ "text": text, "values": values }));
    }
    found
}

fn short(value: &Value) -> Value {
    let bytes = value.to_string().len();
    if bytes > MOST_OPERAND { json!({ "bytes": bytes }) } else { value.clone() }
}

/// Draws a run as `flow graph` does: its steps with their outcomes, as SVG.
///
/// # Errors
/// [`FlowPictureError`] when no run has the id, or it has too many steps for a picture.
pub fn flow_picture(journal: &dyn FlowJournal, run: &str) -> Result<String, FlowPictureError> {
    let (log, document) = (journal.log(run)?, journal.document(run)?);
    let set = Set::parse(document.text.as_bytes(), &Limits::FILE)
        .map_err(|_| FlowPictureError::Picture("the set of the run can't be read".to_owned()))?;
    let outcomes = StepHistory::of(&log).steps.into_iter().map(|(outcome, _)| outcome);
    let picture = Picture::after(&set, outcomes);
    picture.svg().map_err(|error| FlowPictureError::Picture(error.to_string()))
}
