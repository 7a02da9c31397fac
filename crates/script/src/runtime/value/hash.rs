//! Hashes of values by which equal ones are found (TY-6): what `==` calls equal has one hash.

use super::json::check_depth;
use super::tag::Tag;
use super::{List, Object, Value, secret};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::meter::Meter;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The number of nodes that one hash may visit: values that share parts are larger to walk than to
/// store.
const MOST_NODES: u64 = 100_000_000;
/// The number of nodes per counted step.
const NODES_PER_STEP: u64 = 64;

/// What is equal for two equal values; for lists and objects two different ones may have it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key<'v> {
    None,
    Bool(bool),
    Int(i64),
    Float(u64),
    Text(&'v str),
    Deep(u64),
}

/// A walk over values for their keys; `tag` is that of all parts so far.
pub(crate) struct Keys<'m> {
    meter: &'m Meter,
    pub(crate) tag: Tag,
    visited: u64,
    /// The hashes of shared lists and objects, by address.
    known: HashMap<usize, u64>,
}

impl<'m> Keys<'m> {
    pub(crate) fn new(meter: &'m Meter) -> Self {
        Self { meter, tag: Tag::PROGRAM, visited: 0, known: HashMap::new() }
    }

    pub(crate) fn key<'v>(&mut self, value: &'v Value) -> Checked<Key<'v>> {
        self.nested(value, 1)
    }

    fn nested<'v>(&mut self, value: &'v Value, depth: usize) -> Checked<Key<'v>> {
        self.tag = self.meter.tags().join(self.tag, value.tag());
        if let Some(header) = value.header() {
            self.tag = self.meter.tags().join(self.tag, header.tag.get());
        }
        Ok(match value {
            Value::None(_) => Key::None,
            Value::Bool(value, _) => Key::Bool(*value),
            Value::Int(value, _) => Key::Int(*value),
            Value::Float(value, _) => float(*value),
            Value::Str(text, _) => Key::Text(text),
            Value::List(..) | Value::Object(..) => Key::Deep(self.container(value, depth)?),
            Value::Secret(name, _) => return Err(secret::refused(name, "compared")),
        })
    }

    /// Returns the hash of a list or object. The values of a list are alive during the walk, so that
    /// an address means one of them.
    fn container(&mut self, value: &Value, depth: usize) -> Checked<u64> {
        let shared = value.identity().filter(|(_, owners)| *owners > 1);
        if let Some(hash) = shared.and_then(|(address, _)| self.known.get(&address)) {
            return Ok(*hash);
        }
        let hash = match value {
            Value::List(list, _) => self.list(list, depth)?,
            Value::Object(object, _) => self.object(object, depth)?,
            _ => 0,
        };
        if let Some((address, _)) = shared {
            self.known.insert(address, hash);
        }
        Ok(hash)
    }

    fn list(&mut self, list: &List, depth: usize) -> Checked<u64> {
        let items = list.items.borrow();
        self.enter(items.len(), depth)?;
        let mut hasher = DefaultHasher::new();
        for item in items.iter() {
            self.nested(item, depth + 1)?.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    /// The order of the fields does not count.
    fn object(&mut self, object: &Object, depth: usize) -> Checked<u64> {
        let fields = object.fields.borrow();
        self.enter(fields.len(), depth)?;
        let mut all = 1_u64;
        for (name, field) in fields.iter() {
            let mut hasher = DefaultHasher::new();
            name.hash(&mut hasher);
            self.nested(field, depth + 1)?.hash(&mut hasher);
            all = all.wrapping_add(hasher.finish());
        }
        Ok(all)
    }

    fn enter(&mut self, count: usize, depth: usize) -> Checked<()> {
        check_depth(self.meter, depth)?;
        let before = self.visited / NODES_PER_STEP;
        self.visited += count as u64 + 1;
        if self.visited > MOST_NODES {
            let message = format!("the values to compare have more than {MOST_NODES} parts");
            return Err(
                Fault::limit(codes::COLLECTION_ITEMS, message).help("compare a part of them")
            );
        }
        let steps = i64::try_from(self.visited / NODES_PER_STEP - before).unwrap_or(i64::MAX);
        if steps > 0 { self.meter.spend(steps) } else { Ok(()) }
    }
}

/// A float that is a whole number is equal to the integer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the bounds are checked, and the way back must give the same"
)]
fn float(value: f64) -> Key<'static> {
    const ABOVE: f64 = 9_223_372_036_854_775_808.0;
    let whole = (-ABOVE..ABOVE).contains(&value).then_some(value as i64);
    match whole.filter(|whole| *whole as f64 == value) {
        Some(whole) => Key::Int(whole),
        None => Key::Float(value.to_bits()),
    }
}
