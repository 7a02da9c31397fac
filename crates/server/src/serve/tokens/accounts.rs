//! What the model calls of tokens with a limit have taken (CA-5).
//!
//! Decision: it is kept beside the limit, in the file of the tokens, and what is reserved counts as
//! taken until it is settled: neither a restart nor a kill gives anything back. One thread writes;
//! what changes meanwhile is written together after.

use super::file::TokenFile;
use super::registry::Registry;
use crate::serve::caller::Grant;
use crate::serve::operations::log::Log;
use contexture::llm::ledger::Amount;
use contexture::llm::{Ledger, SpendLimit};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Handle;

/// The accounts of a running server, by the ids of the tokens.
pub(crate) struct Accounts {
    open: Mutex<HashMap<Arc<str>, Arc<Ledger>>>,
    keeper: Arc<Keeper>,
}

impl Accounts {
    /// Creates the accounts of the tokens in a data folder. Needs a tokio runtime.
    pub(crate) fn in_folder(data: &Path, log: Arc<Log>) -> Self {
        let file = TokenFile::in_folder(data);
        let keeper = Keeper { file, log, handle: Handle::current(), due: Mutex::default() };
        Self { open: Mutex::default(), keeper: Arc::new(keeper) }
    }

    /// Returns the account of a token that has a limit.
    pub(crate) fn of(&self, grant: &Grant, tokens: &Registry) -> Option<Arc<Ledger>> {
        let token = grant.token.as_ref().filter(|_| grant.spend != SpendLimit::default())?;
        let mut open = self.open.lock();
        let begin = || {
            let (id, keeper) = (Arc::clone(token), Arc::clone(&self.keeper));
            let keep = move |taken| Keeper::note(&keeper, Arc::clone(&id), taken);
            Arc::new(Ledger::resumed(grant.spend, tokens.spent(token), keep))
        };
        Some(Arc::clone(open.entry(Arc::clone(token)).or_insert_with(begin)))
    }

    /// Writes what is not written yet, before the server ends.
    pub(crate) async fn close(&self) {
        let keeper = Arc::clone(&self.keeper);
        // A thread that is broken off has logged why.
        let _ = tokio::task::spawn_blocking(move || keeper.write()).await;
    }
}

struct Keeper {
    file: TokenFile,
    log: Arc<Log>,
    handle: Handle,
    due: Mutex<Due>,
}

/// What is to be written.
#[derive(Default)]
struct Due {
    taken: HashMap<Arc<str>, Amount>,
    is_awaited: bool,
}

impl Keeper {
    fn note(keeper: &Arc<Self>, token: Arc<str>, taken: Amount) {
        let mut due = keeper.due.lock();
        due.taken.insert(token, taken);
        if !std::mem::replace(&mut due.is_awaited, true) {
            let keeper = Arc::clone(keeper);
            keeper.handle.clone().spawn_blocking(move || keeper.write());
        }
    }

    fn write(&self) {
        // The lock of the file puts those in order who write; who is first takes all.
        let written = self.file.keep_spent(|| {
            let mut due = self.due.lock();
            due.is_awaited = false;
            std::mem::take(&mut due.taken)
        });
        if let Err(fault) = written {
            self.due.lock().is_awaited = false;
            self.log.info("tokens_unwritable", serde_json::json!({ "reason": fault.message }));
        }
    }
}
