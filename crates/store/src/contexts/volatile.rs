//! Contexts in memory alone: for tests, and for programs that keep nothing.

mod ledger;

use super::engine::{Engine, Twin, applied};
use super::ledger::{Ledger, Outcome};
use super::{Done, Options, Update};
use ledger::Memory;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Contexts that end with the process. An update is applied by the thread that hands it in.
pub struct VolatileContexts {
    engine: Engine,
    memory: Mutex<Memory>,
}

impl VolatileContexts {
    /// No contexts yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { engine: Engine::new(options), memory: Mutex::default() }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        work(&mut self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for VolatileContexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VolatileContexts").finish_non_exhaustive()
    }
}

impl Twin for VolatileContexts {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        self.with(|memory| work(memory))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        self.with(|memory| work(memory, &self.engine))
    }

    fn hand_in(&self, update: Update, done: Done) {
        // The lock is gone by the time of the call: it may hand in more.
        let outcome = self.with(|memory| applied(memory, &self.engine, &update));
        done(outcome);
    }

    fn writable(&self) -> Outcome<()> {
        Ok(())
    }
}
