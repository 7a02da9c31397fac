//! Equality and order (AS-7): `==` is deep and never fails for the types; order is for two numbers
//! or two strings.

use super::json::check_depth;
use super::tag::Tag;
use super::{List, Object, Value, secret, unknown};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::meter::Meter;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::rc::Rc;

/// The number of nodes that one comparison may visit per counted step.
const NODES_PER_STEP: u64 = 64;

/// The number of nodes that one comparison may visit: values that share parts are larger to walk
/// than to store.
const MOST_NODES: u64 = 100_000_000;

/// Reports whether two values are equal: numbers by their value, objects regardless of the order of
/// keys. Returns the tag of that with it: that of all parts that were compared.
pub(crate) fn equal_and_tag(left: &Value, right: &Value, meter: &Meter) -> Checked<(bool, Tag)> {
    if let Some(known) = scalar_equal(left, right) {
        if !known {
            secret::comparable(left, right)?;
        }
        return Ok((known, meter.tags().join(left.tag(), right.tag()).of_decision()));
    }
    let tag = Tag::PROGRAM;
    let mut comparison = Comparison { meter, tag, visited: 0, all: 0, known: HashSet::new() };
    let equal = comparison.equal(left, right, 1)?;
    Ok((equal, comparison.tag.of_decision()))
}

/// Compares two values of which at least one is not a container.
#[inline]
fn scalar_equal(left: &Value, right: &Value) -> Option<bool> {
    Some(match (left, right) {
        (Value::Int(left, _), Value::Int(right, _)) => left == right,
        (Value::Str(left, _), Value::Str(right, _)) => {
            Rc::ptr_eq(left, right) || ***left == ***right
        }
        (Value::None(_), Value::None(_)) => true,
        (Value::Bool(left, _), Value::Bool(right, _)) => left == right,
        (Value::Int(..) | Value::Float(..), Value::Int(..) | Value::Float(..)) => {
            numbers(left, right) == Some(Ordering::Equal)
        }
        (Value::List(..), Value::List(..)) | (Value::Object(..), Value::Object(..)) => return None,
        _ => false,
    })
}

struct Comparison<'m> {
    meter: &'m Meter,
    /// The tag of the parts so far.
    tag: Tag,
    /// The number of nodes since the last step was counted.
    visited: u64,
    /// The number of nodes in all.
    all: u64,
    /// The pairs of shared containers that are known to be equal, by address.
    known: HashSet<(usize, usize)>,
}

