//! `/v1/flows`: runs of sets, to read and to steer (WA-7).
//!
//! Decision: an owner sees the own runs, without labels and decisions of the policy, which are about
//! the server. Who may `inspect` sees all runs with all their events.

use super::answer;
use super::contexts::read::page_of;
use super::extract::{Counted, Named};
use super::refused::{Answer, Refused};
use super::shared::Shared;
use crate::query::{Query, unknown_place};
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::control;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use contexture::flows::{is_for_owner, listed, shown};
use contexture::inspect::outer_flows;
use contexture::store::flows::{Filter, FlowJournal, FlowStoreError, RunState, RunSummary};
use contexture_protocol::content::ControlAction;
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most runs of a page.
const PAGE: usize = 1_000;
/// Where the ids of runs and their states are found.
const LIST: &str = "`GET /v1/flows` lists the runs that this token may see, with their states.";

/// `GET /v1/flows?after=&limit=&unfinished=`
pub(super) async fn list(
    State(shared): State<Shared>,
    Counted(caller): Counted,
    RawQuery(query): RawQuery,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let query = Query::parse(query.as_deref(), &["after", "limit", "unfinished"])?;
    let limit = query.limit(PAGE)?;
    if let Some(after) = query.text("after")
        && seen(&shared, &caller, after).await?.is_none()
    {
        return Err(unknown_place(after).into());
    }
    let filter = Filter {
        owner: owner(&caller),
        before: query.text("after").map(str::to_owned),
        unfinished: query.flag("unfinished")?,
        ..Filter::default()
    };
    let mut found = read(&shared, move |journal| outer_flows(journal, filter, limit + 1)).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(|last| last.run.clone());
    let flows: Vec<Value> = found.iter().map(|run| told(run, &caller)).collect();
    Ok(page_of(json!({ "flows": flows }), next))
}

/// `GET /v1/flows/{id}`
pub(super) async fn get(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let run = named(&shared, &caller, id).await?;
    let inspects = caller.inspects();
    let found = read(&shared, move |journal| {
        let (log, document) = (journal.log(&run.run)?, journal.document(&run.run)?);
        let is_told = |entry: &_| inspects || is_for_owner(entry);
        Ok(shown(&run, (&log, &document.text), is_told))
    });
    Ok(answer::value(&found.await?))
}

/// `POST /v1/flows/{id}/{cancel, pause or resume}`
pub(super) async fn steer(
    State(shared): State<Shared>,
    Named((id, word)): Named<(String, String)>,
    Counted(caller): Counted,
) -> Answer {
    shared.require(&caller, &[Scope::Run])?;
    let Some(action) = ControlAction::parse(&word.to_ascii_uppercase()) else {
        let text = format!("a run can't be asked to `{word}`");
        let refused = Refusal::new(ErrorCode::UnknownId, text).suggest("cancel, pause or resume");
        return Err(Refused::with_status(refused, StatusCode::NOT_FOUND));
    };
    let run = named(&shared, &caller, id).await?;
    if matches!(run.state, RunState::Ended(_)) {
        let text = format!("the run `{}` has ended", run.run);
        let refused = Refusal::new(ErrorCode::UnknownId, text).suggest(LIST);
        return Err(Refused::with_status(refused, StatusCode::CONFLICT));
    }
    let (owner, id) = (Arc::<str>::from(&*run.owner), run.run.clone());
    let is_done_here = control::steer_run(&shared.app, &owner, &id, action).await;
    if !is_done_here {
        // Another process does it, or whoever resumes it.
        let run = id.clone();
        read(&shared, move |journal| journal.ask(&run, control::ask(action))).await?;
    }
    let record = AuditRecord::new(AuditEvent::FlowSteered).by(&caller).with("run", &*id);
    shared.app.audit.note(&record.with("action", action.as_str()));
    let after = read(&shared, move |journal| journal.summary(&id)).await?;
    Ok(answer::value(&told(&after, &caller)))
}

/// Returns a run as its list has it; one who sees those of others sees whose they are.
fn told(run: &RunSummary, caller: &Caller) -> Value {
    let mut value = listed(run);
    if let (true, Some(fields)) = (caller.inspects(), value.as_object_mut()) {
        fields.insert("owner".to_owned(), run.owner.as_str().into());
    }
    value
}

/// Returns the owner whose runs a caller sees; none for all.
fn owner(caller: &Caller) -> Option<String> {
    (!caller.inspects()).then(|| caller.owner().to_string())
}

/// Returns a run, if there is one and the caller may see it.
async fn seen(shared: &Shared, caller: &Caller, id: &str) -> Result<Option<RunSummary>, Refused> {
    let (owner, run) = (owner(caller), id.to_owned());
    let found = read(shared, move |journal| match journal.summary(&run) {
        Err(FlowStoreError::NotFound(_)) => Ok(None),
        found => found.map(Some),
    });
    let is_seen = |run: &RunSummary| owner.as_deref().is_none_or(|owner| owner == run.owner);
    Ok(found.await?.filter(is_seen))
}

/// Finds a run that a caller may see.
pub(super) async fn named(
    shared: &Shared,
    caller: &Caller,
    id: String,
) -> Result<RunSummary, Refused> {
    seen(shared, caller, &id).await?.ok_or_else(|| {
        let text = format!("`{id}` is not a flow run that this token may see");
        let refused = Refusal::new(ErrorCode::UnknownId, text).suggest(LIST);
        Refused::with_status(refused, StatusCode::NOT_FOUND)
    })
}

async fn read<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce(&dyn FlowJournal) -> Result<T, FlowStoreError> + Send + 'static,
) -> Result<T, Refused> {
    let journal = shared.app.flows.journals.journal();
    let failed = |reason: String| {
        shared.app.log.info("flow_unreadable", json!({ "reason": reason }));
        Refused::from(Refusal::new(ErrorCode::Internal, "the run can't be read"))
    };
    match tokio::task::spawn_blocking(move || work(&*journal)).await {
        Ok(done) => done.map_err(|error| failed(error.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
