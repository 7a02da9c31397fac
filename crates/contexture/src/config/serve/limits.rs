//! `[serve.limits]`: how much one client may take of a server (CP-19).

use serde::{Deserialize, Deserializer, de};
use std::num::{NonZeroU64, NonZeroUsize};

/// The largest message that the protocol knows, in bytes.
const LARGEST_MESSAGE: usize = 16 << 20;

/// Limits on clients. Those that are `None` by default guard clients against each other: they hold
/// on a server that other machines reach, with the number that stands beside them, and not on one
/// that only this machine does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ServeLimits {
    /// The largest message, and body of a request, in bytes; at most 16 MiB.
    #[serde(deserialize_with = "message_bytes")]
    pub message_bytes: NonZeroUsize,
    /// Seconds in which the head of a request has to come; a connection may be idle for as long
    /// between two requests.
    pub header_seconds: NonZeroU64,
    /// Seconds in which the body of a request has to come.
    pub body_seconds: NonZeroU64,
    /// Seconds for a TLS handshake.
    pub handshake_seconds: NonZeroU64,
    /// Seconds in which a client has to take something of what is sent to it.
    pub write_seconds: NonZeroU64,
    /// Seconds after which a WebSocket from which nothing came is asked whether its client is
    /// there. A silent event stream sends something at least as often.
    pub ping_seconds: NonZeroU64,
    /// Seconds after which a WebSocket from which nothing came, not even an answer to that, is
    /// closed.
    pub silence_seconds: NonZeroU64,
    /// Seconds for which a client that is gone while it runs a tool is waited for, where the call has
    /// another way to go on.
    pub return_seconds: NonZeroU64,
    /// Connections at the same time.
    pub connections: NonZeroUsize,
    /// Connections at the same time from one address; 256.
    pub connections_per_address: Option<NonZeroUsize>,
    /// WebSockets of one owner at the same time; 1,000.
    pub sockets_per_owner: Option<NonZeroUsize>,
    /// Sessions of one owner that are kept, connected or not: beyond them, the one ends that has
    /// been without a connection for longest.
    pub sessions_per_owner: NonZeroUsize,
    /// Requests of tool calls and sets of instructions of one owner that run at the same time.
    pub sets_per_owner: NonZeroUsize,
    /// Requests and messages that may come from one address in a minute; 60,000. Addresses of
    /// IPv6 count by their first 64 bits.
    pub address_rate_per_minute: Option<NonZeroU64>,
    /// Requests with a wrong token that are answered as such in a minute, for one address; further
    /// ones are RATE_LIMITED.
    pub failed_logins_per_minute: NonZeroU64,
    /// The audit log begins a new file at this size, in bytes.
    pub audit_bytes: NonZeroU64,
    /// Files of the audit log that are kept besides the one that is written.
    pub audit_files: usize,
}

impl Default for ServeLimits {
    fn default() -> Self {
        let number = |number| NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN);
        let size = |size| NonZeroUsize::new(size).unwrap_or(NonZeroUsize::MIN);
        Self {
            message_bytes: size(LARGEST_MESSAGE),
            header_seconds: number(15),
            body_seconds: number(30),
            handshake_seconds: number(10),
            write_seconds: number(30),
            ping_seconds: number(30),
            silence_seconds: number(75),
            return_seconds: number(30),
            connections: size(50_000),
            connections_per_address: None,
            sockets_per_owner: None,
            sessions_per_owner: size(20_000),
            sets_per_owner: size(1_000),
            address_rate_per_minute: None,
            failed_logins_per_minute: number(60),
            audit_bytes: number(64 << 20),
            audit_files: 5,
        }
    }
}

fn message_bytes<'de, D: Deserializer<'de>>(value: D) -> Result<NonZeroUsize, D::Error> {
    let bytes = NonZeroUsize::deserialize(value)?;
    if (1024..=LARGEST_MESSAGE).contains(&bytes.get()) {
        Ok(bytes)
    } else {
        let text = format!("expected 1024 to {LARGEST_MESSAGE} bytes, found {bytes}");
        Err(de::Error::custom(text))
    }
}
