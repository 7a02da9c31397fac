//! TOOL_CALL_RESPONSE of clients: the results of calls that they were sent (CP-14, WA-2).
//!
//! Decision: an answer to a call that a session was sent needs no grant, whatever its sender says: it
//! is that of the client that the call belongs to. The first answer counts, and a later one learns so.

use super::reply::Reply;
use super::rights::check_sender;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::frontend::calls::{self, Answer};
use crate::serve::session::Session;
use contexture::store::flows::{Answered, FlowStoreError, WaitFilter, WaitId, WaitState};
use contexture_protocol::content::CallResult;
use contexture_protocol::{ErrorCode, Message, Refusal, SenderType};
use std::sync::Arc;

/// Takes the results of calls; the answer is sent when they are durable.
pub(super) fn take(
    app: &Arc<App>,
    caller: &Caller,
    message: Message,
    results: Vec<CallResult>,
    reply: Reply,
) {
    let Some(session) = caller.session.clone() else {
        return reply.refuse(unknown(caller, &message));
    };
    if results.is_empty() {
        return reply.acknowledge();
    }
    let (app, caller) = (Arc::clone(app), caller.clone());
    app.handle.clone().spawn(async move {
        let mut outcome = Ok(Answered::Unknown);
        for result in results {
            let taken = take_one(&app, &session, &message, result).await;
            // One that counts is enough.
            outcome = match (outcome, taken) {
                (taken @ Ok(Answered::Taken(_)), _) | (_, taken @ Ok(Answered::Taken(_))) => taken,
                (before @ Ok(Answered::Before), Ok(_)) => before,
                (_, taken) => taken,
            };
        }
        match outcome {
            Ok(Answered::Taken(_)) => {
                session.answered(&message.message_id);
                reply.acknowledge();
            }
            // The same message once more.
            Ok(_) if session.has_answered(&message.message_id) => reply.acknowledge(),
            Ok(Answered::Before) => reply.refuse(ended()),
            Ok(Answered::Unknown) => reply.refuse(unknown(&caller, &message)),
            Err(error) => reply.refuse(unkept(&app, &error)),
        }
    });
}

async fn take_one(
    app: &Arc<App>,
    session: &Arc<Session>,
    message: &Message,
    result: CallResult,
) -> Result<Answered, FlowStoreError> {
    let context = message.context_id.as_deref().unwrap_or_default();
    let sent = session.call(&result.call_id, context, message.in_reply_to());
    let id = match sent {
        Some(id) => id,
        None => match held(app, session, context, &result.call_id).await? {
            Some(id) => id,
            None => return Ok(Answered::Unknown),
        },
    };
    let client = client_of(app, session, &id).await?;
    calls::answer(app, &id, Answer { result, client }).await
}

/// Returns the client that a call belongs to.
async fn client_of(
    app: &Arc<App>,
    session: &Session,
    id: &WaitId,
) -> Result<String, FlowStoreError> {
    match session.client() {
        Some(client) => Ok(client.client_id.clone()),
        None => {
            let WaitId { owner, context, message, call } = id.clone();
            let filter = WaitFilter {
                owner: Some(owner),
                context: Some(context),
                message: Some(message),
                call: Some(call),
                ..WaitFilter::default()
            };
            let found = app.calls.find(filter).await?;
            Ok(found.into_iter().next().map(|wait| wait.client).unwrap_or_default())
        }
    }
}

/// Finds a call that the client of a session still has from before: one that it was sent in another
/// session, which nobody is connected to.
async fn held(
    app: &Arc<App>,
    session: &Arc<Session>,
    context: &str,
    call: &str,
) -> Result<Option<WaitId>, FlowStoreError> {
    let Some(client) = session.client_name() else { return Ok(None) };
    let filter = WaitFilter {
        owner: Some(session.owner().to_string()),
        context: Some(context.to_owned()),
        call: Some(call.to_owned()),
        client: Some(client),
        ..WaitFilter::default()
    };
    let mut found = app.calls.find(filter).await?;
    found.retain(|wait| !app.sessions.holder(&wait.id).is_some_and(|one| one.is_connected()));
    let place = found.iter().position(|wait| wait.state == WaitState::Open);
    Ok(place.map(|place| found.swap_remove(place)).or_else(|| found.pop()).map(|wait| wait.id))
}

/// Creates the refusal of an answer to a call that has its answer, or has ended.
pub(crate) fn ended() -> Refusal {
    Refusal::new(ErrorCode::CallEnded, "the call has its answer already, or has ended")
}

fn unknown(caller: &Caller, message: &Message) -> Refusal {
    let text = "no call waits for these results";
    let refused = Refusal::new(ErrorCode::UnknownId, text);
    let client = caller.session.as_ref().and_then(|session| session.client());
    let is_own = client.is_some_and(|client| client.client_id == message.sender.id);
    if is_own && message.sender.kind == SenderType::Tool {
        return refused;
    }
    check_sender(caller, message.sender.kind).err().unwrap_or(refused)
}

/// Creates the refusal of an answer that could not be stored.
pub(crate) fn unkept(app: &App, error: &FlowStoreError) -> Refusal {
    let fields = serde_json::json!({ "outcome": error.code(), "reason": error.to_string() });
    app.log.info("store_failed", fields);
    let refused = Refusal::new(ErrorCode::Internal, "the server could not keep the answer");
    Refusal { recoverable: true, ..refused }
}
