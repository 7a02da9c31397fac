//! The errors of model calls.
//!
//! Decision: one enum whose variants show what the caller may do next (fix the key, wait, choose
//! another model), not which library failed. No message holds a key: providers mask their own key
//! in every text that came from outside before it gets here.

use crate::model_uri::{UriError, is_loopback};
use crate::replay_miss::{Difference, ReplayMiss};
use contexture_diagnostic::MissingFeature;
use std::time::Duration;
use thiserror::Error;

/// The reason why a model call returned no answer (AS-22, PT-12).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The setting that holds the key is not set; nothing was sent.
    #[error("{provider} needs a key, and {variable} is not set")]
    NoKey {
        /// The provider, such as `openai`.
        provider: String,
        /// The variable of the environment.
        variable: &'static str,
    },
    /// The provider refuses the key, or asks for one.
    #[error("{provider} refused the credentials: {message}")]
    Auth {
        /// The provider, such as `openai`.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The message, without the key.
        message: String,
    },
    /// The account has no credit left.
    #[error("{provider} has no quota left for this account: {message}")]
    Quota {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The message.
        message: String,
    },
    /// The connection broke after it was made.
    #[error("the connection to {host} broke: {message}")]
    Disconnected {
        /// The host and port.
        host: String,
        /// The failed operation.
        message: String,
    },
    /// The server could not be reached.
    #[error("no connection to {host}: {message}")]
    Network {
        /// The host and port.
        host: String,
        /// The failed operation.
        message: String,
    },
    /// The answer did not come in time.
    #[error("no answer from {host} within {} ms", limit.as_millis())]
    Timeout {
        /// The host and port, or the provider.
        host: String,
        /// The time that was allowed.
        limit: Duration,
    },
    /// The provider has no such model, or this account may not use it.
    #[error("{provider} has no model `{model}`: {message}")]
    NoSuchModel {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The name as sent.
        model: String,
        /// The message.
        message: String,
    },
    /// The server is there, and has nothing at the path that the base URL leads to.
    #[error("{host} has nothing at the path `{path}` (status {status})")]
    NoSuchPath {
        /// The host and port.
        host: String,
        /// The path of the request.
        path: String,
        /// The HTTP status.
        status: u16,
    },
    /// Too many requests (429).
    #[error("{provider} limits the rate of requests{}: {message}", after(*retry_after))]
    RateLimited {
        /// The provider.
        provider: String,
        /// The time that the provider asks to wait.
        retry_after: Option<Duration>,
        /// The message.
        message: String,
    },
    /// The server failed (5xx), or can't answer now (408, 409).
    #[error("{provider} failed with status {status}{}: {message}", after(*retry_after))]
    Server {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The time that the provider asks to wait.
        retry_after: Option<Duration>,
        /// The message.
        message: String,
    },
    /// The provider does not accept the request (4xx).
    #[error("{provider} refused the request with status {status}: {message}")]
    BadRequest {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The message.
        message: String,
    },
    /// The provider's filter does not let the request through.
    #[error("{provider} refused the request by its content filter (status {status}): {message}")]
    Filtered {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The message.
        message: String,
    },
    /// Prompt and answer do not fit the model's window.
    #[error(
        "the prompt and its answer do not fit the window of the model at {provider}: {message}"
    )]
    WindowOverflow {
        /// The provider.
        provider: String,
        /// The HTTP status, if the server refused it.
        status: Option<u16>,
        /// The message.
        message: String,
    },
    /// What the request may cost at worst does not fit in what is left of a limit; nothing was sent.
    #[error("{message}")]
    CostLimit {
        /// What does not fit, and the limit.
        message: String,
        /// The fix.
        help: String,
    },
    /// The answer does not follow the protocol.
    #[error("{provider} gave no usable answer: {message}")]
    BadResponse {
        /// The provider.
        provider: String,
        /// The fault in it.
        message: String,
    },
    /// The answer ended with a reason that is a failure, such as `error`.
    #[error("{provider} gave no whole answer: it ended with the reason `{reason}`")]
    AnswerFailed {
        /// The provider.
        provider: String,
        /// The reason, as the server names it.
        reason: String,
    },
    /// A streamed answer ended before it was complete.
    #[error("the answer of {provider} broke off after {received} bytes of text")]
    CutStream {
        /// The provider.
        provider: String,
        /// The bytes of answer text received.
        received: usize,
    },
    /// The answer is larger than the limit.
    #[error("the answer of {provider} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The provider.
        provider: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The call was cancelled.
    #[error("the model call was cancelled")]
    Cancelled,
    /// The run ended while the model was asked: whether it answered is not known (WA-3).
    #[error("the run ended while {model} was asked, and whether it answered is not known")]
    Uncertain {
        /// The model.
        model: String,
    },
    /// A recording has no answer to this request (AS-24).
    #[error("{0}")]
    ReplayMiss(Box<ReplayMiss>),
    /// A recording, or a file of scripted answers, can't be read or written.
    #[error("{file}{}: {message}", line.map(|line| format!(", line {line}")).unwrap_or_default())]
    Recording {
        /// The file.
        file: String,
        /// The line, from 1, if one is to blame.
        line: Option<usize>,
        /// The faults.
        message: String,
    },
    /// All scripted answers are used up, or none fits.
    #[error("no scripted answer is left for this request ({used} of {total} are used)")]
    NoAnswerLeft {
        /// The number of answers given so far.
        used: usize,
        /// The number of all answers.
        total: usize,
    },
    /// The request holds something that this provider can't take.
    #[error("{provider} can't take {what}")]
    Unsupported {
        /// The provider.
        provider: String,
        /// The unsupported part, such as `audio parts`.
        what: String,
    },
    /// The built-in model, which only quotes, found nothing for these required fields (CA-9).
    #[error("nothing in the context supports {}", fields.join(", "))]
    NothingSupports {
        /// The paths of the fields.
        fields: Vec<String>,
    },
    /// A request without any message; nothing was sent.
    #[error("there are no messages to send")]
    NoMessages,
    /// The model kept calling tools.
    #[error("the model still calls tools after {limit} rounds")]
    ToolRounds {
        /// The rounds that were allowed.
        limit: u32,
    },
    /// The URI names no model.
    #[error(transparent)]
    Uri(#[from] UriError),
    /// A setting is missing or wrong.
    #[error("{message}")]
    Settings {
        /// The setting, and the fault.
        message: String,
    },
    /// This build has no providers of this kind.
    #[error(transparent)]
    MissingFeature(#[from] MissingFeature),
}

fn after(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" (asks to wait {} s)", wait.as_secs_f64().ceil())).unwrap_or_default()
}

