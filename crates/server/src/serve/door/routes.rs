//! Every path of the HTTP door with what it takes and gives. The router and `/v1/openapi.json` are
//! made of this one table, so that neither has a path which the other lacks.

use super::openapi::{Answer, Body, Doc, Shape};
use super::{Shared, contexts, demo, messages, openai, openapi, schemas, socket, status};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse as _;
use axum::routing::{MethodRouter, delete, get, options, post};
use axum::{Extension, Router};

/// One method of one path.
pub(super) struct Route {
    /// As the router has it; `{*name}` is the rest of a path.
    pub(super) path: &'static str,
    /// In capitals.
    pub(super) method: &'static str,
    handler: MethodRouter<Shared>,
    pub(super) doc: Doc,
}

/// The router of all paths, with the demo page or without it. Each path says in answer to OPTIONS
/// which methods it has.
pub(super) fn router(has_demo: bool) -> Router<Shared> {
    let all = all(has_demo);
    let description = openapi::Description::of(&all);
    let mut paths: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for route in &all {
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, methods)) => methods.push(route.method),
            None => paths.push((route.path, vec![route.method])),
        }
    }
    let mut router = Router::new();
    for mut route in all {
        if route.path == openapi::PATH {
            route.handler = route.handler.layer(Extension(description.clone()));
        }
        router = router.route(route.path, route.handler);
    }
    for (path, methods) in paths {
        router = router.route(path, options(move || std::future::ready(allowed(&methods))));
    }
    router
}

fn allowed(methods: &[&str]) -> axum::response::Response {
    let mut all: Vec<&str> = Vec::new();
    for method in methods {
        all.push(method);
        if *method == "GET" {
            all.push("HEAD");
        }
    }
    all.push("OPTIONS");
    let allow = HeaderValue::from_str(&all.join(", "));
    let allow = allow.unwrap_or(HeaderValue::from_static("OPTIONS"));
    (StatusCode::NO_CONTENT, [(header::ALLOW, allow)]).into_response()
}

fn route(
    method: &'static str,
    path: &'static str,
    handler: MethodRouter<Shared>,
    doc: Doc,
) -> Route {
    Route { path, method, handler, doc }
}

/// All of them.
pub(super) fn all(has_demo: bool) -> Vec<Route> {
    let mut all = talking();
    all.extend(reading());
    all.extend(changing());
    all.extend(describing());
    all.extend(for_openai());
    all.extend(operating());
    if has_demo {
        all.extend(showing());
    }
    all
}

const ID: &str = "The contextId, percent-encoded.";
const LIMIT: &str = "How many at most, from 1 to 1,000; 100 when absent.";

fn talking() -> Vec<Route> {
    vec![
        route(
            "POST",
            "/v1/messages",
            post(messages::post),
            Doc::new("sendMessages", "Messages", "Sends one message, or an array of them.")
                .more(
                    "One message is answered with its final answer, an array with an array of the same \
                     length. With `Accept: text/event-stream` everything that answers comes as events: \
                     `event: message`, whose `id` counts from 1. A message that is sent again with the \
                     same messageId has effect once, and gets the same answer.",
                )
                .header("MCP-CP-Version", "The version that the client speaks; 1.0.0 when absent.")
                .header("Last-Event-ID", "Of a stream that broke: what came before is not repeated.")
                .takes(Body::json(Shape::MessageOrMessages))
                .gives(Answer::json(200, "The answer.", Shape::MessageOrMessages))
                .gives(Answer::new(200, "The answers as a stream.", "text/event-stream", Shape::Text)),
        ),
        route(
            "GET",
            "/v1/ws",
            get(socket::open),
            Doc::new("openSocket", "Messages", "Opens a WebSocket.")
                .more(
                    "Subprotocol `mcp-cp.1`. The first message is HELLO, each frame holds a message or an \
                     array. A page that can't set a header gives its token as a further subprotocol: \
                     `bearer.` and the token in base64url.",
                )
                .header("Sec-WebSocket-Protocol", "mcp-cp.1, bearer.<token in base64url>")
                .gives(Answer::empty(101, "A WebSocket.")),
        ),
    ]
}

