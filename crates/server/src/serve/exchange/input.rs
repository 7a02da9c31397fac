//! USER_INPUT: starts a turn (CP-5, CP-7, CP-9).

use super::failure::refusal;
use super::reply::Reply;
use super::update::once;
use crate::serve::agents::Agent;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::message::{digest, stored_answer};
use crate::serve::neighbours;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::turn::turns::TurnKey;
use crate::serve::turn::work::TurnWork;
use contexture::store::contexts::{Answer, Applied, NewMessage, Operation, Repeated};
use contexture::turn::{Hints, Past};
use contexture_protocol::content::UserInput;
use contexture_protocol::{ErrorCode, Message, Refusal, Violation};
use std::sync::Arc;

/// The options for an answer beyond the message.
#[derive(Default)]
pub(crate) struct AnswerOptions {
    pub(crate) hints: Hints,
    /// The agent; the intents decide when absent.
    pub(crate) agent: Option<Agent>,
    /// What is said before the history, for this answer alone.
    pub(crate) before: Vec<Past>,
    /// Messages that join the context before this one.
    pub(crate) earlier: Vec<Message>,
}

/// Stores the message, and begins its turn unless it is repeated.
pub(crate) fn begin(
    app: &Arc<App>,
    caller: &Caller,
    message: Message,
    input: UserInput,
    options: AnswerOptions,
    reply: Reply,
) {
    if let Some(refused) = app.draining() {
        return unless_known(app, caller, &message, refused, reply);
    }
    if let Err(refused) = check_attachments(&input) {
        return reply.refuse(refused);
    }
    let added = options.earlier.iter().chain([&message]);
    let added = added.map(|one| Operation::AddMessage(NewMessage::of(one))).collect();
    let update = once(caller, &message, Answer::Queued, added);
    let caller = caller.clone();
    app.update(update, move |app, outcome| match outcome {
        Ok(kept) if kept.repeated.is_none() => {
            let record = AuditRecord::new(AuditEvent::TurnBegun).by(&caller);
            let record = record.with("messageId", message.message_id.as_str());
            app.audit.note(&record.with("contextId", kept.context_id.as_str()));
            TurnWork::new(app, &caller, kept, message, input, options).start(reply);
        }
        Ok(applied) => again(app, &caller, &message, applied, reply),
        Err(error) => reply.refuse(refusal(error, message.context_id.as_deref())),
    });
}

/// Checks that the attachments have readable addresses (CP-2), before anything is stored.
fn check_attachments(input: &UserInput) -> Result<(), Refusal> {
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

/// Attaches a client that repeats its message to the running turn, and refuses a new message.
fn unless_known(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    refused: Refusal,
    reply: Reply,
) {
    match app.turns.find(&key(caller, message)) {
        Some(turn) => turn.log.attach(reply),
        None => reply.refuse(refused),
    }
}

/// Answers a repeated message: with its turn from the start, or with the stored answer.
fn again(app: &Arc<App>, caller: &Caller, message: &Message, applied: Applied, reply: Reply) {
    let key = key(caller, message);
    if let Some(turn) = app.turns.find(&key) {
        return turn.log.attach(reply);
    }
    // An instruction set that answers it, and that this server resumed.
    if let Some(set) = app.flows.find(&key) {
        return set.log.attach(reply);
    }
    let answer = match applied.repeated {
        Some(Repeated::Done(answer)) => stored_answer(&answer),
        // Another server works on it, or this one is about to take it over.
        _ if app.database.is_some() => {
            let (app, digest) = (Arc::clone(app), digest(message));
            app.handle.clone().spawn(async move {
                reply.finish_with(neighbours::answer_of(&app, &key, digest).await);
            });
            return;
        }
        _ => {
            let text = "the turn was interrupted, and its effects are not known";
            Err(Refusal::new(ErrorCode::OutcomeUncertain, text))
        }
    };
    reply.finish_with(answer);
}

fn key(caller: &Caller, message: &Message) -> TurnKey {
    (Arc::clone(caller.owner()), message.context_id.clone(), message.message_id.clone())
}
