//! `/v1/contexts`: contexts to read, create, copy and delete (CP-9…CP-12).

mod copy;
mod create;
mod export;
mod import;
mod read;
mod whole;

pub(super) use copy::fork;
pub(super) use create::create;
pub(super) use export::export;
pub(super) use import::import;
pub(super) use read::{changes, list, messages};
pub(super) use whole::get;

use super::messages::spoken;
use super::path::{Named, encoded};
use super::{Shared, answer};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::{forbidden, refusal, refusal_at};
use crate::serve::operations::audit::{Deed, Record};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contexture::store::contexts::{ContextError, ContextStore, Head};
use contexture_protocol::{ErrorCode, Limits, Refusal, Violation};
use serde_json::Value;
use std::sync::Arc;

/// The largest page.
const PAGE: usize = 1_000;

/// `DELETE /v1/contexts/{id}`
pub(super) async fn delete(
    State(shared): State<Shared>,
    Named(id): Named,
    request: Request,
) -> Response {
    let work = async {
        let caller = enter(&shared, &request, &[Scope::Write])?;
        drop(request);
        let deleted = shared.app.delete(caller.owner(), &id).await;
        deleted.map_err(|error| refusal(error, Some(&id)))?;
        note(&shared, &caller, Deed::Deleted, &id);
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

/// Writes an event of a context to the audit log.
fn note(shared: &Shared, caller: &Caller, deed: Deed, context: &str) {
    shared.app.audit.note(&Record::new(deed).by(caller).with("contextId", context));
}

/// Checks that the caller has all scopes.
fn enter(shared: &Shared, request: &Request, scopes: &[Scope]) -> Result<Caller, Refusal> {
    let caller = shared.guard.admit(request)?;
    shared.guard.count(&caller)?;
    spoken(request.headers())?;
    let Some(scope) = scopes.iter().find(|scope| !caller.grant.scopes.allow(**scope)) else {
        return Ok(caller);
    };
    let refused = forbidden(scope.as_str());
    shared.app.audit.note(&Record::new(Deed::Refused).by(&caller).because(&refused));
    Err(refused)
}

/// Runs an operation of the store for a caller.
async fn ask<T: Send + 'static>(
    app: &Arc<App>,
    caller: &Caller,
    context: Option<&str>,
    work: impl FnOnce(&dyn ContextStore, &str) -> Result<T, ContextError> + Send + 'static,
) -> Result<T, Refusal> {
    let owner = caller.owner().to_string();
    let outcome = app.read(move |store| work(store, &owner)).await;
    outcome.map_err(|error| refusal_at("?since", error, context))
}

/// Creates the response to the creation of a context.
fn created(head: &Head, value: &Value) -> Response {
    let mut response = answer::json(StatusCode::CREATED, value.to_string());
    let place = format!("/v1/contexts/{}", encoded(&head.context_id));
    let headers = response.headers_mut();
    if let Ok(place) = HeaderValue::from_str(&place) {
        headers.insert(header::LOCATION, place);
    }
    if let Some(tag) = whole::tag(head, head.version) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// Checks the id in the URL: no control characters, not empty, not too
/// long.
fn named(pointer: &str, id: &str) -> Result<(), Refusal> {
    let (found, most) = (id.len(), Limits::WIRE.id_bytes);
    if found > most {
        let text =
            format!("{pointer}: expected an id of at most {most} bytes, found {found} bytes");
        return Err(Refusal::new(ErrorCode::TooLarge, text).policy("size_limit"));
    }
    if !id.is_empty() && !id.chars().any(char::is_control) {
        return Ok(());
    }
    let found = if id.is_empty() { "an empty text" } else { "a text with control characters" };
    Err(wrong(pointer, "the id of a context", found))
}

/// Creates the refusal of an invalid value.
fn wrong(pointer: &str, expected: &str, found: &str) -> Refusal {
    let place = if pointer.is_empty() { "the body" } else { pointer };
    let text = format!("{place}: expected {expected}, found {found}");
    let mut refusal = Refusal::new(ErrorCode::ValidationFailed, text);
    refusal.violations.push(Violation {
        pointer: pointer.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    });
    refusal
}
