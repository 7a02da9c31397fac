//! `POST /v1/contexts`: a context before its first message (CP-9, CP-10).

use super::{ask, created, enter, named, wrong};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::door::{Shared, answer, messages};
use crate::serve::exchange::about;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use contexture::context::json::kind;
use contexture::store::contexts::{Import, Key};
use contexture_protocol::{ErrorCode, Refusal, parse_value};
use serde_json::{Map, Value};

/// `POST /v1/contexts`, with `{contextId?, state?, metadata?}`
pub(in crate::serve::door) async fn create(
    State(shared): State<Shared>,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, &[Scope::Write]) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    let fields = match object(&shared.app, request).await {
        Ok(fields) => fields,
        Err((refused, status)) => return answer::refusal_with(&shared.app, refused, status),
    };
    let work = async {
        let (import, context) = wanted(fields, &caller)?;
        let id = import.context_id.clone();
        let head = ask(&shared.app, &caller, id.as_deref(), move |store, owner| {
            let head = store.import(owner, &mut context.as_bytes(), import)?;
            let whole = store.get(Key { owner, context: &head.context_id })?;
            Ok((head, whole))
        });
        let (head, whole) = head.await?;
        Ok(created(&head, &whole))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

/// Reads the id and the context of a body.
fn wanted(mut fields: Map<String, Value>, caller: &Caller) -> Result<(Import, String), Refusal> {
    let context_id = id(&mut fields)?;
    let mut metadata = about(caller);
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
pub(super) fn id(fields: &mut Map<String, Value>) -> Result<Option<String>, Refusal> {
    match fields.remove("contextId") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => named("/contextId", &id).map(|()| Some(id)),
        Some(other) => Err(wrong("/contextId", "a text", kind(&other))),
    }
}

/// Reads a body that is an object or empty.
pub(super) async fn object(
    app: &App,
    request: Request,
) -> Result<Map<String, Value>, (Refusal, Option<StatusCode>)> {
    let is_json = messages::is_json(request.headers());
    let is_said = request.headers().contains_key(header::CONTENT_TYPE);
    let is_packed = is_coming(request.headers());
    let body = messages::body(app, request).await.map_err(|refused| (refused, None))?;
    if !is_json && (is_said || is_packed) && !body.is_empty() {
        return Err(unsupported("application/json"));
    }
    if body.is_empty() {
        return Ok(Map::new());
    }
    match parse_value(&body, &app.limits).map_err(|refused| (*refused, None))? {
        Value::Object(fields) => Ok(fields),
        other => Err((wrong("", "an object", kind(&other)), None)),
    }
}

fn is_coming(headers: &HeaderMap) -> bool {
    headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING)
}

/// Creates the refusal of an unsupported content type.
pub(super) fn unsupported(expected: &str) -> (Refusal, Option<StatusCode>) {
    let refused = Refusal::new(ErrorCode::ParseError, format!("the body has to be {expected}"));
    let refused = refused.suggest(format!("Send the header Content-Type: {expected}."));
    (refused, Some(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}
