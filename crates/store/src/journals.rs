//! The journals of runs that survive their process (WA-3).

pub use contexture_core::store::journals::*;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Journals in memory alone: for tests, and for programs that keep nothing.
#[derive(Debug, Clone, Default)]
pub struct InMemoryJournals(Arc<Mutex<BTreeMap<String, InMemory>>>);

#[derive(Debug, Default)]
struct InMemory {
    text: String,
    is_open: bool,
    is_cancelled: bool,
}

impl InMemoryJournals {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, InMemory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journals for InMemoryJournals {
    fn place(&self, run: &str) -> Arc<dyn JournalPlace> {
        Arc::new(Place { journals: self.clone(), run: run.to_owned() })
    }

    fn ids(&self) -> Result<Vec<String>, JournalError> {
        Ok(self.lock().keys().rev().cloned().collect())
    }
}

/// The place of one journal, which is open while its lines live.
#[derive(Clone)]
struct Place {
    journals: InMemoryJournals,
    run: String,
}

impl Place {
    fn with<T>(&self, work: impl FnOnce(&mut InMemory) -> T) -> Result<T, JournalError> {
        let missing = || JournalError("no such journal".to_owned());
        self.journals.lock().get_mut(&self.run).map(work).ok_or_else(missing)
    }
}

impl JournalPlace for Place {
    fn name(&self) -> String {
        format!("the journal {}", self.run)
    }

    fn exists(&self) -> bool {
        self.journals.lock().contains_key(&self.run)
    }

    fn create(&self) -> Result<Box<dyn JournalLines>, JournalError> {
        if self.exists() {
            return Err(JournalError("it is there".to_owned()));
        }
        let begun = InMemory { is_open: true, ..InMemory::default() };
        self.journals.lock().insert(self.run.clone(), begun);
        Ok(Box::new(Lines(self.clone())))
    }

    fn open(&self) -> Result<(Vec<u8>, Box<dyn JournalLines>), JournalError> {
        let is_open = self.with(|journal| std::mem::replace(&mut journal.is_open, true))?;
        if is_open {
            return Err(JournalError("it is open elsewhere".to_owned()));
        }
        Ok((self.read()?, Box::new(Lines(self.clone()))))
    }

    fn read(&self) -> Result<Vec<u8>, JournalError> {
        self.with(|journal| journal.text.clone().into_bytes())
    }

    fn is_open(&self) -> bool {
        self.with(|journal| journal.is_open).unwrap_or_default()
    }

    fn is_cancelled(&self) -> bool {
        self.with(|journal| journal.is_cancelled).unwrap_or_default()
    }

    fn cancel(&self) -> Result<(), JournalError> {
        self.with(|journal| journal.is_cancelled = true)
    }

    fn resume(&self) {
        // Without a journal there is nothing to forget.
        drop(self.with(|journal| journal.is_cancelled = false));
    }

    fn remove(&self) {
        self.journals.lock().remove(&self.run);
    }
}

struct Lines(Place);

impl JournalLines for Lines {
    fn append(&mut self, line: &str) -> Result<(), JournalError> {
        self.0.with(|journal| journal.text.push_str(line))
    }

    fn sync(&self) -> Result<(), JournalError> {
        Ok(())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(self.0.with(|journal| journal.is_open = false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    contexture_core::journals_contract!(|| -> Arc<dyn Journals> {
        Arc::new(InMemoryJournals::default())
    });
}
