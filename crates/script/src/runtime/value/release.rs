//! Ways up for low values: what a program lets up, for a reason that it writes down (GU-4).
//!
//! Decision: nothing goes up unless the program says so. A page that may answer `true` decides as
//! much as one that names a path, so a closed shape alone is not a reason; but what a program lets up
//! of an answer is its closed parts only: never a text, but for a day within bounds that the program
//! gives and a name out of its list.

use super::tag::Tags;
use super::{Object, Value};
use crate::host::Release;
use crate::runtime::options::{is_day, number};
use contexture_answer::{Field, Shape, View};
use contexture_context::Trust;

/// Lets up the closed parts of an answer and returns their paths: booleans, choices, and what is within
/// the bounds of the release.
pub(crate) fn closed(value: &mut Value, shape: &Shape, up: &Release, tags: &Tags) -> Vec<String> {
    let way = format!("release \"{}\"", up.reason);
    let mut parts = Parts { way: &way, up, tags, paths: Vec::new() };
    parts.part(value, View::of(shape), "");
    parts.paths
}

struct Parts<'p> {
    way: &'p str,
    up: &'p Release,
    tags: &'p Tags,
    paths: Vec<String>,
}

impl Parts<'_> {
    fn part(&mut self, value: &mut Value, view: View<'_>, path: &str) {
        match (view.shape, &*value) {
            (Shape::Boolean, Value::Bool(..)) | (Shape::Enum(_), Value::Str(..)) => {
                self.leaf(value, path);
            }
            (Shape::Number | Shape::Integer | Shape::String, leaf) if self.is_bounded(leaf) => {
                self.leaf(value, path);
            }
            (Shape::Object(fields), Value::Object(object, _)) if is_as_declared(object, fields) => {
                let up = self.tags.released(object.header.tag.get(), self.way, Trust::Model);
                object.header.tag.set(up);
                self.fields(object, view, path);
                self.up(value);
            }
            _ => {}
        }
    }

    fn leaf(&mut self, value: &mut Value, path: &str) {
        self.up(value);
        self.paths.push(if path.is_empty() { "answer".to_owned() } else { path.to_owned() });
    }

    /// Reports whether a number or a text is one that the program foresaw.
    fn is_bounded(&self, value: &Value) -> bool {
        let Release { numbers, dates, ids, .. } = self.up;
        let is_number = |(least, most): &(f64, f64)| {
            number(value).is_some_and(|number| (*least..=*most).contains(&number))
        };
        match value {
            Value::Str(text, _) => {
                let is_between = |(first, last): &(String, String)| {
                    is_day(text) && (first..=last).contains(&&***text)
                };
                dates.as_ref().is_some_and(is_between) || ids.iter().any(|id| *id == ***text)
            }
            Value::Int(own, _) => {
                numbers.as_ref().is_some_and(is_number) || ids.iter().any(|id| *id == *own)
            }
            Value::Float(..) => numbers.as_ref().is_some_and(is_number),
            _ => false,
        }
    }

    fn fields(&mut self, object: &Object, view: View<'_>, path: &str) {
        let Shape::Object(fields) = view.shape else { return };
        for field in fields {
            let mut values = object.fields.borrow_mut();
            if let Some(value) = values.get_mut(&field.name) {
                let path = match path {
                    "" => field.name.clone(),
                    path => format!("{path}.{}", field.name),
                };
                self.part(value, view.field(field), &path);
            }
        }
    }

    fn up(&self, value: &mut Value) {
        *value.tag_mut() = self.tags.released(value.tag(), self.way, Trust::Model);
    }
}

/// Reports whether an object has declared fields alone: then its keys are a choice of the program's.
fn is_as_declared(object: &Object, fields: &[Field]) -> bool {
    let values = object.fields.borrow();
    values.keys().all(|key| fields.iter().any(|field| *field.name == **key))
}
