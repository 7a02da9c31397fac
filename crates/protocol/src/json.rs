//! From text to value, under limits: one pass, which knows how deep it is, refuses a field that
//! stands twice, and remembers the messageId even if the text breaks off after it.

use crate::report::quoted;
use crate::{ErrorCode, Limits, Refusal};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::{Cell, RefCell};
use std::fmt;

/// Native stack for each list or object that stands in another, in unoptimised builds.
const LEVEL_BYTES: usize = 8 << 10;

/// What is noted while a text is read.
struct Notes {
    depth: usize,
    is_too_deep: Cell<bool>,
    message_id: RefCell<Option<String>>,
    context_id: RefCell<Option<String>>,
}

/// Reads a text.
pub(crate) fn read(text: &[u8], limits: &Limits) -> Result<Value, Refusal> {
    if text.len() > limits.bytes {
        let message = format!("{} bytes, more than the {} allowed", text.len(), limits.bytes);
        return Err(Refusal::new(ErrorCode::TooLarge, message).detail("limit", limits.bytes));
    }
    let notes = Notes {
        depth: limits.depth(),
        is_too_deep: Cell::new(false),
        message_id: RefCell::default(),
        context_id: RefCell::default(),
    };
    let stack = limits.depth() * LEVEL_BYTES;
    let read = stacker::maybe_grow(stack, stack, || {
        let mut reader = serde_json::Deserializer::from_slice(text);
        reader.disable_recursion_limit();
        let value = Level { notes: &notes, depth: 0 }.deserialize(&mut reader)?;
        reader.end().map(|()| value)
    });
    read.map_err(|error| refusal(&error, notes))
}

fn refusal(error: &serde_json::Error, notes: Notes) -> Refusal {
    let mut refusal = if notes.is_too_deep.get() {
        let place = format!("at line {} column {}", error.line(), error.column());
        let message = format!("nested deeper than {} lists and objects {place}", notes.depth);
        Refusal::new(ErrorCode::TooLarge, message).detail("limit", notes.depth)
    } else {
        let mut refusal = Refusal::new(ErrorCode::ParseError, format!("not JSON: {error}"));
        refusal = refusal.detail("line", error.line()).detail("column", error.column());
        refusal
    };
    refusal.message_id = notes.message_id.into_inner();
    refusal.context_id = notes.context_id.into_inner();
    refusal
}

/// Whether a value nests deeper than the limit; a deep one is left as soon as that is known.
pub(crate) fn check_depth(value: &Value, limits: &Limits) -> Result<(), Refusal> {
    let most = limits.depth();
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        let nests = matches!(value, Value::Array(_) | Value::Object(_));
        if nests && depth > most {
            let message = format!("nested deeper than {most} lists and objects");
            return Err(Refusal::new(ErrorCode::TooLarge, message).detail("limit", most));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// The reader of what stands `depth` lists and objects deep.
#[derive(Clone, Copy)]
struct Level<'n> {
    notes: &'n Notes,
    depth: usize,
}

impl<'n> Level<'n> {
    fn deeper<E: serde::de::Error>(self) -> Result<Level<'n>, E> {
        if self.depth >= self.notes.depth {
            self.notes.is_too_deep.set(true);
            return Err(E::custom("nested too deep"));
        }
        Ok(Level { notes: self.notes, depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let level = self.deeper()?;
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(level)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let level = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(level)?;
            if self.depth == 0 {
                self.notes.note(&key, &value);
            }
            match map.entry(key) {
                serde_json::map::Entry::Vacant(place) => drop(place.insert(value)),
                serde_json::map::Entry::Occupied(place) => {
                    let name = quoted(place.key());
                    return Err(A::Error::custom(format!("the field {name} stands twice")));
                }
            }
        }
        Ok(Value::Object(map))
    }
}

impl Notes {
    fn note(&self, key: &str, value: &Value) {
        let place = match key {
            "messageId" => &self.message_id,
            "contextId" => &self.context_id,
            _ => return,
        };
        if let Value::String(id) = value {
            place.replace(Some(id.clone()));
        }
    }
}

#[cfg(test)]
mod tests;
