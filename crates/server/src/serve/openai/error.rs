//! Failures in OpenAI's form and with its statuses.

use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};

/// The reason why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    /// The parameter at fault.
    pub(crate) param: Option<String>,
    pub(crate) code: String,
    /// True if the same request may succeed when it is sent again.
    pub(crate) is_passing: bool,
}

impl Failure {
    /// Creates the error about an invalid parameter.
    pub(crate) fn param(param: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            kind: "invalid_request_error",
            message: message.into(),
            param: Some(param.into()),
            code: code.to_owned(),
            is_passing: false,
        }
    }

    /// Creates the error about a value of another type.
    pub(crate) fn kind_of(param: impl Into<String>, expected: &str) -> Self {
        let param = param.into();
        let message = format!("`{param}` has to be {expected}");
        Self::param(param, "invalid_type", message)
    }

    /// Creates the error about an unknown model.
    pub(crate) fn no_model(name: &str, suggestion: Option<String>) -> Self {
        let help = suggestion.unwrap_or_else(|| "GET /v1/models lists all of them".to_owned());
        let message = format!("the model `{name}` does not exist here; {help}");
        Self { status: 404, ..Self::param("model", "model_not_found", message) }
    }

    /// Converts a refusal of the protocol, with the status that OpenAI clients expect.
    pub(crate) fn of(refused: &Refusal) -> Self {
        let (status, kind, code) = match refused.code {
            ErrorCode::AuthFailed => (401, "authentication_error", "invalid_api_key"),
            ErrorCode::PermissionDenied | ErrorCode::SenderForbidden => {
                (403, "permission_error", "permission_denied")
            }
            ErrorCode::RateLimited => (429, "rate_limit_error", "rate_limit_exceeded"),
            ErrorCode::TooLarge => (413, "invalid_request_error", "request_too_large"),
            ErrorCode::ContextNotFound => (404, "invalid_request_error", "context_not_found"),
            ErrorCode::ParseError | ErrorCode::ValidationFailed => {
                (400, "invalid_request_error", "invalid_request")
            }
            // An agent that does not support the input, such as an image.
            ErrorCode::ExecutionFailed if is_of_input(refused) => {
                (400, "invalid_request_error", "invalid_value")
            }
            _ if refused.violated_policies.iter().any(|policy| policy == "draining") => {
                (503, "server_error", "service_unavailable")
            }
            code => (code.http_status(), "server_error", ""),
        };
        let own = || match refused.details.get("code").and_then(Value::as_str) {
            Some(code) => code.to_owned(),
            None => refused.code.as_str().to_ascii_lowercase(),
        };
        let mut message = refused.message.clone();
        if !refused.suggested_action.is_empty() && refused.code != ErrorCode::Internal {
            message = format!("{message} ({})", refused.suggested_action.trim_end_matches('.'));
        }
        Self {
            status,
            kind,
            message,
            param: untaken(refused),
            code: if code.is_empty() { own() } else { code.to_owned() },
            is_passing: refused.recoverable && refused.code != ErrorCode::Cancelled,
        }
    }

    /// Returns the body of the answer, or the last event of a stream.
    pub(crate) fn body(&self) -> Value {
        let Self { message, kind, param, code, .. } = self;
        json!({ "error": { "message": message, "type": kind, "param": param, "code": code } })
    }
}

/// Returns the parameter that the agent has no use for.
fn untaken(refused: &Refusal) -> Option<String> {
    let code = refused.details.get("code").and_then(Value::as_str)?;
    let param = code.strip_suffix("_not_taken").filter(|param| *param != "attachments");
    param.map(str::to_owned)
}

/// Reports whether the input is not supported by the agent.
fn is_of_input(refused: &Refusal) -> bool {
    let code = refused.details.get("code").and_then(Value::as_str).unwrap_or_default();
    code == "turn_input" || code.starts_with("attachment")
}
