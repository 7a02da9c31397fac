//! `GET /v1/openapi.json`: the server as an OpenAPI 3.1 document.
//!
//! Decision: the document is made from the table of the router and from the schemas of the types
//! of the protocol; nothing of it is written a second time.

mod shapes;

use super::answer;
use super::routes::Route;
use axum::Extension;
use axum::http::StatusCode;
use axum::response::Response;
use contexture_protocol::VERSION;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) const PATH: &str = "/v1/openapi.json";

/// The document of a router, as text.
#[derive(Clone)]
pub(super) struct Description(Arc<str>);

impl Description {
    pub(super) fn of(routes: &[Route]) -> Self {
        Self(document(routes).to_string().into())
    }
}

/// `GET /v1/openapi.json`
pub(super) async fn get(Extension(description): Extension<Description>) -> Response {
    answer::json(StatusCode::OK, description.0.to_string())
}

fn document(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path.replace("{*", "{")).or_insert_with(|| json!({}));
        if let Value::Object(path) = path {
            path.insert(route.method.to_ascii_lowercase(), route.to_value());
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Contexture",
            "version": VERSION.to_string(),
            "description": "Agents that apps talk to over the context protocol, and the contexts \
                that the conversations leave. The version is the protocol's.",
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }, { "key": [] }, {}],
        "tags": tags(routes),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
            },
            "responses": {
                "Refused": {
                    "description": "The request was refused: the code is the reason.",
                    "content": {
                        "application/json": {
                            "schema": { "$ref": "#/components/schemas/ERROR_RESPONSE" },
                        },
                    },
                },
            },
            "schemas": shapes::all(),
        },
    })
}

fn tags(routes: &[Route]) -> Vec<Value> {
    let mut names: Vec<&str> = routes.iter().map(|route| route.tag).collect();
    names.dedup();
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

#[cfg(test)]
mod tests {
    use super::super::routes;
    use super::*;
    use crate::inspect;
    use contexture::store::runs::InMemoryRuns;

    /// Finds all texts under a name, at any depth.
    fn under<'v>(value: &'v Value, name: &str, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(fields) => {
                for (own, value) in fields {
                    match value {
                        Value::String(text) if own == name => found.push(text),
                        other => under(other, name, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| under(item, name, found)),
            _ => {}
        }
    }

    fn all() -> Vec<Route> {
        let runs = InMemoryRuns::new(contexture::store::stamp::system());
        routes::all(true, &inspect::Shared::new(inspect::Sources::of_runs(Arc::new(runs))))
    }

    #[test]
    fn cp_3_openapi_has_all_types_and_valid_references() {
        let document = document(&all());
        let mut references = Vec::new();
        under(&document, "$ref", &mut references);
        assert!(references.len() > 50, "{}", references.len());
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        for (name, _) in contexture_protocol::schema::all() {
            assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn cp_6_operations_have_unique_ids_and_parameters() {
        let document = document(&all());
        let mut ids = Vec::new();
        under(&document["paths"], "operationId", &mut ids);
        assert_eq!(ids.len(), all().len());
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "an operationId stands twice");
        for (path, methods) in document["paths"].as_object().unwrap() {
            for name in path.split('{').skip(1).map(|part| part.split('}').next().unwrap()) {
                for (method, operation) in methods.as_object().unwrap() {
                    let parameters = operation["parameters"].as_array().unwrap();
                    let is_told =
                        parameters.iter().any(|one| one["name"] == name && one["in"] == "path");
                    assert!(is_told, "{method} {path}: {name}");
                }
            }
        }
    }
}
