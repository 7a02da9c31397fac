//! `/v1/runs`: the records of runs (WA-7), to which an answer's `metadata.run` leads (CA-13).
//!
//! Decision: an owner sees what the lists of the command line have of the own runs, without hosts, paths and
//! the texts of failures (CA-10). Who may `inspect`, as everybody on a server for this machine
//! alone, sees all runs, with their events as they are kept.

use super::answer;
use super::contexts::read::page_of;
use super::extract::{Counted, Named};
use super::refused::{Answer, Refused};
use super::shared::Shared;
use crate::query::{Query, unknown_place};
use crate::serve::caller::{Caller, Scope};
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::turn::again;
use crate::serve::turn::ended::{FAILED, sentence};
use crate::serve::turn::work::model_name;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use contexture::inspect::described;
use contexture::store::runs::{RunEntry, RunError, RunId, RunStore};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The most runs of a page.
const PAGE: usize = 1_000;
/// The most model calls whose events are shown.
const CALLS: u64 = 100;

/// The time between two looks at a run that was cancelled, and the most looks.
const MOMENT: Duration = Duration::from_millis(20);
const MOMENTS: usize = 100;

/// `GET /v1/runs?after=&limit=&failed=`
pub(super) async fn list(
    State(shared): State<Shared>,
    Counted(caller): Counted,
    RawQuery(query): RawQuery,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let query = Query::parse(query.as_deref(), &["after", "limit", "failed"])?;
    let (limit, failed_only) = (query.limit(PAGE)?, query.flag("failed")?);
    let after = query.text("after").map(str::to_owned);
    let inspects = caller.inspects();
    let owner = caller.owner().to_string();
    let store = contexture::runs(&shared.app.project);
    let read = tokio::task::spawn_blocking(move || {
        if let Some(after) = &after
            && !is_seen(&store, after, if inspects { None } else { Some(&owner) })?
        {
            return Ok(Err(unknown_place(after)));
        }
        let wanted = |entry: &RunEntry| {
            after.as_ref().is_none_or(|after| entry.run < *after)
                && (!failed_only || entry.is_failed())
                && (inspects || is_of(&store, entry, &owner))
        };
        store.list(&wanted, limit).map(Ok)
    });
    let found = match read.await {
        Ok(Ok(found)) => found?,
        Ok(Err(error)) => return Err(failed(&shared, &error.to_string())),
        Err(error) => return Err(failed(&shared, &error.to_string())),
    };
    let next = found.entries.last().filter(|_| found.more).map(|last| last.run.clone());
    let entries = found.entries.into_iter();
    let runs: Vec<Value> =
        entries.map(|entry| described(&if inspects { entry } else { told(entry) })).collect();
    Ok(page_of(json!({ "runs": runs }), next))
}

/// Reports whether a run is an owner's. Lists of earlier versions do not name owners.
fn is_of(store: &dyn RunStore, entry: &RunEntry, owner: &str) -> bool {
    if entry.owner.is_some() {
        return entry.owner.as_deref() == Some(owner);
    }
    let summary = RunId::parse(&entry.run).and_then(|id| store.summary(&id).ok());
    summary.is_some_and(|kept| kept.data.get("owner").and_then(Value::as_str) == Some(owner))
}

