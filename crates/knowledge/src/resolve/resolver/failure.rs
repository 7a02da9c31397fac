//! The last failure of a model that is asked for a search.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After a failure a model is left alone for so long: a search must not hang again and again.
const REST: Duration = Duration::from_secs(30);

/// The last failure of a model.
#[derive(Debug, Default)]
pub(super) struct LastFailure(Mutex<Option<(Instant, String)>>);

impl LastFailure {
    /// Asks the model, unless it failed a short time ago: then that is the reason.
    pub(super) fn guard<T>(&self, ask: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, reason)) = known.filter(|(since, _)| since.elapsed() < REST) {
            return Err(reason);
        }
        let answer = ask();
        let failure = answer.as_ref().err().map(|reason| (Instant::now(), reason.clone()));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        answer
    }
}
