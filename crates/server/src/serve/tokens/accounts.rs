//! What the model calls of tokens with a limit have taken (CA-5).
//!
//! Decision: it is kept beside the limit, with the tokens, and what is reserved counts as taken until it
//! is settled: neither a restart nor a kill gives anything back. A server adds what its own calls took,
//! and learns what those of others did, within a second or two. One thread writes; what changes
//! meanwhile is written together after.

use super::registry::Registry;
use super::store::Tokens;
use crate::serve::caller::Grant;
use crate::serve::operations::log::Log;
use contexture::llm::ledger::Amount;
use contexture::llm::{Ledger, SpendLimit};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;

/// The accounts of a running server, by the ids of the tokens.
pub(crate) struct Accounts(Arc<Keeper>);

struct Keeper {
    stored: Tokens,
    log: Arc<Log>,
    handle: Handle,
    open: Mutex<HashMap<Arc<str>, Account>>,
    is_awaited: AtomicBool,
    writing: Mutex<()>,
}

struct Account {
    ledger: Arc<Ledger>,
    /// What the tokens and the ledger agreed on last.
    kept: Amount,
}

impl Accounts {
    /// Creates the accounts of tokens. Needs a tokio runtime.
    pub(crate) fn of_tokens(stored: Tokens, log: Arc<Log>) -> Self {
        let handle = Handle::current();
        let (open, writing) = (Mutex::default(), Mutex::default());
        let is_awaited = AtomicBool::new(false);
        Self(Arc::new(Keeper { stored, log, handle, open, is_awaited, writing }))
    }

    /// Returns the account of a token that has a limit.
    pub(crate) fn of(&self, grant: &Grant, tokens: &Registry) -> Option<Arc<Ledger>> {
        let token = grant.token.as_ref().filter(|_| grant.spend != SpendLimit::default())?;
        let mut open = self.0.open.lock();
        let begin = || {
            let (keeper, kept) = (Arc::clone(&self.0), tokens.spent(token));
            let keep = move |_| Keeper::note(&keeper);
            Account { ledger: Arc::new(Ledger::resumed(grant.spend, kept, keep)), kept }
        };
        Some(Arc::clone(&open.entry(Arc::clone(token)).or_insert_with(begin).ledger))
    }

    /// Learns what the calls of other servers took, after tokens were changed. Waits for it.
    pub(crate) fn learn(&self) {
        if !self.0.open.lock().is_empty() {
            self.0.write();
        }
    }

    /// Writes what is not written yet, before the server ends.
    pub(crate) async fn close(&self) {
        let keeper = Arc::clone(&self.0);
        // A thread that is broken off has logged why.
        let _ = tokio::task::spawn_blocking(move || keeper.write()).await;
    }
}

impl Keeper {
    fn note(keeper: &Arc<Self>) {
        if !keeper.is_awaited.swap(true, Ordering::AcqRel) {
            let keeper = Arc::clone(keeper);
            keeper.handle.clone().spawn_blocking(move || keeper.write());
        }
    }

    fn write(&self) {
        // What one write learns is known before the next one begins.
        let _writing = self.writing.lock();
        let mut learnt = Vec::new();
        // The lock of the tokens puts those in order who write; who is first takes all.
        let written = self.stored.settle(|id, spent| {
            self.is_awaited.store(false, Ordering::Release);
            let open = self.open.lock();
            let Some((token, account)) = open.get_key_value(id) else { return false };
            let (before, taken) = (*spent, account.ledger.taken());
            *spent = before.plus(taken).minus(account.kept);
            let others = before.minus(account.kept);
            learnt.push((Arc::clone(token), others, *spent));
            *spent != before
        });
        self.is_awaited.store(false, Ordering::Release);
        match written {
            Ok(()) => {
                let mut open = self.open.lock();
                for (token, others, kept) in learnt {
                    let Some(account) = open.get_mut(&token) else { continue };
                    account.ledger.learn(others);
                    account.kept = kept;
                }
            }
            Err(fault) => {
                self.log.info("tokens_unwritable", serde_json::json!({ "reason": fault.message }));
            }
        }
    }
}
