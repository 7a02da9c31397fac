//! `/v1/schemas`: the JSON Schema of each type (CP-3).

use super::path::Named;
use super::{Shared, answer};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use contexture_protocol::{ErrorCode, Refusal, schema};
use serde_json::{Value, json};

/// `GET /v1/schemas`
pub(super) async fn list(State(shared): State<Shared>) -> Response {
    let further = shared.app.handlers.types().map(|known| known.name.as_str());
    let types: Vec<Value> = schema::all()
        .map(|(name, _)| name)
        .chain(further)
        .map(|name| json!({ "type": name, "schema": format!("/v1/schemas/{name}") }))
        .collect();
    answer::value(&json!({ "types": types }))
}

/// `GET /v1/schemas/{type}`
pub(super) async fn get(State(shared): State<Shared>, Named(name): Named) -> Response {
    let context = || (name == schema::CONTEXT).then(schema::context);
    let further = || shared.app.handlers.get(&name).map(|known| known.schema.clone());
    match schema::of(&name).or_else(context).or_else(further) {
        Some(schema) => {
            let mut response = answer::value(&schema);
            let kind = HeaderValue::from_static("application/schema+json");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        None => {
            let text = format!("there is no type `{name}`");
            let known = schema::all().map(|(name, _)| name);
            let help = contexture::diagnostic::suggestion(&name, known)
                .unwrap_or_else(|| "GET /v1/schemas lists all types.".to_owned());
            let refused = Refusal::new(ErrorCode::UnknownType, text).suggest(help);
            answer::refusal_with(&shared.app, refused, Some(StatusCode::NOT_FOUND))
        }
    }
}
