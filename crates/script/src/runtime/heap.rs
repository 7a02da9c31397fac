//! The measure of what a run holds (GR-4).
//!
//! Values are counted as they are made, which costs an addition. Only when that count meets the
//! limit are the values that are still held looked at, so a run that drops what it made goes on for
//! ever, and one that keeps it ends. What is held is what a stack of registers leads to: those of all
//! fibers, the values of finished turns of a `parallel for`, and imported files.

use super::value::{CONTAINER_BYTES, FIELD_BYTES, ITEM_BYTES, TEXT_BYTES, Value};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::{Rc, Weak};

/// Registers that can be measured while their fiber waits.
pub(crate) type Stack = Rc<RefCell<Vec<Value>>>;

/// All stacks of a run.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    known: RefCell<Vec<Weak<RefCell<Vec<Value>>>>>,
}

impl Stacks {
    /// Creates a stack that is measured as long as it has an owner.
    pub(crate) fn add(&self, values: Vec<Value>) -> Stack {
        let stack = Rc::new(RefCell::new(values));
        let mut known = self.known.borrow_mut();
        if known.len() == known.capacity() {
            known.retain(|stack| stack.strong_count() > 0);
        }
        known.push(Rc::downgrade(&stack));
        stack
    }

    /// Returns the size of what all stacks hold, with `running`, the one that was taken out.
    pub(crate) fn measure(&self, running: &[Value], others: &[Value]) -> u64 {
        let mut measure = Measure::default();
        measure.all(running);
        measure.all(others);
        for stack in self.known.borrow().iter().filter_map(Weak::upgrade) {
            measure.all(&stack.borrow());
        }
        measure.bytes as u64
    }
}

/// A walk over values; parts with several owners are counted once.
#[derive(Debug, Default)]
struct Measure {
    bytes: usize,
    seen: HashSet<usize>,
    todo: Vec<Value>,
}

impl Measure {
    fn all(&mut self, values: &[Value]) {
        values.iter().for_each(|value| self.meet(value));
        while let Some(value) = self.todo.pop() {
            self.inside(&value);
        }
    }

    fn meet(&mut self, value: &Value) {
        match value {
            Value::Str(text, _) => {
                if self.is_new(Rc::as_ptr(text).addr(), Rc::strong_count(text)) {
                    self.bytes += text.capacity() + TEXT_BYTES;
                }
            }
            Value::List(..) | Value::Object(..) => {
                let (address, owners) = value.identity().unwrap_or_default();
                if self.is_new(address, owners) {
                    self.todo.push(value.clone());
                }
            }
            Value::None(_)
            | Value::Bool(..)
            | Value::Int(..)
            | Value::Float(..)
            | Value::Secret(..) => {}
        }
    }

    fn is_new(&mut self, address: usize, owners: usize) -> bool {
        owners < 2 || self.seen.insert(address)
    }

    fn inside(&mut self, value: &Value) {
        self.bytes += CONTAINER_BYTES;
        match value {
            Value::List(list, _) => {
                let items = list.items.borrow();
                self.bytes += items.len() * ITEM_BYTES;
                items.iter().for_each(|item| self.meet(item));
            }
            Value::Object(object, _) => {
                for (name, value) in object.fields.borrow().iter() {
                    let own = if Rc::strong_count(name) == 1 { name.len() } else { 0 };
                    self.bytes += FIELD_BYTES + own;
                    self.meet(value);
                }
            }
            _ => {}
        }
    }
}
