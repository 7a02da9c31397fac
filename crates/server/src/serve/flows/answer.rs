//! The answers to a set (FL-1, FL-7, 9.2).

use super::clients::Clients;
use crate::serve::message::{Maker, SYSTEM};
use crate::serve::turn::ended::{FAILED, HELP, sentence};
use contexture_flow::Set;
use contexture_flow::journal::Entry;
use contexture_flow::run::{Report, call_result};
use contexture_protocol::content::{
    CallResult, FinishReason, InstructionResponse, ModelResponse, Outcome, Status, ToolCallResponse,
};
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// The fields of a result that hold the text of an answer, the likeliest first.
const TEXTS: &[&str] = &["text", "report", "answer", "markdown", "summary"];

pub(super) struct Ended {
    pub(super) status: Status,
    /// In the order of the set.
    pub(super) outcomes: Vec<Outcome>,
    /// The ids of those that were run, as they began.
    pub(super) order: Vec<String>,
    /// The error of the journal, if any.
    pub(super) fault: Option<String>,
}

impl Ended {
    pub(super) fn of(report: &Report) -> Self {
        Self {
            status: report.status(),
            outcomes: report.outcomes().collect(),
            order: report.order().map(str::to_owned).collect(),
            fault: report.fault().map(ToString::to_string),
        }
    }

    /// Reads the end of a set from its journal.
    pub(super) fn read(set: &Set, entries: Vec<Entry>) -> Self {
        let mut status = Status::Failed;
        let (mut order, mut known) = (Vec::<String>::new(), HashSet::new());
        let mut ended: HashMap<String, Outcome> = HashMap::new();
        for entry in entries {
            match entry {
                // What waited for a person began again as the same attempt.
                Entry::Started { id, attempt: 1, .. } if known.insert(id.clone()) => order.push(id),
                Entry::Ended(outcome) => {
                    ended.insert(outcome.instruction_id.clone(), *outcome);
                }
                Entry::Finished { status: whole } => status = whole,
                _ => {}
            }
        }
        let outcomes = set.steps.iter().filter_map(|step| ended.remove(&step.id)).collect();
        Self { status, outcomes, order, fault: None }
    }
}

/// Returns the result of one call, with the fields of its client.
pub(super) fn result(clients: &Clients, outcome: Outcome) -> CallResult {
    let mut result = call_result(outcome);
    if let Some(note) = clients.note(&result.call_id) {
        result.client_info = note.info;
        // The time of the client excludes the wait for a person.
        result.execution_time = note.time.or(result.execution_time);
    }
    result
}

/// Creates a message of results: of the client that ran them all, else of the server.
pub(super) fn response(
    maker: &Maker,
    clients: &Clients,
    context: &str,
    results: Vec<CallResult>,
) -> Message {
    let of = |result: &CallResult| clients.note(&result.call_id).and_then(|note| note.client);
    let senders: Option<Vec<String>> = results.iter().map(of).collect();
    let mut senders = senders.unwrap_or_default();
    senders.dedup();
    let body = ToolCallResponse { results, extra: Map::new() }.into();
    match senders.as_slice() {
        [client] => maker.message_of(client, SenderType::Tool, Some(context), body),
        _ => maker.message_of(SYSTEM, SenderType::System, Some(context), body),
    }
}

/// Creates the answer with all results of a request, in its order.
pub(super) fn of_calls(maker: &Maker, clients: &Clients, context: &str, ended: Ended) -> Message {
    let results = ended.outcomes.into_iter().map(|outcome| result(clients, outcome)).collect();
    response(maker, clients, context, results)
}

/// Creates the answer with all outcomes of instructions.
pub(super) fn of_instructions(maker: &Maker, context: &str, ended: Ended) -> Message {
    let body = Body::InstructionResponse(InstructionResponse {
        status: ended.status,
        results: ended.outcomes,
        order: Some(ended.order),
        extra: Map::new(),
    });
    maker.message(Some(context), body)
}

/// Returns the answer to an intent: the result of the last instruction that has
/// one.
///
/// # Errors
/// The reason why there is no answer.
pub(super) fn of_intent(
    maker: &Maker,
    intent: &str,
    (context, run): (&str, &str),
    ended: &Ended,
) -> Result<Message, Refusal> {
    let results = ended.outcomes.iter().filter(|one| one.status == Status::Completed);
    let value = results.filter_map(|one| one.result.as_ref()).next_back();
    let error = failure(ended, run);
    let (finish, text) = match (&error, value) {
        (None, Some(value)) => (FinishReason::Stop, text_of(value)),
        (None, None) => (FinishReason::Stop, String::new()),
        (Some(_), Some(value)) => (FinishReason::Error, text_of(value)),
        (Some(error), None) => return Err(error.clone()),
    };
    let body = Body::ModelResponse(ModelResponse::new(text, finish));
    let mut message = maker.message_of(intent, SenderType::Model, Some(context), body);
    message.set_meta("intent", intent);
    if let Some(value) = value.filter(|value| !value.is_string()) {
        message.set_meta("value", value.clone());
    }
    if let Some(error) = error {
        let error = json!({ "code": error.code.as_str(), "message": error.message });
        message.set_meta("error", error);
    }
    Ok(message)
}

/// Returns the reason why the set of an intent did not complete.
fn failure(ended: &Ended, run: &str) -> Option<Refusal> {
    if ended.status == Status::Completed {
        return None;
    }
    let bad = ended.outcomes.iter().find_map(|one| one.error.as_ref());
    let code = match ended.status {
        Status::Timeout => ErrorCode::Timeout,
        _ => bad
            .and_then(|error| ErrorCode::parse(&error.code))
            .unwrap_or(ErrorCode::ExecutionFailed),
    };
    Some(Refusal::new(code, sentence(FAILED, run)).suggest(HELP).detail("run", run))
}

fn text_of(value: &Value) -> String {
    let field = || TEXTS.iter().find_map(|name| value.get(*name)?.as_str());
    match value.as_str().or_else(field) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}