impl Comparison<'_> {
    fn equal(&mut self, left: &Value, right: &Value, depth: usize) -> Checked<bool> {
        let tags = self.meter.tags();
        for value in [left, right] {
            self.tag = tags.join(self.tag, value.tag());
            if let Some(header) = value.header() {
                self.tag = tags.join(self.tag, header.tag.get());
            }
        }
        match (left, right) {
            (Value::List(left, _), Value::List(right, _)) => self.lists(left, right, depth),
            (Value::Object(left, _), Value::Object(right, _)) => self.objects(left, right, depth),
            _ => {
                secret::comparable(left, right)?;
                Ok(scalar_equal(left, right).unwrap_or(false))
            }
        }
    }

    fn lists(&mut self, left: &Rc<List>, right: &Rc<List>, depth: usize) -> Checked<bool> {
        let pair = (Rc::as_ptr(left).addr(), Rc::as_ptr(right).addr());
        if Rc::ptr_eq(left, right) || self.known.contains(&pair) {
            return Ok(true);
        }
        let shared = Rc::strong_count(left) > 1 && Rc::strong_count(right) > 1;
        let (left, right) = (left.items.borrow(), right.items.borrow());
        if left.len() != right.len() {
            return Ok(false);
        }
        self.enter(left.len(), depth)?;
        for (left, right) in left.iter().zip(right.iter()) {
            if !self.equal(left, right, depth + 1)? {
                return Ok(false);
            }
        }
        self.learn(shared, pair);
        Ok(true)
    }

    fn objects(&mut self, left: &Rc<Object>, right: &Rc<Object>, depth: usize) -> Checked<bool> {
        let pair = (Rc::as_ptr(left).addr(), Rc::as_ptr(right).addr());
        if Rc::ptr_eq(left, right) || self.known.contains(&pair) {
            return Ok(true);
        }
        let shared = Rc::strong_count(left) > 1 && Rc::strong_count(right) > 1;
        let (left, right) = (left.fields.borrow(), right.fields.borrow());
        if left.len() != right.len() {
            return Ok(false);
        }
        self.enter(left.len(), depth)?;
        for (name, value) in left.iter() {
            let Some(other) = right.get(name) else { return Ok(false) };
            if !self.equal(value, other, depth + 1)? {
                return Ok(false);
            }
        }
        self.learn(shared, pair);
        Ok(true)
    }

    /// Remembers an equal pair; only shared containers can be met again.
    fn learn(&mut self, shared: bool, pair: (usize, usize)) {
        if shared {
            self.known.insert(pair);
        }
    }

    /// Counts the work as steps: values that share parts can be far larger to walk than to store.
    fn enter(&mut self, count: usize, depth: usize) -> Checked<()> {
        check_depth(self.meter, depth)?;
        self.visited += count as u64 + 1;
        self.all += count as u64 + 1;
        if self.all > MOST_NODES {
            let message = format!("the values to compare have more than {MOST_NODES} parts");
            return Err(
                Fault::limit(codes::COLLECTION_ITEMS, message).help("compare a part of them")
            );
        }
        if self.visited >= NODES_PER_STEP {
            let steps = i64::try_from(self.visited / NODES_PER_STEP).unwrap_or(i64::MAX);
            self.visited %= NODES_PER_STEP;
            self.meter.spend(steps)?;
        }
        Ok(())
    }
}

/// Returns the order of two numbers or two strings (by code points).
pub(crate) fn order(left: &Value, right: &Value) -> Checked<Ordering> {
    let known = match (left, right) {
        (Value::Str(left, _), Value::Str(right, _)) => Some(left.cmp(right)),
        _ => numbers(left, right),
    };
    known.or_else(|| unknown_order(left, right)).ok_or_else(|| {
        let (left, right) = (left.kind(), right.kind());
        Fault::new(codes::WRONG_TYPE, format!("{left} and {right} can't be ordered"))
            .help("`<`, `<=`, `>`, `>=` and `sort` compare two numbers or two strings")
    })
}

/// Orders an unknown after everything else, so that a dry run enters `score > 5`.
fn unknown_order(left: &Value, right: &Value) -> Option<Ordering> {
    match (unknown::is(left), unknown::is(right)) {
        (true, _) => Some(Ordering::Greater),
        (_, true) => Some(Ordering::Less),
        _ => None,
    }
}

/// Returns the exact order of two numbers; `None` if one is not a number.
pub(crate) fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left, _), Value::Int(right, _)) => Some(left.cmp(right)),
        (Value::Float(left, _), Value::Float(right, _)) => left.partial_cmp(right),
        (Value::Int(left, _), Value::Float(right, _)) => Some(int_float(*left, *right)),
        (Value::Float(left, _), Value::Int(right, _)) => Some(int_float(*right, *left).reverse()),
        _ => None,
    }
}

/// Compares without rounding the integer, so that 2^53 + 1 differs from 2^53 as a float.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked first")]
fn int_float(int: i64, float: f64) -> Ordering {
    const ABOVE: f64 = 9_223_372_036_854_775_808.0;
    if float >= ABOVE {
        return Ordering::Less;
    }
    if float < -ABOVE {
        return Ordering::Greater;
    }
    let whole = float.trunc();
    let by_whole = int.cmp(&(whole as i64));
    // A fraction above the whole part makes the float the greater, below it the lesser.
    let rest = float - whole;
    by_whole.then(0.0_f64.partial_cmp(&rest).unwrap_or(Ordering::Equal))
}
