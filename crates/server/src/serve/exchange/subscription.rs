//! SUBSCRIBE and UNSUBSCRIBE (CP-11).

use super::acknowledge;
use super::failure::refusal;
use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use contexture_protocol::content::{Ack, Subscribe, Unsubscribe};
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::sync::Arc;

/// Begins to tell of a context's changes: ACK with the version now, then what came after `since`.
pub(crate) fn begin(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    asked: &Subscribe,
    reply: Reply,
) {
    let Some(session) = caller.session.clone() else {
        return reply.refuse(Refusal::new(
            ErrorCode::ClientUnavailable,
            "changes are told over a WebSocket; over HTTP they are read from /v1/contexts/{id}/changes",
        ));
    };
    let (app, context) = (Arc::clone(app), asked.context_id.clone());
    let (message_id, since) =
        (message.message_id.clone(), asked.since.as_ref().map(|since| since.get()));
    let handle = app.handle.clone();
    handle.spawn_blocking(move || {
        let begun = app.subscriptions.begin(&*app.store, &app.maker, &session, &context, since);
        match begun {
            Ok(begun) => {
                let ack = Ack { message_id, version: Some(begun.version.into()), ..Ack::default() };
                reply.finish(app.maker.message(Some(&context), ack.into()));
                if begun.catch_up(&*app.store).is_err() {
                    // The client hears of a gap by the version of the next delta.
                    app.subscriptions.end(&session, &context);
                }
            }
            Err(error) => reply.refuse(refusal(error, Some(&context))),
        }
    });
}

/// Ends it; ending what never began is no fault.
pub(crate) fn end(
    app: &App,
    caller: &Caller,
    message: &Message,
    asked: &Unsubscribe,
    reply: Reply,
) {
    if let Some(session) = &caller.session {
        app.subscriptions.end(session, &asked.context_id);
    }
    acknowledge(app, message, reply);
}
