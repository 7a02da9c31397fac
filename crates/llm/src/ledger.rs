//! What a run may spend, and what it has spent (CA-5).
//!
//! Decision: a request is admitted or refused before it is sent. What it may take at worst is
//! reserved, so that requests side by side can't pass a limit together; when it ends, what it took
//! is spent. Only a request that was refused with a status, or never sent, is free: of one that
//! broke off nobody knows what it cost, so it counts at its worst case.

use contexture_core::profile::Money;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limits of a ledger; an absent one is not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpendLimit {
    /// Money.
    pub money: Option<Money>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Requests to models.
    pub calls: Option<u64>,
}

/// Requests, their tokens, and what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Tokens of prompts and answers together.
    pub tokens: u64,
    /// What they cost; nothing when there is no price.
    pub money: Money,
    /// Requests to models.
    pub calls: u64,
}

impl Amount {
    /// Adds an amount.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        let tokens = self.tokens.saturating_add(other.tokens);
        let calls = self.calls.saturating_add(other.calls);
        Self { tokens, money: self.money.plus(other.money), calls }
    }

    /// Takes an amount off; never less than nothing is left.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        let tokens = self.tokens.saturating_sub(other.tokens);
        let calls = self.calls.saturating_sub(other.calls);
        Self { tokens, money: self.money.minus(other.money), calls }
    }
}

/// What was spent so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// Of requests that have ended.
    pub spent: Amount,
    /// The part of it that is the worst case of requests that broke off, or went to models that
    /// were passed over after.
    pub lost: Amount,
    /// True if a model without a price took tokens.
    pub is_unpriced: bool,
    reserved: Amount,
}

/// The account of a run, or of all runs of a client.
#[derive(Debug, Default)]
pub struct Ledger {
    limit: SpendLimit,
    above: Option<Arc<Ledger>>,
    account: Mutex<Account>,
    keep: Keep,
}

/// What keeps an account outside this process.
#[derive(Default)]
struct Keep(Option<Box<dyn Fn(Amount) + Send + Sync>>);

impl Keep {
    fn tell(&self, account: &Account) {
        if let Some(keep) = &self.0 {
            keep(account.spent.plus(account.reserved));
        }
    }
}

impl fmt::Debug for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Keep" } else { "Keep(nothing)" })
    }
}

/// What does not fit a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// The limit of money: what may be needed, what is left, and the limit.
    Money(Money, Money, Money),
    /// The limit of tokens: what may be needed, what is left, and the limit.
    Tokens(u64, u64, u64),
    /// The limit of requests, all of which were sent.
    Calls(u64),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money(need, left, limit) => {
                let [need, left, limit] = [need, left, limit].map(|money| money.dollars());
                write!(f, "may cost {need} USD, and {left} of the limit of {limit} USD is left")
            }
            Self::Tokens(need, left, limit) => {
                write!(f, "may take {need} tokens, and {left} of the limit of {limit} are left")
            }
            Self::Calls(limit) => write!(f, "is one more than the limit of {limit} requests"),
        }
    }
}

impl Ledger {
    /// Creates an account with a limit; what it spends counts in the account above it, too.
    #[must_use]
    pub fn new(limit: SpendLimit, above: Option<Arc<Self>>) -> Self {
        Self { limit, above, ..Self::default() }
    }

    /// Goes on with an account from which `spent` was taken before. `keep` is told what is taken
    /// whenever that changes: what is reserved is part of it, so that what is kept when the process
    /// is killed counts what was under way at its worst case. It must not wait.
    #[must_use]
    pub fn resumed(
        limit: SpendLimit,
        spent: Amount,
        keep: impl Fn(Amount) + Send + Sync + 'static,
    ) -> Self {
        let account = Mutex::new(Account { spent, ..Account::default() });
        Self { limit, above: None, account, keep: Keep(Some(Box::new(keep))) }
    }

    /// Returns the limits that hold, those above it included.
    #[must_use]
    pub fn limits(&self) -> SpendLimit {
        let above = self.above.as_ref().map(|above| above.limits()).unwrap_or_default();
        let money = self.limit.money.into_iter().chain(above.money).min();
        let tokens = self.limit.tokens.into_iter().chain(above.tokens).min();
        let calls = self.limit.calls.into_iter().chain(above.calls).min();
        SpendLimit { money, tokens, calls }
    }

    /// Returns what was spent so far.
    #[must_use]
    pub fn account(&self) -> Account {
        *self.locked()
    }

    /// Returns what is taken: what was spent, and the worst case of what is under way.
    #[must_use]
    pub fn taken(&self) -> Amount {
        let account = self.locked();
        account.spent.plus(account.reserved)
    }

    /// Counts what was taken from the same account elsewhere.
    pub fn learn(&self, elsewhere: Amount) {
        let mut account = self.locked();
        account.spent = account.spent.plus(elsewhere);
    }

