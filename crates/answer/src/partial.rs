//! An answer while it comes (AS-23): the value so far, in its shape.
//!
//! The text is read again from its beginning, but only when it has grown by a part of its length:
//! the reader handles hundreds of megabytes in a second, so all readings together cost about
//! thirty times the length of the answer and a reading of the whole is never far behind. A reader
//! that keeps its state would be quicker still, but it could not look ahead, and the partial value
//! would differ from the final one wherever an answer is broken.

use crate::coerce::coerce;
use crate::lenient::{Event, Scan};
use crate::options::Limits;
use crate::shape::Shape;
use crate::validate::fits;
use serde_json::Value;

/// The text grows by this part of its length before it is read again.
const GROWTH: usize = 32;
/// The least growth in bytes before it is read again.
const MIN_GROWTH: usize = 24;

/// Reads an answer that comes in chunks.
///
/// Fields appear as they are complete; strings, lists and objects grow. What is unfinished and
/// could still turn into something else (a number, `tru`, half an enum value) is left out, and so
/// is what does not fit its field. Nothing is reported as missing: [`crate::read`] judges the whole.
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
    /// How much of the text the value stands for.
    read_to: usize,
}

impl Partial {
    /// A reader for an answer of this shape, or of any JSON value.
    pub fn new(shape: Option<Shape>) -> Self {
        Self::with_limits(shape, Limits::default())
    }

    /// The same with limits of its own. Beyond `max_bytes` the value no longer changes; reading
    /// the whole answer reports that.
    pub fn with_limits(shape: Option<Shape>, limits: Limits) -> Self {
        Self { shape, limits, text: String::new(), value: None, read_to: 0 }
    }

    /// Adds a chunk of the answer. The new value, if the text was read again and the value is
    /// another; most small chunks only add up.
    pub fn push(&mut self, chunk: &str) -> Option<&Value> {
        if self.text.len() < self.limits.max_bytes {
            self.text.push_str(chunk);
        }
        let grown = self.text.len() - self.read_to;
        if self.read_to > 0 && grown < MIN_GROWTH.max(self.read_to / GROWTH) {
            return None;
        }
        self.refresh()
    }

    /// Reads all that has come. The new value, if it is another.
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

    /// The value as it was last read.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// The text that has come.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The last value in the text that is of the right kind.
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
        keep_fitting(&mut value, shape).then_some(value)
    }
}

/// Removes what does not fit its shape; false if the value itself must go.
fn keep_fitting(value: &mut Value, shape: &Shape) -> bool {
    match (shape, &mut *value) {
        (Shape::Object(fields), Value::Object(map)) => {
            for field in fields {
                let fitting = match map.get_mut(&field.name) {
                    Some(Value::Null) if field.optional => true,
                    Some(value) => keep_fitting(value, &field.shape),
                    None => true,
                };
                if !fitting {
                    map.shift_remove(&field.name);
                }
            }
            true
        }
        (Shape::List(Some(item)), Value::Array(items)) => {
            items.retain_mut(|value| keep_fitting(value, item));
            true
        }
        _ => fits(value, shape),
    }
}
