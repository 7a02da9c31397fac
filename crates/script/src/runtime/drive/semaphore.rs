//! A limit of concurrent effects, however `parallel for` nests.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A counter of free permits, on one thread.
#[derive(Debug)]
pub(crate) struct Semaphore {
    free: Cell<usize>,
    waiting: RefCell<Vec<Waker>>,
}

/// A permit, returned when dropped.
pub(crate) struct Permit<'g> {
    semaphore: &'g Semaphore,
}

impl Semaphore {
    pub(crate) fn new(places: usize) -> Self {
        Self { free: Cell::new(places), waiting: RefCell::new(Vec::new()) }
    }

    pub(crate) async fn enter(&self) -> Permit<'_> {
        poll_fn(|context| match self.free.get().checked_sub(1) {
            Some(left) => {
                self.free.set(left);
                Poll::Ready(Permit { semaphore: self })
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
        self.semaphore.free.set(self.semaphore.free.get() + 1);
        // All are woken: the first to be polled may have been dropped.
        self.semaphore.waiting.take().into_iter().for_each(Waker::wake);
    }
}
