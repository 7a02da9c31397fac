//! A token to create, and its arguments.

use crate::fault::Fault;
use crate::serve::caller::{Scope, Scopes, Senders};
use crate::serve::codes;
use contexture_protocol::SenderType;

/// The file of tokens in the data folder.
pub const TOKENS_FILE: &str = "tokens.json";

/// A token to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// The name, unique among the tokens that are not revoked.
    pub name: String,
    /// The owner of its contexts [default: the name].
    pub owner: Option<String>,
    /// The permitted sender types.
    pub senders: Senders,
    /// The permitted operations.
    pub scopes: Scopes,
    /// The expiry, in milliseconds since 1970-01-01 UTC.
    pub expires: Option<u64>,
}

impl NewToken {
    /// Creates a token with all permissions of a user and without expiry.
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

/// Reads sender types separated by commas.
///
/// # Errors
/// A text with the expected values.
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

/// Reads scopes separated by commas.
///
/// # Errors
/// A text with the expected values.
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

/// Creates the error about an invalid setting or argument.
pub(super) fn bad(message: impl AsRef<str>) -> Fault {
    Fault::of(codes::BAD_TOKENS, message)
}
