//! Reading, setting and removal of the value at a path.

use super::{PathError, Segment, StatePath};
use serde_json::{Map, Value};

impl StatePath {
    /// Returns the value at the path.
    #[must_use]
    pub fn get<'s>(&self, state: &'s Value) -> Option<&'s Value> {
        self.segments.iter().try_fold(state, |value, segment| match value {
            Value::Object(map) => map.get(&segment.name),
            Value::Array(items) => items.get(segment.index?),
            _ => None,
        })
    }

    /// Sets the value at the path, creates missing containers on the way, and returns the former
    /// value.
    ///
    /// # Errors
    /// [`PathError`]; then nothing has changed.
    pub fn set(&self, state: &mut Value, value: Value) -> Result<Option<Value>, PathError> {
        self.check(state)?;
        let mut place = state;
        for segment in &self.segments {
            place = match enter(place, segment) {
                Some(next) => next,
                None => return Ok(None),
            };
        }
        // A place that was just created holds null, as an existing one may: both count as nothing.
        Ok(Some(std::mem::replace(place, value)).filter(|old| !old.is_null()))
    }

    /// Removes the value at the path and returns it; `None` if there was none. Removing an element
    /// of a list moves those after it.
    ///
    /// # Errors
    /// [`PathError`] when a value on the way has no such part; then nothing has changed.
    pub fn remove(&self, state: &mut Value) -> Result<Option<Value>, PathError> {
        let Some((last, before)) = self.segments.split_last() else { return Ok(None) };
        let mut place = state;
        for (walked, segment) in before.iter().enumerate() {
            let next = match place {
                Value::Object(map) => map.get_mut(&segment.name),
                Value::Array(items) => match segment.index {
                    Some(index) => items.get_mut(index),
                    None => return Err(self.not_an_index(walked, segment, items.len())),
                },
                other => return Err(self.not_a_container(walked, other)),
            };
            match next {
                Some(next) => place = next,
                None => return Ok(None),
            }
        }
        match place {
            Value::Object(map) => Ok(map.shift_remove(&last.name)),
            Value::Array(items) => match last.index {
                Some(index) => Ok((index < items.len()).then(|| items.remove(index))),
                None => Err(self.not_an_index(before.len(), last, items.len())),
            },
            other => Err(self.not_a_container(before.len(), other)),
        }
    }

    fn check(&self, state: &Value) -> Result<(), PathError> {
        let mut place = Some(state);
        for (walked, segment) in self.segments.iter().enumerate() {
            place = match place {
                Some(Value::Object(map)) => map.get(&segment.name),
                Some(Value::Array(items)) => {
                    let index = segment.index;
                    let index =
                        index.ok_or_else(|| self.not_an_index(walked, segment, items.len()))?;
                    self.within(walked, index, items.len())?;
                    items.get(index)
                }
                Some(other) => return Err(self.not_a_container(walked, other)),
                None => {
                    if let Some(index) = segment.index {
                        self.within(walked, index, 0)?;
                    }
                    None
                }
            };
        }
        Ok(())
    }

    fn within(&self, walked: usize, index: usize, length: usize) -> Result<(), PathError> {
        if index <= length {
            return Ok(());
        }
        Err(PathError::Beyond { at: self.up_to(walked), index, length })
    }

    fn not_an_index(&self, walked: usize, segment: &Segment, length: usize) -> PathError {
        PathError::NotAnIndex { at: self.up_to(walked), name: segment.name.clone(), length }
    }

    fn not_a_container(&self, walked: usize, value: &Value) -> PathError {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        PathError::NotAContainer { at: self.up_to(walked), found }
    }

    fn up_to(&self, walked: usize) -> String {
        let texts: Vec<String> =
            self.segments.iter().take(walked).map(ToString::to_string).collect();
        if texts.is_empty() { "the state".to_owned() } else { texts.join(".") }
    }
}

/// Returns the place of a segment, created if it is missing; the path has been checked.
fn enter<'v>(value: &'v mut Value, segment: &Segment) -> Option<&'v mut Value> {
    if value.is_null() {
        *value = match segment.index {
            Some(_) => Value::Array(Vec::new()),
            None => Value::Object(Map::new()),
        };
    }
    match value {
        Value::Object(map) => {
            if !map.contains_key(&segment.name) {
                map.insert(segment.name.clone(), Value::Null);
            }
            map.get_mut(&segment.name)
        }
        Value::Array(items) => {
            let index = segment.index?;
            if index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
        _ => None,
    }
}
