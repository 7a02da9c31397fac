//! `/v1/schemas`: the JSON Schema of each type (CP-3).

use super::{Shared, answer};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use contexture_protocol::{ErrorCode, Refusal, schema};
use serde_json::{Value, json};

/// `GET /v1/schemas`
pub(super) async fn list() -> Response {
    let types: Vec<Value> = schema::all()
        .map(|(name, _)| json!({ "type": name, "schema": format!("/v1/schemas/{name}") }))
        .collect();
    answer::value(&json!({ "types": types }))
}

/// `GET /v1/schemas/{type}`
pub(super) async fn get(State(shared): State<Shared>, Path(name): Path<String>) -> Response {
    match schema::of(&name) {
        Some(schema) => answer::value(&schema),
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
