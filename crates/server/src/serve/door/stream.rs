//! The answer to `POST /v1/messages` as server-sent events (CP-6, CP-8).
//!
//! The id of an event counts from 1 in its stream. A client whose stream broke sends the same
//! message again with `Last-Event-ID`, and hears what came after it: a turn is not run twice.

use super::connection::draining;
use crate::serve::app::{App, Phase};
use crate::serve::caller::Caller;
use crate::serve::exchange::{Outlet, Reply, receive, unread};
use crate::serve::message::Maker;
use axum::http::HeaderMap;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use contexture::llm::BoxFuture;
use contexture_protocol::{Batch, ErrorCode, Message, Refusal};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

/// The longest that a stream says nothing.
const SILENCE: Duration = Duration::from_secs(15);

/// Whether the client asks for events.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|text| text.split(','));
    kinds.any(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("text/event-stream")
    })
}

/// Takes the messages; everything that answers them is one stream.
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
    let only = match messages.as_slice() {
        [Ok(message)] => Some(message.message_id.clone()),
        _ => None,
    };
    let (sender, receiver) = unbounded_channel();
    let outlet = Arc::new(Events { sender, open: AtomicUsize::new(messages.len()) });
    for message in messages {
        one(app, caller, message, &outlet);
    }
    drop(outlet);
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let progress = Progress {
        receiver,
        id: 0,
        seen: seen.unwrap_or(0),
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

/// Done when the token lets in no longer.
pub(super) fn revoked(app: &Arc<App>, caller: &Caller) -> BoxFuture<'static, ()> {
    let (app, grant) = (Arc::clone(app), Arc::clone(&caller.grant));
    Box::pin(async move { app.revoked(&grant).await })
}

/// What a client is told whose token lets in no longer.
pub(super) fn token_over() -> Refusal {
    Refusal::new(ErrorCode::AuthFailed, "the token expired or was revoked").policy("token")
}

/// A comment goes out when nothing else did, so that neither side takes the other for gone.
pub(super) fn keep_alive(app: &App) -> KeepAlive {
    let quiet = Duration::from_secs(app.project.config.serve.limits.ping_seconds.get());
    KeepAlive::new().interval(quiet.min(SILENCE))
}

fn one(
    app: &Arc<App>,
    caller: &Caller,
    message: Result<Message, Box<Refusal>>,
    outlet: &Arc<Events>,
) {
    match message {
        Ok(message) => {
            let outlet = Arc::clone(outlet) as Arc<dyn Outlet>;
            let reply = Reply::new(outlet, app.maker.clone(), &message);
            receive(app, caller, message, reply);
        }
        Err(refused) => outlet.last(unread(app, caller, *refused)),
    }
}

/// Everything that answers the messages of one request.
struct Events {
    sender: UnboundedSender<Option<Message>>,
    /// Messages whose answers are not there yet.
    open: AtomicUsize,
}

impl Outlet for Events {
    fn passing(&self, message: Message) {
        // Nobody reads any more when the connection broke.
        let _ = self.sender.send(Some(message));
    }

    fn last(&self, message: Message) {
        let _ = self.sender.send(Some(message));
        if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _ = self.sender.send(None);
        }
    }
}

struct Progress {
    receiver: UnboundedReceiver<Option<Message>>,
    id: u64,
    /// What the client has seen before.
    seen: u64,
    phase: watch::Receiver<Phase>,
    maker: Maker,
    /// Whether the client was told that the server is about to end.
    is_warned: bool,
    /// Done when the client's token lets in no longer.
    revoked: BoxFuture<'static, ()>,
    /// The message that is answered, where it is one alone.
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
            let mut message = tokio::select! {
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
                    let text = self.maker.message(None, draining().into()).to_json();
                    // It has no number: who takes the stream up again counts without it.
                    return Some((Ok(Event::default().event("message").data(text)), self));
                }
            };
            self.id += 1;
            if self.id <= self.seen {
                continue;
            }
            message.set_meta("seq", self.id);
            let event =
                Event::default().event("message").id(self.id.to_string()).data(message.to_json());
            return Some((Ok(event), self));
        }
    }
}
