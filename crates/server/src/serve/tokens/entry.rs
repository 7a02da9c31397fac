//! The record of a token.

use super::new::{scopes, senders};
use crate::serve::caller::{Grant, Scope, Scopes, Senders};
use contexture::context::Digest;
use contexture::llm::SpendLimit;
use contexture::llm::ledger::Amount;
use contexture::ports::profile::Money;
use contexture::store::stamp::iso_time;
use contexture_protocol::{SenderType, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The record of a token, without the token itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The id: `tok_` and a ULID.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The owner of its contexts.
    pub owner: String,
    /// The permitted sender types.
    pub senders: Senders,
    /// The permitted operations.
    pub scopes: Scopes,
    /// What the model calls of its turns may take together.
    pub spend: SpendLimit,
    /// What they have taken, if there is a limit.
    pub spent: Amount,
    /// The time of creation, in milliseconds since 1970-01-01 UTC.
    pub created: u64,
    /// The expiry.
    pub expires: Option<u64>,
    /// The time of revocation.
    pub revoked: Option<u64>,
    pub(super) digest: Digest,
}

/// The form of a record in the file.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredEntry {
    id: String,
    name: String,
    owner: String,
    sha256: String,
    senders: Vec<String>,
    scopes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spent_cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spent_tokens: Option<u64>,
    created: String,
    expires: Option<String>,
    revoked: Option<String>,
}

/// The state of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The token is valid.
    Active,
    /// The token has expired.
    Expired,
    /// The token was revoked.
    Revoked,
}

impl Standing {
    /// Returns the word for the state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl Entry {
    /// Returns the state at a time in milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn standing(&self, now: u64) -> Standing {
        if self.revoked.is_some() {
            Standing::Revoked
        } else if self.expires.is_some_and(|expires| expires <= now) {
            Standing::Expired
        } else {
            Standing::Active
        }
    }

    /// Returns the public fields.
    #[must_use]
    pub fn to_value(&self, now: u64) -> Value {
        let mut value = json!(StoredEntry::from(self));
        if let Some(fields) = value.as_object_mut() {
            fields.shift_remove("sha256");
            fields.insert("state".to_owned(), self.standing(now).as_str().into());
        }
        value
    }

    pub(super) fn grant(&self) -> Grant {
        Grant {
            owner: self.owner.as_str().into(),
            token: Some(self.id.as_str().into()),
            senders: self.senders.clone(),
            scopes: self.scopes.clone(),
            spend: self.spend,
        }
    }
}

impl From<&Entry> for StoredEntry {
    fn from(entry: &Entry) -> Self {
        let time = |millis: u64| iso_time(millis.saturating_mul(1000));
        Self {
            id: entry.id.clone(),
            name: entry.name.clone(),
            owner: entry.owner.clone(),
            sha256: entry.digest.hex(),
            senders: entry.senders.iter().map(SenderType::to_string).collect(),
            scopes: entry.scopes.iter().map(|scope| Scope::as_str(*scope).to_owned()).collect(),
            max_cost: entry.spend.money.map(Money::dollars),
            max_tokens: entry.spend.tokens,
            spent_cost: Some(entry.spent.money.dollars()).filter(|money| *money > 0.0),
            spent_tokens: Some(entry.spent.tokens).filter(|tokens| *tokens > 0),
            created: time(entry.created),
            expires: entry.expires.map(time),
            revoked: entry.revoked.map(time),
        }
    }
}

impl TryFrom<StoredEntry> for Entry {
    type Error = String;

    fn try_from(stored: StoredEntry) -> Result<Self, String> {
        let time = |text: String| moment(&text).ok_or_else(|| format!("`{text}` is not a time"));
        let digest = format!("sha256:{}", stored.sha256).parse::<Digest>();
        let money = Money::of_dollars(stored.spent_cost.unwrap_or_default());
        Ok(Self {
            senders: senders(&stored.senders.join(","))?,
            scopes: scopes(&stored.scopes.join(","))?,
            spend: SpendLimit {
                money: stored.max_cost.and_then(Money::of_dollars),
                tokens: stored.max_tokens,
                calls: None,
            },
            spent: Amount {
                money: money.ok_or("`spent_cost` is not an amount")?,
                tokens: stored.spent_tokens.unwrap_or_default(),
                calls: 0,
            },
            created: time(stored.created)?,
            expires: stored.expires.map(time).transpose()?,
            revoked: stored.revoked.map(time).transpose()?,
            digest: digest.map_err(|error| error.to_string())?,
            id: stored.id,
            name: stored.name,
            owner: stored.owner,
        })
    }
}

/// Reads a time in milliseconds since 1970-01-01 UTC.
pub(super) fn moment(text: &str) -> Option<u64> {
    let moment = text.parse::<Timestamp>().ok()?.moment();
    let seconds = u64::try_from(moment.seconds).ok()?;
    seconds.checked_mul(1000)?.checked_add(u64::from(moment.nanos / 1_000_000))
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
