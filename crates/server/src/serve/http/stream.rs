//! The answer to `POST /v1/messages` as server-sent events (CP-6, CP-8).
//!
//! The id of an event counts from 1 in its stream. A client whose stream broke sends the same
//! message again with `Last-Event-ID`, and gets the later events: a turn is not run twice. Of a
//! turn that ended long ago, or with an earlier server, only the answer is kept: it is the
//! next event. The answers to an array have no fixed order, so they are repeated from the start.

use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::reply::{Reply, ReplySink};
use crate::serve::exchange::{receive, unread};
use crate::serve::message::{Maker, draining};
use crate::serve::phase::Phase;
use crate::web::elements;
use axum::http::HeaderMap;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use contexture::llm::BoxFuture;
use contexture_protocol::{Batch, Body, ErrorCode, Message, Refusal};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

/// The longest silence of a stream.
const SILENCE: Duration = Duration::from_secs(15);

/// Reports whether the client asks for events.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    elements(headers, header::ACCEPT).any(|kind| {
        let mut parts = kind.split(';').map(str::trim);
        let is_stream =
            parts.next().is_some_and(|name| name.eq_ignore_ascii_case("text/event-stream"));
        // A weight of 0 means that it is not accepted.
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        is_stream
            && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
    })
}

/// Takes messages; all their answers are one stream.
pub(super) fn answer(
    app: &Arc<App>,
    caller: &Caller,
    batch: Batch,
    headers: &HeaderMap,
) -> Response {
    let messages = match batch {
        Batch::One(message) => vec![*message],
        Batch::Many(messages) => messages,
    };
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let (only, (id, seen)) = match messages.as_slice() {
        [Ok(message)] => {
            let begins = begins(app, caller, message, seen.unwrap_or(0));
            (Some(message.message_id.clone()), begins)
        }
        _ => (None, (0, 0)),
    };
    let (sender, receiver) = unbounded_channel();
    let sink = Arc::new(EventSink { sender, open: AtomicUsize::new(messages.len()) });
    for message in messages {
        match message {
            Ok(message) => {
                let reply = Reply::new(sink.clone(), app.maker.clone(), &message);
                receive(app, caller, message, reply);
            }
            Err(refused) => sink.last(unread(app, caller, *refused)),
        }
    }
    drop(sink);
    let progress = Progress {
        receiver,
        id,
        seen,
        phase: app.phase.subscribe(),
        maker: app.maker.clone(),
        is_warned: false,
        revoked: revoked(app, caller),
        only,
        is_over: false,
    };
    let events = stream::unfold(progress, Progress::next);
    Sse::new(events).keep_alive(keep_alive(app)).into_response()
}

/// Returns the number before the first event, and the number up to which events are skipped, for a
/// client that saw those up to `seen`.
fn begins(app: &App, caller: &Caller, message: &Message, seen: u64) -> (u64, u64) {
    let owner = Arc::clone(caller.owner());
    let key = (owner, message.context_id.clone(), message.message_id.clone());
    // Only known work is repeated from its start.
    let is_whole = match message.body {
        Body::UserInput(_) => app.turns.find(&key).is_some(),
        Body::ToolCallRequest(_) | Body::Instruction(_) => {
            app.flows.find(&key).is_some_and(|set| !set.was_resumed())
        }
        _ => true,
    };
    if is_whole { (0, seen) } else { (seen, 0) }
}

/// Completes when the token is no longer valid.
pub(super) fn revoked(app: &Arc<App>, caller: &Caller) -> BoxFuture<'static, ()> {
    let (app, grant) = (Arc::clone(app), Arc::clone(&caller.grant));
    Box::pin(async move { app.revoked(&grant).await })
}

/// Creates the message about a token that is no longer valid.
pub(super) fn token_over() -> Refusal {
    Refusal::new(ErrorCode::AuthFailed, "the token expired or was revoked").policy("token")
}

/// Returns the comments of a silent stream, so that neither side takes the other for gone.
pub(super) fn keep_alive(app: &App) -> KeepAlive {
    let quiet = Duration::from_secs(app.project.config.serve.limits.ping_seconds.get());
    KeepAlive::new().interval(quiet.min(SILENCE))
}

/// The sink of the messages of one request.
struct EventSink {
    sender: UnboundedSender<Item>,
    /// The number of messages without an answer.
    open: AtomicUsize,
}

impl ReplySink for EventSink {
    fn passing(&self, message: Message) {
        // Nobody reads after the connection broke.
        let _ = self.sender.send(Some((message, false)));
    }

    fn last(&self, message: Message) {
        let _ = self.sender.send(Some((message, true)));
        if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _ = self.sender.send(None);
        }
    }
}

/// A message, and whether it is an answer; `None` after the last one.
type Item = Option<(Message, bool)>;

/// Reports whether a message is not part of an answer, such as the warning about a rate: it has no
/// number, so that a client that resumes the stream does not count it.
fn is_aside(message: &Message) -> bool {
    matches!(message.body, Body::SystemMessage(_)) && message.context_id.is_none()
}

struct Progress {
    receiver: UnboundedReceiver<Item>,
    id: u64,
    /// The last event that the client has seen.
    seen: u64,
    phase: watch::Receiver<Phase>,
    maker: Maker,
    is_warned: bool,
    revoked: BoxFuture<'static, ()>,
    /// The message that is answered, if it is a single one.
    only: Option<String>,
    is_over: bool,
}

/// Waits until the server is about to end.
async fn ending(phase: &mut watch::Receiver<Phase>) {
    drop(phase.wait_for(|phase| *phase != Phase::Open).await);
}

impl Progress {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if self.is_over {
            return None;
        }
        loop {
            let (mut message, is_last) = tokio::select! {
                biased;
                () = &mut self.revoked => {
                    self.is_over = true;
                    let refused = Refusal { message_id: self.only.take(), ..token_over() };
                    let text = self.maker.refusal(refused).to_json();
                    return Some((Ok(Event::default().event("message").data(text)), self));
                }
                message = self.receiver.recv() => message??,
                () = ending(&mut self.phase), if !self.is_warned => {
                    self.is_warned = true;
                    // It has no number: a client that resumes the stream does not count it.
                    let text = self.maker.message(None, draining().into()).to_json();
                    return Some((Ok(Event::default().event("message").data(text)), self));
                }
            };
            let event = Event::default().event("message");
            if is_aside(&message) {
                return Some((Ok(event.data(message.to_json())), self));
            }
            self.id = self.id.saturating_add(1);
            // An answer with a lower number than the client has seen is all that is kept.
            let is_kept = is_last && self.id < self.seen;
            if self.id <= self.seen && !is_kept {
                continue;
            }
            self.id = self.id.max(self.seen.saturating_add(u64::from(is_kept)));
            message.set_meta("seq", self.id);
            let event = event.id(self.id.to_string()).data(message.to_json());
            return Some((Ok(event), self));
        }
    }
}
