//! USER_INPUT: a turn begins (CP-5, CP-7, CP-9).

use super::failure::refusal;
use super::reply::Reply;
use super::update::once;
use crate::serve::agents::Agent;
use crate::serve::app::{App, Phase};
use crate::serve::caller::Caller;
use crate::serve::operations::audit::{Deed, Record};
use crate::serve::turn::Begun;
use contexture::store::contexts::{Answer, Applied, NewMessage, Operation, Repeated};
use contexture::turn::Hints;
use contexture_protocol::content::UserInput;
use contexture_protocol::{ErrorCode, Message, Refusal, Violation};
use std::sync::Arc;

/// The wishes for an answer beyond the message.
pub(crate) type Wishes = (Hints, Option<Agent>);

/// Keeps the message, and begins its turn when it was not here before.
pub(crate) fn begin(
    app: &Arc<App>,
    caller: &Caller,
    message: Message,
    input: UserInput,
    wishes: Wishes,
    reply: Reply,
) {
    if let Some(refused) = draining(app) {
        return unless_known(app, caller, &message, refused, reply);
    }
    if let Err(refused) = attached(&input) {
        return reply.refuse(refused);
    }
    let added = vec![Operation::AddMessage(NewMessage::of(&message))];
    let update = once(caller, &message, Answer::Pending, added);
    let caller = caller.clone();
    app.update(update, move |app, outcome| match outcome {
        Ok(kept) if kept.repeated.is_none() => {
            let record = Record::new(Deed::Turn).by(&caller);
            let record = record.with("messageId", message.message_id.as_str());
            app.audit.note(&record.with("contextId", kept.context_id.as_str()));
            Begun::new(app, &caller, kept, message, input, wishes).start(reply);
        }
        Ok(applied) => again(app, &caller, &message, applied, reply),
        Err(error) => reply.refuse(refusal(error, message.context_id.as_deref())),
    });
}

/// Reports whether the attachments have addresses that files are read from (CP-2): one that has not is
/// refused before anything is kept.
fn attached(input: &UserInput) -> Result<(), Refusal> {
    let attachments = input.attachments.as_deref().unwrap_or_default().iter().enumerate();
    let violations: Vec<Violation> = attachments
        .filter(|(_, attachment)| !is_address(&attachment.url))
        .map(|(place, attachment)| Violation {
            pointer: format!("/content/attachments/{place}/url"),
            expected: "an `https:`, `http:` or `data:` URL".to_owned(),
            found: attachment.url.chars().take(200).collect(),
        })
        .collect();
    if violations.is_empty() {
        return Ok(());
    }
    let text = "an attachment has no address that a file can be read from";
    let refused = Refusal::new(ErrorCode::ValidationFailed, text);
    Err(Refusal { violations, ..refused })
}

fn is_address(url: &str) -> bool {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    ["http", "https", "data"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Creates the refusal of a server that is about to end.
pub(crate) fn draining(app: &App) -> Option<Refusal> {
    if *app.phase.borrow() == Phase::Open {
        return None;
    }
    let text = "the server is about to end and begins nothing new";
    let refused = Refusal::new(ErrorCode::Internal, text).policy("draining");
    let refused = refused.suggest("Send the same message again in a moment.");
    Some(Refusal { recoverable: true, ..refused })
}

/// Lets a client that asks again hear of the turn that runs, and refuses what is new.
fn unless_known(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    refused: Refusal,
    reply: Reply,
) {
    let owner = Arc::clone(caller.owner());
    match app.turns.find(&(owner, message.context_id.clone(), message.message_id.clone())) {
        Some(turn) => turn.log.attach(reply),
        None => reply.refuse(refused),
    }
}

/// The message was here before: its turn is heard from the start, or its answer given again.
fn again(app: &Arc<App>, caller: &Caller, message: &Message, applied: Applied, reply: Reply) {
    let owner = Arc::clone(caller.owner());
    let key = (owner, message.context_id.clone(), message.message_id.clone());
    if let Some(turn) = app.turns.find(&key) {
        return turn.log.attach(reply);
    }
    // An instruction set that answers it, and that this server took up.
    if let Some(set) = app.flows.find(&key) {
        return set.log.attach(reply);
    }
    match applied.repeated {
        Some(Repeated::Done(answer)) => match app.kept(&answer) {
            Ok(answer) => reply.finish(answer),
            Err(refused) => reply.refuse(refused),
        },
        _ => {
            let text = "the turn was broken off, and what it did is not known";
            reply.refuse(Refusal::new(ErrorCode::OutcomeUncertain, text));
        }
    }
}
