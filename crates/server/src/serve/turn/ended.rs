//! What came of a turn, in the protocol's words (CP-8, CP-17).

use contexture::turn::{Finish, TurnError, TurnReport};
use contexture_protocol::{ErrorCode, Refusal, Violation};

/// A turn that came to its end.
pub(crate) struct Ended {
    pub(crate) report: TurnReport,
    /// Whether it took longer than the server allows.
    pub(crate) is_late: bool,
}

impl Ended {
    /// Why there is no answer.
    pub(crate) fn error(&self) -> Option<Refusal> {
        self.report.error().map(|error| failure(error, self.is_late))
    }

    /// How it went, in a word.
    pub(crate) fn word(&self) -> &'static str {
        match (self.error().map(|refused| refused.code), self.report.finish) {
            (Some(ErrorCode::Cancelled), _) => "cancelled",
            (Some(ErrorCode::Timeout), _) => "timeout",
            (Some(_), _) => "error",
            (None, Finish::Length) => "length",
            (None, _) => "ok",
        }
    }
}

/// What went wrong, with a code of the protocol.
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

/// A file of the message that can't be shown: the fault is in the message.
fn attachment(error: &TurnError) -> Refusal {
    let place = error.details.as_ref().and_then(|details| details.get("attachment")?.as_u64());
    let place = place.map_or_else(String::new, |place| format!("/{place}"));
    let (field, expected) = match error.code.as_str() {
        "attachment_kind" => ("", "a file of a kind that the model takes"),
        _ => ("/url", "an `https:`, `http:` or `data:` URL that can be read"),
    };
    let field = if place.is_empty() { "" } else { field };
    let mut refused = Refusal::new(ErrorCode::ValidationFailed, error.message.clone());
    refused.violations.push(Violation {
        pointer: format!("/content/attachments{place}{field}"),
        expected: expected.to_owned(),
        found: error.message.clone(),
    });
    refused
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
