//! One turn after another in each context.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Mutex as Lane, OwnedMutexGuard};

/// The lanes of all contexts in which turns run or wait.
#[derive(Default)]
pub(crate) struct Lanes {
    by_context: Mutex<HashMap<String, Arc<Lane<()>>>>,
}

impl Lanes {
    /// A place in the context's lane: whoever asks first comes first.
    pub(crate) fn enter(&self, context: &str) -> impl Future<Output = OwnedMutexGuard<()>> + use<> {
        let mut lanes = self.by_context.lock().unwrap_or_else(PoisonError::into_inner);
        // A lane that nobody is in is not kept.
        lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
        let lane = lanes.entry(context.to_owned()).or_default();
        Arc::clone(lane).lock_owned()
    }
}