impl LlmError {
    /// Reports whether the same request may succeed later: 408, 409, 429, 5xx, time-outs and broken
    /// connections (PT-12, CA-2). Text of a stream that came before is for the caller to look at.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::Timeout { .. }
                | Self::Disconnected { .. }
                | Self::CutStream { received: 0, .. }
        )
    }

    /// Reports whether it costs nothing: the request was refused with a status, or never sent
    /// (CA-5). Of all others nobody knows what they cost.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        !matches!(
            self,
            Self::Disconnected { .. }
                | Self::Timeout { .. }
                | Self::BadResponse { .. }
                | Self::AnswerFailed { .. }
                | Self::CutStream { .. }
                | Self::TooLarge { .. }
                | Self::Cancelled
                | Self::Uncertain { .. }
        )
    }

    /// Reports whether a request was sent, and not only built.
    #[must_use]
    pub const fn is_sent(&self) -> bool {
        !matches!(
            self,
            Self::NoKey { .. }
                | Self::Network { .. }
                | Self::CostLimit { .. }
                | Self::WindowOverflow { status: None, .. }
                | Self::Unsupported { .. }
                | Self::NoMessages
                | Self::ReplayMiss(_)
                | Self::Recording { .. }
                | Self::NoAnswerLeft { .. }
                | Self::Uri(_)
                | Self::Settings { .. }
                | Self::MissingFeature(_)
        )
    }

    /// Returns the time that the provider asks to wait.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }

    /// Returns the HTTP status of the provider that refused or failed (CA-10).
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Auth { status, .. }
            | Self::Quota { status, .. }
            | Self::NoSuchModel { status, .. }
            | Self::NoSuchPath { status, .. }
            | Self::Server { status, .. }
            | Self::Filtered { status, .. }
            | Self::BadRequest { status, .. } => Some(*status),
            Self::RateLimited { .. } => Some(429),
            Self::WindowOverflow { status, .. } => *status,
            _ => None,
        }
    }

    /// Returns a stable name of the kind, such as `rate_limited`; programs see it as `err.code`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NoKey { .. } | Self::Auth { .. } => "auth",
            Self::Quota { .. } => "quota",
            Self::Network { .. } => "network",
            Self::Disconnected { .. } => "disconnected",
            Self::Timeout { .. } => "timeout",
            Self::NoSuchModel { .. } => "no_such_model",
            Self::NoSuchPath { .. } => "no_such_path",
            Self::RateLimited { .. } => "rate_limited",
            Self::Server { .. } => "server",
            Self::BadRequest { .. } => "bad_request",
            Self::Filtered { .. } => "CONTENT_FILTERED",
            Self::WindowOverflow { .. } => "window_overflow",
            Self::CostLimit { .. } => "COST_LIMIT",
            Self::BadResponse { .. } => "bad_response",
            Self::AnswerFailed { .. } => "answer_failed",
            Self::CutStream { .. } => "cut_stream",
            Self::TooLarge { .. } => "too_large",
            Self::Cancelled => "cancelled",
            Self::Uncertain { .. } => "OUTCOME_UNCERTAIN",
            Self::ReplayMiss(_) => "replay_miss",
            Self::Recording { .. } => "recording",
            Self::NoAnswerLeft { .. } => "no_answer_left",
            Self::Unsupported { .. } => "unsupported",
            Self::NothingSupports { .. } => "nothing_supports",
            Self::NoMessages => "no_messages",
            Self::ToolRounds { .. } => "tool_rounds",
            Self::Uri(_) => "model_uri",
            Self::Settings { .. } => "settings",
            Self::MissingFeature(_) => MissingFeature::CODE,
        }
    }

    /// Returns how to fix it, where that is known.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoKey { variable, .. } => {
                return Some(format!(
                    "set {variable} to your key, or run offline with `--model builtin://extractive`"
                ));
            }
            Self::Auth { provider, .. } => return Some(key_help(provider)),
            Self::Quota { .. } => "check the plan and billing of the account",
            Self::Network { host, .. } if host.ends_with(":11434") => {
                "start Ollama (`ollama serve`), or set OLLAMA_BASE_URL"
            }
            Self::Network { host, .. } if is_loopback(host) => {
                "start the server, or give the address and port where it listens"
            }
            Self::Network { .. } => "check the address, the network and the proxy settings",
            Self::Timeout { .. } => "raise `timeout`, or ask for less with `max_output`",
            Self::NoSuchModel { provider, model, .. } if provider == "ollama" => {
                return Some(format!(
                    "fetch it with `ollama pull {model}`, or choose another model"
                ));
            }
            Self::NoSuchModel { .. } => "check the model's name and what the account may use",
            Self::NoSuchPath { .. } => {
                "fix the path of the base URL, in the model's URI or in the setting or variable that \
                 gives it: most servers of OpenAI's protocol have it end in /v1"
            }
            Self::RateLimited { .. } => "wait, lower `--concurrency`, or allow more retries",
            Self::Server { .. } | Self::AnswerFailed { .. } => "try again later",
            Self::WindowOverflow { .. } => {
                "set `max_input` to what the model can take, or give its `window` under [profiles] of contexture.toml"
            }
            Self::CostLimit { help, .. } => return Some(help.clone()),
            Self::BadRequest { .. } => "change the request as the provider says",
            Self::Filtered { .. } => "change what is asked or shown, or ask another model",
            Self::BadResponse { .. } => {
                "try again; if it stays so, check that the address serves this protocol"
            }
            Self::CutStream { .. } | Self::Disconnected { .. } => {
                "try again; if it stays so, see the log of the server, and whether a proxy on the way ends long answers"
            }
            Self::Uncertain { .. } => "ask again",
            Self::TooLarge { .. } => "raise the limit `answer_bytes`, or set `max_output`",
            Self::ReplayMiss(miss) if miss.difference == Difference::Secrets => {
                "record again, or set `secrets = \"allow\"` under [policy] if the recorded model saw them"
            }
            Self::ReplayMiss(_) => "record again with `--record`, or undo the change named above",
            Self::Recording { line: None, .. } => {
                "check the path, and that you may read or write there"
            }
            Self::Recording { .. } => "fix or remove that line, or record again",
            Self::NoAnswerLeft { .. } => "add an answer to the list",
            Self::Unsupported { .. } => "leave it out, or choose another model",
            Self::NothingSupports { .. } => {
                "show the text that holds it with `use`, make the field optional, or ask a language model with `--model`"
            }
            Self::NoMessages => {
                "give a prompt with `submit`, or messages that end with one of the user"
            }
            Self::ToolRounds { .. } => "allow more rounds, or give the model fewer tools",
            Self::Uri(error) => return error.help(),
            Self::MissingFeature(missing) => return Some(missing.help()),
            Self::Cancelled | Self::Settings { .. } => return None,
        };
        Some(help.to_owned())
    }
}

