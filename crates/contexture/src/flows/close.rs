//! Closes a run that was broken off as cancelled, without running anything of it (FL-11).
//!
//! Decision: what a run would need to be resumed (programs, servers, models, a set whose secrets
//! were not kept) is not asked for, since nothing is begun: every action counts as known.

use super::error::FlowError;
use super::journal::{Kept, is_within};
use contexture_flow::Set;
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, Actions};
use contexture_flow::check::{Earlier, Plan, check};
use contexture_flow::run::{Options, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::{Outcome, Status};
use contexture_store::flows::{Ask, Filter, FlowJournal, FlowStoreError};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

/// The outcome of closing a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// The status of the whole run.
    pub status: Status,
    /// The outcome of each step; empty when the kept set can't be read any more.
    pub outcomes: Vec<Outcome>,
}

/// Closes a run that no process runs as cancelled, with the runs of sets within its steps: what was
/// running is FAILED, what had not begun SKIPPED, both with CANCELLED. What had ended stays.
///
/// # Errors
/// [`FlowError::Setup`]: `flow_run_held` while a process runs it, `flow_run_ended`,
/// `flow_run_not_found`; errors of the journal.
pub async fn close(journal: &Arc<dyn FlowJournal>, run: &str) -> Result<Closed, FlowError> {
    let closed = close_one(journal, run).await?;
    let unfinished = journal.runs(&Filter { unfinished: true, ..Filter::default() })?;
    let is_inner =
        |id: &str| is_within(id) && id.strip_prefix(run).is_some_and(|rest| rest.starts_with('/'));
    for inner in unfinished.iter().filter(|inner| is_inner(&inner.run)) {
        close_one(journal, &inner.run).await?;
    }
    Ok(closed)
}

async fn close_one(journal: &Arc<dyn FlowJournal>, run: &str) -> Result<Closed, FlowError> {
    // Written down first, it holds even if this process is broken off.
    journal.ask(run, Ask::Cancel)?;
    let kept = Kept::resume(journal, run)?;
    let Some(plan) = plan(&**journal, run)? else {
        drop(kept);
        journal.finish(run, Status::Failed)?;
        return Ok(Closed { status: Status::Failed, outcomes: Vec::new() });
    };
    let options =
        Options { run: kept.run, journal: kept.journal, past: kept.past, ..Options::default() };
    let report = Run::new(plan, Arc::new(Anything), options).run().await;
    drop(kept.held);
    if let Some(fault) = report.fault() {
        return Err(FlowError::setup("flows_failed", fault, "see what the system reports"));
    }
    Ok(Closed { status: report.status(), outcomes: report.outcomes().collect() })
}

/// Returns the steps of a kept run; `None` if its set is not valid any more.
fn plan(journal: &dyn FlowJournal, run: &str) -> Result<Option<Plan>, FlowStoreError> {
    let document = journal.document(run)?;
    let set = Set::parse(document.text.as_bytes(), &Limits::FILE);
    Ok(set.ok().and_then(|set| check(set, &Anything, &Earlier::default()).ok()))
}

/// Actions that are all known, and never called.
struct Anything;

impl Actions for Anything {
    fn describe(&self, _: &str) -> Option<ActionInfo> {
        Some(ActionInfo::default())
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn call(&self, _: ActionCall) -> BoxFuture<'_, Result<Value, ActionFailure>> {
        let cancelled = Err(ActionFailure::new("CANCELLED", "the run was cancelled"));
        std::future::ready(cancelled).boxed()
    }
}
