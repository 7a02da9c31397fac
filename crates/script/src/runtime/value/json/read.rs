//! Reading of JSON texts straight into values, without a tree of JSON between them (GR-5).

use super::super::fields::Fields;
use super::super::{Header, Value};
use super::{Importer, NODE_BYTES, check_depth};
use crate::runtime::error::{Checked, Fault};
use contexture_context::json::{JsonError, JsonText, read_with};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;

/// The reason why a text did not become a value.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It is not JSON.
    Invalid(JsonError),
    /// It is more than a limit of the run allows.
    Limit(Box<Fault>),
}

impl Importer<'_> {
    /// Reads a JSON text.
    pub(crate) fn text(&self, text: &str) -> Result<Value, Unread> {
        self.read(|place| read_with(text.as_bytes(), place))
    }

    /// Reads a JSON text that was checked.
    pub(crate) fn checked_text(&self, text: &JsonText) -> Result<Value, Unread> {
        self.read(|place| text.read_into(place))
    }

    fn read(
        &self,
        read: impl FnOnce(Place<'_, '_>) -> Result<Value, JsonError>,
    ) -> Result<Value, Unread> {
        let state = State::default();
        let place = Place { importer: self, state: &state, depth: 1 };
        read(place).map_err(|error| match state.fault.take() {
            Some(fault) => Unread::Limit(fault),
            None => Unread::Invalid(error),
        })
    }
}

/// The most fields for which an object has room before they are read.
const ROOM: usize = 16;

/// What is known of a text so far.
#[derive(Default)]
struct State {
    /// The breach of a limit, which ends the reading.
    fault: Cell<Option<Box<Fault>>>,
    /// The fields of the last object: the next one mostly has as many.
    fields: Cell<usize>,
}

/// A place in a text where a value is expected.
struct Place<'p, 'm> {
    importer: &'p Importer<'m>,
    state: &'p State,
    depth: usize,
}

impl Place<'_, '_> {
    fn checked<T, E: serde::de::Error>(&self, outcome: Checked<T>) -> Result<T, E> {
        outcome.map_err(|fault| {
            let error = E::custom("a limit of the run");
            self.state.fault.set(Some(fault));
            error
        })
    }

    fn inside(&self) -> Self {
        Self { importer: self.importer, state: self.state, depth: self.depth + 1 }
    }

    fn header(&self) -> Header {
        Header::tagged(self.importer.epoch, self.importer.tag)
    }
}

impl<'t> DeserializeSeed<'t> for Place<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'t>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Place<'_, '_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::None(self.importer.tag))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value, self.importer.tag))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value, self.importer.tag))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(super::number(&value.into(), self.importer.tag))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        let tag = self.importer.tag;
        Ok(if value.is_finite() { Value::Float(value, tag) } else { Value::None(tag) })
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.checked(self.importer.string(text))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<Value, A::Error> {
        let meter = self.importer.meter;
        self.checked(check_depth(meter, self.depth).and_then(|()| meter.heap(NODE_BYTES)))?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inside())? {
            item.mark_held();
            list.push(item);
            self.checked(meter.collection(list.len()).and_then(|()| meter.heap(NODE_BYTES)))?;
        }
        list.shrink_to_fit();
        Ok(Value::list(list, self.header()))
    }

    fn visit_map<A: MapAccess<'t>>(self, mut entries: A) -> Result<Value, A::Error> {
        let meter = self.importer.meter;
        self.checked(check_depth(meter, self.depth).and_then(|()| meter.heap(NODE_BYTES)))?;
        let mut fields = Fields::with_capacity(self.state.fields.get().min(ROOM));
        while let Some(name) = entries.next_key_seed(Key(self.importer))? {
            let value = entries.next_value_seed(self.inside())?;
            value.mark_held();
            let bytes = name.len() + 2 * NODE_BYTES;
            fields.set(&name, value);
            self.checked(meter.collection(fields.len()).and_then(|()| meter.heap(bytes)))?;
        }
        fields.shrink();
        self.state.fields.set(fields.len());
        Ok(Value::object(fields, self.header()))
    }
}

/// A place where the name of a field is expected.
struct Key<'p, 'm>(&'p Importer<'m>);

impl<'t> DeserializeSeed<'t> for Key<'_, '_> {
    type Value = std::rc::Rc<str>;

    fn deserialize<D: Deserializer<'t>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for Key<'_, '_> {
    type Value = std::rc::Rc<str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string key")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.keys.shared(name))
    }
}
