//! `PATCH /v1/contexts/{id}`: the metadata of a context, such as its title (WA-7).

use super::create::object;
use super::{KnownTags, tag, wrong};
use crate::query::Query;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::failure::refusal_at;
use crate::serve::http::answer;
use crate::serve::http::extract::{Named, Reader};
use crate::serve::http::refused::{Answer, Refused};
use crate::serve::http::shared::Shared;
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use contexture::context::json::kind;
use contexture::store::contexts::{Head, Operation, Update};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Map, Value};

/// `PATCH /v1/contexts/{id}?baseVersion=`, with `{metadata}`, a merge patch
pub(crate) async fn patch(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
    request: Request,
) -> Answer {
    shared.require(&caller, &[Scope::Write])?;
    let base_version = Query::parse(query.as_deref(), &["baseVersion"])?.number("baseVersion")?;
    let seen = seen(&shared, &caller, &id, request.headers()).await?;
    let patch = wanted(object(&shared, request).await?)?;
    let update = Update {
        owner: caller.owner().to_string(),
        context_id: Some(id.clone()),
        base_version: base_version.or(seen.as_ref().map(|head| head.version)),
        incarnation: seen.map(|head| head.incarnation),
        operations: vec![Operation::UpdateMetadata { patch }],
        ..Update::default()
    };
    let updated = shared.app.updated(update).await;
    updated.map_err(|error| refusal_at("?baseVersion", error, Some(&id)))?;
    let head = shared.ask_in(&caller, &id, |store, key| store.head(key)).await?;
    let mut response = answer::value(&head.to_value());
    response.headers_mut().extend(tag(&head, head.version).map(|tag| (header::ETAG, tag)));
    Ok(response)
}

/// Returns the context as the client has it, by `If-Match`; `None` without this header.
///
/// # Errors
/// 412 when the context has another version.
async fn seen(
    shared: &Shared,
    caller: &Caller,
    id: &str,
    headers: &HeaderMap,
) -> Result<Option<Head>, Refused> {
    if !headers.contains_key(header::IF_MATCH) {
        return Ok(None);
    }
    let known = KnownTags::of(headers, header::IF_MATCH);
    let head = shared.ask_in(caller, id, |store, key| store.head(key)).await?;
    if tag(&head, head.version).is_some_and(|now| known.has(&now)) {
        return Ok(Some(head));
    }
    let text = format!("the context has version {}, which If-Match does not name", head.version);
    let refused = Refusal::new(ErrorCode::VersionConflict, text).detail("version", head.version);
    let refused = refused.suggest("Read the context, look at what changed, and send its new ETag.");
    Err(Refused::with_status(refused, StatusCode::PRECONDITION_FAILED))
}

/// Returns the patch of a body that holds nothing else.
fn wanted(mut fields: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let metadata = fields.remove("metadata");
    if let Some(name) = fields.keys().next() {
        return Err(wrong(&format!("/{name}"), "metadata alone", "this name"));
    }
    match metadata {
        Some(Value::Object(patch)) => Ok(patch),
        other => {
            let found = other.as_ref().map_or("nothing", kind);
            Err(wrong("/metadata", "an object, a merge patch of the metadata", found))
        }
    }
}
