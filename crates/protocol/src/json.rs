//! From text to value, under limits: one pass, which limits the depth, refuses a duplicate field,
//! and remembers the messageId even if the text breaks off after it.

pub(crate) mod faults;

use crate::error::ErrorCode;
use crate::limits::Limits;
use crate::node::{Fields, Node};
use crate::refusal::Refusal;
use crate::report::{Faults, quoted};
use faults::{Suspects, Text};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;

/// Native stack per level of lists and objects.
const LEVEL_BYTES: usize = if cfg!(debug_assertions) { 8 << 10 } else { 2 << 10 };

/// Notes taken while a text is read.
struct Notes {
    depth: usize,
    items: usize,
    is_too_deep: Cell<bool>,
    suspects: Cell<Suspects>,
    message_id: RefCell<Option<String>>,
    context_id: RefCell<Option<String>>,
}

/// Reads a JSON text that is not a message, such as a state or a line of a file, under the rules of
/// messages.
///
/// ```
/// use contexture_protocol::{ErrorCode, Limits, parse_value};
/// assert_eq!(parse_value(b"[1.50e3]", &Limits::WIRE)?.to_string(), "[1500.0]");
/// let refusal = parse_value(b"{\"n\": 18446744073709551616}", &Limits::WIRE).unwrap_err();
/// assert_eq!((refusal.code, refusal.violations[0].pointer.as_str()), (ErrorCode::ValidationFailed, "/n"));
/// # Ok::<_, Box<contexture_protocol::Refusal>>(())
/// ```
///
/// # Errors
/// `PARSE_ERROR` and a number that can't be represented with `line` and `column` in the details,
/// `TOO_LARGE`.
pub fn parse_value(text: &[u8], limits: &Limits) -> Result<Value, Box<Refusal>> {
    let read = read(text, limits)?;
    let (line, column) = read.place_of_fault();
    match read.faults(limits).refusal() {
        Some(refusal) => Err(refusal.detail("line", line).detail("column", column).into()),
        None => Ok(read.node.into_value()),
    }
}

pub(crate) fn read<'t>(text: &'t [u8], limits: &Limits) -> Result<Text<'t>, Refusal> {
    if text.len() > limits.bytes {
        let message = format!("{} bytes, more than the {} allowed", text.len(), limits.bytes);
        return Err(Refusal::new(ErrorCode::TooLarge, message).detail("limit", limits.bytes));
    }
    let notes = Notes {
        depth: limits.depth(),
        items: limits.items,
        is_too_deep: Cell::new(false),
        suspects: Cell::default(),
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
    match read {
        Ok(node) => Ok(Text { node, text, suspects: notes.suspects.get() }),
        Err(error) => Err(refusal(&error, notes)),
    }
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

/// Checks a value against the limits of depth and of lists; a value that is too deep is left at
/// once.
pub(crate) fn check(value: Value, limits: &Limits) -> Result<(Node<'static>, Faults), Refusal> {
    let most = limits.depth();
    let mut suspects = Suspects::default();
    let mut open = vec![(&value, 1)];
    while let Some((value, depth)) = open.pop() {
        let nests = matches!(value, Value::Array(_) | Value::Object(_));
        if nests && depth > most {
            let message = format!("nested deeper than {most} lists and objects");
            return Err(Refusal::new(ErrorCode::TooLarge, message).detail("limit", most));
        }
        match value {
            Value::Array(items) => {
                suspects.has_long_list |= items.len() > limits.items;
                open.extend(items.iter().map(|item| (item, depth + 1)));
            }
            Value::Object(map) => open.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    let node = Node::from(value);
    let faults = suspects.lists(&node, limits);
    Ok((node, faults))
}

/// The reader at a depth.
#[derive(Clone, Copy)]
struct Level<'n> {
    notes: &'n Notes,
    depth: usize,
}

impl<'n> Level<'n> {
    fn deeper<E: serde::de::Error>(self) -> Result<Level<'n>, E> {
        if self.depth >= self.notes.depth {
            self.notes.is_too_deep.set(true);
            return Err(E::custom("nested too deeply"));
        }
        Ok(Level { notes: self.notes, depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = Node<'de>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Node<'de>, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node<'de>, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node<'de>, E> {
        self.notes.suspect(|suspects| suspects.has_fraction = true);
        Number::from_f64(value).map(Node::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node<'de>, E> {
        Ok(Node::String(Cow::Owned(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node<'de>, A::Error> {
        let level = self.deeper()?;
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(level)? {
            all.push(item);
        }
        if all.len() > self.notes.items {
            self.notes.suspect(|suspects| suspects.has_long_list = true);
        }
        Ok(Node::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Node<'de>, A::Error> {
        let level = self.deeper()?;
        let mut fields = Vec::with_capacity(8);
        let mut names = Names::default();
        while let Some(name) = input.next_key_seed(Name)? {
            if !names.is_new(&name, &fields) {
                let name = quoted(&name);
                return Err(A::Error::custom(format!("duplicate field {name}")));
            }
            let value = input.next_value_seed(level)?;
            if self.depth == 0 {
                self.notes.note(&name, &value);
            }
            fields.push((name, value));
        }
        Ok(Node::Object(Fields(fields)))
    }
}

struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Cow<'de, str>, D::Error> {
        input.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// The names of an object so far: a list while they are few, then a set.
#[derive(Default)]
struct Names(HashSet<String>);

/// The number of names up to which a list is searched.
const FEW: usize = 16;

impl Names {
    fn is_new(&mut self, name: &str, fields: &[(Cow<'_, str>, Node<'_>)]) -> bool {
        if fields.len() < FEW {
            return fields.iter().all(|(known, _)| known != name);
        }
        if self.0.is_empty() {
            self.0.extend(fields.iter().map(|(known, _)| known.to_string()));
        }
        self.0.insert(name.to_owned())
    }
}

impl Notes {
    fn suspect(&self, set: impl FnOnce(&mut Suspects)) {
        let mut suspects = self.suspects.get();
        set(&mut suspects);
        self.suspects.set(suspects);
    }

    fn note(&self, key: &str, value: &Node<'_>) {
        let place = match key {
            "messageId" => &self.message_id,
            "contextId" => &self.context_id,
            _ => return,
        };
        if let Node::String(id) = value {
            place.replace(Some(id.clone().into_owned()));
        }
    }
}

#[cfg(test)]
mod tests;
