//! A growing answer (AS-23): the value so far, in its shape.
//!
//! The text is parsed again from its beginning: with each chunk while it is short, so that a small
//! object grows as it comes, and then only when it has grown by a part of its length. The reader
//! parses hundreds of megabytes per second, and all readings together cost some megabytes and about
//! thirty times the length of the answer; the last one is never far behind. A reader that keeps its
//! state would be faster still, but it could not look ahead, and the partial value would differ
//! from the final one wherever an answer is broken.

use crate::coerce::coerce;
use crate::lenient::{Event, Scan};
use crate::options::Limits;
use crate::shape::{Shape, View};
use crate::validate::has_type;
use serde_json::Value;

/// The part of its length by which the text grows before it is parsed again.
const GROWTH: usize = 32;
/// The bytes of a text up to which it is parsed again with each chunk.
const SHORT: usize = 4096;

/// A reader of an answer that arrives in chunks.
///
/// Fields appear when they are complete; strings, lists and objects grow. An unfinished part that
/// could still become something else (a number, `tru`, half an enum value) is left out, and so is a
/// value that does not fit its field. Nothing is reported as missing: [`crate::read`] judges the
/// whole.
///
/// ```
/// use contexture_answer::{Field, Partial, Shape};
/// let shape = Shape::Object(vec![
///     Field::new("title", Shape::String),
///     Field::new("count", Shape::Integer),
/// ]);
/// let mut partial = Partial::new(Some(shape));
/// partial.push("```json\n{\"title\": \"A long st");
/// assert_eq!(partial.value(), Some(&serde_json::json!({"title": "A long st"})));
/// partial.push("ory\", \"count\": 1");
/// partial.push("2}");
/// partial.refresh();
/// assert_eq!(partial.value(), Some(&serde_json::json!({"title": "A long story", "count": 12})));
/// ```
#[derive(Debug, Clone)]
pub struct Partial {
    shape: Option<Shape>,
    limits: Limits,
    text: String,
    value: Option<Value>,
    /// The length of the text that the value was parsed from.
    read_to: usize,
}

impl Partial {
    /// Creates a reader for an answer of this shape, or of any JSON value.
    pub fn new(shape: Option<Shape>) -> Self {
        Self::with_limits(shape, Limits::default())
    }

    /// Creates a reader with limits. Beyond `max_bytes` the value no longer changes; reading the
    /// whole answer reports that.
    pub fn with_limits(shape: Option<Shape>, limits: Limits) -> Self {
        Self { shape, limits, text: String::new(), value: None, read_to: 0 }
    }

    /// Adds a chunk of the answer. Returns the new value if the text was parsed again and the value
    /// changed; most small chunks of a long answer are only collected.
    pub fn push(&mut self, chunk: &str) -> Option<&Value> {
        if self.text.len() < self.limits.max_bytes {
            self.text.push_str(chunk);
        }
        let grown = self.text.len() - self.read_to;
        if self.text.len() > SHORT && grown < self.read_to / GROWTH {
            return None;
        }
        self.refresh()
    }

    /// Parses everything received. Returns the new value if it changed.
    pub fn refresh(&mut self) -> Option<&Value> {
        if self.read_to == self.text.len() || self.text.len() > self.limits.max_bytes {
            return None;
        }
        self.read_to = self.text.len();
        let value = self.latest();
        if value.is_none() || value == self.value {
            return None;
        }
        self.value = value;
        self.value.as_ref()
    }

    /// Returns the last parsed value.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Returns the text received so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the last value in the text that is of the right kind.
    fn latest(&self) -> Option<Value> {
        let mut scan = Scan::new(&self.text, self.limits.max_depth).growing();
        let mut latest = None;
        while let Some(event) = scan.next() {
            match event {
                Event::Forget => latest = None,
                Event::Value(found) => latest = self.shaped(found.value).or(latest),
            }
        }
        latest
    }

    fn shaped(&self, mut value: Value) -> Option<Value> {
        let Some(shape) = &self.shape else {
            return Some(value);
        };
        coerce(&mut value, shape);
        keep_fitting(&mut value, View::of(shape)).then_some(value)
    }
}

/// Removes parts that do not fit the shape; returns false if the value itself must go.
/// Bounds are for the whole answer: a text that grows may not have its length yet.
fn keep_fitting(value: &mut Value, view: View<'_>) -> bool {
    match (view.shape, &mut *value) {
        (Shape::Object(fields), Value::Object(map)) => {
            for field in fields {
                let fitting = match map.get_mut(&field.name) {
                    Some(Value::Null) if field.optional => true,
                    Some(value) => keep_fitting(value, view.field(field)),
                    None => true,
                };
                if !fitting {
                    map.shift_remove(&field.name);
                }
            }
            true
        }
        (Shape::List(Some(item)), Value::Array(items)) => {
            let item = view.part(item);
            items.retain_mut(|value| keep_fitting(value, item));
            true
        }
        _ => has_type(value, view),
    }
}
