//! What came of a turn, in the protocol's words (CP-8, CP-17).

use contexture::turn::{Finish, TurnError, TurnReport};
use contexture_protocol::{ErrorCode, Refusal};

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
    let mut refused = Refusal::new(code(&error), error.message);
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

fn code(error: &TurnError) -> ErrorCode {
    match error.code.as_str() {
        _ if error.cancelled => ErrorCode::Cancelled,
        "timeout" => ErrorCode::Timeout,
        other => ErrorCode::parse(other).unwrap_or(ErrorCode::ExecutionFailed),
    }
}
