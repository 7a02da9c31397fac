//! SUBSCRIBE and UNSUBSCRIBE (CP-11).

use super::acknowledge;
use super::failure::refusal_at;
use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::session::Session;
use contexture::store::contexts::Update;
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
    let message_id = message.message_id.clone();
    let wanted = Wanted { session, message_id, asked: asked.clone() };
    // Behind what the connection sent before: that may be what creates the context.
    let behind = Update {
        owner: caller.owner().to_string(),
        context_id: Some(asked.context_id.clone()),
        ..Update::default()
    };
    app.update(behind, move |app, _| {
        let app = Arc::clone(app);
        let handle = app.handle.clone();
        handle.spawn_blocking(move || wanted.begin(&app, reply));
    });
}

/// A subscription that is asked for.
struct Wanted {
    session: Arc<Session>,
    message_id: String,
    asked: Subscribe,
}

impl Wanted {
    fn begin(self, app: &App, reply: Reply) {
        let Self { session, message_id, asked } = self;
        let (store, context) = (&*app.store, asked.context_id.as_str());
        match app.subscriptions.begin(store, &app.maker, &session, &message_id, &asked) {
            Ok(begun) => {
                let ack = Ack { message_id, version: Some(begun.version.into()), ..Ack::default() };
                reply.finish(app.maker.message(Some(context), ack.into()));
                if begun.catch_up(store).is_err() {
                    // The client hears of a gap by the version of the next delta.
                    app.subscriptions.end(&session, context);
                }
            }
            Err(error) => reply.refuse(refusal_at("/content/since", error, Some(context))),
        }
    }
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
