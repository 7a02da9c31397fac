//! How much a place holds, as `data copy` tells it (WA-11).

use serde::Serialize;

/// How much a place of contexts holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// The number of contexts.
    pub contexts: u64,
    /// The number of their messages and changes.
    pub entries: u64,
    /// The number of messages with an answer, or waiting for one.
    pub answers: u64,
    /// The number of runs of sets.
    pub runs: u64,
    /// The number of calls and questions that wait.
    pub waits: u64,
    /// The number of journals of turns.
    pub journals: u64,
}
