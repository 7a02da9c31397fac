//! The result of a question.

use contexture_answer::{AnswerError, Coercion, FieldError, Repair};
use contexture_context::Digest;
use contexture_core::error::LlmError;
use contexture_core::provider::Sent;
use contexture_prompt::{FinishReason, ToolCall, Usage};
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;

/// A checked answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The value; a JSON string when no shape was asked for.
    pub value: Value,
    /// The raw text it was read from.
    pub text: String,
    /// The report of its attempts.
    pub report: Report,
}

/// The attempts, with usage and warnings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The attempts in order.
    pub attempts: Vec<Attempt>,
    /// Tokens of all requests.
    pub usage: Usage,
    /// True if a part of the usage was counted here, as a server reported none.
    pub usage_estimated: bool,
    /// Hints that were not honoured, each once.
    pub warnings: Vec<String>,
    /// True if the observer was given text of the last request.
    pub is_heard: bool,
}

impl Report {
    /// Returns the number of requests that were sent.
    #[must_use]
    pub fn requests(&self) -> usize {
        let of = |one: &Attempt| one.requests.len() + one.retried.len() + one.conceded;
        self.attempts.iter().map(of).sum()
    }
}

/// One answer asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attempt {
    /// Counts from 1.
    pub number: u32,
    /// Digests of the requests that were sent: one, and one more for each round of tool calls.
    pub requests: Vec<Digest>,
    /// Requests that the server refused for their form before it took them in another.
    pub conceded: usize,
    /// The tokens that its answer was allowed.
    pub max_output: Option<u64>,
    /// The time that its requests took, with waits and without tools.
    pub took: Duration,
    /// The answer's text.
    pub text: String,
    /// The reason why the answer ended.
    pub finish_reason: Option<FinishReason>,
    /// Its tokens.
    pub usage: Usage,
    /// True if a part of them was counted here.
    pub usage_estimated: bool,
    /// What was sent of its options, where the provider can tell.
    pub sent: Option<Sent>,
    /// Failures of the provider that were tried again.
    pub retried: Vec<Retried>,
    /// The repairs made to read it.
    pub repairs: Vec<Repair>,
    /// The values converted to the type of their field.
    pub coerced: Vec<Coercion>,
    /// The mismatches with the shape; empty when the answer can be used.
    pub errors: Vec<FieldError>,
    /// The provider's failure that ended it.
    pub failure: Option<String>,
}

/// A failure of the provider that was tried again.
#[derive(Debug, Clone, PartialEq)]
pub struct Retried {
    /// The failure.
    pub error: LlmError,
    /// The wait.
    pub wait: Duration,
}

/// What ended an answer before it was whole (CA-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Ended {
    /// A limit of tokens: `max_output`, or the model's own.
    #[error("was cut off")]
    CutOff,
    /// Something unknown: its JSON is not closed, and the server gave no reason that is known.
    #[error("was cut off before its end")]
    Unclosed,
    /// The provider's filter.
    #[error("was withheld by the provider's content filter")]
    Filtered,
    /// The model, which declined.
    #[error("is a refusal of the model")]
    Refused,
}

impl Ended {
    /// Returns what a finish reason means, if the answer is not whole.
    #[must_use]
    pub const fn of(reason: &FinishReason) -> Option<Self> {
        match reason {
            FinishReason::Length => Some(Self::CutOff),
            FinishReason::ContentFilter => Some(Self::Filtered),
            FinishReason::Refusal => Some(Self::Refused),
            _ => None,
        }
    }

    /// Returns the stable code of the outcome.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::CutOff | Self::Unclosed => "ANSWER_CUT_OFF",
            Self::Filtered => "CONTENT_FILTERED",
            Self::Refused => "REFUSED",
        }
    }

    fn help(self, max_output: Option<u64>) -> String {
        match (self, max_output) {
            (Self::CutOff | Self::Unclosed, Some(limit)) => format!(
                "raise `max_output`, or allow more at need: `max_output: {limit} to {}, attempts: 2`",
                limit.saturating_mul(4)
            ),
            (Self::CutOff, None) => {
                "ask for less: the limit of the model itself ended the answer".to_owned()
            }
            (Self::Unclosed, None) => "try again, or ask for less".to_owned(),
            (Self::Filtered | Self::Refused, _) => {
                "change what is asked or shown, or ask another model".to_owned()
            }
        }
    }
}

/// Returns what an answer that was cut off took.
fn spent(ended: Ended, max_output: Option<u64>, report: &Report) -> String {
    let tokens = report.attempts.last().map_or(0, |attempt| attempt.usage.completion_tokens);
    match (ended, max_output) {
        (Ended::CutOff, Some(limit)) => {
            format!(" by `max_output` of {limit}, after {tokens} tokens")
        }
        (Ended::CutOff, None) => format!(" after {tokens} tokens"),
        (Ended::Unclosed, _) => {
            let reason = report.attempts.last().and_then(|attempt| attempt.finish_reason.as_ref());
            let reason = reason.map_or_else(
                || "without a reason".to_owned(),
                |reason| format!("with the reason `{}`", reason.as_str()),
            );
            format!(", after {tokens} tokens: its JSON is not closed, and it ended {reason}")
        }
        (Ended::Filtered | Ended::Refused, _) => String::new(),
    }
}

/// The reason why a question has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AskError {
    /// The provider failed.
    #[error("{error}")]
    Provider {
        /// The failure.
        error: LlmError,
        /// The report up to the failure.
        report: Report,
    },
    /// The answer ended before it was whole.
    #[error("the answer {ended}{}", spent(*ended, *max_output, report))]
    Ended {
        /// What ended it.
        ended: Ended,
        /// The text so far.
        text: String,
        /// The tokens that it was allowed in the last attempt.
        max_output: Option<u64>,
        /// The report.
        report: Report,
    },
    /// The model calls tools that are left to whoever asks.
    #[error("the model calls tools of whoever asks")]
    Left {
        /// The text beside the calls.
        text: String,
        /// All calls of the answer.
        calls: Vec<ToolCall>,
        /// The report.
        report: Report,
    },
    /// No attempt gave an answer that can be used.
    #[error("{error}")]
    Unusable {
        /// The mismatch of the last answer.
        error: AnswerError,
        /// The last answer.
        text: String,
        /// The report.
        report: Report,
    },
}

impl AskError {
    /// Returns the report.
    #[must_use]
    pub const fn report(&self) -> &Report {
        match self {
            Self::Provider { report, .. }
            | Self::Unusable { report, .. }
            | Self::Left { report, .. }
            | Self::Ended { report, .. } => report,
        }
    }

    /// Returns a stable name of the kind: [`LlmError::kind`], [`Ended::code`],
    /// `unusable_answer` or `tool_calls`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Provider { error, .. } => error.kind(),
            Self::Unusable { .. } => "unusable_answer",
            Self::Left { .. } => "tool_calls",
            Self::Ended { ended, .. } => ended.code(),
        }
    }

    /// Returns the fix.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Provider { error, .. } => error.help(),
            Self::Unusable { error, .. } => Some(error.help().to_owned()),
            Self::Left { .. } => None,
            Self::Ended { ended, max_output, .. } => Some(ended.help(*max_output)),
        }
    }
}
