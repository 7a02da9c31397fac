//! `/v1/runs/{id}`: the record of a run, to which an answer's `metadata.run` leads (CA-13).
//!
//! Decision: an owner sees what the lists of the command line have of the own runs, without hosts, paths and
//! the texts of failures (CA-10). Who may `inspect`, as everybody on a server for this machine
//! alone, sees all runs, with their events as they are kept.

use super::answer;
use super::extract::{Counted, Named};
use super::refused::{Answer, Refused};
use super::shared::Shared;
use crate::serve::caller::Scope;
use crate::serve::turn::ended::{FAILED, sentence};
use crate::serve::turn::work::model_name;
use axum::extract::State;
use axum::http::StatusCode;
use contexture::inspect::listed;
use contexture::store::runs::{RunEntry, RunError, RunId, RunStore};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::path::Path;

/// The most model calls whose events are shown.
const CALLS: u64 = 100;

/// `GET /v1/runs/{id}`
pub(super) async fn get(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let id = RunId::parse(&id).ok_or_else(|| missing(&id))?;
    let inspects = caller.grant.scopes.contains(&Scope::Inspect);
    let owner = caller.owner().to_string();
    let (store, run) = (contexture::runs(&shared.app.project), id.clone());
    let read = move || record(&store, &run, if inspects { None } else { Some(&owner) });
    let read = tokio::task::spawn_blocking(read).await;
    match read {
        Ok(Ok(Some(found))) => Ok(answer::value(&found)),
        Ok(Ok(None) | Err(RunError::Unknown { .. })) => Err(missing(id.as_str())),
        Ok(Err(error)) => Err(failed(&shared, &error.to_string())),
        Err(error) => Err(failed(&shared, &error.to_string())),
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
    let mut value = listed(&if owner.is_some() { told(entry) } else { entry });
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
