//! Errors of a request; no kind holds a header, a query or a body.

use crate::address::{Refused, ResolveError};
use crate::error::{ToolError, shown};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpError {
    #[error("`{}` is not a URL: {reason}", shown(url))]
    Url { url: String, reason: String },
    #[error("`{}` is not on {origin}", shown(url))]
    OtherOrigin { origin: String, url: String },
    #[error("a URL must not hold credentials")]
    Credentials,
    #[error("`{}` is not a header name", shown(.0))]
    HeaderName(String),
    #[error("the header `{0}` is not the program's to set")]
    HeaderForbidden(String),
    #[error("the value of the header `{0}` has a character that no header can have")]
    HeaderValue(String),
    #[error(transparent)]
    Address(#[from] Refused),
    #[error(transparent)]
    Name(#[from] ResolveError),
    #[error("{origin} could not be reached: {reason}")]
    Unreachable { origin: String, reason: String },
    #[error("{origin} did not answer within {timeout_ms} ms")]
    Timeout { origin: String, timeout_ms: u64 },
    #[error("{origin} redirects to {target}, which is another origin")]
    RedirectLeaves { origin: String, target: String },
    #[error("{origin} redirects more than {limit} times")]
    TooManyRedirects { origin: String, limit: usize },
    #[error("the body sent to {origin} has {bytes} bytes, the limit is {limit}")]
    BodyTooLarge { origin: String, bytes: usize, limit: usize },
    #[error("the answer of {origin} has more than {limit} bytes")]
    AnswerTooLarge { origin: String, limit: usize },
    #[error("the answer of {origin} broke off: {reason}")]
    BrokenOff { origin: String, reason: String },
    #[error("no HTTP client could be made: {0}")]
    Client(String),
}

impl HttpError {
    fn code(&self) -> &'static str {
        match self {
            Self::Url { .. } | Self::Credentials => "http_url",
            Self::OtherOrigin { .. } => "http_other_origin",
            Self::HeaderName(_) | Self::HeaderForbidden(_) | Self::HeaderValue(_) => "http_header",
            Self::Address(_) | Self::Name(ResolveError::Refused(_)) => "http_private_address",
            Self::Name(_) | Self::Unreachable { .. } | Self::BrokenOff { .. } | Self::Client(_) => {
                "http_failed"
            }
            Self::Timeout { .. } => "http_timeout",
            Self::RedirectLeaves { .. } | Self::TooManyRedirects { .. } => "http_redirect",
            Self::BodyTooLarge { .. } | Self::AnswerTooLarge { .. } => "http_too_large",
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Url { .. } => "give a path relative to the origin, such as \"/api/data\"",
            Self::OtherOrigin { .. } => {
                "give a path relative to the origin, or import the other origin as a tool of its own"
            }
            Self::Credentials => "pass the credential as an Authorization header",
            Self::HeaderName(_) => "header names have letters, digits and `-`",
            Self::HeaderForbidden(_) => "leave it out: it is set from the URL and the body",
            Self::HeaderValue(_) => "use visible characters, without line ends",
            Self::Address(_) | Self::Name(ResolveError::Refused(_)) => {
                "if this is meant, add the host to `network.allow_private` in contexture.toml"
            }
            Self::Name(_) | Self::Unreachable { .. } => {
                "see whether the server runs and can be reached from here"
            }
            Self::Timeout { .. } => "give a longer `timeout` in milliseconds, or ask for less",
            Self::RedirectLeaves { .. } => "import that origin as a tool of its own and ask it",
            Self::TooManyRedirects { .. } => "ask for the URL that the redirects lead to",
            Self::BodyTooLarge { .. } => "send less at a time",
            Self::AnswerTooLarge { .. } => "ask for less at a time",
            Self::BrokenOff { .. } => "try again",
            Self::Client(_) => "see whether the system's certificates are installed",
        }
    }
}

impl From<HttpError> for ToolError {
    fn from(error: HttpError) -> Self {
        Self::new(error.code(), error.to_string()).with_help(error.help())
    }
}
