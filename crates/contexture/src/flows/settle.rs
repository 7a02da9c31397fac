//! Steps whose outcome is not known, which a person settles (WA-4).
//!
//! Decision: what a person says is an event of the journal. A run that has ended because of such a step is
//! an interrupted one then: the step has its outcome, or runs again, and what was skipped is decided again.
//! Whoever resumes the run does the rest.

use super::error::FlowError;
use super::journal::is_within;
use crate::durable::Settlement;
use contexture_context::{Label, Trust};
use contexture_diagnostic::suggestion;
use contexture_flow::journal::{EndedStep, Entry, Event, JournalError, Kept, Past, void_ends};
use contexture_protocol::content::Status;
use contexture_store::flows::{
    FlowJournal, FlowStoreError, RunState, RunSummary, Verdict, WaitFilter, WaitState,
};
use serde_json::Value;
use std::sync::mpsc;

/// Says what came of a step of a run that is interrupted or has ended. Returns the steps whose outcome is
/// still not known.
///
/// # Errors
/// [`FlowError::Setup`] when the run is being done, or its outcome of the step is known; an error of the
/// journal.
pub fn settle(
    journal: &dyn FlowJournal,
    run: &str,
    step: &str,
    settlement: Settlement,
) -> Result<Vec<String>, FlowError> {
    let summary = journal.summary(run)?;
    let entries = entries(journal, run)?;
    let doubtful = doubtful(journal, run, &entries)?;
    check(&summary, step, &doubtful)?;
    let left = || doubtful.iter().filter(|id| *id != step).cloned().collect();
    let verdict = match &settlement {
        Settlement::Done(_) => Verdict::Done,
        Settlement::Again => Verdict::Again,
        // The run has ended with this.
        Settlement::Failed if has_ended(&entries, step) => return Ok(left()),
        Settlement::Failed => Verdict::Failed,
    };
    let void = if verdict == Verdict::Failed { Vec::new() } else { void_ends(&entries, step) };
    let claim = journal.reopen(run, &void)?;
    record(journal, run, &Event::Settled { id: step, verdict })?;
    if let Settlement::Done(value) = &settlement {
        done(journal, run, (step, &entries), value)?;
    }
    drop(claim);
    Ok(left())
}

/// Returns the steps of a run whose outcome is not known.
///
/// # Errors
/// [`FlowError::Setup`] when the journal can't be read.
pub fn in_doubt(journal: &dyn FlowJournal, run: &str) -> Result<Vec<String>, FlowError> {
    doubtful(journal, run, &entries(journal, run)?)
}

/// Reports whether a person has settled a step of a run since it ended last.
#[must_use]
pub fn is_settled(entries: &[Entry]) -> bool {
    let last = entries.iter().rev().find_map(|entry| match entry {
        Entry::Settled { .. } => Some(true),
        Entry::Finished { .. } => Some(false),
        _ => None,
    });
    last.unwrap_or_default()
}

fn check(summary: &RunSummary, step: &str, doubtful: &[String]) -> Result<(), FlowError> {
    let run = &summary.run;
    if is_within(run) {
        let message = format!("`{run}` is the run of a set within a step of another run");
        let top = run.split('/').next().unwrap_or(run);
        return Err(FlowError::setup("flow_run_within", message, format!("settle it in `{top}`")));
    }
    if matches!(summary.state, RunState::Running | RunState::Paused) {
        return Err(FlowStoreError::Held { run: run.clone(), by: "a process" }.into());
    }
    if doubtful.iter().any(|id| id == step) {
        return Ok(());
    }
    let message = format!("the run {run} has no step `{step}` in doubt");
    let named = suggestion(step, doubtful.iter().map(String::as_str));
    let help = named.unwrap_or_else(|| match doubtful {
        [] => "nothing of it is in doubt".to_owned(),
        some => format!("in doubt are {}", some.join(", ")),
    });
    Err(FlowError::setup("call_unknown", message, help))
}

fn entries(journal: &dyn FlowJournal, run: &str) -> Result<Vec<Entry>, FlowError> {
    Ok(journal.log(run)?.into_iter().map(|line| line.entry).collect())
}

fn doubtful(
    journal: &dyn FlowJournal,
    run: &str,
    entries: &[Entry],
) -> Result<Vec<String>, FlowError> {
    let waits =
        journal.waits(&WaitFilter { run: Some(run.to_owned()), ..WaitFilter::default() })?;
    let open = waits.into_iter().filter(|wait| wait.state != WaitState::Ended);
    let past = Past::of(entries.iter().cloned()).waiting(open.map(|wait| wait.step));
    Ok(past.in_doubt().into_iter().map(str::to_owned).collect())
}

fn has_ended(entries: &[Entry], step: &str) -> bool {
    entries.iter().any(|entry| match entry {
        Entry::Ended(outcome) => outcome.instruction_id == step,
        _ => false,
    })
}

/// Records the end of a step that was done: with the label of a tool's result, as a person's word on what
/// the other side gave.
fn done(
    journal: &dyn FlowJournal,
    run: &str,
    (id, entries): (&str, &[Entry]),
    value: &Value,
) -> Result<(), FlowError> {
    let action = entries.iter().rev().find_map(|entry| match entry {
        Entry::Started { id: started, action, .. } if started == id => Some(action.as_str()),
        _ => None,
    });
    let label = Label::of(action.unwrap_or(id), Trust::Tool);
    record(journal, run, &Event::Labelled { id, label: &label })?;
    let (status, result) = (Status::Completed, Some(value));
    let end = EndedStep { id, status, result, error: None, reason: None, execution_time: 0.0 };
    record(journal, run, &Event::Ended(end))
}

/// Records an event, and waits until it is durable.
fn record(journal: &dyn FlowJournal, run: &str, event: &Event<'_>) -> Result<(), FlowError> {
    let (send, receive) = mpsc::channel();
    journal.record(run, event, Kept::call(move |result| drop(send.send(result))));
    let lost = || Err(JournalError::new("the journal was closed"));
    let kept = receive.recv().unwrap_or_else(|_| lost());
    kept.map_err(|error| {
        FlowError::setup("flows_failed", &error, "make sure that the journal can be written")
    })
}
