//! `/v1/schemas`: the JSON Schema of each type (CP-3).

use super::answer;
use super::extract::Named;
use super::refused::{Answer, Refused};
use super::shared::Shared;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use contexture_protocol::{ErrorCode, Refusal, schema};
use serde_json::{Value, json};

pub(super) async fn list(State(shared): State<Shared>) -> Response {
    let further = shared.app.handlers.types.iter().map(|known| known.name.as_str());
    let types: Vec<Value> = schema::all()
        .map(|(name, _)| name)
        .chain(further)
        .map(|name| json!({ "type": name, "schema": format!("/v1/schemas/{name}") }))
        .collect();
    answer::value(&json!({ "types": types }))
}

/// `GET /v1/schemas/{type}`
pub(super) async fn get(State(shared): State<Shared>, Named(name): Named) -> Answer {
    let context = || (name == schema::CONTEXT).then(schema::context);
    let further = || shared.app.handlers.types.get(&name).map(|known| known.schema.clone());
    let Some(schema) = schema::of(&name).or_else(context).or_else(further) else {
        let text = format!("there is no type `{name}`");
        let known = schema::all().map(|(name, _)| name);
        let help = contexture::diagnostic::suggestion(&name, known)
            .unwrap_or_else(|| "GET /v1/schemas lists all types.".to_owned());
        let refused = Refusal::new(ErrorCode::UnknownType, text).suggest(help);
        return Err(Refused::with_status(refused, StatusCode::NOT_FOUND));
    };
    let mut response = answer::value(&schema);
    let kind = HeaderValue::from_static("application/schema+json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}
