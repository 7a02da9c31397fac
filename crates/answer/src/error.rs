//! Errors of unusable answers, with every fault named by the path of its field (AS-21).

use serde::Serialize;
use serde_json::Value;
use std::fmt::{self, Display, Formatter};
use thiserror::Error;

/// A place where an answer does not match its shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// Its path, such as `items[2].name`; empty for the answer as a whole.
    pub path: String,
    /// The expected value.
    pub expected: String,
    /// The value found.
    pub found: String,
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the answer" } else { &self.path };
        write!(f, "{path}: expected {}, found {}", self.expected, self.found)
    }
}

/// The error of an unusable answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The answer is longer than allowed.
    #[error("the answer has {bytes} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Its length in bytes.
        bytes: usize,
        /// [`crate::Limits::max_bytes`].
        limit: usize,
    },
    /// Lists and objects are nested deeper than allowed.
    #[error("the answer is nested deeper than {limit} levels (at byte {at})")]
    TooDeep {
        /// The start of the value, in bytes.
        at: usize,
        /// [`crate::Limits::max_depth`].
        limit: usize,
    },
    /// There is no value in the text.
    #[error("expected {expected}, found {found}")]
    NoValue {
        /// The expected kind of value.
        expected: String,
        /// A description of the text.
        found: String,
    },
    /// Strict reading: the text is not exactly one JSON value.
    #[error("the answer is not exact JSON: {reason}")]
    NotJson {
        /// The fault, with line and column.
        reason: String,
    },
    /// The value does not match the shape.
    #[error("{}", list(errors, *more))]
    Mismatch {
        /// Every fault, in the order of the shape, up to [`crate::Limits::max_errors`].
        errors: Vec<FieldError>,
        /// The number of further faults.
        more: usize,
        /// The parsed value.
        value: Box<Value>,
    },
}

impl AnswerError {
    /// Returns the faults by path; a fault of the answer as a whole has an empty path.
    pub fn errors(&self) -> Vec<FieldError> {
        match self {
            AnswerError::Mismatch { errors, .. } => errors.clone(),
            AnswerError::NoValue { expected, found } => vec![whole(expected, found)],
            AnswerError::NotJson { reason } => vec![whole("exact JSON", reason)],
            AnswerError::TooLarge { bytes, limit } => {
                vec![whole(&format!("at most {limit} bytes"), &format!("{bytes} bytes"))]
            }
            AnswerError::TooDeep { limit, .. } => {
                vec![whole(&format!("at most {limit} levels"), "a deeper nesting")]
            }
        }
    }

    /// Returns advice for the author of the program.
    pub fn help(&self) -> &'static str {
        match self {
            AnswerError::TooLarge { .. } => "ask for a shorter answer, or set `max_output`",
            AnswerError::TooDeep { .. } => "ask for a flatter answer",
            AnswerError::NotJson { .. } => {
                "leave `strict` out to have small faults fixed, or allow more `attempts`"
            }
            AnswerError::NoValue { .. } | AnswerError::Mismatch { .. } => {
                "allow more `attempts`, or describe the fields in the shape with `///` comments"
            }
        }
    }
}

fn whole(expected: &str, found: &str) -> FieldError {
    FieldError { path: String::new(), expected: expected.to_owned(), found: found.to_owned() }
}

fn list(errors: &[FieldError], more: usize) -> String {
    let mut text = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text
}