fn reading() -> Vec<Route> {
    vec![
        route(
            "GET",
            "/v1/contexts",
            get(contexts::list),
            Doc::new(
                "listContexts",
                "Contexts",
                "A page of the contexts, in the order of their creation.",
            )
            .query("after", "The `next` of the page before.", "string")
            .query("limit", LIMIT, "integer")
            .gives(Answer::json(200, "A page.", Shape::Own("ContextPage"))),
        ),
        route(
            "GET",
            "/v1/contexts/{id}",
            get(contexts::get),
            Doc::new("getContext", "Contexts", "A context with its state and messages.")
                .path("id", ID)
                .query("messages", "Only so many of the last messages, from 0 to 1,000.", "integer")
                .header("If-None-Match", "The ETag of what the client has.")
                .gives(Answer::json(
                    200,
                    "The context; its ETag is of its version.",
                    Shape::Own("CONTEXT"),
                ))
                .gives(Answer::empty(304, "The client has it.")),
        ),
        route(
            "GET",
            "/v1/contexts/{id}/messages",
            get(contexts::messages),
            Doc::new(
                "listMessages",
                "Contexts",
                "A page of the messages, in the order of arrival.",
            )
            .path("id", ID)
            .query("after", "The `next` of the page before, a `metadata.seq`.", "integer")
            .query("limit", LIMIT, "integer")
            .gives(Answer::json(200, "A page.", Shape::Own("MessagePage"))),
        ),
        route(
            "GET",
            "/v1/contexts/{id}/changes",
            get(contexts::changes),
            Doc::new("listChanges", "Contexts", "What changed after a version.")
                .path("id", ID)
                .query(
                    "since",
                    "The version that the client has, or the `next` of the page before.",
                    "integer",
                )
                .query("limit", LIMIT, "integer")
                .gives(Answer::json(200, "A page.", Shape::Own("ChangePage"))),
        ),
        route(
            "GET",
            "/v1/contexts/{id}/export",
            get(contexts::export),
            Doc::new(
                "exportContext",
                "Contexts",
                "A context as JSON lines: itself, then its messages.",
            )
            .path("id", ID)
            .gives(Answer::new(200, "The lines.", "application/x-ndjson", Shape::Text)),
        ),
    ]
}

fn changing() -> Vec<Route> {
    let head = || Shape::Own("ContextHead");
    vec![
        route(
            "POST",
            "/v1/contexts",
            post(contexts::create),
            Doc::new("createContext", "Contexts", "Makes a context before its first message.")
                .more("An id that is in use is refused with 409, so that a request that is repeated with an id of the client's changes nothing.")
                .takes(Body::json(Shape::Own("NewContext")).optional())
                .gives(Answer::json(201, "The context; Location and ETag are its.", Shape::Own("CONTEXT"))),
        ),
        route(
            "DELETE",
            "/v1/contexts/{id}",
            delete(contexts::delete),
            Doc::new("deleteContext", "Contexts", "Removes a context with all it holds.")
                .path("id", ID)
                .gives(Answer::empty(204, "It is gone.")),
        ),
        route(
            "POST",
            "/v1/contexts/{id}/fork",
            post(contexts::fork),
            Doc::new("forkContext", "Contexts", "Copies a context; the copy goes its own way.")
                .path("id", ID)
                .takes(Body::json(Shape::Own("NewFork")).optional())
                .gives(Answer::json(201, "The copy; Location and ETag are its.", head())),
        ),
        route(
            "POST",
            "/v1/contexts/import",
            post(contexts::import),
            Doc::new("importContext", "Contexts", "Takes in what an export gave, or a context as JSON.")
                .more("Messages of senders for whom the token may not speak are refused. At most 16 MiB.")
                .query("contextId", "The id that the context gets; else that of the import, or a new one.", "string")
                .takes(Body::of("application/x-ndjson", Shape::Text).or("application/json", Shape::Own("CONTEXT")))
                .gives(Answer::json(201, "The context; Location and ETag are its.", head())),
        ),
    ]
}

