//! A token to create, and its arguments.

use crate::fault::Fault;
use crate::serve::caller::{Scope, Scopes, Senders};
use crate::serve::codes;
use contexture::llm::SpendLimit;
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
    /// What the model calls of its turns may take together, as long as the server runs.
    pub spend: SpendLimit,
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
            senders: vec![SenderType::User],
            scopes: Scope::OF_USER.to_vec(),
            spend: SpendLimit::default(),
            expires: None,
        }
    }
}

/// Reads sender types separated by commas.
///
/// # Errors
/// A text with the expected values.
pub fn senders(text: &str) -> Result<Senders, String> {
    words(text, SenderType::ALL, SenderType::as_str, "USER, MODEL, SYSTEM or TOOL")
}

/// Reads scopes separated by commas.
///
/// # Errors
/// A text with the expected values.
pub fn scopes(text: &str) -> Result<Scopes, String> {
    words(text, &Scope::ALL, Scope::as_str, "read, write, run or inspect")
}

/// Reads words separated by commas; returns them in the order of `all`.
fn words<W: Copy + PartialEq>(
    text: &str,
    all: &[W],
    name: fn(W) -> &'static str,
    expected: &str,
) -> Result<Vec<W>, String> {
    let read = |word: &str| {
        let found = all.iter().find(|known| name(**known).eq_ignore_ascii_case(word));
        found.ok_or_else(|| format!("expected {expected}, found `{word}`"))
    };
    let named = text.split(',').map(|word| read(word.trim())).collect::<Result<Vec<_>, _>>()?;
    Ok(all.iter().copied().filter(|known| named.contains(&known)).collect())
}

/// Creates the error about an invalid setting or argument.
pub(super) fn bad(message: impl AsRef<str>) -> Fault {
    Fault::of(codes::BAD_TOKENS, message)
}