/// Reports whether there is a run of this id, of anybody or of an owner.
fn is_seen(store: &dyn RunStore, id: &str, owner: Option<&str>) -> Result<bool, RunError> {
    let Some(id) = RunId::parse(id) else { return Ok(false) };
    match store.entry(&id) {
        Ok(entry) => Ok(owner.is_none_or(|owner| is_of(store, &entry, owner))),
        Err(RunError::Unknown { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// `GET /v1/runs/{id}`
pub(super) async fn get(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    Ok(answer::value(&find(&shared, &caller, &id).await?))
}

/// `POST /v1/runs/{id}/cancel`
pub(super) async fn cancel(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
) -> Answer {
    shared.require(&caller, &[Scope::Run])?;
    find(&shared, &caller, &id).await?;
    if !shared.app.turns.cancel_run(&id) {
        let text = format!("the run `{id}` is not one that this server runs now");
        let refused = Refusal::new(ErrorCode::UnknownId, text)
            .suggest("`GET /v1/runs` lists runs with their states.");
        return Err(Refused::with_status(refused, StatusCode::CONFLICT));
    }
    let record = AuditRecord::new(AuditEvent::RunCancelled).by(&caller).with("run", id.as_str());
    shared.app.audit.note(&record);
    // It ends in order; one that takes long is shown as it is.
    for _ in 0..MOMENTS {
        if !shared.app.turns.has_run(&id) {
            break;
        }
        tokio::time::sleep(MOMENT).await;
    }
    Ok(answer::value(&find(&shared, &caller, &id).await?))
}

/// `POST /v1/runs/{id}/resume`
pub(super) async fn resume(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
) -> Answer {
    shared.require(&caller, &[Scope::Run])?;
    let found = find(&shared, &caller, &id).await?;
    let owner = if caller.inspects() { None } else { Some(&**caller.owner()) };
    again::go_on(&shared.app, &id, owner)
        .await
        .map_err(|refused| Refused::with_status(refused, StatusCode::CONFLICT))?;
    let record = AuditRecord::new(AuditEvent::RunResumed).by(&caller).with("run", id);
    shared.app.audit.note(&record);
    Ok(answer::value(&found))
}

/// Returns the record of a run that a caller may see.
pub(super) async fn find(shared: &Shared, caller: &Caller, id: &str) -> Result<Value, Refused> {
    let id = RunId::parse(id).ok_or_else(|| missing(id))?;
    let inspects = caller.inspects();
    let owner = caller.owner().to_string();
    let (store, run) = (contexture::runs(&shared.app.project), id.clone());
    let read = move || record(&store, &run, if inspects { None } else { Some(&owner) });
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(Some(found))) => Ok(found),
        Ok(Ok(None) | Err(RunError::Unknown { .. })) => Err(missing(id.as_str())),
        Ok(Err(error)) => Err(failed(shared, &error.to_string())),
        Err(error) => Err(failed(shared, &error.to_string())),
    }
}

/// Reads the record of a run, of all runs or of those of an owner.
fn record(
    store: &dyn RunStore,
    id: &RunId,
    owner: Option<&str>,
) -> Result<Option<Value>, RunError> {
    if let Some(owner) = owner {
        let kept = store.summary(id)?.data;
        if kept.get("owner").and_then(Value::as_str) != Some(owner) {
            return Ok(None);
        }
    }
    let entry = store.entry(id)?;
    let mut value = described(&if owner.is_some() { told(entry) } else { entry });
    let Some(fields) = value.as_object_mut() else { return Ok(None) };
    if owner.is_none() {
        let head = store.head(id, 1..=CALLS)?;
        fields.insert("events".to_owned(), json!(head.log.events));
        fields.insert("lines".to_owned(), head.lines.into());
    }
    Ok(Some(value))
}

/// Returns what an owner may know of a run: the program by its name, the model without its host, and
/// a failure by its code.
fn told(entry: RunEntry) -> RunEntry {
    let name = Path::new(&entry.program).file_stem();
    let message = entry.message.as_ref().map(|_| sentence(FAILED, &entry.run));
    RunEntry {
        program: name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        model: entry.model.as_deref().map(model_name),
        models: entry.models.iter().map(|model| model_name(model)).collect(),
        message,
        ..entry
    }
}

fn missing(id: &str) -> Refused {
    let text = format!("there is no run `{id}` that this token may see");
    let refused = Refusal::new(ErrorCode::UnknownId, text).suggest(
        "The `metadata.run` of an answer names its run; a server may keep runs for some time only.",
    );
    Refused::with_status(refused, StatusCode::NOT_FOUND)
}

fn failed(shared: &Shared, reason: &str) -> Refused {
    shared.app.log.info("run_unreadable", json!({ "reason": reason }));
    Refusal::new(ErrorCode::Internal, "the record can't be read").into()
}
