//! The tokens of a server: who may come in, for whom, and for what (CP-1, CP-19).
//!
//! Decision: a token is 256 bits of chance, so its SHA-256 digest can't be turned back and no slow
//! hash is needed; the file holds digests alone. What was revoked stays in the file, so that the
//! audit log's token ids can be looked up.

mod entry;
mod expiry;
mod file;
mod registry;
mod secret;

pub use entry::{Entry, Standing};
pub use expiry::expiry;
pub use file::TokenFile;
pub(crate) use registry::Registry;
pub use secret::Secret;
pub(crate) use secret::masked;

pub use super::caller::{Scope, Scopes, Senders};
use crate::fault::Fault;
use crate::serve::codes;
use contexture_protocol::SenderType;

/// The file of tokens in the data folder.
pub const TOKENS_FILE: &str = "tokens.json";

/// A token that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// What people call it; no other token that is not revoked has this name.
    pub name: String,
    /// Whose contexts it reaches; the name when absent.
    pub owner: Option<String>,
    /// The sender types that may be sent with it.
    pub senders: Senders,
    /// What may be done with it.
    pub scopes: Scopes,
    /// When it expires, in milliseconds since 1970-01-01 UTC.
    pub expires: Option<u64>,
}

impl NewToken {
    /// A token with which a user may do everything, for good.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            owner: None,
            senders: Senders::USER,
            scopes: Scopes::ALL,
            expires: None,
        }
    }
}

/// Reads sender types, with commas between.
///
/// # Errors
/// What was expected.
pub fn senders(text: &str) -> Result<Senders, String> {
    let mut senders = Senders::NONE;
    for word in words(text) {
        let kind = SenderType::parse(&word.to_ascii_uppercase());
        match kind {
            Some(kind) => senders = senders.and(kind),
            None => return Err(expected("USER, MODEL, SYSTEM or TOOL", word)),
        }
    }
    if senders == Senders::NONE {
        Err(expected("USER, MODEL, SYSTEM or TOOL", ""))
    } else {
        Ok(senders)
    }
}

/// Reads scopes, with commas between.
///
/// # Errors
/// What was expected.
pub fn scopes(text: &str) -> Result<Scopes, String> {
    let mut scopes = Scopes::NONE;
    for word in words(text) {
        match Scope::parse(&word.to_ascii_lowercase()) {
            Some(scope) => scopes = scopes.and(scope),
            None => return Err(expected("read, write or run", word)),
        }
    }
    if scopes == Scopes::NONE { Err(expected("read, write or run", "")) } else { Ok(scopes) }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

fn expected(what: &str, found: &str) -> String {
    format!("expected {what}, found `{found}`")
}

/// A setting or argument about tokens that can't be used.
fn bad(message: impl AsRef<str>) -> Fault {
    Fault::of(codes::BAD_TOKENS, message)
}

#[cfg(test)]
mod tests;
