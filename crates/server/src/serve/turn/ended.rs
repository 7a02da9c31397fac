//! The end of a turn, with the codes of the protocol (CP-8, CP-17).

use contexture::turn::{Finish, TurnError, TurnReport};
use contexture_protocol::{ErrorCode, Refusal};

pub(crate) struct Ended {
    pub(crate) report: TurnReport,
    /// True if the turn took longer than the server allows.
    pub(crate) is_late: bool,
}

impl Ended {
    /// Returns the reason why there is no answer.
    pub(crate) fn error(&self) -> Option<Refusal> {
        self.report.error().map(|error| failure(error, self.is_late))
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

/// Converts an error to a code of the protocol.
fn failure(error: TurnError, is_late: bool) -> Refusal {
    if is_late && error.cancelled {
        return Refusal::new(ErrorCode::Timeout, "the turn took longer than the server allows");
    }
    let mut refused = match error.code.as_str() {
        "attachment_url" | "attachment_unreadable" | "attachment_kind" => attachment(&error),
        _ => Refusal::new(code(&error), error.message),
    };
    if refused.code.as_str() != error.code {
        refused = refused.detail("code", error.code);
    }
    if let Some(details) = error.details {
        refused = refused.detail("cause", details);
    }
    match error.help {
        Some(help) => refused.suggest(help),
        None => refused,
    }
}

/// Creates the refusal of an attachment that can't be shown.
fn attachment(error: &TurnError) -> Refusal {
    let place = error.details.as_ref().and_then(|details| details.get("attachment")?.as_u64());
    let place = place.map_or_else(String::new, |place| format!("/{place}"));
    let (field, expected) = match error.code.as_str() {
        "attachment_kind" => ("", "a file of a kind that the model takes"),
        _ => ("/url", "an `https:`, `http:` or `data:` URL that can be read"),
    };
    let field = if place.is_empty() { "" } else { field };
    let pointer = format!("/content/attachments{place}{field}");
    let refused = Refusal::new(ErrorCode::ValidationFailed, error.message.clone());
    refused.violation(pointer, expected, error.message.clone())
}

fn code(error: &TurnError) -> ErrorCode {
    match error.code.as_str() {
        _ if error.cancelled => ErrorCode::Cancelled,
        "timeout" => ErrorCode::Timeout,
        "attachment_limit" => ErrorCode::TooLarge,
        "attachments_not_taken" => ErrorCode::ValidationFailed,
        other => ErrorCode::parse(other).unwrap_or(ErrorCode::ExecutionFailed),
    }
}
