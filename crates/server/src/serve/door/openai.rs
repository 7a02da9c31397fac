//! `/v1/models` and `/v1/chat/completions`, as OpenAI's clients call them (CP-5).

use super::stream::{keep_alive, revoked, token_over};
use super::{Shared, messages};
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::forbidden;
use crate::serve::openai::{Answer, Asked, Chat, Chunks, Failure, Said, ask, completion, model};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use contexture::llm::BoxFuture;
use contexture_protocol::{ErrorCode, Refusal};
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

/// A failure within this time has a status of its own; after it, a stream has begun.
const HEAD_START: Duration = Duration::from_secs(3);
/// The context that is talked in.
const CONTEXT: &str = "x-context-id";

/// `GET /v1/models`
pub(super) async fn list(State(shared): State<Shared>, request: Request) -> Response {
    if let Err(refused) = counted(&shared, &request) {
        return failed(&shared, &refused);
    }
    let agents = shared.app.agents.all().iter();
    let models: Vec<Value> = agents.map(|agent| model(&agent.name, shared.app.begun)).collect();
    answer(StatusCode::OK, &json!({ "object": "list", "data": models }))
}

/// `GET /v1/models/{id}`
pub(super) async fn get(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    if let Err(refused) = counted(&shared, &request) {
        return failed(&shared, &refused);
    }
    let agents = &shared.app.agents;
    match agents.named(&name) {
        Some(agent) => answer(StatusCode::OK, &model(&agent.name, shared.app.begun)),
        None => failure(&Failure::no_model(&name, agents.suggestion(&name))),
    }
}

/// `POST /v1/chat/completions`
pub(super) async fn chat(State(shared): State<Shared>, request: Request) -> Response {
    let caller = match admit(&shared, &request) {
        Ok(caller) => caller,
        Err(refused) => return failed(&shared, &refused),
    };
    let context = context(&request);
    let body = match messages::body(&shared.app, request).await {
        Ok(body) => body,
        Err(refused) => return failed(&shared, &refused),
    };
    let mut chat = match Chat::read(&body, &shared.app.agents) {
        Ok(chat) => chat,
        Err(wrong) => return failure(&wrong),
    };
    chat.context = chat.context.or(context);
    // What is said in a context counts as its message does.
    if chat.context.is_none()
        && let Err(refused) = shared.guard.count(&caller)
    {
        return failed(&shared, &refused);
    }
    let id = shared.app.maker.id("chatcmpl");
    let created = shared.app.maker.now_seconds();
    let name = chat.agent.name.clone();
    let (is_streamed, tells_usage) = (chat.is_streamed, chat.tells_usage);
    let revoked = revoked(&shared.app, &caller);
    let asked = ask(&shared.app, &caller, chat);
    if is_streamed {
        let chunks = Chunks::new(id, created, name, tells_usage);
        return stream(&shared, (asked, revoked), chunks).await;
    }
    let said = tokio::select! {
        said = whole(asked) => said,
        () = revoked => Err(token_over()),
    };
    match said {
        Ok(said) => answer(StatusCode::OK, &completion(&id, created, &name, said)),
        Err(refused) => failed(&shared, &refused),
    }
}

fn admit(shared: &Shared, request: &Request) -> Result<Caller, Refusal> {
    let caller = shared.guard.admit(request)?;
    if !caller.grant.scopes.allow(Scope::Run) {
        return Err(forbidden(Scope::Run.as_str()));
    }
    // A page of another origin can't send JSON without being asked about first.
    if !messages::is_json(request.headers()) {
        let text = "the body has to be application/json";
        return Err(Refusal::new(ErrorCode::ParseError, text)
            .suggest("Send the header Content-Type: application/json."));
    }
    Ok(caller)
}

/// Lets in a request that carries no message.
fn counted(shared: &Shared, request: &Request) -> Result<(), Refusal> {
    let caller = shared.guard.admit(request)?;
    shared.guard.count(&caller)
}

fn context(request: &Request) -> Option<String> {
    let context = request.headers().get(CONTEXT)?.to_str().ok()?;
    (!context.is_empty()).then(|| context.to_owned())
}

