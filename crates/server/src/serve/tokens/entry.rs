//! What is kept of a token.

use crate::serve::caller::{Grant, Scopes, Senders};
use contexture::store::stamp::iso_time;
use serde_json::{Value, json};

/// What is kept of a token; the token itself is not.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id, `tok_` and a ULID.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whose contexts it reaches.
    pub owner: String,
    /// The sender types that may be sent with it.
    pub senders: Senders,
    /// What may be done with it.
    pub scopes: Scopes,
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    pub created: u64,
    /// When it expires.
    pub expires: Option<u64>,
    /// When it was revoked.
    pub revoked: Option<u64>,
    pub(super) digest: [u8; 32],
}

/// How a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It lets in.
    Active,
    /// Its time is over.
    Expired,
    /// It was taken back.
    Revoked,
}

impl Standing {
    /// The word for it.
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
    /// How it stands at a time, in milliseconds since 1970-01-01 UTC.
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

    /// What may be told of it.
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
