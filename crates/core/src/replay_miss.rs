//! The difference between a request and the nearest one that a recording holds (AS-24).

use contexture_context::Digest;
use std::fmt;

/// A request that is not in a recording (AS-24).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayMiss {
    /// The request's digest.
    pub digest: Digest,
    /// The difference from the nearest recorded request.
    pub difference: Difference,
}

/// The difference from the nearest recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The recording is empty.
    Empty,
    /// The texts are the same but for secrets, which are masked.
    Secrets,
    /// It was recorded, and all its answers have been given.
    UsedUp {
        /// The number of times it was recorded.
        recorded: usize,
    },
    /// A message differs.
    Message {
        /// Its number, from 1.
        index: usize,
        /// Its role now.
        role: String,
        /// The first line that differs, from 1.
        line: usize,
        /// That line now; `None` when there is none.
        now: Option<String>,
        /// That line as it was recorded.
        recorded: Option<String>,
    },
    /// The number of messages differs.
    MessageCount {
        /// The number now.
        now: usize,
        /// The number as recorded.
        recorded: usize,
    },
    /// An option differs.
    Option {
        /// Its name, such as `temperature` or `schema`.
        name: String,
        /// Its value now.
        now: Option<String>,
        /// Its value as recorded.
        recorded: Option<String>,
    },
}

impl fmt::Display for ReplayMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the recording has no answer to this request: ")?;
        let shown = |text: &Option<String>| match text {
            Some(text) => format!("`{text}`"),
            None => "nothing".to_owned(),
        };
        match &self.difference {
            Difference::Empty => f.write_str("it is empty"),
            Difference::Secrets => {
                f.write_str("it differs in secrets alone, which are masked before a model")
            }
            Difference::UsedUp { recorded: 1 } => {
                f.write_str("it was recorded once and is asked for again")
            }
            Difference::UsedUp { recorded } => {
                write!(f, "it was recorded {recorded} times and is asked for once more")
            }
            Difference::Message { index, role, line, now, recorded } => write!(
                f,
                "line {line} of message {index} ({role}) is {} and was recorded as {}",
                shown(now),
                shown(recorded)
            ),
            Difference::MessageCount { now, recorded } => {
                write!(f, "it has {now} messages, and {recorded} were recorded")
            }
            Difference::Option { name, now, recorded } => {
                write!(f, "`{name}` is {} and was recorded as {}", shown(now), shown(recorded))
            }
        }
    }
}
