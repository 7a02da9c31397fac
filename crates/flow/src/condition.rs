//! The condition language (FL-8, FL-9): parsed by hand, compiled once, evaluated in place.
//!
//! Decision: a condition is a small tree over borrowed [`Value`]s, not a program for a general
//! expression engine. Such an engine needs its own copy of the context for each evaluation, which
//! costs many times the evaluation itself, and has its own rules for equality and order.
//!
//! ```
//! use contexture_flow::condition::Condition;
//! use serde_json::json;
//!
//! let done = Condition::parse(
//!     "dependencies.a.status == 'COMPLETED' AND (size(dependencies.a.result.items) > 1 \
//!      OR NOT exists(dependencies.a.result.items))",
//! )?;
//! let context = json!({"dependencies": {"a": {"status": "COMPLETED", "result": {"items": [1, 2]}}}});
//! assert!(done.evaluate(&context));
//!
//! let fault = Condition::parse("a == 1 and b == 2").unwrap_err();
//! assert_eq!(fault.to_string(), "expected AND, OR or the end, found `and` at offset 7");
//! # Ok::<(), contexture_flow::condition::SyntaxError>(())
//! ```

pub(crate) mod cursor;
mod error;
mod eval;
mod function;
mod literal;
mod node;
mod parse;
pub(crate) mod path;
mod print;
mod value;

pub use error::SyntaxError;
pub use parse::{MAX_BYTES, MAX_DEPTH};
pub use path::{Path, Segment};

use node::Node;
use serde_json::Value;

/// A lookup of the values that paths name.
pub trait Roots {
    /// Returns the value at the end of a path; `None` if there is none.
    fn find<'v>(&'v self, path: &'v Path) -> Option<&'v Value>;
}

/// Looks up roots among the fields of an object.
impl Roots for Value {
    fn find<'v>(&'v self, path: &'v Path) -> Option<&'v Value> {
        let Self::Object(map) = self else { return None };
        path.segments()
            .iter()
            .try_fold(path::field(map, path.root())?, |at, segment| segment.of(at))
    }
}

/// A condition, ready to be evaluated any number of times.
#[derive(Debug, Clone)]
pub struct Condition {
    node: Node,
}

/// A status that a condition compares with a word.
pub(crate) struct StatusComparison<'c> {
    pub(crate) path: &'c Path,
    pub(crate) word: &'c str,
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// [`SyntaxError`] with the offset; an empty text is one too (see [`Condition::optional`]).
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        parse::parse(text).map(|node| Self { node })
    }

    /// The condition of an instruction: a blank one is `None`, and so always true (FL-8).
    ///
    /// # Errors
    /// As [`Condition::parse`].
    pub fn optional(text: &str) -> Result<Option<Self>, SyntaxError> {
        if text.chars().all(char::is_whitespace) {
            return Ok(None);
        }
        Self::parse(text).map(Some)
    }

    /// Reports whether it is true. It never fails: a missing value is null, and only `true` is
    /// true.
    #[must_use]
    pub fn evaluate<R: Roots + ?Sized>(&self, roots: &R) -> bool {
        self.node.is_true(roots)
    }

    /// Returns all paths in it, in their order.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.node.visit(&mut |node| {
            if let Node::Path(path) = node {
                paths.push(path);
            }
        });
        paths
    }

    pub(crate) fn status_comparisons(&self) -> Vec<StatusComparison<'_>> {
        let mut found = Vec::new();
        self.node.visit(&mut |node| {
            let Node::Compare(comparison) = node else { return };
            let (path, word) = match (&comparison.left, &comparison.right) {
                (Node::Path(path), Node::Literal(Value::String(word)))
                | (Node::Literal(Value::String(word)), Node::Path(path)) => (path, word),
                _ => return,
            };
            if path.segments().len() == 2 && path.outcome_field() == Some("status") {
                found.push(StatusComparison { path, word });
            }
        });
        found
    }
}

impl std::str::FromStr for Condition {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}
