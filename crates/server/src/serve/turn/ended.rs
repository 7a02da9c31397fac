//! The end of a turn, with the codes of the protocol (CP-8, CP-17, CA-10).
//!
//! Decision: the text of a failure can hold keys, hosts and paths, so it goes to the operator's log. A client gets
//! a sentence that follows from the code alone, and an id that leads to the line of the log.

use contexture::llm::Ended as Cut;
use contexture::store::masker::Masker;
use contexture::turn::{Finish, TurnError, TurnReport};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};

/// The sentence of a failure that is not the client's.
pub(crate) const FAILED: &str = "the agent could not answer";
/// The sentence of a turn that can't be taken up as it was.
const CHANGED: &str = "the turn can't go on as it began, and nothing of it was repeated";
pub(crate) const HELP: &str = "Try again later, or tell the operator the id.";

pub(crate) struct Ended {
    pub(crate) report: TurnReport,
    /// True if the turn took longer than the server allows.
    pub(crate) is_late: bool,
    /// The id of the run, or of the turn that began none.
    pub(crate) id: String,
    /// The mask of the conversation's private texts.
    pub(crate) private: Masker,
}

impl Ended {
    /// Returns what a client may know of the reason why there is no answer.
    pub(crate) fn error(&self) -> Option<Refusal> {
        let error = self.report.error()?;
        Some(told(&error, self.is_late, &self.id))
    }

    /// Reports whether the run was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.report.error().is_some_and(|error| error.cancelled)
    }

    /// Returns the reason for the log of the operator.
    pub(crate) fn reason(&self) -> Map<String, Value> {
        let Some(error) = self.report.error() else { return Map::new() };
        let mut fields = reason(&error);
        fields.insert("run".to_owned(), self.id.as_str().into());
        fields.values_mut().for_each(|field| {
            self.private.value(field);
        });
        fields
    }

    /// Returns the outcome in a word, for metrics.
    pub(crate) fn word(&self) -> &'static str {
        match (self.error().map(|refused| refused.code), self.report.finish) {
            (Some(ErrorCode::Cancelled), _) => "cancelled",
            (Some(ErrorCode::Timeout), _) => "timeout",
            (_, Finish::Length) => "length",
            (Some(_), _) => "error",
            (None, _) => "ok",
        }
    }
}

/// Returns a failure in the fields of the log.
pub(crate) fn reason(error: &TurnError) -> Map<String, Value> {
    let status = error.details.as_ref().and_then(|details| details.get("status"));
    let fields = json!({
        "code": error.code, "reason": error.message, "status": status, "help": error.help,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Returns the sentence under which people are told of a failure, with the id for the operator.
pub(crate) fn sentence(text: &str, id: &str) -> String {
    format!("{text}; the operator finds the reason under the id {id}")
}

/// Converts an error to a refusal without its text, unless the client's own message is at fault.
fn told(error: &TurnError, is_late: bool, id: &str) -> Refusal {
    if is_late && error.cancelled {
        return Refusal::new(ErrorCode::Timeout, "the turn took longer than the server allows");
    }
    let code = code(error);
    let refused = match error.code.as_str() {
        "attachment_url" | "attachment_unreadable" | "attachment_kind" => attachment(error),
        "attachment_limit"
        | "attachments_not_taken"
        | "turn_input"
        | "tools_not_taken"
        | "stop_not_taken" => {
            let refused = Refusal::new(code, error.message.clone());
            match &error.help {
                Some(help) => refused.suggest(help),
                None => refused,
            }
        }
        _ if code == ErrorCode::Cancelled => Refusal::new(code, "the turn was cancelled"),
        other => {
            let refused = Refusal::new(code, sentence(general(code, other), id));
            refused.suggest(HELP).detail("run", id)
        }
    };
    if refused.code.as_str() == error.code {
        return refused;
    }
    refused.detail("code", error.code.as_str())
}

/// Returns the sentence of a code.
fn general(code: ErrorCode, own: &str) -> &'static str {
    match code {
        ErrorCode::Timeout => "the agent took too long to answer",
        ErrorCode::PermissionDenied => "the agent was not allowed to do what the answer needs",
        ErrorCode::ClientUnavailable => "a client with the tool that the answer needs is missing",
        ErrorCode::OutcomeUncertain => CHANGED,
        _ if own == Cut::CutOff.code() => "the answer was cut off at its limit of length",
        _ if own == Cut::Filtered.code() => "the answer was withheld by the model's provider",
        _ if own == Cut::Refused.code() => "the model declined to answer",
        _ => FAILED,
    }
}

/// Creates the refusal of an attachment that can't be shown.
fn attachment(error: &TurnError) -> Refusal {
    let place = error.details.as_ref().and_then(|details| details.get("attachment")?.as_u64());
    let place = place.map_or_else(String::new, |place| format!("/{place}"));
    let (field, text, expected) = match error.code.as_str() {
        "attachment_kind" => {
            let text = "the agent does not take an attachment of this kind";
            ("", text, "a file of a kind that the model takes")
        }
        _ => {
            let text = "the attachment can't be read";
            ("/url", text, "an `https:`, `http:` or `data:` URL that can be read")
        }
    };
    let field = if place.is_empty() { "" } else { field };
    let pointer = format!("/content/attachments{place}{field}");
    Refusal::new(ErrorCode::ValidationFailed, text).violation(pointer, expected, text)
}

fn code(error: &TurnError) -> ErrorCode {
    match error.code.as_str() {
        _ if error.cancelled => ErrorCode::Cancelled,
        "timeout" => ErrorCode::Timeout,
        "attachment_limit" => ErrorCode::TooLarge,
        "program_changed" | "input_changed" | "journal_diverged" | "journal_unusable" => {
            ErrorCode::OutcomeUncertain
        }
        "attachments_not_taken" | "tools_not_taken" | "stop_not_taken" => {
            ErrorCode::ValidationFailed
        }
        other => ErrorCode::parse(other).unwrap_or(ErrorCode::ExecutionFailed),
    }
}
