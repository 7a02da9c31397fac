//! Failures of protocols of the network, which show no secret.

use crate::syntax::redact;
use contexture_core::reference::LoadError;
use contexture_tools::address::{Refused, ResolveError};
use std::time::Duration;

/// The reason why a protocol of the network failed, without the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    message: String,
    help: String,
}

impl Fault {
    /// Returns a failure; user info of addresses in its message is removed.
    pub(super) fn new(code: &'static str, message: impl AsRef<str>, help: &str) -> Self {
        let message = redact(message.as_ref()).into_owned();
        Self { code, message, help: help.to_owned() }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(super) fn at(self, reference: &str) -> LoadError {
        LoadError::new(self.code, reference, self.message).with_help(self.help)
    }

    /// Creates the fault of an answer with more bytes than may be loaded.
    pub(super) fn too_large(limit: u64) -> Self {
        let message = format!("it has more than {limit} bytes");
        let help =
            "name a smaller resource, or raise `file_bytes` under [limits] in contexture.toml";
        Self::new("REF3013", message, help)
    }

    /// Returns a wait that took too long.
    pub(super) fn late(who: &str, what: &str, limit: Duration) -> Self {
        let message = format!("{who} {what} within {}", shown(limit));
        Self::new("REF4005", message, "try again later, or allow more time")
    }

    /// Returns a connection that ended where more was announced.
    pub(super) fn broken_off(who: &str, reason: impl std::fmt::Display) -> Self {
        Self::new("REF4006", format!("the answer of {who} broke off: {reason}"), "try again")
    }

    pub(super) fn unreachable(who: &str, reason: impl std::fmt::Display) -> Self {
        let message = format!("{who} could not be reached: {reason}");
        Self::new("REF4004", message, "see whether the server runs and can be reached from here")
    }

    /// Returns an answer that is not of the protocol.
    pub(super) fn strange(who: &str, reason: impl std::fmt::Display) -> Self {
        let message = format!("the answer of {who} can't be understood: {reason}");
        Self::new("REF4014", message, "see whether the address and the port are the server's")
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        Self::new(
            "REF4002",
            refused.to_string(),
            "if this is meant, add the host to `network.allow_private` in contexture.toml",
        )
    }
}

impl From<ResolveError> for Fault {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Refused(refused) => refused.into(),
            unknown @ ResolveError::Unknown { .. } => {
                Self::new("REF4003", unknown.to_string(), "see whether the host is spelt right")
            }
        }
    }
}

fn shown(limit: Duration) -> String {
    if limit.subsec_millis() == 0 && limit.as_secs() > 0 {
        return format!("{} s", limit.as_secs());
    }
    format!("{} ms", limit.as_millis())
}
