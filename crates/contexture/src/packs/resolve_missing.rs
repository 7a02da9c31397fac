//! In place of what packs say to a task in a build without the feature `knowledge`.

use super::{Packs, PacksError};
use contexture_context::TokenCounter;
use contexture_knowledge::resolve::{Resolution, Task};
use std::path::PathBuf;

/// The tokenizer that texts are measured with.
pub(super) struct Resolvers {
    counter: &'static dyn TokenCounter,
}

impl Resolvers {
    pub(super) fn new(counter: &'static dyn TokenCounter, _cache: Option<PathBuf>) -> Self {
        Self { counter }
    }
}

impl Packs {
    /// What a text costs the default model, in tokens: each tier tells its own cost (KN-1).
    #[must_use]
    pub fn tokens(&self, text: &str) -> u64 {
        self.resolvers.counter.count(text) as u64
    }

    /// Refuses: this build has no knowledge packs.
    ///
    /// # Errors
    /// [`PacksError`] always.
    pub fn resolve(&self, names: &[&str], task: &Task) -> Result<Resolution, PacksError> {
        self.resolve_with(names, task, self.resolvers.counter)
    }

    /// The same.
    ///
    /// # Errors
    /// As [`Packs::resolve`].
    pub fn resolve_with(
        &self,
        _names: &[&str],
        _task: &Task,
        _counter: &'static dyn TokenCounter,
    ) -> Result<Resolution, PacksError> {
        Err(PacksError::missing())
    }
}
