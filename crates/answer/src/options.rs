//! Options and limits of a reading.

use serde::{Deserialize, Serialize};

/// The options for reading an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// True for exact JSON only: no repair, no coercion, no fields beyond the shape (AS-21).
    pub strict: bool,
    /// The limits of the reading.
    pub limits: Limits,
}

impl ReadOptions {
    /// Returns options for lenient reading with the default limits.
    pub fn lenient() -> Self {
        Self::default()
    }

    /// Returns options for strict reading with the default limits.
    pub fn strict() -> Self {
        Self { strict: true, limits: Limits::default() }
    }
}

/// The limits of one reading; exceeding one is an error, never a silent cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The longest raw answer, in bytes. Default: 16 MiB.
    pub max_bytes: usize,
    /// The greatest nesting of lists and objects. Default and maximum: [`Limits::MAX_DEPTH`]; a
    /// higher value counts as that, since reading uses the stack.
    pub max_depth: usize,
    /// The number of errors listed; the rest is counted. Default: 50.
    pub max_errors: usize,
}

impl Limits {
    /// The greatest nesting that can be allowed, in levels; also that of strict reading.
    pub const MAX_DEPTH: usize = 127;
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 16 * 1024 * 1024, max_depth: Self::MAX_DEPTH, max_errors: 50 }
    }
}
