//! The tokens of a server, with owners and permissions (CP-1, CP-19).
//!
//! Decision: a token has 256 random bits, so its SHA-256 digest can't be inverted and no slow
//! hash is needed; the file contains only digests. Revoked tokens stay in the file, so that the
//! audit log's token ids can be looked up.

mod accounts;
mod entry;
mod expiry;
mod file;
mod new;
mod registry;
mod secret;
mod store;

pub(crate) use accounts::Accounts;
pub use entry::{Entry, Standing};
pub use expiry::expiry;
pub use new::{NewToken, TOKENS_FILE, scopes, senders};
pub(crate) use registry::Registry;
pub use secret::Secret;
pub use store::Tokens;

pub use super::caller::{Scope, Scopes, Senders};

#[cfg(test)]
mod tests;
