//! All paths of the server. The router and `/v1/openapi.json` are made from this one table, so that
//! neither has a path which the other lacks.

use super::shared::Shared;
use super::{
    contexts, demo, flows, inspector, messages, offered, openai, openapi, pairing, runs, schemas,
    settle, socket, status, waits,
};
use crate::inspect;
use crate::route::{self, JSON, Shape, delete, get, patch, post, routed};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::options;
use axum::{Extension, Router};

/// An operation of this server.
pub(super) type Route = route::Route<Shared>;

/// Creates the router of all paths. Each path answers OPTIONS with its methods.
pub(super) fn router(shared: &Shared, has_demo: bool) -> Router<Shared> {
    let all = all(has_demo, &shared.inspector);
    let description = openapi::Description::of(&all);
    let mut paths: Vec<(String, Vec<&'static str>)> = Vec::new();
    for route in &all {
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, methods)) => methods.push(route.method),
            None => paths.push((route.path.clone(), vec![route.method])),
        }
    }
    let mut router = routed(inspector::guarded(all, shared));
    for (path, methods) in paths {
        router = router.route(&path, options(move || std::future::ready(allowed(&methods))));
    }
    router.layer(Extension(description))
}

fn allowed(methods: &[&str]) -> Response {
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

pub(super) fn all(has_demo: bool, inspector: &inspect::Shared) -> Vec<Route> {
    let mut all = for_messages();
    all.extend(for_reading());
    all.extend(for_changes());
    all.extend(for_runs());
    all.extend(for_waits());
    all.extend(for_description());
    all.extend(for_openai());
    all.extend(for_operation());
    all.extend(inspector::routes(inspector));
    if has_demo {
        all.extend(for_demo());
    }
    all
}

const ID: &str = "The contextId, percent-encoded.";
const LIMIT: &str = "How many at most, from 1 to 1,000; 100 when absent.";
const CREATED: &str = "The context; Location and ETag are its.";
const EVENTS: &str = "text/event-stream";
const HEAD: Shape = Shape::Own("ContextHead");
const CONTEXT: Shape = Shape::Own("CONTEXT");

fn for_messages() -> Vec<Route> {
    let batch = Shape::MessageOrMessages;
    vec![
        post("/v1/messages", messages::post)
            .doc("sendMessages", "Messages", "Sends one message, or an array of them.")
            .description(
                "One message is answered with its final answer, an array with an array of the same \
                 length. With `Accept: text/event-stream` everything that answers comes as events: \
                 `event: message`, whose `id` counts from 1. A message that is sent again with the \
                 same messageId has effect once, and gets the same answer.",
            )
            .header("MCP-CP-Version", "The version that the client speaks; 1.0.0 when absent.")
            .header("Last-Event-ID", "Of a stream that broke: earlier events are not repeated.")
            .body(&[(JSON, batch)])
            .json(200, "The answer.", batch)
            .answer(200, "The answers as a stream.", EVENTS, Shape::Text),
        get("/v1/ws", socket::open)
            .doc("openSocket", "Messages", "Opens a WebSocket.")
            .description(
                "Subprotocol `mcp-cp.1`. The first message is HELLO, each frame holds a message or an \
                 array. A page that can't set a header gives its token as a further subprotocol: \
                 `bearer.` and the token in base64url.",
            )
            .header("Sec-WebSocket-Protocol", "mcp-cp.1, bearer.<token in base64url>")
            .empty(101, "A WebSocket."),
        post(pairing::PATH, pairing::post)
            .doc("pairPage", "Messages", "Lets in a page of another origin by a code.")
            .description(
                "On a server without tokens: `{code}` with the code that its start printed gives \
                 `{token, origin}`, once. The token is good for pages of that origin.",
            )
            .public()
            .body(&[(JSON, Shape::Object)])
            .json(200, "The token of the page.", Shape::Object),
    ]
}

fn for_reading() -> Vec<Route> {
    let page = Shape::Own;
    vec![
        get("/v1/contexts", contexts::read::list)
            .doc("listContexts", "Contexts", "Lists contexts in the order of their creation.")
            .description(
                "With `search`, those whose title (`metadata.title`), topic (`state.currentTopic`) or \
                 texts of messages hold it, in whatever case. The work on a page is limited: it may \
                 have few contexts or none, and a `next`.",
            )
            .query("search", "A text of 1 to 200 characters.")
            .query("after", "The `next` of the page before.")
            .query_number("limit", LIMIT)
            .json(200, "A page.", page("ContextPage")),
        get("/v1/contexts/{id}", contexts::whole::get)
            .doc("getContext", "Contexts", "Returns a context with its state and messages.")
            .path("id", ID)
            .query_number(
                "messages",
                "The number of last messages, from 0 to 1,000; all if absent.",
            )
            .header("If-None-Match", "The ETag of the client's copy.")
            .json(200, "The context; its ETag is of its version.", CONTEXT)
            .empty(304, "The client has this version."),
        get("/v1/contexts/{id}/messages", contexts::read::messages)
            .doc("listMessages", "Contexts", "Lists messages in the order of arrival.")
            .path("id", ID)
            .description(
                "With `before`, the newest page comes first, ascending in itself: messages of a \
                 smaller `metadata.seq`, or the newest when it has no value. Its `next` is the \
                 `before` of the page that precedes it.",
            )
            .query_number("after", "The `next` of the page before, a `metadata.seq`.")
            .query("before", "A `metadata.seq`, or nothing.")
            .query_number("limit", LIMIT)
            .json(200, "A page.", page("MessagePage")),
        get("/v1/contexts/{id}/changes", contexts::read::changes)
            .doc("listChanges", "Contexts", "Lists the changes after a version.")
            .path("id", ID)
            .query_number("since", "The client's version, or the `next` of the page before.")
            .query_number("limit", LIMIT)
            .json(200, "A page.", page("ChangePage")),
        get("/v1/contexts/{id}/export", contexts::export::export)
            .doc("exportContext", "Contexts", "Returns a context and its messages as JSON lines.")
            .path("id", ID)
            .answer(200, "The lines.", "application/x-ndjson", Shape::Text),
    ]
}

fn for_changes() -> Vec<Route> {
    vec![
        post("/v1/contexts", contexts::create::create)
            .doc("createContext", "Contexts", "Creates a context before its first message.")
            .description(
                "An id that is in use is refused with 409, so that a request that is repeated with \
                 an id of the client's changes nothing.",
            )
            .optional_body(Shape::Own("NewContext"))
            .json(201, CREATED, CONTEXT),
        patch("/v1/contexts/{id}", contexts::patch::patch)
            .doc("patchContext", "Contexts", "Changes the metadata of a context, such as its title.")
            .description(
                "`metadata` is a merge patch (RFC 7396): a field that is null is removed. It makes a \
                 version, as other updates do. The `userId` is fixed.",
            )
            .path("id", ID)
            .query_number("baseVersion", "The version that the client has seen.")
            .header("If-Match", "The ETag of the client's copy: another version is refused with 412.")
            .body(&[(JSON, Shape::Own("MetadataPatch"))])
            .json(200, "The context; its ETag is of its version.", HEAD),
        delete("/v1/contexts/{id}", contexts::read::delete)
            .doc("deleteContext", "Contexts", "Deletes a context with its messages.")
            .path("id", ID)
            .empty(204, "The context is deleted."),
        post("/v1/contexts/{id}/fork", contexts::create::fork)
            .doc("forkContext", "Contexts", "Creates an independent copy of a context.")
            .path("id", ID)
            .optional_body(Shape::Own("NewFork"))
            .json(201, "The copy; Location and ETag are its.", HEAD),
        post("/v1/contexts/import", contexts::import::import)
            .doc("importContext", "Contexts", "Imports an export, or a context as JSON.")
            .description(
                "Messages of senders for whom the token may not speak get `metadata.imported: true`. \
                 At most 16 MiB.",
            )
            .query("contextId", "The id of the new context; else that of the import, or a new one.")
            .body(&[("application/x-ndjson", Shape::Text), (JSON, CONTEXT)])
            .json(201, CREATED, HEAD),
    ]
}

fn for_runs() -> Vec<Route> {
    const RUN: &str = "The id of the run.";
    const SETTLE: &str = "A server was killed while it was done, and nobody knows whether it was: \
        look at the other side. `outcome` is `done`, with what it gave as `result`, or `again`, or \
        `failed`. It goes on when nothing of it is in doubt any more; the answer comes into the \
        context, after the one that it had.";
    let flow = Shape::Own("Flow");
    vec![
        get("/v1/runs", runs::list)
            .doc("listRuns", "Runs", "Lists runs of programs, the newest first.")
            .description("The owner's own; with the scope `inspect`, those of all.")
            .query("after", "The `next` of the page before.")
            .query_number("limit", LIMIT)
            .query("failed", "`true` for those that failed or were killed.")
            .json(200, "A page.", Shape::Own("RunPage")),
        get("/v1/flows", flows::list)
            .doc("listFlows", "Runs", "Lists runs of sets, the newest first.")
            .description("The owner's own; with the scope `inspect`, those of all.")
            .query("after", "The `next` of the page before.")
            .query_number("limit", LIMIT)
            .query("unfinished", "`true` for those that have not ended.")
            .json(200, "A page.", Shape::Own("FlowPage")),
        get("/v1/flows/{id}", flows::get)
            .doc("getFlow", "Runs", "Returns the run of a set: the set, outcomes and events.")
            .path("id", RUN)
            .json(200, "The run.", flow),
        post("/v1/flows/{id}/{action}", flows::steer)
            .doc("steerFlow", "Runs", "Cancels, pauses or resumes the run of a set.")
            .path("id", RUN)
            .path("action", "`cancel`, `pause` or `resume`.")
            .json(200, "The run, which may go on for a moment.", flow),
        post("/v1/flows/{id}/settle", settle::flow)
            .doc("settleFlow", "Runs", "Says what came of a step in doubt; the set goes on.")
            .description(SETTLE)
            .path("id", RUN)
            .body(&[(JSON, Shape::Own("Settlement"))])
            .json(200, "What is still in doubt.", Shape::Own("InDoubt")),
        post("/v1/runs/{id}/settle", settle::run)
            .doc("settleRun", "Runs", "Says what came of a call in doubt; the turn goes on.")
            .description(SETTLE)
            .path("id", RUN)
            .body(&[(JSON, Shape::Own("Settlement"))])
            .json(200, "What is still in doubt.", Shape::Own("InDoubt")),
        post("/v1/runs/{id}/cancel", runs::cancel)
            .doc("cancelRun", "Runs", "Cancels the turn of a run, as CONTROL does.")
            .path("id", RUN)
            .json(200, "The run, which may go on for a moment.", Shape::Own("Run")),
        post("/v1/runs/{id}/resume", runs::resume)
            .doc("resumeRun", "Runs", "Goes on with a turn whose outcome is not known.")
            .description(
                "The turn of a run whose answer is OUTCOME_UNCERTAIN: the call of a model is made \
                 again; a call that changes something has to be settled first. The answer comes into \
                 the context, after the refusal.",
            )
            .path("id", RUN)
            .json(200, "The run.", Shape::Own("Run")),
        get("/v1/tools", offered::tools)
            .doc("listTools", "Runs", "Lists what tool calls can call, with schemas.")
            .json(200, "The tools.", Shape::Own("ToolList")),
        get("/v1/actions", offered::actions)
            .doc("listActions", "Runs", "Lists what instructions can call, with schemas.")
            .json(200, "The actions.", Shape::Own("ActionList")),
        get("/v1/runs/{id}", runs::get)
            .doc("getRun", "Runs", "Returns the record of a run.")
            .description(
                "The run that the `metadata.run` of an answer names: program, outcome, times, model, \
                 tokens, cost. A token with the scope `inspect` sees all runs, with `events`: the \
                 run and its first model calls as they are kept.",
            )
            .path("id", RUN)
            .json(200, "The record.", Shape::Own("Run")),
    ]
}

fn for_waits() -> Vec<Route> {
    const CALL: &str = "The callId, percent-encoded.";
    const CONTEXT: &str = "The context, where several have a call of this id.";
    vec![
        get("/v1/waits", waits::list)
            .doc("listWaits", "Waits", "Lists calls and questions that wait, the oldest first.")
            .query("contextId", "Only those of this context.")
            .query_number("after", "The `next` of the page before.")
            .query_number("limit", LIMIT)
            .json(200, "A page.", Shape::Own("WaitPage")),
        post("/v1/waits/{callId}", waits::respond)
            .doc("answerWait", "Waits", "Answers a call with its result, without the callId.")
            .path("callId", CALL)
            .query("contextId", CONTEXT)
            .body(&[(JSON, Shape::Object)])
            .json(200, "The answer is stored, and counts.", Shape::Object),
        delete("/v1/waits/{callId}", waits::cancel)
            .doc("cancelWait", "Waits", "Cancels a call: it fails with CANCELLED.")
            .path("callId", CALL)
            .query("contextId", CONTEXT)
            .empty(204, "The call is cancelled."),
    ]
}

fn for_description() -> Vec<Route> {
    vec![
        get("/v1/schemas", schemas::list)
            .doc("listSchemas", "Description", "Lists the types of messages and their schemas.")
            .public()
            .json(200, "The types.", Shape::Own("SchemaList")),
        get("/v1/schemas/{name}", schemas::get)
            .doc("getSchema", "Description", "Returns the JSON Schema (2020-12) of a type.")
            .public()
            .path("name", "The type, or CONTEXT.")
            .answer(200, "The schema.", "application/schema+json", Shape::Object),
        get(openapi::PATH, openapi::get)
            .doc("getDescription", "Description", "Returns this description.")
            .public()
            .json(200, "An OpenAPI document.", Shape::Object),
    ]
}

fn for_openai() -> Vec<Route> {
    vec![
        get("/v1/models", openai::list)
            .doc("listModels", "OpenAI", "Lists the agents as models.")
            .json(200, "A list of models.", Shape::Object),
        get("/v1/models/{*id}", openai::get)
            .doc("getModel", "OpenAI", "Returns an agent as a model.")
            .path("id", "The agent's name.")
            .json(200, "A model.", Shape::Object),
        post("/v1/chat/completions", openai::chat)
            .doc("createChatCompletion", "OpenAI", "Asks an agent, as OpenAI's clients do.")
            .body(&[(JSON, Shape::Object)])
            .json(200, "A completion.", Shape::Object)
            .answer(200, "Chunks, when `stream` is true.", EVENTS, Shape::Text),
        post("/v1/responses", openai::responses)
            .doc("createResponse", "OpenAI", "Asks an agent, as clients of Responses do.")
            .description(
                "A response is a context of its id unless `store` is false; `previous_response_id` \
                 continues a copy of one.",
            )
            .body(&[(JSON, Shape::Object)])
            .json(200, "A response.", Shape::Object)
            .answer(200, "Events, when `stream` is true.", EVENTS, Shape::Text),
        post("/v1/embeddings", openai::embed)
            .doc("createEmbeddings", "OpenAI", "Returns vectors of texts.")
            .description("404 on a server without `[serve] embeddings`.")
            .body(&[(JSON, Shape::Object)])
            .json(200, "A list of vectors.", Shape::Object),
    ]
}

fn for_operation() -> Vec<Route> {
    vec![
        get("/healthz", status::alive)
            .doc("getHealth", "Operation", "Reports whether the program runs.")
            .public()
            .json(200, "The program runs.", Shape::Object),
        get("/readyz", status::ready)
            .doc("getReadiness", "Operation", "Reports whether messages are accepted.")
            .public()
            .json(200, "Messages are accepted.", Shape::Object)
            .json(503, "Messages are not accepted, for these `reasons`.", Shape::Object),
        get("/metrics", status::metrics)
            .doc("getMetrics", "Operation", "Returns metrics in the format of Prometheus.")
            .answer(200, "The metrics.", "text/plain", Shape::Text),
    ]
}

fn for_demo() -> Vec<Route> {
    vec![
        get("/", demo::folder)
            .doc("findPage", "Demo", "Redirects to the page.")
            .public()
            .empty(308, "The page is at /demo/."),
        get("/demo", demo::folder)
            .doc("findDemo", "Demo", "Redirects to the page.")
            .public()
            .empty(308, "The page is at /demo/."),
        get("/demo/", demo::index)
            .doc("getDemo", "Demo", "Returns a page that talks to the agents.")
            .public()
            .answer(200, "The page.", "text/html", Shape::Text),
        get("/demo/{*path}", demo::file)
            .doc("getDemoFile", "Demo", "Returns a file of the page.")
            .public()
            .path("path", "The file.")
            .answer(200, "The file.", "*/*", Shape::Text),
    ]
}