/// Waits for the whole answer.
async fn whole(mut asked: Asked) -> Result<Answer, Refusal> {
    loop {
        match asked.said.recv().await {
            Some(Said::End(outcome)) => return outcome,
            Some(Said::Text(_) | Said::Break) => {}
            None => return Err(broken()),
        }
    }
}

fn broken() -> Refusal {
    Refusal::new(ErrorCode::Internal, "the turn broke off inside the server")
}

/// The answer as events. What fails at once still gets a status of its own.
async fn stream(
    shared: &Shared,
    (mut asked, revoked): (Asked, BoxFuture<'static, ()>),
    chunks: Chunks,
) -> Response {
    let first = match tokio::time::timeout(HEAD_START, asked.said.recv()).await {
        Ok(None) => return failed(shared, &broken()),
        Ok(Some(Said::End(Err(refused)))) => return failed(shared, &refused),
        Ok(said) => said,
        Err(_) => None,
    };
    let shared_too = shared.clone();
    let mut told =
        Told { shared: shared_too, asked, revoked, chunks, ready: VecDeque::new(), is_over: false };
    told.ready.push_back(told.chunks.first().to_string());
    if let Some(said) = first {
        told.take(Some(said));
    }
    let events = stream::unfold(told, Told::next);
    let mut response = Sse::new(events).keep_alive(keep_alive(&shared.app)).into_response();
    // A proxy in between is not to wait for more.
    let name = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(name, HeaderValue::from_static("no"));
    response
}

/// The state of a stream. It is dropped with the connection, which cancels the turn.
struct Told {
    shared: Shared,
    asked: Asked,
    /// Done when the client's token lets in no longer.
    revoked: BoxFuture<'static, ()>,
    chunks: Chunks,
    ready: VecDeque<String>,
    is_over: bool,
}

impl Told {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Some((Ok(Event::default().data(data)), self));
            }
            if self.is_over {
                return None;
            }
            tokio::select! {
                biased;
                () = &mut self.revoked => self.fail(&token_over()),
                said = self.asked.said.recv() => self.take(said),
            }
        }
    }

    fn take(&mut self, said: Option<Said>) {
        match said {
            Some(Said::Text(text)) => {
                self.ready.extend(self.chunks.text(&text).map(|chunk| chunk.to_string()));
            }
            Some(Said::Break) => self.chunks.pause(),
            Some(Said::End(Ok(answer))) => {
                let chunks = self.chunks.end(answer);
                self.ready.extend(chunks.iter().map(Value::to_string));
                self.ready.push_back("[DONE]".to_owned());
                self.is_over = true;
            }
            Some(Said::End(Err(refused))) => self.fail(&refused),
            None => self.fail(&broken()),
        }
    }

    fn fail(&mut self, refused: &Refusal) {
        self.shared.app.maker.count(refused);
        self.ready.push_back(Failure::of(refused).body().to_string());
        self.is_over = true;
    }
}

/// Reports whether clients of OpenAI call this path.
pub(super) fn is_own(path: &str) -> bool {
    path == "/v1/chat/completions" || path == "/v1/models" || path.starts_with("/v1/models/")
}

/// A refusal, in the form that clients of OpenAI read, with a status of its own.
pub(super) fn refusal(shared: &Shared, refused: &Refusal, status: Option<StatusCode>) -> Response {
    let mut response = failed(shared, refused);
    if let Some(status) = status {
        *response.status_mut() = status;
    }
    response
}

/// A refusal of the protocol as the answer.
fn failed(shared: &Shared, refused: &Refusal) -> Response {
    shared.app.maker.count(refused);
    let mut response = failure(&Failure::of(refused));
    if let Some(seconds) = refused.details.get("retryAfter").and_then(Value::as_u64) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn failure(failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = answer(status, &failure.body());
    let headers = response.headers_mut();
    // OpenAI's clients send a failed request again by themselves: what an agent did is not done
    // twice without anybody's asking for it.
    let again = if failure.is_passing && failure.status != 504 { "true" } else { "false" };
    headers.insert(HeaderName::from_static("x-should-retry"), HeaderValue::from_static(again));
    if failure.status == 401 {
        let bearer = HeaderValue::from_static("Bearer realm=\"contexture\"");
        headers.insert(header::WWW_AUTHENTICATE, bearer);
    }
    response
}

fn answer(status: StatusCode, value: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, kind, value.to_string()).into_response()
}
