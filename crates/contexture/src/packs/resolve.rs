//! What packs say to a task, in the tokens of whichever model is to read it (KN-9, KN-11).

use super::{Packs, PacksError};
use contexture_context::TokenCounter;
use contexture_knowledge::pack::Pack;
use contexture_knowledge::resolve::{IndexReport, Resolution, ResolveError, Resolver, Task};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A resolver for each tokenizer: sections are measured once in the tokens of each.
pub(super) struct Resolvers {
    counter: &'static dyn TokenCounter,
    cache: Option<PathBuf>,
    made: Mutex<HashMap<&'static str, Arc<Resolver>>>,
}

impl Resolvers {
    pub(super) fn new(counter: &'static dyn TokenCounter, cache: Option<PathBuf>) -> Self {
        Self { counter, cache, made: Mutex::default() }
    }

    fn of(&self, counter: &'static dyn TokenCounter) -> Arc<Resolver> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Resolver::new(counter, self.cache.clone()));
        Arc::clone(made.entry(counter.name()).or_insert_with(make))
    }
}

impl Packs {
    /// What a text costs the default model, in tokens: each tier tells its own cost (KN-1).
    #[must_use]
    pub fn tokens(&self, text: &str) -> u64 {
        self.resolvers.counter.count(text) as u64
    }

    /// Brings the index of a pack up to date, or builds it anew (KN-17).
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not or can't be read.
    pub fn index(&self, name: &str, rebuild: bool) -> Result<IndexReport, PacksError> {
        let pack = self.pack(name)?;
        Ok(self.resolvers.of(self.resolvers.counter).index(&pack, rebuild)?)
    }

    /// What packs say to a task (KN-9), in tokens of the default model. Nothing is written down;
    /// see [`Packs::log`].
    ///
    /// # Errors
    /// [`PacksError`] when a pack may not or can't be read, or the task makes no sense.
    pub fn resolve(&self, names: &[&str], task: &Task) -> Result<Resolution, PacksError> {
        self.resolve_with(names, task, self.resolvers.counter)
    }

    /// The same, in tokens of that tokenizer.
    ///
    /// # Errors
    /// As [`Packs::resolve`].
    pub fn resolve_with(
        &self,
        names: &[&str],
        task: &Task,
        counter: &'static dyn TokenCounter,
    ) -> Result<Resolution, PacksError> {
        let packs = names.iter().map(|name| self.pack(name));
        let packs = packs.collect::<Result<Vec<Pack>, PacksError>>()?;
        let task = Task { english: task.english || self.english, ..task.clone() };
        Ok(self.resolvers.of(counter).resolve(&packs, &task)?)
    }
}

impl From<ResolveError> for PacksError {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Pack(error) => error.into(),
            other => {
                let help = "remove `.contexture/cache/knowledge`, from which nothing is lost, and try again";
                Self::new("index_unusable", other.to_string(), help)
            }
        }
    }
}
