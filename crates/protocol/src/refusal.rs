//! Refused messages, and the answers to them (CP-17).

use crate::content::error_response::{ErrorDetails, ErrorResponse};
use crate::content::error_source::ErrorSource;
use crate::error::ErrorCode;
use crate::report::{Faults, Report, Violation};
use serde_json::{Map, Value, json};

/// The reason why a message is refused. [`Refusal::into_content`] converts it to an ERROR_RESPONSE.
///
/// ```
/// use contexture_protocol::{Limits, Message};
/// let refusal = Message::parse(br#"{"messageId":"msg_1","type":"USER_INPUT"}"#, &Limits::WIRE)
///     .unwrap_err();
/// assert_eq!(refusal.message_id.as_deref(), Some("msg_1"));
/// let places: Vec<&str> = refusal.violations.iter().map(|v| v.pointer.as_str()).collect();
/// assert_eq!(places, ["/timestamp", "/sender", "/content"]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The code.
    pub code: ErrorCode,
    /// The error in words.
    pub message: String,
    /// Each fault with its place (CP-3).
    pub violations: Vec<Violation>,
    /// The number of further faults.
    pub unlisted: usize,
    /// The messageId of the refused message, as far as it could be read.
    pub message_id: Option<String>,
    /// Its contextId, as far as it could be read.
    pub context_id: Option<String>,
    /// The policies that were breached (CP-19).
    pub violated_policies: Vec<String>,
    /// True if the same request may succeed later; by default from the code.
    pub recoverable: bool,
    /// The side at fault; by default from the code.
    pub source: ErrorSource,
    /// The suggested action; by default the code's remedy.
    pub suggested_action: String,
    /// Further fields of `details`.
    pub details: Map<String, Value>,
}

impl Refusal {
    /// Creates a refusal with the defaults of the code.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            violations: Vec::new(),
            unlisted: 0,
            message_id: None,
            context_id: None,
            violated_policies: Vec::new(),
            recoverable: code.is_recoverable(),
            source: code.source().into(),
            suggested_action: code.remedy().to_owned(),
            details: Map::new(),
        }
    }

    /// Adds a policy that was breached.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<String>) -> Self {
        self.violated_policies.push(policy.into());
        self
    }

    /// Adds a field to `details`.
    #[must_use]
    pub fn detail(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.details.insert(name.into(), value.into());
        self
    }

    /// Adds a fault with its place.
    #[must_use]
    pub fn violation(
        mut self,
        pointer: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (pointer, expected, found) = (pointer.into(), expected.into(), found.into());
        self.violations.push(Violation { pointer, expected, found });
        self
    }

    /// Sets the suggested action.
    #[must_use]
    pub fn suggest(mut self, action: impl Into<String>) -> Self {
        self.suggested_action = action.into();
        self
    }

    /// Returns the content of the ERROR_RESPONSE. `request_id` replaces a messageId that could not
    /// be read; the clock and the ids are the caller's.
    #[must_use]
    pub fn into_content(
        self,
        request_id: &str,
        timestamp: &str,
        trace_id: Option<&str>,
    ) -> ErrorResponse {
        let mut extra = self.details;
        if self.unlisted > 0 {
            extra.insert("unlistedViolations".to_owned(), self.unlisted.into());
        }
        let details = ErrorDetails {
            request_id: Some(self.message_id.unwrap_or_else(|| request_id.to_owned())),
            timestamp: Some(timestamp.to_owned()),
            trace_id: trace_id.map(str::to_owned),
            violated_policies: some(self.violated_policies),
            violations: some(self.violations).map(|list| json!(list)),
            stack_trace: None,
            extra,
        };
        ErrorResponse {
            error_code: self.code.as_str().to_owned(),
            message: self.message,
            details: Some(details),
            source: Some(self.source),
            recoverable: Some(self.recoverable),
            suggested_action: Some(self.suggested_action),
            extra: Map::new(),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Refusal {}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

impl Faults {
    /// Returns the refusal of a message with these faults, if there are any.
    pub(crate) fn refusal(self) -> Option<Refusal> {
        let code =
            if self.is_too_large { ErrorCode::TooLarge } else { ErrorCode::ValidationFailed };
        let mut refusal = Refusal::new(code, self.message()?);
        refusal.violations = self.violations;
        refusal.unlisted = self.unlisted;
        Some(refusal)
    }
}

/// Returns the result, or the refusal with the faults.
pub(crate) fn settle<T>(read: Option<T>, report: Report<'_>) -> Result<T, Refusal> {
    match (read, report.faults.refusal()) {
        (Some(read), None) => Ok(read),
        (_, Some(refusal)) => Err(refusal),
        (None, None) => Err(Refusal::new(ErrorCode::Internal, "a fault without a place")),
    }
}
