//! Faults of a message: each with its place, all of them in one pass (CP-3).

use crate::limits::Limits;
use crate::node::Node;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The number of characters shown of an offending text.
const SHOWN: usize = 60;

/// One fault of a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// The place: a JSON pointer (RFC 6901) from the top of the message.
    pub pointer: String,
    /// The expected value.
    pub expected: String,
    /// The value found.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the message" } else { &self.pointer };
        write!(f, "{place}: expected {}, found {}", self.expected, self.found)
    }
}

/// The position of a reader. It costs nothing until a fault needs the pointer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Top,
    Key(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    pub(crate) const TOP: Self = Self { parent: None, step: Step::Top };

    pub(crate) fn key<'b>(&'b self, key: &'b str) -> Place<'b>
    where
        'a: 'b,
    {
        Place { parent: Some(self), step: Step::Key(key) }
    }

    pub(crate) fn index<'b>(&'b self, index: usize) -> Place<'b>
    where
        'a: 'b,
    {
        Place { parent: Some(self), step: Step::Index(index) }
    }

    pub(crate) fn pointer(&self) -> String {
        let mut out = self.parent.map(Place::pointer).unwrap_or_default();
        match self.step {
            Step::Top => {}
            Step::Key(key) => {
                out.push('/');
                out.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Step::Index(index) => {
                out.push('/');
                out.push_str(&index.to_string());
            }
        }
        out
    }
}

/// Faults, of which so many are listed as the limits say.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) violations: Vec<Violation>,
    pub(crate) unlisted: usize,
    pub(crate) is_too_large: bool,
}

impl Faults {
    pub(crate) fn add(&mut self, limits: &Limits, violation: impl FnOnce() -> Violation) {
        if self.violations.len() >= limits.violations.max(1) {
            self.unlisted += 1;
        } else {
            self.violations.push(violation());
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.violations.len() + self.unlisted
    }

    /// Returns the first fault in words, with the number of the others.
    pub(crate) fn message(&self) -> Option<String> {
        let first = self.violations.first()?;
        Some(match self.count() - 1 {
            0 => first.to_string(),
            more => format!("{first} (and {more} more)"),
        })
    }
}

/// The faults that a reader has found so far.
#[derive(Debug)]
pub(crate) struct Report<'l> {
    pub(crate) limits: &'l Limits,
    pub(crate) faults: Faults,
}

impl<'l> Report<'l> {
    pub(crate) fn new(limits: &'l Limits) -> Self {
        Self { limits, faults: Faults::default() }
    }

    /// Returns the number of faults; a reader compares it before and after.
    pub(crate) fn count(&self) -> usize {
        self.faults.count()
    }

    pub(crate) fn add(&mut self, at: &Place<'_>, expected: impl Into<String>, found: String) {
        let violation = || Violation { pointer: at.pointer(), expected: expected.into(), found };
        self.faults.add(self.limits, violation);
    }

    pub(crate) fn wrong(&mut self, at: &Place<'_>, expected: impl Into<String>, value: &Node<'_>) {
        self.add(at, expected, found(value));
    }

    /// Adds the fault of a missing field.
    pub(crate) fn missing(&mut self, at: &Place<'_>, name: &str, expected: impl Into<String>) {
        self.add(&at.key(name), expected, "nothing".to_owned());
    }

    /// Adds the breach of a limit.
    pub(crate) fn too_large(&mut self, at: &Place<'_>, expected: String, found: String) {
        self.faults.is_too_large = true;
        self.add(at, expected, found);
    }

    /// Adds faults that another check found below `at`.
    pub(crate) fn take(&mut self, at: &Place<'_>, violations: Vec<Violation>) {
        for violation in violations {
            self.add(at, violation.expected, violation.found);
            if let Some(last) = self.faults.violations.last_mut() {
                last.pointer.push_str(&violation.pointer);
            }
        }
    }
}

/// Describes a value in a few words.
pub(crate) fn found(value: &Node<'_>) -> String {
    match value {
        Node::Null => "null".to_owned(),
        Node::Bool(value) => value.to_string(),
        Node::Number(number) => format!("the number {number}"),
        Node::String(text) => format!("the string {}", quoted(text)),
        Node::Array(items) => counted("an array of", items.len(), "element"),
        Node::Object(fields) => counted("an object of", fields.0.len(), "field"),
    }
}

fn counted(what: &str, count: usize, of: &str) -> String {
    format!("{what} {count} {of}{}", if count == 1 { "" } else { "s" })
}

/// Returns a text as JSON, shortened with `…` if it is long.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN).and_then(|(at, _)| text.split_at_checked(at)) {
        None => Value::from(text).to_string(),
        Some((head, _)) => format!("{}…", Value::from(head)),
    }
}
