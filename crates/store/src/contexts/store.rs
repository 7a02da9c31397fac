//! The store of contexts over a database: the calls of the port, made of the database's reads and
//! writes.

use super::engine::{Engine, Options};
use super::ledger::{Ledger, Ledgers, Outcome, Sealed};
use super::{apply, copy, lines, read, search};
use contexture_core::store::contexts::{
    Changes, ContextError, ContextStore, Done, Fork, Head, Heads, Import, Key, KeyName, Page,
    PendingKey, Repeated, State, Update,
};
use serde_json::Value;
use std::fmt;
use std::io::{BufRead, Write};
use std::sync::{Arc, mpsc};

/// A store of contexts: the rules of the port over the rows of a database (see
/// [`ledger`](super::ledger)).
pub struct Contexts<L> {
    engine: Arc<Engine>,
    ledgers: L,
}

impl<L: Ledgers> Contexts<L> {
    /// Makes a store of a database.
    ///
    /// # Errors
    /// [`ContextError::Sealed`] when something is declared sensitive and no sealer is given.
    pub fn on(ledgers: L, options: Options) -> Result<Self, ContextError> {
        let engine = Engine::new(options);
        engine.vault.check_key()?;
        Ok(Self::with(ledgers, engine))
    }

    pub(super) fn with(ledgers: L, engine: Engine) -> Self {
        Self { engine: Arc::new(engine), ledgers }
    }

    #[cfg(test)]
    #[cfg(feature = "sqlite")]
    pub(super) fn ledgers(&self) -> &L {
        &self.ledgers
    }

    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        self.ledgers.read(work)
    }

    /// Writes all or nothing, and waits.
    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        let (send, receive) = mpsc::sync_channel(1);
        let engine = Arc::clone(&self.engine);
        let done = move |outcome| drop(send.send(outcome));
        self.ledgers.write(move |ledger| work(ledger, &engine), done);
        receive.recv().unwrap_or(Err(ContextError::Closed))
    }
}

impl<L> fmt::Debug for Contexts<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contexts").finish_non_exhaustive()
    }
}

/// An owned [`Key`], for work that is done on another thread.
#[derive(Clone)]
pub(super) struct Name {
    pub(super) owner: String,
    pub(super) context: String,
}

impl From<Key<'_>> for Name {
    fn from(key: Key<'_>) -> Self {
        Self { owner: key.owner.to_owned(), context: key.context.to_owned() }
    }
}

impl Name {
    pub(super) fn key(&self) -> Key<'_> {
        Key { owner: &self.owner, context: &self.context }
    }
}

impl<L: Ledgers> ContextStore for Contexts<L> {
    fn submit(&self, update: Update, done: Done) {
        let engine = Arc::clone(&self.engine);
        let bytes = apply::bytes(&update);
        let update = Arc::new(update);
        let looked_at = Arc::clone(&update);
        let work = move |ledger: &mut dyn Ledger| apply::apply(ledger, &engine, &update);
        self.ledgers.write_after(bytes, || apply::reads(&looked_at), work, done);
    }

    fn repeated(
        &self,
        owner: &str,
        key: &KeyName,
        digest: &[u8; 32],
    ) -> Result<Option<Repeated>, ContextError> {
        self.read(|ledger| apply::repeated(ledger, &self.engine, owner, key, digest))
    }

    fn pending(&self) -> Result<Vec<PendingKey>, ContextError> {
        self.read(|ledger| ledger.pending())
    }

    fn begin(&self, owner: &str, key: &KeyName) -> Result<bool, ContextError> {
        if !L::IS_SHARED {
            return Ok(true);
        }
        let (owner, key) = (owner.to_owned(), key.clone());
        self.write(move |ledger, _| apply::begin(ledger, &owner, &key))
    }

    fn head(&self, key: Key<'_>) -> Result<Head, ContextError> {
        self.read(|ledger| read::head(ledger, key))
    }

    fn list(&self, owner: &str, after: Option<&str>, limit: usize) -> Result<Heads, ContextError> {
        self.read(|ledger| read::list(ledger, &self.engine, owner, after, limit))
    }

    fn search(
        &self,
        owner: &str,
        text: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Heads, ContextError> {
        self.read(|ledger| search::search(ledger, &self.engine, owner, text, after, limit))
    }

    fn holders(&self, context: &str) -> Result<Vec<String>, ContextError> {
        self.read(|ledger| ledger.holders(context))
    }

    fn owners(&self) -> Result<Vec<String>, ContextError> {
        self.read(|ledger| ledger.owners())
    }

    fn state(&self, key: Key<'_>) -> Result<State, ContextError> {
        self.read(|ledger| read::state(ledger, &self.engine, key))
    }

    fn messages(&self, key: Key<'_>, after: u64, limit: usize) -> Result<Page, ContextError> {
        self.read(|ledger| read::messages(ledger, &self.engine, key, after, limit))
    }

    fn before(&self, key: Key<'_>, before: u64, limit: usize) -> Result<Page, ContextError> {
        self.read(|ledger| read::before(ledger, &self.engine, key, before, limit))
    }

    fn changes(&self, key: Key<'_>, since: u64, limit: usize) -> Result<Changes, ContextError> {
        self.read(|ledger| read::changes(ledger, &self.engine, key, since, limit))
    }

    fn get(&self, key: Key<'_>) -> Result<Value, ContextError> {
        self.read(|ledger| read::whole(ledger, &self.engine, key))
    }

    fn delete(&self, key: Key<'_>) -> Result<(), ContextError> {
        let name = Name::from(key);
        self.write(move |ledger, _| copy::delete(ledger, name.key()))
    }

    fn fork(&self, key: Key<'_>, fork: Fork) -> Result<Head, ContextError> {
        let name = Name::from(key);
        self.write(move |ledger, engine| copy::fork(ledger, engine, name.key(), &fork))
    }

    fn export(&self, key: Key<'_>, out: &mut dyn Write) -> Result<u64, ContextError> {
        self.read(|ledger| lines::export(ledger, &self.engine, key, out))
    }

    fn import(
        &self,
        owner: &str,
        input: &mut dyn BufRead,
        import: Import,
    ) -> Result<Head, ContextError> {
        let batch = lines::read(&self.engine, owner, input, import)?;
        self.write(move |ledger, engine| lines::import(ledger, engine, &batch))
    }

    fn compact(&self, key: Key<'_>, through: u64) -> Result<Head, ContextError> {
        let name = Name::from(key);
        self.write(move |ledger, _| copy::compact(ledger, name.key(), through))
    }

    fn check_seals(&self) -> Result<(), ContextError> {
        let vault = &self.engine.vault;
        self.read(|ledger| {
            ledger.sealed()?.iter().try_for_each(|sealed| match sealed {
                Sealed::State(state) => vault.open_state(state).map(drop),
                Sealed::Message(message) => vault.open_message(message).map(drop),
            })
        })
    }

    fn check(&self) -> Result<(), ContextError> {
        self.read(|ledger| ledger.owned("", i64::MAX, 1).map(drop))?;
        self.write(|ledger, _| ledger.touch())
    }
}
