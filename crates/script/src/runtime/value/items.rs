//! The items of a list, which a copy of the list shares as long as nobody needs its own (GR-3).
//!
//! Decision: a list only ever grows, so a copy is the first items of the same vector, and their
//! number. Whoever of the two adds an item first keeps the vector, as the other does not look past
//! its own number; the other takes its items along when it adds one. So an argument of an agent
//! costs the same however long it is, and nothing has to be dropped before its caller goes on. Only
//! items that never change are shared: a list or object inside is copied, as agents share none.

use super::Value;
use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::rc::Rc;

/// The fewest items that are worth sharing.
const SHARED_FROM: usize = 32;

/// The number of shared items of a list that has its own.
const OWN: usize = usize::MAX;

#[derive(Debug)]
pub(crate) struct Items {
    own: RefCell<Vec<Value>>,
    /// The vector that others may have, too; it holds no container.
    shared: OnceCell<Rc<RefCell<Vec<Value>>>>,
    /// How many of the shared items are its items, or [`OWN`].
    count: Cell<usize>,
    /// True if no item is a container.
    is_flat: Cell<bool>,
}

impl From<Vec<Value>> for Items {
    fn from(items: Vec<Value>) -> Self {
        let is_flat = Cell::new(!items.iter().any(Value::is_container));
        Self { own: RefCell::new(items), shared: OnceCell::new(), count: Cell::new(OWN), is_flat }
    }
}

impl Items {
    #[inline]
    pub(crate) fn borrow(&self) -> Ref<'_, [Value]> {
        match self.count.get() {
            OWN => Ref::map(self.own.borrow(), Vec::as_slice),
            count => self.first(count),
        }
    }

    fn first(&self, count: usize) -> Ref<'_, [Value]> {
        let all = self.shared.get().map_or(&self.own, Rc::as_ref).borrow();
        Ref::map(all, |all| all.get(..count).unwrap_or_default())
    }

    /// Returns how many items are written when `item` is added: more than one when the vector
    /// belongs to another list by now.
    #[inline]
    pub(crate) fn written_by(&self, item: &Value) -> usize {
        match self.count.get() {
            OWN => 1,
            count if self.keeps(count, item) => 1,
            count => count + 1,
        }
    }

    fn keeps(&self, count: usize, item: &Value) -> bool {
        let shared = self.shared.get();
        !item.is_container() && shared.is_some_and(|all| all.borrow().len() == count)
    }

    /// Adds an item.
    #[inline]
    pub(crate) fn push(&self, item: Value) {
        if item.is_container() {
            self.is_flat.set(false);
        }
        match self.count.get() {
            OWN => self.own.borrow_mut().push(item),
            count => self.push_shared(count, item),
        }
    }

    fn push_shared(&self, count: usize, item: Value) {
        match self.shared.get() {
            Some(all) if self.keeps(count, &item) => {
                all.borrow_mut().push(item);
                self.count.set(count + 1);
            }
            _ => {
                let mut own = self.first(count).to_vec();
                own.push(item);
                self.own.replace(own);
                self.count.set(OWN);
            }
        }
    }

    /// Returns the same items for another list; `None` when they have to be copied.
    pub(crate) fn share(&self) -> Option<Self> {
        if !self.is_flat.get() || self.borrow().len() < SHARED_FROM {
            return None;
        }
        if self.count.get() == OWN {
            // A list that took its items along once copies them.
            if self.shared.get().is_some() {
                return None;
            }
            let own = self.own.take();
            self.count.set(own.len());
            self.shared.set(Rc::new(RefCell::new(own))).ok()?;
        }
        let own = RefCell::default();
        Some(Self {
            own,
            shared: self.shared.clone(),
            count: self.count.clone(),
            is_flat: Cell::new(true),
        })
    }

    /// Takes the items that only this list has.
    pub(super) fn take(&mut self) -> Vec<Value> {
        std::mem::take(self.own.get_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(items: &Items) -> Vec<i64> {
        let number = |value: &Value| match value {
            Value::Int(number, _) => *number,
            other => panic!("{other:?}"),
        };
        items.borrow().iter().map(number).collect()
    }

    fn first(count: i64) -> Items {
        Items::from((0..count).map(Value::int).collect::<Vec<_>>())
    }

    #[test]
    fn gr_3_shared_items_are_those_of_the_moment_whoever_adds_first() {
        for copy_is_first in [false, true] {
            let all = first(40);
            let copy = all.share().unwrap();
            let (one, other) = if copy_is_first { (&copy, &all) } else { (&all, &copy) };
            assert_eq!(one.written_by(&Value::int(100)), 1);
            one.push(Value::int(100));
            assert_eq!(other.borrow().len(), 40);
            assert_eq!(other.written_by(&Value::int(200)), 41, "the vector belongs to the other");
            other.push(Value::int(200));
            assert_eq!(numbers(one), (0..40).chain([100]).collect::<Vec<_>>());
            assert_eq!(numbers(other), (0..40).chain([200]).collect::<Vec<_>>());
            assert_eq!(other.written_by(&Value::int(1)), 1);
        }
    }

    #[test]
    fn gr_3_lists_that_hold_containers_share_nothing() {
        let list = || Value::list(Vec::new(), crate::runtime::value::Header::new(1));
        let all = first(40);
        all.push(list());
        assert!(all.share().is_none());
        let all = first(40);
        let copy = all.share().unwrap();
        all.push(list());
        assert_eq!((all.borrow().len(), copy.borrow().len()), (41, 40));
        copy.push(Value::int(40));
        assert_eq!(numbers(&copy), (0..41).collect::<Vec<_>>());
        assert!(all.share().is_none());
    }
}
