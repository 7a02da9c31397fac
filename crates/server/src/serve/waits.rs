//! Calls and questions that wait: listed, answered and cancelled by people (WA-1).
//!
//! A [`WaitFile`] is the table of a data folder, with or without a server that runs on it: that one
//! finds an answer within a moment, and the next one finds it at its start.

use super::flows::journal::Journals;
use super::frontend::calls::Answer;
use crate::fault::Fault;
use crate::serve::codes;
use contexture::Project;
use contexture::store::flows::{
    Answered, FlowJournal, FlowStoreError, Wait, WaitFilter, WaitId, WaitState,
};
use contexture::store::stamp::iso_time;
use contexture_protocol::content::{CallResult, Failure};
use contexture_protocol::{Body, ErrorCode, Limits, Refusal};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, mpsc};

/// Returns a wait as lists show it.
#[must_use]
pub fn value_of(wait: &Wait) -> Value {
    json!({
        "callId": wait.id.call,
        "contextId": wait.id.context,
        "kind": wait.kind.as_str(),
        "since": iso_time(wait.since_ms.saturating_mul(1_000)),
        "expires": iso_time(wait.expires_ms.saturating_mul(1_000)),
        "client": wait.client,
    })
}

/// Reads the answer to a call: its result without the callId.
///
/// # Errors
/// The refusal of anything else, with all faults.
pub fn result_of(call: &str, body: Value) -> Result<CallResult, Refusal> {
    let Value::Object(mut fields) = body else {
        let found = contexture::context::json::kind(&body);
        let refused = Refusal::new(ErrorCode::ValidationFailed, "the answer is not an object");
        let expected = "a result, such as {\"status\": \"SUCCESS\", \"result\": {}}";
        return Err(refused.violation("", expected, found));
    };
    fields.insert("callId".to_owned(), call.into());
    let content = json!({ "results": [fields] });
    match Body::from_content("TOOL_CALL_RESPONSE", content, &Limits::WIRE) {
        Ok(Body::ToolCallResponse(response)) => {
            response.results.into_iter().next().ok_or_else(|| {
                Refusal::new(ErrorCode::ValidationFailed, "the answer has no result")
            })
        }
        Ok(_) => Err(Refusal::new(ErrorCode::Internal, "the answer can't be read")),
        Err(refused) => {
            let mut refused = *refused;
            for violation in &mut refused.violations {
                for front in ["/content/results/0", "/results/0"] {
                    if let Some(rest) = violation.pointer.strip_prefix(front) {
                        violation.pointer = rest.to_owned();
                    }
                }
            }
            Err(refused)
        }
    }
}

/// Returns the result of a call that a person cancels.
#[must_use]
pub fn cancelled(call: &str) -> CallResult {
    let failure = Failure::new(ErrorCode::Cancelled.as_str(), "the wait was cancelled");
    CallResult::failed(call, failure)
}

/// Chooses the wait that a callId means; `known` are all of its.
///
/// # Errors
/// UNKNOWN_ID when there is none, or several that are open; CALL_ENDED when it has ended.
pub fn chosen(known: Vec<Wait>, call: &str) -> Result<Wait, Refusal> {
    if known.is_empty() {
        let text = format!("nothing waits under the callId `{call}`");
        return Err(Refusal::new(ErrorCode::UnknownId, text));
    }
    let mut open = known.into_iter().filter(|wait| wait.state == WaitState::Open);
    match (open.next(), open.next()) {
        (Some(wait), None) => Ok(wait),
        (None, _) => {
            let text = format!("the call `{call}` has its answer already, or has ended");
            Err(Refusal::new(ErrorCode::CallEnded, text))
        }
        (Some(one), Some(other)) => {
            let text = if one.id.context == other.id.context {
                format!("several calls `{call}` wait in `{}`", one.id.context)
            } else {
                format!("calls `{call}` wait in several contexts: name the contextId")
            };
            let mut contexts = vec![one.id.context, other.id.context];
            contexts.extend(open.map(|wait| wait.id.context));
            contexts.dedup();
            Err(Refusal::new(ErrorCode::VersionConflict, text).detail("contextIds", contexts))
        }
    }
}

/// The waits of a data folder.
pub struct WaitFile(Arc<dyn FlowJournal>);

impl std::fmt::Debug for WaitFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitFile").finish_non_exhaustive()
    }
}

impl WaitFile {
    /// Opens the waits of a data folder.
    ///
    /// # Errors
    /// A [`Fault`] when they can't be used.
    pub fn open(data: &Path, project: &Project) -> Result<Self, Fault> {
        let ids = Arc::new(contexture::store::stamp::system());
        Journals::open(data, project, ids).map(|journals| Self(journals.journal()))
    }

    /// Returns waits, the oldest first.
    ///
    /// # Errors
    /// A [`Fault`] when they can't be read.
    pub fn list(&self, filter: &WaitFilter) -> Result<Vec<Wait>, Fault> {
        self.0.waits(filter).map_err(|error| fault(&error))
    }

    /// Answers a wait; false when it was answered before.
    ///
    /// # Errors
    /// A [`Fault`] when the answer can't be stored.
    pub fn answer(&self, wait: &Wait, result: CallResult) -> Result<bool, Fault> {
        let answer = Answer { result, client: wait.client.clone() };
        let text = serde_json::to_string(&answer).unwrap_or_default();
        let (send, receive) = mpsc::sync_channel(1);
        let id: &WaitId = &wait.id;
        self.0.answer_wait(id, &text, Box::new(move |outcome| drop(send.send(outcome))));
        let answered = receive.recv().unwrap_or(Err(FlowStoreError::Closed));
        Ok(matches!(answered.map_err(|error| fault(&error))?, Answered::Taken(_)))
    }
}

fn fault(error: &FlowStoreError) -> Fault {
    Fault::of(codes::BAD_DATA, error.to_string())
}
