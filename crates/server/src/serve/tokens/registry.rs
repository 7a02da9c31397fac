//! The tokens of a running server.
//!
//! Decision: the tokens are checked once per second; those in a file at once when an unknown token
//! arrives, so that a new token works immediately. An unreadable file makes all tokens invalid: revoked
//! ones must not remain valid. While a database is away nothing can be done with any token.

use super::entry::{Entry, Standing};
use super::secret::is_token;
use super::store::{Seen, Tokens};
use crate::fault::Fault;
use crate::serve::caller::{Grant, LOCAL, Scope};
use contexture::context::Digest;
use contexture::llm::SpendLimit;
use contexture::llm::ledger::Amount;
use parking_lot::{Mutex, RwLock};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;

pub(crate) struct Registry {
    stored: Tokens,
    state: RwLock<State>,
    /// Held by who reads the tokens anew: what is older must not take the place of what is newer.
    refreshing: Mutex<()>,
    /// The number of changes of tokens.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// What was seen when the tokens were read.
    seen: Option<Seen>,
    /// By the first digits of their digests.
    tokens: HashMap<String, Known>,
    /// The owners of all tokens, also of revoked ones, in lower case.
    owners: HashSet<String>,
    /// The time of the next expiry, in milliseconds.
    calm: Option<u64>,
    /// The error of unreadable tokens.
    fault: Option<String>,
}

struct Known {
    entry: Entry,
    grant: Arc<Grant>,
}

impl Registry {
    /// Reads the tokens.
    ///
    /// # Errors
    /// A [`Fault`] when they can't be read.
    pub(crate) fn open(stored: Tokens) -> Result<Self, Fault> {
        let (seen, entries) = (stored.seen()?, stored.list()?);
        let (state, refreshing) = (RwLock::default(), Mutex::default());
        let registry = Self { stored, state, refreshing, changes: watch::Sender::new(0) };
        registry.take(seen, entries);
        Ok(registry)
    }

    /// Reports whether some token is valid and has these permissions.
    pub(crate) fn lets_in(&self, now: u64, needed: &[Scope]) -> bool {
        let state = self.state.read();
        state.tokens.values().any(|known| {
            known.entry.standing(now) == Standing::Active
                && needed.iter().all(|scope| known.grant.scopes.contains(scope))
        })
    }

    /// Returns the rights of a token at a time; `None` when it is not valid.
    pub(crate) fn find(&self, token: &str, now: u64) -> Option<Arc<Grant>> {
        if !is_token(token) {
            return None;
        }
        let digest = Digest::of_text(token);
        if let Some(grant) = self.known(&digest, now) {
            return Some(grant);
        }
        // A database is not asked in the middle of a request.
        self.stored.path()?;
        // Somebody else may have read them meanwhile.
        self.refresh(now);
        self.known(&digest, now)
    }

    fn known(&self, digest: &Digest, now: u64) -> Option<Arc<Grant>> {
        let state = self.state.read();
        let known = state.tokens.get(&first_digits(digest))?;
        let is_same: bool =
            known.entry.digest.hex().as_bytes().ct_eq(digest.hex().as_bytes()).into();
        (is_same && known.entry.standing(now) == Standing::Active).then(|| Arc::clone(&known.grant))
    }

    /// Reports whether a name is that of another owner than `owner`, in letters of any case.
    pub(crate) fn is_of_another(&self, name: &str, owner: &str) -> bool {
        let name = name.trim().to_ascii_lowercase();
        name != owner.to_ascii_lowercase()
            && (name == LOCAL || self.state.read().owners.contains(&name))
    }

    /// Returns what the model calls of a token had taken when the tokens were read.
    pub(super) fn spent(&self, id: &str) -> Amount {
        let state = self.state.read();
        let known = state.tokens.values().find(|known| known.entry.id == id);
        known.map(|known| known.entry.spent).unwrap_or_default()
    }

    /// Returns the oldest grant of an owner that has a limit.
    pub(crate) fn limited(&self, owner: &str) -> Option<Arc<Grant>> {
        let state = self.state.read();
        let is_meant = |known: &&Known| {
            &*known.grant.owner == owner && known.grant.spend != SpendLimit::default()
        };
        let found = state.tokens.values().filter(is_meant).min_by_key(|known| &known.entry.id);
        found.map(|known| Arc::clone(&known.grant))
    }

    /// Reports whether a grant is still good.
    pub(crate) fn is_good(&self, grant: &Grant, now: u64) -> bool {
        let Some(id) = &grant.token else { return true };
        let state = self.state.read();
        state
            .tokens
            .values()
            .any(|known| *known.entry.id == **id && known.entry.standing(now) == Standing::Active)
    }

    /// Returns a receiver that is notified of changed tokens.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns the error of unreadable tokens.
    pub(crate) fn fault(&self) -> Option<String> {
        self.state.read().fault.clone()
    }

    /// Checks the tokens and the clock; reports whether something changed. May wait for a database.
    pub(crate) fn refresh(&self, now: u64) -> bool {
        let _refreshing = self.refreshing.lock();
        let Ok(seen) = self.stored.seen() else { return false };
        let (is_same, is_calm) = {
            let state = self.state.read();
            (state.seen == seen, state.calm.is_none_or(|calm| now < calm))
        };
        if is_same && is_calm {
            return false;
        }
        if is_same {
            let mut state = self.state.write();
            state.calm = calm(&state.tokens, now);
        } else {
            let read = self.stored.list();
            let fault = read.as_ref().err().map(|fault| fault.message.clone());
            self.take(seen, read.unwrap_or_default());
            self.state.write().fault = fault;
        }
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
        true
    }

    fn take(&self, seen: Option<Seen>, entries: Vec<Entry>) {
        let owners = entries.iter().map(|entry| entry.owner.to_ascii_lowercase()).collect();
        let live = entries.into_iter().filter(|entry| entry.revoked.is_none());
        let known = live.map(|entry| {
            let grant = Arc::new(entry.grant());
            (first_digits(&entry.digest), Known { entry, grant })
        });
        let tokens: HashMap<_, _> = known.collect();
        let mut state = self.state.write();
        *state = State { seen, calm: calm(&tokens, 0), tokens, owners, fault: None };
    }
}

fn first_digits(digest: &Digest) -> String {
    digest.hex().chars().take(16).collect()
}

/// Returns the time of the next expiry.
fn calm(tokens: &HashMap<String, Known>, now: u64) -> Option<u64> {
    tokens.values().filter_map(|known| known.entry.expires).filter(|expires| *expires > now).min()
}
