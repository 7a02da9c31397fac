//! `/v1/models` and `/v1/chat/completions`, as OpenAI's clients call them (CP-5).

use super::answer;
use super::extract::{Counted, Sender};
use super::messages;
use super::refused::{Answer, Refused};
use super::shared::Shared;
use super::stream::{keep_alive, revoked, token_over};
use crate::serve::caller::Scope;
use crate::serve::exchange::rights::forbidden;
use crate::serve::openai::{
    Chat, ChatAnswer, ChatEvent, ChatTurn, Chunks, Failure, ask, completion, model,
};
use crate::web::is_json;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use contexture::llm::BoxFuture;
use contexture_protocol::{ErrorCode, Refusal};
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

/// A failure within this time has a status of its own; after it, a stream has begun.
const HEAD_START: Duration = Duration::from_secs(3);
/// The header with the id of the context.
const CONTEXT: &str = "x-context-id";

/// `GET /v1/models`
pub(super) async fn list(State(shared): State<Shared>, Counted(_): Counted) -> Answer {
    let agents = shared.app.agents.all().iter();
    let models: Vec<Value> = agents.map(|agent| model(&agent.name, shared.app.begun)).collect();
    Ok(answer::openai(StatusCode::OK, &json!({ "object": "list", "data": models })))
}

/// `GET /v1/models/{id}`
pub(super) async fn get(
    State(shared): State<Shared>,
    Counted(_): Counted,
    Path(name): Path<String>,
) -> Answer {
    let agents = &shared.app.agents;
    Ok(match agents.named(&name) {
        Some(agent) => answer::openai(StatusCode::OK, &model(&agent.name, shared.app.begun)),
        None => answer::openai_failure(&Failure::no_model(&name, agents.suggestion(&name))),
    })
}

/// `POST /v1/chat/completions`
pub(super) async fn chat(
    State(shared): State<Shared>,
    Sender(caller): Sender,
    request: Request,
) -> Answer {
    let app = &shared.app;
    if !caller.grant.scopes.contains(&Scope::Run) {
        return Err(forbidden(Scope::Run).into());
    }
    // A page of another origin can't send JSON without a preflight request.
    if !is_json(request.headers()) {
        let text = "the body has to be application/json";
        let refused = Refusal::new(ErrorCode::ParseError, text);
        return Err(refused.suggest("Send the header Content-Type: application/json.").into());
    }
    let context = request.headers().get(CONTEXT).and_then(|context| context.to_str().ok());
    let context = context.filter(|context| !context.is_empty()).map(str::to_owned);
    let body = messages::body(app, request).await?;
    let mut chat = match Chat::read(&body, &app.agents) {
        Ok(chat) => chat,
        Err(wrong) => return Ok(answer::openai_failure(&wrong)),
    };
    chat.context = chat.context.or(context);
    // A request in a context is counted with its message.
    if chat.context.is_none() {
        shared.guard.count(&caller)?;
    }
    let (id, created) = (app.maker.id("chatcmpl"), app.maker.now_seconds());
    let name = chat.agent.name.clone();
    let (is_streamed, with_usage) = (chat.is_streamed, chat.with_usage);
    let revoked = revoked(app, &caller);
    let turn = ask(app, &caller, chat);
    if is_streamed {
        let chunks = Chunks::new(id, created, name, with_usage);
        return stream(&shared, (turn, revoked), chunks).await;
    }
    let answered = tokio::select! {
        answered = whole(turn) => answered,
        () = revoked => Err(token_over()),
    };
    Ok(answer::openai(StatusCode::OK, &completion(&id, created, &name, answered?)))
}

async fn whole(mut turn: ChatTurn) -> Result<ChatAnswer, Refusal> {
    loop {
        match turn.events.recv().await {
            Some(ChatEvent::End(outcome)) => return outcome,
            Some(ChatEvent::Text(_) | ChatEvent::Break) => {}
            None => return Err(broken()),
        }
    }
}

fn broken() -> Refusal {
    Refusal::new(ErrorCode::Internal, "the turn failed inside the server")
}

/// Creates the response of a stream. An immediate failure gets a status of its own.
async fn stream(
    shared: &Shared,
    (mut turn, revoked): (ChatTurn, BoxFuture<'static, ()>),
    chunks: Chunks,
) -> Answer {
    let first = match tokio::time::timeout(HEAD_START, turn.events.recv()).await {
        Ok(None) => return Err(broken().into()),
        Ok(Some(ChatEvent::End(Err(refused)))) => return Err(Refused::from(refused)),
        Ok(event) => event,
        Err(_) => None,
    };
    let ready = VecDeque::from([chunks.first().to_string()]);
    let mut state =
        ChatStream { shared: shared.clone(), turn, revoked, chunks, ready, is_over: false };
    if first.is_some() {
        state.take(first);
    }
    let events = stream::unfold(state, ChatStream::next);
    let mut response = Sse::new(events).keep_alive(keep_alive(&shared.app)).into_response();
    // A proxy in between must not buffer.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// The state of a stream. It is dropped with the connection, which cancels the turn.
struct ChatStream {
    shared: Shared,
    turn: ChatTurn,
    /// Completes when the token of the client is no longer valid.
    revoked: BoxFuture<'static, ()>,
    chunks: Chunks,
    ready: VecDeque<String>,
    is_over: bool,
}

impl ChatStream {
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
                event = self.turn.events.recv() => self.take(event),
            }
        }
    }

    fn take(&mut self, event: Option<ChatEvent>) {
        match event {
            Some(ChatEvent::Text(text)) => {
                self.ready.extend(self.chunks.text(&text).map(|chunk| chunk.to_string()));
            }
            Some(ChatEvent::Break) => self.chunks.pause(),
            Some(ChatEvent::End(Ok(answer))) => {
                let chunks = self.chunks.end(answer);
                self.ready.extend(chunks.iter().map(Value::to_string));
                self.ready.push_back("[DONE]".to_owned());
                self.is_over = true;
            }
            Some(ChatEvent::End(Err(refused))) => self.fail(&refused),
            None => self.fail(&broken()),
        }
    }

    fn fail(&mut self, refused: &Refusal) {
        self.shared.app.maker.count(refused);
        self.ready.push_back(Failure::of(refused).body().to_string());
        self.is_over = true;
    }
}
