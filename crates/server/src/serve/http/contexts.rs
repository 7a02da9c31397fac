//! `/v1/contexts`: contexts to read, create, copy and delete (CP-9…CP-12).

pub(super) mod create;
pub(super) mod export;
pub(super) mod import;
pub(super) mod patch;
pub(super) mod read;
pub(super) mod whole;

use super::answer;
use super::shared::Shared;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::failure::refusal_at;
use crate::serve::exchange::rights::forbidden;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::web::{elements, encoded};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use contexture::store::contexts::{ContextError, ContextStore, Head, Key};
use contexture_protocol::{ErrorCode, Limits, Refusal};
use serde_json::Value;

const PAGE: usize = 1_000;
/// The media type of JSON lines.
const LINES: &str = "application/x-ndjson";

impl Shared {
    pub(super) fn require(&self, caller: &Caller, scopes: &[Scope]) -> Result<(), Refusal> {
        let Some(scope) = scopes.iter().find(|scope| !caller.grant.scopes.contains(scope)) else {
            return Ok(());
        };
        let refused = forbidden(*scope);
        self.app.audit.note(&AuditRecord::new(AuditEvent::Refused).by(caller).because(&refused));
        Err(refused)
    }

    /// Writes an event of a context to the audit log.
    fn note(&self, caller: &Caller, event: AuditEvent, context: &str) {
        self.app.audit.note(&AuditRecord::new(event).by(caller).with("contextId", context));
    }

    /// Runs an operation of the store for a caller; errors are about `context`.
    async fn ask<T: Send + 'static>(
        &self,
        caller: &Caller,
        context: Option<&str>,
        work: impl FnOnce(&dyn ContextStore, &str) -> Result<T, ContextError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let owner = caller.owner().to_string();
        let outcome = self.app.read(move |store| work(store, &owner)).await;
        outcome.map_err(|error| refusal_at("?since", error, context))
    }

    /// Runs an operation of the store on a context of a caller.
    async fn ask_in<T: Send + 'static>(
        &self,
        caller: &Caller,
        context: &str,
        work: impl FnOnce(&dyn ContextStore, Key<'_>) -> Result<T, ContextError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let id = context.to_owned();
        let work =
            move |store: &dyn ContextStore, owner: &str| work(store, Key { owner, context: &id });
        self.ask(caller, Some(context), work).await
    }
}

/// Creates the response to the creation of a context.
fn created(head: &Head, value: &Value) -> Response {
    let mut response = answer::json(StatusCode::CREATED, value.to_string());
    let place = HeaderValue::from_str(&format!("/v1/contexts/{}", encoded(&head.context_id)));
    let headers = response.headers_mut();
    headers.extend(place.ok().map(|place| (header::LOCATION, place)));
    headers.extend(tag(head, head.version).map(|tag| (header::ETAG, tag)));
    response
}

/// Returns the tag of a version. A context that was deleted and recreated differs, even when an import
/// gave it the version and the time of the first.
fn tag(head: &Head, version: u64) -> Option<HeaderValue> {
    let (incarnation, created) = (head.incarnation, head.creation_us);
    // Weak: the same version may be compressed or not.
    HeaderValue::from_str(&format!("W/\"{version}-{incarnation:x}-{created:x}\"")).ok()
}

/// The tags of a conditional request.
struct KnownTags(Vec<String>);

impl KnownTags {
    /// Reads the tags of `If-None-Match` or `If-Match`.
    fn of(headers: &HeaderMap, name: HeaderName) -> Self {
        Self(elements(headers, name).map(|tag| bare(tag).to_owned()).collect())
    }

    fn has(&self, tag: &HeaderValue) -> bool {
        let tag = tag.to_str().map(bare).unwrap_or_default();
        self.0.iter().any(|known| known == "*" || known == tag)
    }
}

fn bare(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// Checks the id of a context: no control characters, not empty, not too long.
fn check_id(pointer: &str, id: &str) -> Result<(), Refusal> {
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
    Refusal::new(ErrorCode::ValidationFailed, text).violation(pointer, expected, found)
}
