//! The fields of an object: ordered, growing only, found by scan while few and by index when many.

use super::Value;
use crate::runtime::names::Name;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// The number of fields from which on there is an index; below it a scan is faster.
const SCANNED: usize = 12;

/// The length of a name from which on the library compares faster than a loop does.
const SHORT: usize = 16;

/// An ordered map from names to values. The language can't remove fields, so positions are stable.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    entries: Vec<(Rc<str>, Value)>,
    #[expect(clippy::box_collection, reason = "most objects have few fields and no index")]
    index: Option<Box<HashMap<Rc<str>, usize>>>,
    /// Where the last key was found: `map[key] = map.get(key, 0) + 1` looks for it twice.
    last: Cell<usize>,
}

/// Compares two names; most often they are the same allocation.
#[inline]
fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    left.len() == right.len()
        && (std::ptr::eq(left, right)
            || match left.len() {
                ..SHORT => left.iter().zip(right).all(|(left, right)| left == right),
                _ => left == right,
            })
}

impl Fields {
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), ..Self::default() }
    }

    /// Gives back the room that its fields don't need.
    pub(crate) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn position(&self, name: &str) -> Option<usize> {
        let last = self.last.get();
        if self.entries.get(last).is_some_and(|(key, _)| is_same(key, name)) {
            return Some(last);
        }
        let found = match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.entries.iter().position(|(key, _)| is_same(key, name)),
        };
        if let Some(at) = found {
            self.last.set(at);
        }
        found
    }

    /// Returns the position of a field whose name is the same allocation: that of a name which the
    /// program writes is, in the objects that it makes. Another may have the name still.
    #[inline]
    fn interned(&self, name: &Name) -> Option<usize> {
        let at = name.at.get();
        match self.entries.get(at) {
            Some((key, _)) if Rc::ptr_eq(key, name) => Some(at),
            _ => self.search(name),
        }
    }

    #[inline(never)]
    fn search(&self, name: &Name) -> Option<usize> {
        let found = self.entries.iter().take(SCANNED).position(|(key, _)| Rc::ptr_eq(key, name))?;
        name.at.set(found);
        Some(found)
    }

    /// Returns a field whose name is the same allocation, if there is one.
    #[inline]
    pub(crate) fn get_interned(&self, name: &Name) -> Option<&Value> {
        self.entries.get(self.interned(name)?).map(|(_, value)| value)
    }

    /// Does the same as [`Fields::get_interned`], to change it.
    #[inline]
    pub(crate) fn get_interned_mut(&mut self, name: &Name) -> Option<&mut Value> {
        let at = self.interned(name)?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let (_, value) = self.entries.get(self.position(name)?)?;
        Some(value)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let (_, value) = self.position(name).and_then(|at| self.entries.get_mut(at))?;
        Some(value)
    }

    /// Sets a field and returns its former value; a new field goes to the end.
    pub(crate) fn set(&mut self, name: &Rc<str>, value: Value) -> Option<Value> {
        if let Some(slot) = self.get_mut(name) {
            return Some(std::mem::replace(slot, value));
        }
        if let Some(index) = &mut self.index {
            index.insert(Rc::clone(name), self.entries.len());
        }
        self.entries.push((Rc::clone(name), value));
        if self.index.is_none() && self.entries.len() > SCANNED {
            let positions = self.entries.iter().enumerate();
            let index = positions.map(|(at, (key, _))| (Rc::clone(key), at)).collect();
            self.index = Some(Box::new(index));
        }
        None
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Rc<str>, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Rc<str>> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = Value> {
        self.entries.into_iter().map(|(_, value)| value)
    }
}