    fn locked(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves what a request may take.
    ///
    /// # Errors
    /// [`Excess`] when it does not fit in what is left; nothing is reserved then.
    pub fn reserve(&self, worst: Amount) -> Result<(), Excess> {
        {
            let mut account = self.locked();
            let taken = account.spent.plus(account.reserved);
            self.limit.admits(taken, worst)?;
            account.reserved = account.reserved.plus(worst);
            self.keep.tell(&account);
        }
        let Some(above) = &self.above else { return Ok(()) };
        above.reserve(worst).inspect_err(|_| {
            let mut account = self.locked();
            account.reserved = account.reserved.minus(worst);
            self.keep.tell(&account);
        })
    }

    /// Counts what a model took before another one was asked in its place among what is lost: the
    /// worst case of a program has one model for each call.
    pub fn write_off(&self, amount: Amount) {
        let mut account = self.locked();
        account.lost = account.lost.plus(amount);
    }

    /// Ends a request for which `reserved` was reserved.
    pub fn settle(&self, reserved: Amount, spent: Spent) {
        let mut account = self.locked();
        account.reserved = account.reserved.minus(reserved);
        match spent {
            Spent::Nothing => {}
            Spent::Known(amount, is_priced) | Spent::Before(amount, is_priced) => {
                account.spent = account.spent.plus(amount);
                account.is_unpriced |= !is_priced;
            }
            Spent::Lost(amount, is_priced) => {
                account.spent = account.spent.plus(amount);
                account.lost = account.lost.plus(amount);
                account.is_unpriced |= !is_priced;
            }
        }
        self.keep.tell(&account);
        drop(account);
        if let Some(above) = &self.above {
            let is_before = matches!(spent, Spent::Before(..));
            above.settle(reserved, if is_before { Spent::Nothing } else { spent });
        }
    }
}

/// What a request took, and whether its model has a price.
#[derive(Debug, Clone, Copy)]
pub enum Spent {
    /// It was refused, or never sent.
    Nothing,
    /// An earlier life of the run took it: the account above counted it then.
    Before(Amount, bool),
    /// Its answer says so.
    Known(Amount, bool),
    /// It broke off: its worst case.
    Lost(Amount, bool),
}

impl SpendLimit {
    fn admits(self, taken: Amount, worst: Amount) -> Result<(), Excess> {
        if let Some(limit) = self.calls
            && taken.calls.saturating_add(worst.calls) > limit
        {
            return Err(Excess::Calls(limit));
        }
        if let Some(limit) = self.tokens {
            let left = limit.saturating_sub(taken.tokens);
            if worst.tokens > left {
                return Err(Excess::Tokens(worst.tokens, left, limit));
            }
        }
        if let Some(limit) = self.money {
            let left = limit.minus(taken.money);
            if worst.money > left {
                return Err(Excess::Money(worst.money, left, limit));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tokens(tokens: u64) -> Amount {
        Amount { tokens, money: Money::ZERO, calls: 0 }
    }

    fn limited(tokens: u64, above: Option<Arc<Ledger>>) -> Ledger {
        Ledger::new(SpendLimit { tokens: Some(tokens), ..SpendLimit::default() }, above)
    }

    #[test]
    fn ca_5_requests_side_by_side_do_not_pass_a_limit_together() {
        let ledger = limited(250, None);
        assert!(ledger.reserve(tokens(100)).is_ok() && ledger.reserve(tokens(100)).is_ok());
        assert_eq!(ledger.reserve(tokens(100)), Err(Excess::Tokens(100, 50, 250)));
        ledger.settle(tokens(100), Spent::Known(tokens(20), true));
        assert!(ledger.reserve(tokens(100)).is_ok(), "what was not taken is free again");
        ledger.settle(tokens(100), Spent::Nothing);
        ledger.settle(tokens(100), Spent::Lost(tokens(100), true));
        let account = ledger.account();
        assert_eq!((account.spent, account.lost), (tokens(120), tokens(100)));
        assert_eq!(account.reserved, tokens(0));
    }

    #[test]
    fn ca_5_resumed_account_counts_what_was_taken_and_tells_what_is() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&told);
        let limit = SpendLimit { tokens: Some(250), ..SpendLimit::default() };
        let ledger = Ledger::resumed(limit, tokens(100), move |taken| {
            seen.lock().unwrap().push(taken.tokens);
        });
        assert_eq!(ledger.reserve(tokens(200)), Err(Excess::Tokens(200, 150, 250)));
        assert!(ledger.reserve(tokens(150)).is_ok());
        ledger.settle(tokens(150), Spent::Known(tokens(20), true));
        assert_eq!(*told.lock().unwrap(), [250, 120], "what was under way is kept at its worst");
    }

    #[test]
    fn ca_5_limit_above_refuses_and_leaves_nothing_reserved() {
        let client = Arc::new(limited(150, None));
        let run = limited(1_000, Some(Arc::clone(&client)));
        assert_eq!(run.limits().tokens, Some(150));
        assert!(run.reserve(tokens(100)).is_ok());
        run.settle(tokens(100), Spent::Known(tokens(100), true));
        assert_eq!(run.reserve(tokens(100)), Err(Excess::Tokens(100, 50, 150)));
        assert_eq!(run.account().reserved, tokens(0));
        let other = limited(1_000, Some(client));
        assert!(other.reserve(tokens(51)).is_err() && other.reserve(tokens(50)).is_ok());
    }

    #[test]
    fn ev_4_request_beyond_limit_of_calls_is_refused() {
        let limit = SpendLimit { calls: Some(2), ..SpendLimit::default() };
        let ledger = Ledger::new(limit, None);
        let one = Amount { calls: 1, ..Amount::default() };
        assert!(ledger.reserve(one).is_ok());
        ledger.settle(one, Spent::Known(one, true));
        assert!(ledger.reserve(one).is_ok(), "one is spent, one is under way");
        assert_eq!(ledger.reserve(one), Err(Excess::Calls(2)));
        ledger.settle(one, Spent::Nothing);
        assert!(ledger.reserve(one).is_ok(), "a request that was refused is free");
    }
}
