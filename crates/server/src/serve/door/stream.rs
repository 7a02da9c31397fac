//! The answer to `POST /v1/messages` as server-sent events (CP-6, CP-8).
//!
//! The id of an event counts from 1 in its stream. A client whose stream broke sends the same
//! message again with `Last-Event-ID`, and hears what came after it: a turn is not run twice. Of a
//! turn that ended long ago, or with an earlier server, the answer alone is kept: it comes as the
//! next event. What an array is answered with has no fixed order, so that it comes again from its
//! start.

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
use contexture_protocol::{Batch, Body, ErrorCode, Message, Refusal};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

/// The longest that a stream says nothing.
const SILENCE: Duration = Duration::from_secs(15);

/// Reports whether the client asks for events.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|text| text.split(','));
    kinds.any(|kind| {
        let mut parts = kind.split(';').map(str::trim);
        let is_stream =
            parts.next().is_some_and(|name| name.eq_ignore_ascii_case("text/event-stream"));
        // A weight of 0 says that it is not taken.
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        is_stream
            && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
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
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let (only, (id, seen)) = match messages.as_slice() {
        [Ok(message)] => {
            let begins = begins(app, caller, message, seen.unwrap_or(0));
            (Some(message.message_id.clone()), begins)
        }
        _ => (None, (0, 0)),
    };
    let (sender, receiver) = unbounded_channel();
    let outlet = Arc::new(Events { sender, open: AtomicUsize::new(messages.len()) });
    for message in messages {
        one(app, caller, message, &outlet);
    }
    drop(outlet);
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

/// After which number the events begin, and up to which they are not told, for a client that saw
/// those up to `seen`.
fn begins(app: &App, caller: &Caller, message: &Message, seen: u64) -> (u64, u64) {
    let owner = Arc::clone(caller.owner());
    let key = (owner, message.context_id.clone(), message.message_id.clone());
    // Only what is still known is told from its start.
    let is_whole = match message.body {
        Body::UserInput(_) => app.turns.find(&key).is_some(),
        Body::ToolCallRequest(_) | Body::Instruction(_) => {
            app.flows.find(&key).is_some_and(|set| !set.was_taken_up())
        }
        _ => true,
    };
    if is_whole { (0, seen) } else { (seen, 0) }
}

/// Done when the token lets in no longer.
pub(super) fn revoked(app: &Arc<App>, caller: &Caller) -> BoxFuture<'static, ()> {
    let (app, grant) = (Arc::clone(app), Arc::clone(&caller.grant));
    Box::pin(async move { app.revoked(&grant).await })
}

/// Creates the message about a token that is no longer valid.
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
    sender: UnboundedSender<Told>,
    /// Messages whose answers are not there yet.
    open: AtomicUsize,
}

impl Outlet for Events {
    fn passing(&self, message: Message) {
        // Nobody reads any more when the connection broke.
        let _ = self.sender.send(Some((message, false)));
    }

    fn last(&self, message: Message) {
        let _ = self.sender.send(Some((message, true)));
        if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _ = self.sender.send(None);
        }
    }
}

/// A message, and whether it is an answer; nothing after the last of all.
type Told = Option<(Message, bool)>;

/// Reports whether a message is said beside what answers, such as that the client nears its rate: it has no
/// number, so that who takes the stream up again counts without it.
fn is_aside(message: &Message) -> bool {
    matches!(message.body, Body::SystemMessage(_)) && message.context_id.is_none()
}

struct Progress {
    receiver: UnboundedReceiver<Told>,
    id: u64,
    /// Sets what the client has seen before.
    seen: u64,
    phase: watch::Receiver<Phase>,
    maker: Maker,
    /// True if the client was told that the server is about to end.
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
                    let text = self.maker.message(None, draining().into()).to_json();
                    // It has no number: who takes the stream up again counts without it.
                    return Some((Ok(Event::default().event("message").data(text)), self));
                }
            };
            let event = Event::default().event("message");
            if is_aside(&message) {
                return Some((Ok(event.data(message.to_json())), self));
            }
            self.id = self.id.saturating_add(1);
            // An answer that comes where more was heard before is what is kept of it all.
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