fn describing() -> Vec<Route> {
    vec![
        route(
            "GET",
            "/v1/schemas",
            get(schemas::list),
            Doc::new(
                "listSchemas",
                "Description",
                "The types of messages, and where their schemas are.",
            )
            .open()
            .gives(Answer::json(200, "The types.", Shape::Own("SchemaList"))),
        ),
        route(
            "GET",
            "/v1/schemas/{name}",
            get(schemas::get),
            Doc::new("getSchema", "Description", "The JSON Schema (2020-12) of a type.")
                .open()
                .path("name", "The type, or CONTEXT.")
                .gives(Answer::new(200, "The schema.", "application/schema+json", Shape::Object)),
        ),
        route(
            "GET",
            openapi::PATH,
            get(openapi::get),
            Doc::new("getDescription", "Description", "This description.")
                .open()
                .gives(Answer::json(200, "An OpenAPI document.", Shape::Object)),
        ),
    ]
}

fn for_openai() -> Vec<Route> {
    let object = || Shape::Object;
    vec![
        route(
            "GET",
            "/v1/models",
            get(openai::list),
            Doc::new("listModels", "OpenAI", "The agents, as models.").gives(Answer::json(
                200,
                "A list of models.",
                object(),
            )),
        ),
        route(
            "GET",
            "/v1/models/{*id}",
            get(openai::get),
            Doc::new("getModel", "OpenAI", "An agent, as a model.")
                .path("id", "The agent's name.")
                .gives(Answer::json(200, "A model.", object())),
        ),
        route(
            "POST",
            "/v1/chat/completions",
            post(openai::chat),
            Doc::new("createChatCompletion", "OpenAI", "Asks an agent, as OpenAI's clients do.")
                .takes(Body::json(object()))
                .gives(Answer::json(200, "A completion.", object()))
                .gives(Answer::new(
                    200,
                    "Chunks, when `stream` is true.",
                    "text/event-stream",
                    Shape::Text,
                )),
        ),
    ]
}

fn operating() -> Vec<Route> {
    vec![
        route(
            "GET",
            "/healthz",
            get(status::alive),
            Doc::new("getHealth", "Operation", "Whether the program runs.")
                .open()
                .gives(Answer::json(200, "It runs.", Shape::Object)),
        ),
        route(
            "GET",
            "/readyz",
            get(status::ready),
            Doc::new("getReadiness", "Operation", "Whether messages are taken.")
                .open()
                .gives(Answer::json(200, "They are.", Shape::Object))
                .gives(Answer::json(503, "They are not; `reasons` says why.", Shape::Object)),
        ),
        route(
            "GET",
            "/metrics",
            get(status::metrics),
            Doc::new("getMetrics", "Operation", "Figures in the format of Prometheus.")
                .gives(Answer::new(200, "The figures.", "text/plain", Shape::Text)),
        ),
    ]
}

fn showing() -> Vec<Route> {
    let page = |status, what| Answer::new(status, what, "text/html", Shape::Text);
    vec![
        route(
            "GET",
            "/demo",
            get(demo::folder),
            Doc::new("findDemo", "Demo", "Leads to the page.")
                .open()
                .gives(Answer::empty(308, "It is at /demo/.")),
        ),
        route(
            "GET",
            "/demo/",
            get(demo::index),
            Doc::new("getDemo", "Demo", "A page that talks to the agents.")
                .open()
                .gives(page(200, "The page.")),
        ),
        route(
            "GET",
            "/demo/{*path}",
            get(demo::file),
            Doc::new("getDemoFile", "Demo", "A file of the page.")
                .open()
                .path("path", "The file.")
                .gives(Answer::new(200, "The file.", "*/*", Shape::Text)),
        ),
    ]
}
