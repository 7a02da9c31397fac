//! The limits, seals, times and ids that all rules share.

use super::ledger::{Ledger, Outcome};
use super::vault::Vault;
use crate::stamp::Ids;
use contexture_core::store::contexts::{ContextError, Key, Limits, Sealer, Sensitive};
use std::sync::Arc;

/// The options of a store.
#[derive(Clone)]
pub struct Options {
    /// The limits.
    pub limits: Limits,
    /// Seals what is declared sensitive before it is kept; needed as well to read what was sealed.
    pub sealer: Option<Arc<dyn Sealer>>,
    /// The sensitive places (CP-19).
    pub sensitive: Sensitive,
    /// Time and chance.
    pub ids: Arc<Ids>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            sealer: None,
            sensitive: Sensitive::default(),
            ids: Arc::new(crate::stamp::system()),
        }
    }
}

/// Limits, seals, time and chance.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) limits: Limits,
    pub(super) vault: Vault,
    ids: Arc<Ids>,
}

impl Engine {
    pub(super) fn new(options: Options) -> Self {
        let Options { limits, sealer, sensitive, ids } = options;
        Self { limits, vault: Vault::new(sealer, sensitive), ids }
    }

    pub(super) fn now_us(&self) -> u64 {
        self.ids.now_us()
    }

    /// Returns a new contextId: `ctx_` and a ULID.
    pub(super) fn context_id(&self) -> String {
        format!("ctx_{}", self.ids.next().0.to_ascii_uppercase())
    }
}

/// Returns the context of a key; another owner's is not found.
pub(super) fn require(ledger: &mut dyn Ledger, key: Key<'_>) -> Outcome<super::ledger::Row> {
    let found = ledger.find(key.owner, key.context)?;
    found.ok_or_else(|| ContextError::NotFound(key.context.to_owned()))
}
