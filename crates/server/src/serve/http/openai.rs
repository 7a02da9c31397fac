//! `/v1/models`, `/v1/chat/completions`, `/v1/responses` and `/v1/embeddings`, as OpenAI's clients call them (CP-5, WA-8).

use super::answer;
use super::extract::{Counted, Sender};
use super::messages;
use super::refused::{Answer, Refused};
use super::shared::Shared;
use super::stream::{keep_alive, revoked, token_over};
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::rights::forbidden;
use crate::serve::openai::{
    Asked, Chat, ChatAnswer, ChatEvent, ChatTurn, Chunks, Failure, Frame, Frames, Items, Texts,
    ask, completion, embeddings, fork, go_on, json_of, model, resolve,
};
use crate::web::is_json;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
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
    let mut models: Vec<Value> = agents.map(|agent| model(&agent.name, shared.app.begun)).collect();
    let embeds = shared.app.project.config.serve.embeddings.iter();
    models.extend(embeds.map(|one| model(one.name(), shared.app.begun)));
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
        None if is_for_embeddings(&shared, &name) => {
            answer::openai(StatusCode::OK, &model(&name, shared.app.begun))
        }
        None => answer::openai_failure(&Failure::no_model(&name, agents.suggestion(&name))),
    })
}

fn is_for_embeddings(shared: &Shared, name: &str) -> bool {
    shared.app.project.config.serve.embeddings.as_ref().is_some_and(|one| one.name() == name)
}

/// `POST /v1/chat/completions`
pub(super) async fn chat(
    State(shared): State<Shared>,
    Sender(caller): Sender,
    request: Request,
) -> Answer {
    let app = &shared.app;
    check(&caller, request.headers())?;
    let context = request.headers().get(CONTEXT).and_then(|context| context.to_str().ok());
    let context = context.filter(|context| !context.is_empty()).map(str::to_owned);
    let body = messages::body(app, request).await?;
    let chat = json_of(&body).and_then(|request| Chat::read(&request, &app.agents));
    let mut chat = match chat {
        Ok(chat) => chat,
        Err(wrong) => return Ok(answer::openai_failure(&wrong)),
    };
    chat.context = chat.context.or(context);
    if let Some(context) = chat.context.clone()
        && let Err(wrong) = go_on(app, &caller, &context, &chat).await
    {
        return Ok(answer::openai_failure(&wrong));
    }
    let (id, created) = (app.maker.id("chatcmpl"), app.maker.now_seconds());
    let name = chat.agent.name.clone();
    if chat.is_streamed {
        let chunks = Chunks::new(id, created, name, chat.with_usage);
        return stream(&shared, &caller, chat, Frames::Chat(chunks)).await;
    }
    let answer = whole(&shared, &caller, chat).await?;
    Ok(answer::openai(StatusCode::OK, &completion(&id, created, &name, answer)))
}

/// `POST /v1/responses`
pub(super) async fn responses(
    State(shared): State<Shared>,
    Sender(caller): Sender,
    request: Request,
) -> Answer {
    let app = &shared.app;
    check(&caller, request.headers())?;
    let body = messages::body(app, request).await?;
    let mut request = match json_of(&body) {
        Ok(request) => request,
        Err(wrong) => return Ok(answer::openai_failure(&wrong)),
    };
    resolve(app, caller.owner(), &mut request).await;
    let Asked { mut chat, previous, is_stored, echo } = match Asked::read(&request, &app.agents) {
        Ok(asked) => asked,
        Err(wrong) => return Ok(answer::openai_failure(&wrong)),
    };
    let (id, created) = (app.maker.id("resp"), app.maker.now_seconds());
    if let Some(previous) = &previous
        && let Err(wrong) = fork(app, &caller, (previous, &id), &chat).await
    {
        return Ok(answer::openai_failure(&wrong));
    }
    chat.context = is_stored.then(|| id.clone());
    let mut items = Items::new(&id, created, &chat.agent.name, echo);
    if chat.is_streamed {
        return stream(&shared, &caller, chat, Frames::Responses(items)).await;
    }
    let answer = whole(&shared, &caller, chat).await?;
    items.end(answer, app.maker.now_seconds())?;
    Ok(answer::openai(StatusCode::OK, &items.into_response()))
}

