//! `POST /v1/messages`: one message or an array of them (CP-6).

use super::extract::{Sender, check_version};
use super::refused::{Answer, Refused};
use super::shared::Shared;
use super::{answer, stream};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::reply::{Reply, ReplySink};
use crate::serve::exchange::{receive, unread};
use crate::web::is_json;
use axum::body::{Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use contexture_protocol::{Batch, ErrorCode, Message, Refusal};
use futures_util::future::join_all;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Handles messages: a single one returns its final answer as an object, several an array of
/// the same length. Intermediate messages are streamed to clients that accept events.
pub(super) async fn post(
    State(shared): State<Shared>,
    Sender(caller): Sender,
    request: Request,
) -> Answer {
    let app = &shared.app;
    if !is_json(request.headers()) {
        return Err(Refused::media_type("application/json"));
    }
    check_version(request.headers())?;
    let headers = request.headers().clone();
    let text = body(app, request).await?;
    let batch = match Batch::parse(&text, &app.limits) {
        Ok(batch) => batch,
        Err(refused) => return Ok(answer::message(&unread(app, &caller, *refused))),
    };
    // A single refused message determines the status.
    let is_refused = matches!(&batch, Batch::One(message) if message.is_err());
    if stream::is_wanted(&headers) && !is_refused {
        return Ok(stream::answer(app, &caller, batch, &headers));
    }
    tokio::select! {
        biased;
        answered = answered(app, &caller, batch) => Ok(answered),
        // A client whose token ended gets no answer; running work continues.
        () = app.revoked(&caller.grant) => Err(stream::token_over().into()),
    }
}

/// Waits for all answers.
async fn answered(app: &Arc<App>, caller: &Caller, batch: Batch) -> Response {
    match batch {
        Batch::One(message) => answer::message(&begin(app, caller, *message).await),
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
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(error) => {
            Err(Refusal::new(ErrorCode::ParseError, format!("the body is incomplete: {error}")))
        }
    }
}

/// Takes a message; returns its answer, which comes later.
fn begin(
    app: &Arc<App>,
    caller: &Caller,
    read: Result<Message, Box<Refusal>>,
) -> impl Future<Output = Message> + use<> {
    let receiver = match read {
        Ok(message) => {
            let (last, receiver) = oneshot::channel();
            let sink = Arc::new(LastOnly(Mutex::new(Some(last))));
            let reply = Reply::new(sink, app.maker.clone(), &message);
            receive(app, caller, message, reply);
            Ok(receiver)
        }
        Err(refused) => Err(unread(app, caller, *refused)),
    };
    let maker = app.maker.clone();
    async move {
        match receiver {
            Ok(receiver) => receiver.await.unwrap_or_else(|_| {
                let text = "the work on the message failed";
                maker.refusal(Refusal::new(ErrorCode::Internal, text))
            }),
            Err(refused) => refused,
        }
    }
}

/// A sink that takes only the answer.
struct LastOnly(Mutex<Option<oneshot::Sender<Message>>>);

impl ReplySink for LastOnly {
    fn passing(&self, _message: Message) {}

    fn acknowledged(&self, message: Message) {
        self.last(message);
    }

    fn last(&self, message: Message) {
        if let Some(sender) = self.0.lock().take() {
            let _ = sender.send(message);
        }
    }
}
