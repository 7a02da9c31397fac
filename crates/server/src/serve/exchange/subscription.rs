//! SUBSCRIBE and UNSUBSCRIBE (CP-11).

use super::failure::refusal_at;
use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::session::Session;
use contexture::store::contexts::Update;
use contexture_protocol::content::{Ack, Subscribe, Unsubscribe};
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::sync::Arc;

/// Begins a subscription: an ACK with the current version, then the changes after `since`.
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
            "changes are sent over a WebSocket; over HTTP they are read from /v1/contexts/{id}/changes",
        ));
    };
    let message_id = message.message_id.clone();
    let request = Request { session, message_id, asked: asked.clone() };
    // After the earlier messages of the connection: one of them may create the context.
    let after = Update {
        owner: caller.owner().to_string(),
        context_id: Some(asked.context_id.clone()),
        ..Update::default()
    };
    app.update(after, move |app, _| {
        let app = Arc::clone(app);
        app.handle.clone().spawn_blocking(move || request.begin(&app, reply));
    });
}

struct Request {
    session: Arc<Session>,
    message_id: String,
    asked: Subscribe,
}

impl Request {
    fn begin(self, app: &App, reply: Reply) {
        let Self { session, message_id, asked } = self;
        let (store, context) = (&*app.store, asked.context_id.as_str());
        match app.subscriptions.begin(store, &app.maker, &session, &message_id, &asked) {
            Ok(begun) => {
                let ack = Ack { message_id, version: Some(begun.version.into()), ..Ack::default() };
                reply.finish(app.maker.message(Some(context), ack.into()));
                if begun.catch_up(store).is_err() {
                    // The client detects the gap by the version of the next delta.
                    app.subscriptions.end(&session, context);
                }
            }
            Err(error) => reply.refuse(refusal_at("/content/since", error, Some(context))),
        }
    }
}

/// Ends a subscription, if there is one.
pub(crate) fn end(app: &App, caller: &Caller, asked: &Unsubscribe, reply: Reply) {
    if let Some(session) = &caller.session {
        app.subscriptions.end(session, &asked.context_id);
    }
    reply.acknowledge();
}
