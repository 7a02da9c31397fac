//! The record of a token.

use crate::serve::caller::{Grant, Scopes, Senders};
use contexture::store::stamp::iso_time;
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
    /// The time of creation, in milliseconds since 1970-01-01 UTC.
    pub created: u64,
    /// The expiry.
    pub expires: Option<u64>,
    /// The time of revocation.
    pub revoked: Option<u64>,
    pub(super) digest: [u8; 32],
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
        json!({
            "id": self.id,
            "name": self.name,
            "owner": self.owner,
            "senders": self.senders.names(),
            "scopes": self.scopes.names(),
            "created": time(self.created),
            "expires": self.expires.map(time),
            "revoked": self.revoked.map(time),
            "state": self.standing(now).as_str(),
        })
    }

    pub(super) fn grant(&self) -> Grant {
        Grant {
            owner: self.owner.as_str().into(),
            token: Some(self.id.as_str().into()),
            senders: self.senders,
            scopes: self.scopes,
        }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

pub(super) fn time(millis: u64) -> String {
    iso_time(millis.saturating_mul(1000))
}
