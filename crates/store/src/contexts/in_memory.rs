//! Contexts in memory alone: for tests, and for programs that keep nothing.

mod ledger;

use super::engine::Engine;
use super::ledger::{Ledger, Ledgers, Outcome};
use super::store::Contexts;
use crate::contexts::engine::Options;
use ledger::Memory;
use std::sync::{Mutex, PoisonError};

/// Contexts that end with the process. An update is applied by the thread that hands it in.
pub type InMemoryContexts = Contexts<InMemoryLedgers>;

/// The rows of contexts in memory.
#[derive(Default)]
pub struct InMemoryLedgers(Mutex<Memory>);

impl InMemoryContexts {
    /// Creates a store without contexts.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with(InMemoryLedgers::default(), Engine::new(options))
    }
}

impl Ledgers for InMemoryLedgers {
    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        work(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        // The lock is gone by the time of the call: it may hand in more.
        let outcome = self.read(work);
        done(outcome);
    }
}
