//! Paths: `dependencies.inst_1.result["a key"][0]`.

use super::cursor::{Cursor, is_name, span};
use super::error::SyntaxError;
use super::literal;
use contexture_diagnostic::Span;
use serde_json::{Map, Value};
use std::fmt;

/// The number of fields up to which an object is searched one by one; above that, hashing the name
/// is faster.
const FEW: usize = 8;

/// A segment of a path: a field of an object or, if it is a number, an element of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    name: Box<str>,
    /// The index in a list; `usize::MAX` if there is none.
    index: usize,
}

impl Segment {
    pub(crate) fn new(name: &str) -> Self {
        let is_plain = name.len() == 1 || !name.starts_with('0');
        let is_digits = name.bytes().all(|byte| byte.is_ascii_digit());
        let index = if is_plain && is_digits { name.parse().ok() } else { None };
        Self { name: name.into(), index: index.unwrap_or(usize::MAX) }
    }

    /// Returns the name of the field.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the part of a value that the segment names.
    #[must_use]
    pub fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match value {
            Value::Object(map) => field(map, &self.name),
            Value::Array(items) => items.get(self.index),
            _ => None,
        }
    }
}

pub(crate) fn field<'v>(map: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if map.len() > FEW {
        return map.get(name);
    }
    map.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value)
}

/// A path from a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    root: Box<str>,
    segments: Box<[Segment]>,
    pub(crate) span: Span,
}

impl Path {
    /// Parses a path that stands alone, as in `value.items[0].name`.
    ///
    /// # Errors
    /// [`SyntaxError`] with the offset.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut cursor = Cursor::new(text, 0);
        let root = cursor.take_while(is_name);
        if root.is_empty() {
            return Err(cursor.expected("a name"));
        }
        let path = Self::after(root, 0, &mut cursor)?;
        match cursor.peek() {
            None => Ok(path),
            Some(_) => Err(cursor.expected("`.`, `[` or the end of the path")),
        }
    }

    /// Returns the name that it begins with.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns the segments after the root.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the span in its text, in bytes.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the id of the outcome that it reads, if it begins with `dependencies.ID` or
    /// `results.ID`.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        let is_outcome = matches!(self.root(), "dependencies" | "results");
        self.segments.first().filter(|_| is_outcome).map(Segment::name)
    }

    /// Returns the field of that outcome, such as `status`.
    #[must_use]
    pub fn outcome_field(&self) -> Option<&str> {
        self.outcome()?;
        self.segments.get(1).map(Segment::name)
    }

    /// Parses the path after the root, which began at `start`.
    pub(crate) fn after(
        root: &str,
        start: usize,
        cursor: &mut Cursor<'_>,
    ) -> Result<Self, SyntaxError> {
        let mut segments = Vec::with_capacity(4);
        loop {
            match cursor.byte() {
                Some(b'.') => {
                    cursor.bump();
                    let name = cursor.take_while(is_name);
                    if name.is_empty() {
                        let help = "write other names in brackets and quotes: [\"a key\"]";
                        return Err(cursor.expected("a name after the dot").with_help(help));
                    }
                    segments.push(Segment::new(name));
                }
                Some(b'[') => segments.push(bracket(cursor)?),
                _ => break,
            }
        }
        let span = cursor.since(start);
        Ok(Self { root: root.into(), segments: segments.into_boxed_slice(), span })
    }
}

fn bracket(cursor: &mut Cursor<'_>) -> Result<Segment, SyntaxError> {
    let open = cursor.at();
    cursor.bump();
    cursor.skip_blanks();
    let segment = match cursor.byte() {
        Some(b'\'' | b'"') => Segment::new(&literal::string(cursor)?),
        Some(byte) if byte.is_ascii_digit() => {
            Segment::new(cursor.take_while(|c| c.is_ascii_digit()))
        }
        _ => return Err(cursor.expected("a number or a quoted name in the brackets")),
    };
    cursor.skip_blanks();
    if cursor.eat("]") {
        return Ok(segment);
    }
    let message = format!("expected `]`, found {}", cursor.found());
    let place = if cursor.peek().is_none() { span(open, open + 1) } else { cursor.here() };
    Err(SyntaxError::new(place, message))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.segments.iter().try_for_each(|segment| segment.fmt(f))
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() && self.name.chars().all(is_name) {
            write!(f, ".{}", self.name)
        } else {
            write!(f, "[{}]", Value::from(self.name()))
        }
    }
}
