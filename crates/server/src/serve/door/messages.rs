//! `POST /v1/messages`: one message or an array of them (CP-6).

use super::{Shared, answer, stream};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::{Outlet, Reply, receive, unread};
use axum::body::{Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use contexture_protocol::{Batch, ErrorCode, Message, Refusal, VERSION_HEADER, Version};
use futures_util::future::join_all;
use http_body_util::{BodyExt as _, Limited};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Handles messages: a single one returns its final answer as an object, several an array of
/// the same length. Intermediate messages are streamed to clients that accept events.
pub(super) async fn post(State(shared): State<Shared>, request: Request) -> Response {
    let app = Arc::clone(&shared.app);
    let caller = match admit(&shared, &request) {
        Ok(caller) => caller,
        Err((refused, status)) => return answer::refusal_with(&app, refused, status),
    };
    let headers = request.headers().clone();
    let text = match body(&app, request).await {
        Ok(text) => text,
        Err(refused) => return answer::refusal(&app, refused),
    };
    let batch = match Batch::parse(&text, &app.limits) {
        Ok(batch) => batch,
        Err(refused) => return answer::message(&unread(&app, &caller, *refused)),
    };
    // A single refused message determines the status.
    let is_refused = matches!(&batch, Batch::One(message) if message.is_err());
    if stream::is_wanted(&headers) && !is_refused {
        return stream::answer(&app, &caller, batch, &headers);
    }
    let revoked = stream::revoked(&app, &caller);
    tokio::select! {
        biased;
        answered = answered(&app, &caller, batch) => answered,
        // A client whose token ended gets no answer; running work continues.
        () = revoked => answer::refusal(&app, stream::token_over()),
    }
}

/// Waits for all answers.
async fn answered(app: &Arc<App>, caller: &Caller, batch: Batch) -> Response {
    match batch {
        Batch::One(message) => match *message {
            Ok(message) => answer::message(&ask(app, caller, message).await),
            Err(refused) => answer::message(&unread(app, caller, *refused)),
        },
        Batch::Many(messages) => {
            // All are taken in order before waiting for any.
            let asked: Vec<_> = messages.into_iter().map(|one| begin(app, caller, one)).collect();
            let answers = join_all(asked).await;
            let numbered = |(number, message)| answer::numbered(message, number);
            let texts: Vec<String> = (1..).zip(&answers).map(numbered).collect();
            answer::json(StatusCode::OK, format!("[{}]", texts.join(",")))
        }
    }
}

fn admit(shared: &Shared, request: &Request) -> Result<Caller, (Refusal, Option<StatusCode>)> {
    let caller = shared.guard.admit(request).map_err(|refused| (refused, None))?;
    let headers = request.headers();
    if !is_json(headers) {
        let text = "the body has to be application/json";
        let refused = Refusal::new(ErrorCode::ParseError, text)
            .suggest("Send the header Content-Type: application/json.");
        return Err((refused, Some(StatusCode::UNSUPPORTED_MEDIA_TYPE)));
    }
    spoken(headers).map_err(|refused| (refused, None))?;
    Ok(caller)
}

/// Checks that the protocol version of a client is supported (CP-4).
pub(super) fn spoken(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(version) = headers.get(VERSION_HEADER) else { return Ok(()) };
    let version = String::from_utf8_lossy(version.as_bytes());
    Version::negotiate(&version).map(drop).map_err(|refused| *refused)
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Reads the body within the limit of a message.
pub(super) async fn body(app: &App, request: Request) -> Result<Bytes, Refusal> {
    let most = app.limits.bytes;
    let too_large = || {
        let text = format!("the body takes more than the {most} bytes allowed");
        Refusal::new(ErrorCode::TooLarge, text).policy("size_limit").detail("limit", most)
    };
    // The head is enough to refuse it.
    if request.body().size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let patience = Duration::from_secs(app.project.config.serve.limits.body_seconds.get());
    let limited = Limited::new(request.into_body(), most);
    let Ok(body) = tokio::time::timeout(patience, limited.collect()).await else {
        let text = format!("the body did not come within {} s", patience.as_secs());
        return Err(Refusal::new(ErrorCode::Timeout, text).policy("body_time_limit"));
    };
    match body {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Err(error) => {
            Err(Refusal::new(ErrorCode::ParseError, format!("the body broke off: {error}")))
        }
    }
}

/// Takes a message; the answer comes later.
fn begin(
    app: &Arc<App>,
    caller: &Caller,
    read: Result<Message, Box<Refusal>>,
) -> impl Future<Output = Message> + use<> {
    let receiver = match read {
        Ok(message) => {
            let (last, receiver) = oneshot::channel();
            let outlet = Arc::new(Last(Mutex::new(Some(last))));
            let reply = Reply::new(outlet, app.maker.clone(), &message);
            receive(app, caller, message, reply);
            Ok(receiver)
        }
        Err(refused) => Err(unread(app, caller, *refused)),
    };
    let maker = app.maker.clone();
    async move {
        match receiver {
            Ok(receiver) => receiver.await.unwrap_or_else(|_| {
                maker
                    .refusal(Refusal::new(ErrorCode::Internal, "the work on the message broke off"))
            }),
            Err(refused) => refused,
        }
    }
}

/// Takes a message and waits for its answer.
pub(super) async fn ask(app: &Arc<App>, caller: &Caller, message: Message) -> Message {
    begin(app, caller, Ok(message)).await
}

/// A reply that takes only the answer.
struct Last(Mutex<Option<oneshot::Sender<Message>>>);

impl Outlet for Last {
    fn passing(&self, _message: Message) {}

    fn acknowledged(&self, message: Message) {
        self.last(message);
    }

    fn last(&self, message: Message) {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            let _ = sender.send(message);
        }
    }
}
