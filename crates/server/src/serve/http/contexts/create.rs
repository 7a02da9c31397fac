//! `POST /v1/contexts` and `POST /v1/contexts/{id}/fork`: a context before its first message, and an
//! independent copy (CP-9, CP-10).

use super::{check_id, created, wrong};
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::rights::check_name;
use crate::serve::exchange::update::creation_metadata;
use crate::serve::http::extract::{Named, Reader};
use crate::serve::http::messages;
use crate::serve::http::refused::{Answer, Refused};
use crate::serve::http::shared::Shared;
use crate::web::is_json;
use axum::extract::{Request, State};
use axum::http::header;
use contexture::context::json::kind;
use contexture::store::contexts::{Fork, Import, Key};
use contexture_protocol::{Refusal, parse_value};
use serde_json::{Map, Value};

/// `POST /v1/contexts`, with `{contextId?, state?, metadata?}`
pub(crate) async fn create(
    State(shared): State<Shared>,
    Reader(caller): Reader,
    request: Request,
) -> Answer {
    shared.require(&caller, &[Scope::Write])?;
    let fields = object(&shared, request).await?;
    let user = fields.get("metadata").and_then(|metadata| metadata.get("userId"));
    match user {
        Some(Value::String(user)) => {
            check_name(&shared.app, &caller, "/metadata/userId", user)?;
        }
        Some(other) => return Err(wrong("/metadata/userId", "a text", kind(other)).into()),
        None => {}
    }
    let (import, context) = wanted(fields, &caller)?;
    let id = import.context_id.clone();
    let work = shared.ask(&caller, id.as_deref(), move |store, owner| {
        let head = store.import(owner, &mut context.as_bytes(), import)?;
        let whole = store.get(Key { owner, context: &head.context_id })?;
        Ok((head, whole))
    });
    let (head, whole) = work.await?;
    Ok(created(&head, &whole))
}

/// `POST /v1/contexts/{id}/fork`, with `{contextId?}`
pub(crate) async fn fork(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
    request: Request,
) -> Answer {
    shared.require(&caller, &[Scope::Read, Scope::Write])?;
    let mut fields = object(&shared, request).await?;
    let fork = Fork { context_id: requested_id(&mut fields)? };
    if let Some(name) = fields.keys().next() {
        return Err(wrong(&format!("/{name}"), "contextId alone", "this name").into());
    }
    let head = shared.ask_in(&caller, &id, move |store, key| store.fork(key, fork)).await?;
    Ok(created(&head, &head.to_value()))
}

/// Reads the id and the context of a body.
fn wanted(mut fields: Map<String, Value>, caller: &Caller) -> Result<(Import, String), Refusal> {
    let context_id = requested_id(&mut fields)?;
    let mut metadata = creation_metadata(caller);
    let mut context = Map::new();
    for (name, value) in fields {
        let pointer = format!("/{name}");
        match (&*name, value) {
            ("state", Value::Object(state)) => drop(context.insert(name, Value::Object(state))),
            ("metadata", Value::Object(own)) => metadata.extend(own),
            ("state" | "metadata", Value::Null) => {}
            ("state" | "metadata", other) => {
                return Err(wrong(&pointer, "an object", kind(&other)));
            }
            _ => {
                let expected = "one of contextId, state, metadata";
                return Err(wrong(&pointer, expected, "this name").suggest(
                    "Messages are added with CONTEXT_UPDATE, or by POST /v1/contexts/import.",
                ));
            }
        }
    }
    context.insert("metadata".to_owned(), Value::Object(metadata));
    Ok((Import { context_id, review: None }, Value::Object(context).to_string()))
}

/// Removes the requested id from the fields.
fn requested_id(fields: &mut Map<String, Value>) -> Result<Option<String>, Refusal> {
    match fields.remove("contextId") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => check_id("/contextId", &id).map(|()| Some(id)),
        Some(other) => Err(wrong("/contextId", "a text", kind(&other))),
    }
}

/// Reads a body that is an object or empty.
pub(crate) async fn object(
    shared: &Shared,
    request: Request,
) -> Result<Map<String, Value>, Refused> {
    let headers = request.headers();
    let is_json = is_json(headers);
    let announces_body = [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::TRANSFER_ENCODING]
        .iter()
        .any(|name| headers.contains_key(name));
    let body = messages::body(&shared.app, request).await?;
    if body.is_empty() {
        return Ok(Map::new());
    }
    if !is_json && announces_body {
        return Err(Refused::media_type("application/json"));
    }
    match parse_value(&body, &shared.app.limits)? {
        Value::Object(fields) => Ok(fields),
        other => Err(wrong("", "an object", kind(&other)).into()),
    }
}
