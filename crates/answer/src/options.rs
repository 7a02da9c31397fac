//! How an answer is read, and how large it may be.

use serde::{Deserialize, Serialize};

/// How to read an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Exact JSON only: no repair, no coercion, no fields beyond the shape (AS-21).
    pub strict: bool,
    /// The limits of the reading.
    pub limits: Limits,
}

impl ReadOptions {
    /// Lenient reading with the default limits.
    pub fn lenient() -> Self {
        Self::default()
    }

    /// Strict reading with the default limits.
    pub fn strict() -> Self {
        Self { strict: true, limits: Limits::default() }
    }
}

/// The limits of one reading; going past one is an error, never a silent cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The longest raw answer, in bytes. Default: 16 MiB.
    pub max_bytes: usize,
    /// How deep lists and objects may be nested. Default and most: [`Limits::MAX_DEPTH`]; a higher
    /// value counts as that, since reading uses the stack.
    pub max_depth: usize,
    /// How many errors are listed; the rest is counted. Default: 50.
    pub max_errors: usize,
}

impl Limits {
    /// The deepest nesting that can be allowed, in levels: what strict reading allows, too.
    pub const MAX_DEPTH: usize = 127;
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 16 * 1024 * 1024, max_depth: Self::MAX_DEPTH, max_errors: 50 }
    }
}
