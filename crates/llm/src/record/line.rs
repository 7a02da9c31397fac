//! One line of a recording.

use contexture_context::Digest;
use contexture_core::error::LlmError;
use contexture_core::masker::Masker;
use contexture_core::provider::Reply;
use contexture_prompt::ChatResponse;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// A call and what came of it. In a journal a call may have two lines of one number: what was meant
/// before it, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) v: u32,
    /// The number of the call by its beginning; lines stand in the order of their end.
    pub(crate) seq: u64,
    /// Its start, in microseconds since 1970-01-01 UTC.
    pub(crate) at_us: u64,
    /// Its place among the calls of the run, in a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// The URI of the model that was asked; empty for another call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) model: String,
    /// The name of a call that is not one of a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    pub(crate) digest: Digest,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) request: Value,
    /// Nothing is known yet when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<Outcome>,
    /// True if a secret was masked in a line of a journal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) masked: bool,
}

impl Line {
    /// Returns the line as it is written: without secrets in the request and the outcome.
    pub(crate) fn masked(&self, masker: &Masker) -> serde_json::Result<Value> {
        let mut line = serde_json::to_value(self)?;
        let mut masked = false;
        for part in ["model", "request", "outcome"] {
            if let Some(part) = line.get_mut(part) {
                let before = self.key.is_some().then(|| part.clone());
                masker.value(part);
                masked |= before.is_some_and(|before| before != *part);
            }
        }
        if let Value::Object(fields) = &mut line
            && masked
        {
            fields.insert("masked".to_owned(), Value::Bool(true));
        }
        Ok(line)
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Response {
        #[serde(flatten)]
        response: ChatResponse,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        warnings: Vec<String>,
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        usage_estimated: bool,
    },
    Error(StoredError),
    /// What a call other than that of a model gave, as its caller writes it.
    Call(Value),
    /// It is to be made again as if it had not been begun: a person says so.
    Again,
}

impl Outcome {
    pub(crate) fn reply(reply: &Reply) -> Self {
        Self::Response {
            response: reply.response.clone(),
            warnings: reply.warnings.clone(),
            usage_estimated: reply.usage_estimated,
        }
    }

    pub(crate) const fn is_of_model(&self) -> bool {
        matches!(self, Self::Response { .. } | Self::Error(_))
    }

    pub(crate) fn into_result(self) -> Result<Reply, LlmError> {
        match self {
            Self::Response { response, warnings, usage_estimated } => {
                Ok(Reply { response, warnings, usage_estimated, ..Reply::default() })
            }
            Self::Error(error) => Err(error.into()),
            Self::Call(_) | Self::Again => {
                Err(LlmError::Settings { message: "a model gave no such outcome".to_owned() })
            }
        }
    }
}

/// A provider's failure as data: the kind and what else is needed to make it again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StoredError {
    /// [`LlmError::kind`].
    pub(crate) kind: String,
    /// The provider or host that failed.
    pub(crate) provider: String,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after_ms: Option<u64>,
    /// A limit that was passed: milliseconds of a time-out, bytes of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<u64>,
}

fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

impl From<&LlmError> for StoredError {
    fn from(error: &LlmError) -> Self {
        let base = Self {
            kind: error.kind().to_owned(),
            retry_after_ms: error.retry_after().map(millis),
            ..Self::default()
        };
        let of = |provider: &str, message: &str| Self {
            provider: provider.to_owned(),
            message: message.to_owned(),
            ..base.clone()
        };
        match error {
            LlmError::RateLimited { provider, message, .. }
            | LlmError::BadResponse { provider, message } => of(provider, message),
            LlmError::Network { host, message } | LlmError::Disconnected { host, message } => {
                of(host, message)
            }
            LlmError::Timeout { host, limit } => {
                Self { limit: Some(millis(*limit)), ..of(host, "") }
            }
            LlmError::NoSuchModel { provider, status, model, message } => {
                Self { status: Some(*status), model: Some(model.clone()), ..of(provider, message) }
            }
            LlmError::Auth { provider, status, message }
            | LlmError::Quota { provider, status, message }
            | LlmError::Server { provider, status, message, .. }
            | LlmError::Filtered { provider, status, message }
            | LlmError::BadRequest { provider, status, message } => {
                Self { status: Some(*status), ..of(provider, message) }
            }
            LlmError::NoSuchPath { host, path, status } => {
                Self { status: Some(*status), ..of(host, path) }
            }
            LlmError::CutStream { provider, received } => {
                Self { limit: Some(*received as u64), ..of(provider, "") }
            }
            LlmError::TooLarge { provider, limit } => {
                Self { limit: Some(*limit as u64), ..of(provider, "") }
            }
            LlmError::Unsupported { provider, what } => of(provider, what),
            other => of("", &other.to_string()),
        }
    }
}

impl From<StoredError> for LlmError {
    fn from(error: StoredError) -> Self {
        let StoredError { kind, provider, message, status, model, retry_after_ms, limit } = error;
        let retry_after = retry_after_ms.map(Duration::from_millis);
        let limit = limit.unwrap_or_default();
        let bytes = usize::try_from(limit).unwrap_or(usize::MAX);
        match kind.as_str() {
            "auth" => Self::Auth { provider, status: status.unwrap_or(401), message },
            "quota" => Self::Quota { provider, status: status.unwrap_or(429), message },
            "network" => Self::Network { host: provider, message },
            "disconnected" => Self::Disconnected { host: provider, message },
            "timeout" => Self::Timeout { host: provider, limit: Duration::from_millis(limit) },
            "no_such_model" => {
                let (status, model) = (status.unwrap_or(404), model.unwrap_or_default());
                Self::NoSuchModel { provider, status, model, message }
            }
            "no_such_path" => {
                let status = status.unwrap_or(404);
                Self::NoSuchPath { host: provider, path: message, status }
            }
            "rate_limited" => Self::RateLimited { provider, retry_after, message },
            "server" => {
                Self::Server { provider, status: status.unwrap_or(500), retry_after, message }
            }
            "bad_request" => Self::BadRequest { provider, status: status.unwrap_or(400), message },
            "CONTENT_FILTERED" => {
                Self::Filtered { provider, status: status.unwrap_or(400), message }
            }
            "cut_stream" => Self::CutStream { provider, received: bytes },
            "too_large" => Self::TooLarge { provider, limit: bytes },
            "unsupported" => Self::Unsupported { provider, what: message },
            "bad_response" => Self::BadResponse { provider, message },
            _ => Self::Settings { message },
        }
    }
}
