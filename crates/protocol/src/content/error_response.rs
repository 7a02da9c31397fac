//! ERROR_RESPONSE (CP-17).

use super::error_source::ErrorSource;
use crate::error::ErrorCode;
use crate::record::record;
use crate::time::Timestamp;
use serde_json::Value;

record! {
    /// The error of a message (7.2).
    #[derive(Default)]
    pub struct ErrorResponse {
        /// The error code: one of the protocol's, or one of a peer with a later version.
        required error_code: String = "errorCode",
        /// The error in words.
        required message: String = "message",
        /// Further details.
        optional details: Option<ErrorDetails> = "details",
        /// The side at fault.
        optional source: Option<ErrorSource> = "source",
        /// True if the same request may succeed later.
        optional recoverable: Option<bool> = "recoverable",
        /// The suggested action.
        optional suggested_action: Option<String> = "suggestedAction",
    }
}

impl ErrorResponse {
    /// Returns the code, if it is one of the protocol's.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        ErrorCode::parse(&self.error_code)
    }
}

record! {
    /// Details of an error.
    #[derive(Default)]
    pub struct ErrorDetails {
        /// The messageId of the refused message, or an id from the server if it could not be read.
        optional request_id: Option<String> = "requestId",
        /// The time.
        optional timestamp: Option<String> = "timestamp",
        /// The id for searching the logs.
        optional trace_id: Option<String> = "traceId",
        /// The policies that were breached (CP-19).
        optional violated_policies: Option<Vec<String>> = "violatedPolicies",
        /// Each fault of the message (CP-3): `[{"pointer", "expected", "found"}]`.
        any violations: Option<Value> = "violations",
        /// The place in the program, in debug mode only.
        optional stack_trace: Option<String> = "stackTrace",
    }
}

impl ErrorDetails {
    /// Returns the time as a moment.
    #[must_use]
    pub fn moment(&self) -> Option<Timestamp> {
        self.timestamp.as_ref()?.parse().ok()
    }
}
