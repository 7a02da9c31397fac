//! The operations of a server: method, path, handler and documentation.
//!
//! A table of routes is a router and an OpenAPI document at once, and the table of one server can
//! stand below a path of another.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{self, MethodRouter};
use serde_json::{Map, Value, json};

/// One operation. Its documentation is added with the methods of the builder.
pub(crate) struct Route<S> {
    /// The path of the router; `{*name}` is the rest of a path.
    pub(crate) path: String,
    /// The method in capitals.
    pub(crate) method: &'static str,
    pub(crate) handler: MethodRouter<S>,
    pub(crate) tag: &'static str,
    /// The OpenAPI object without parameters and responses.
    doc: Map<String, Value>,
    parameters: Vec<Value>,
    responses: Vec<(u16, &'static str, Option<TypedBody>)>,
}

/// A body with its media type.
type TypedBody = (&'static str, Shape);

/// The schema of a body.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// A message, or an array of them.
    MessageOrMessages,
    /// A schema of the document.
    Own(&'static str),
    Object,
    Text,
}

pub(crate) const JSON: &str = "application/json";

pub(crate) fn get<H, T, S>(path: &str, handler: H) -> Route<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    Route::new("GET", path, routing::get(handler))
}

pub(crate) fn post<H, T, S>(path: &str, handler: H) -> Route<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    Route::new("POST", path, routing::post(handler))
}

pub(crate) fn patch<H, T, S>(path: &str, handler: H) -> Route<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    Route::new("PATCH", path, routing::patch(handler))
}

pub(crate) fn delete<H, T, S>(path: &str, handler: H) -> Route<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    Route::new("DELETE", path, routing::delete(handler))
}

/// Adds routes to a router.
pub(crate) fn routed<S>(routes: Vec<Route<S>>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes.into_iter().fold(Router::new(), |router, route| router.route(&route.path, route.handler))
}

impl<S> Route<S>
where
    S: Clone + Send + Sync + 'static,
{
    fn new(method: &'static str, path: &str, handler: MethodRouter<S>) -> Self {
        let (doc, parameters, responses) = (Map::new(), Vec::new(), Vec::new());
        let path = path.to_owned();
        Self { path, method, handler, tag: "", doc, parameters, responses }
    }

    /// Returns the route below a folder.
    pub(crate) fn below(self, folder: &str) -> Self {
        Self { path: format!("{folder}{}", self.path), ..self }
    }

    /// Binds the operation to its state, so that it can stand in the table of a server with another one.
    pub(crate) fn bound<T>(self, state: S) -> Route<T> {
        let Self { path, method, handler, tag, doc, parameters, responses } = self;
        Route { path, method, handler: handler.with_state(state), tag, doc, parameters, responses }
    }

    /// Reports whether an operation needs no token.
    pub(crate) fn is_public(&self) -> bool {
        self.doc.contains_key("security")
    }

    pub(crate) fn doc(mut self, id: &str, tag: &'static str, summary: &str) -> Self {
        self.tag = tag;
        self.set("operationId", id.into()).set("tags", json!([tag])).set("summary", summary.into())
    }

    fn set(mut self, name: &str, value: Value) -> Self {
        self.doc.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn description(self, text: &str) -> Self {
        self.set("description", text.into())
    }

    /// Marks an operation that needs no token.
    pub(crate) fn public(self) -> Self {
        self.set("security", json!([]))
    }

    pub(crate) fn path(self, name: &str, text: &str) -> Self {
        self.parameter("path", name, text, json!({ "type": "string" }))
    }

    pub(crate) fn query(self, name: &str, text: &str) -> Self {
        self.parameter("query", name, text, json!({ "type": "string" }))
    }

    pub(crate) fn query_number(self, name: &str, text: &str) -> Self {
        self.parameter("query", name, text, json!({ "type": "integer", "minimum": 0 }))
    }

    pub(crate) fn header(self, name: &str, text: &str) -> Self {
        self.parameter("header", name, text, json!({ "type": "string" }))
    }

    fn parameter(mut self, place: &str, name: &str, text: &str, schema: Value) -> Self {
        self.parameters.push(json!({
            "name": name,
            "in": place,
            "required": place == "path",
            "description": text,
            "schema": schema,
        }));
        self
    }

    /// Sets the request body, which has one of these types.
    pub(crate) fn body(self, kinds: &[(&str, Shape)]) -> Self {
        let content = content(kinds.iter().copied());
        self.set("requestBody", json!({ "required": true, "content": content }))
    }

    /// Sets a JSON body that may be left out.
    pub(crate) fn optional_body(self, shape: Shape) -> Self {
        let content = content([(JSON, shape)].into_iter());
        self.set("requestBody", json!({ "required": false, "content": content }))
    }

    /// Adds a response without a body.
    pub(crate) fn empty(mut self, status: u16, text: &'static str) -> Self {
        self.responses.push((status, text, None));
        self
    }

    /// Adds a response with a body of a type.
    pub(crate) fn answer(
        mut self,
        status: u16,
        text: &'static str,
        kind: &'static str,
        shape: Shape,
    ) -> Self {
        self.responses.push((status, text, Some((kind, shape))));
        self
    }

    /// Adds a response with a JSON body.
    pub(crate) fn json(self, status: u16, text: &'static str, shape: Shape) -> Self {
        self.answer(status, text, JSON, shape)
    }

    /// Returns the OpenAPI object.
    pub(crate) fn to_value(&self) -> Value {
        let mut responses = Map::new();
        for (status, ..) in &self.responses {
            let same = || self.responses.iter().filter(|(other, ..)| other == status);
            let texts: Vec<&str> = same().map(|(_, text, _)| *text).collect();
            let mut response = Map::from_iter([("description".to_owned(), texts.join(" ").into())]);
            let content = content(same().filter_map(|(.., body)| *body));
            if !content.is_empty() {
                response.insert("content".to_owned(), Value::Object(content));
            }
            responses.insert(status.to_string(), Value::Object(response));
        }
        responses.insert("default".to_owned(), json!({ "$ref": "#/components/responses/Refused" }));
        let mut doc = self.doc.clone();
        doc.insert("parameters".to_owned(), self.parameters.clone().into());
        doc.insert("responses".to_owned(), Value::Object(responses));
        Value::Object(doc)
    }
}

fn content<'k>(kinds: impl Iterator<Item = (&'k str, Shape)>) -> Map<String, Value> {
    kinds.map(|(kind, shape)| (kind.to_owned(), json!({ "schema": shape.to_value() }))).collect()
}

impl Shape {
    fn to_value(self) -> Value {
        let own = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        match self {
            Self::MessageOrMessages => {
                json!({ "anyOf": [own("Message"), { "type": "array", "items": own("Message") }] })
            }
            Self::Own(name) => own(name),
            Self::Object => json!({ "type": "object" }),
            Self::Text => json!({ "type": "string" }),
        }
    }
}
