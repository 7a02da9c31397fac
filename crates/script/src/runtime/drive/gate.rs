//! Lets at most so many effects be under way at the same time, however `parallel for` nests.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A counter of free places, on one thread.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Cell<usize>,
    waiting: RefCell<Vec<Waker>>,
}

/// A place taken; given back when dropped.
pub(crate) struct Permit<'g> {
    gate: &'g Gate,
}

impl Gate {
    /// With so many places.
    pub(crate) fn new(places: usize) -> Self {
        Self { free: Cell::new(places), waiting: RefCell::new(Vec::new()) }
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self) -> Permit<'_> {
        poll_fn(|context| match self.free.get().checked_sub(1) {
            Some(left) => {
                self.free.set(left);
                Poll::Ready(Permit { gate: self })
            }
            None => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
        })
        .await
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.gate.free.set(self.gate.free.get() + 1);
        // All are woken: the first to be polled may have been dropped.
        self.gate.waiting.take().into_iter().for_each(Waker::wake);
    }
}