fn key_help(provider: &str) -> String {
    match provider {
        "anthropic" => "set ANTHROPIC_API_KEY to a valid key".to_owned(),
        "ollama" => "this Ollama server asks for credentials; Contexture sends none".to_owned(),
        _ => "set OPENAI_API_KEY to a valid key".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(retry_after: Option<Duration>) -> LlmError {
        LlmError::RateLimited { provider: "openai".into(), retry_after, message: "slow".into() }
    }

    #[test]
    fn as_22_only_rate_limits_server_faults_and_time_outs_may_be_tried_again() {
        let server = LlmError::Server {
            provider: "x".into(),
            status: 503,
            retry_after: None,
            message: String::new(),
        };
        let timeout = LlmError::Timeout { host: "x".into(), limit: Duration::from_secs(1) };
        let auth = LlmError::Auth { provider: "x".into(), status: 401, message: String::new() };
        assert!(limited(None).is_retryable() && server.is_retryable() && timeout.is_retryable());
        assert!(!auth.is_retryable() && !LlmError::Cancelled.is_retryable());
    }

    #[test]
    fn as_22_the_wait_that_is_asked_for_is_said() {
        let error = limited(Some(Duration::from_millis(1500)));
        assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));
        assert_eq!(
            error.to_string(),
            "openai limits the rate of requests (asks to wait 2 s): slow"
        );
    }
}