/// `POST /v1/embeddings`
pub(super) async fn embed(
    State(shared): State<Shared>,
    Sender(caller): Sender,
    request: Request,
) -> Answer {
    let app = &shared.app;
    check(&caller, request.headers())?;
    let body = messages::body(app, request).await?;
    let model = app.project.config.serve.embeddings.as_ref();
    let asked = json_of(&body).and_then(|request| Texts::read(&request, model));
    let (asked, model) = match (asked, model) {
        (Ok(asked), Some(model)) => (asked, model),
        (Err(wrong), _) => return Ok(answer::openai_failure(&wrong)),
        (Ok(_), None) => return Err(broken().into()),
    };
    // What embeddings take is not counted against a token's limit, so one with a limit gets none.
    if app.ledger(&caller.grant).is_some() {
        let text = "a token with a limit of cost or tokens can't ask for embeddings";
        return Err(Refusal::new(ErrorCode::PermissionDenied, text).into());
    }
    shared.guard.count(&caller)?;
    Ok(answer::openai(StatusCode::OK, &embeddings(app, model, asked).await?))
}

/// Checks that a client may have agents run, and that it sends JSON: a page of another origin can't do
/// that without a preflight request.
fn check(caller: &Caller, headers: &HeaderMap) -> Result<(), Refused> {
    if !caller.grant.scopes.contains(&Scope::Run) {
        return Err(forbidden(Scope::Run).into());
    }
    if !is_json(headers) {
        let text = "the body has to be application/json";
        let refused = Refusal::new(ErrorCode::ParseError, text);
        return Err(refused.suggest("Send the header Content-Type: application/json.").into());
    }
    Ok(())
}

/// Begins the turn of a request. One in a context is counted with its message.
fn begin(
    shared: &Shared,
    caller: &Caller,
    chat: Chat,
) -> Result<(ChatTurn, BoxFuture<'static, ()>), Refused> {
    if chat.context.is_none() {
        shared.guard.count(caller)?;
    }
    let revoked = revoked(&shared.app, caller);
    Ok((ask(&shared.app, caller, chat), revoked))
}

/// Waits for the answer.
async fn whole(shared: &Shared, caller: &Caller, chat: Chat) -> Result<ChatAnswer, Refused> {
    let (mut turn, revoked) = begin(shared, caller, chat)?;
    let answered = async {
        loop {
            match turn.events.recv().await {
                Some(ChatEvent::End(outcome)) => {
                    return outcome.and_then(|answer| turn.checked(answer));
                }
                Some(_) => {}
                None => return Err(broken()),
            }
        }
    };
    let answered = tokio::select! {
        answered = answered => answered,
        () = revoked => Err(token_over()),
    };
    Ok(answered?)
}

fn broken() -> Refusal {
    Refusal::new(ErrorCode::Internal, "the turn failed inside the server")
}

/// Creates the response of a stream. An immediate failure gets a status of its own.
async fn stream(shared: &Shared, caller: &Caller, chat: Chat, mut frames: Frames) -> Answer {
    let (mut turn, revoked) = begin(shared, caller, chat)?;
    let first = match tokio::time::timeout(HEAD_START, turn.events.recv()).await {
        Ok(None) => return Err(broken().into()),
        Ok(Some(ChatEvent::End(Err(refused)))) => return Err(Refused::from(refused)),
        Ok(event) => event,
        Err(_) => None,
    };
    let ready = frames.begin().into();
    let mut state =
        ChatStream { shared: shared.clone(), turn, revoked, frames, ready, is_over: false };
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
    frames: Frames,
    ready: VecDeque<Frame>,
    is_over: bool,
}

impl ChatStream {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(Frame { event, data }) = self.ready.pop_front() {
                let told = Event::default().data(data);
                let told = if let Some(name) = event { told.event(name) } else { told };
                return Some((Ok(told), self));
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
            Some(ChatEvent::Text(text)) => self.ready.extend(self.frames.text(&text)),
            Some(ChatEvent::Results(_)) => {}
            Some(ChatEvent::Break(_)) => self.ready.extend(self.frames.pause()),
            Some(ChatEvent::End(outcome)) => {
                let checked = outcome.and_then(|answer| self.turn.checked(answer));
                let now = self.shared.app.maker.now_seconds();
                match checked.and_then(|answer| self.frames.end(answer, now)) {
                    Ok(last) => {
                        self.ready.extend(last);
                        self.is_over = true;
                    }
                    Err(refused) => self.fail(&refused),
                }
            }
            None => self.fail(&broken()),
        }
    }

    fn fail(&mut self, refused: &Refusal) {
        self.shared.app.maker.count(refused);
        self.ready.extend(self.frames.fail(refused));
        self.is_over = true;
    }
}
