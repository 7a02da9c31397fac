//! Limits of the size of messages.

/// The limits of a message (CP-19). A breach is a refusal with `TOO_LARGE` that names the limit;
/// nothing is ever cut.
///
/// ```
/// use contexture_protocol::{ErrorCode, Limits, Message};
/// let limits = Limits { bytes: 10, ..Limits::WIRE };
/// let refusal = Message::parse(br#"{"messageId":"msg_1"}"#, &limits).unwrap_err();
/// assert_eq!(refusal.code, ErrorCode::TooLarge);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The greatest number of bytes of a message or batch.
    pub bytes: usize,
    /// The greatest nesting of lists and objects, including the message itself. Above 1,000 it
    /// counts as 1,000.
    pub depth: usize,
    /// The greatest number of elements in a list that the protocol declares, such as calls or
    /// instructions.
    pub items: usize,
    /// The greatest number of messages in a batch.
    pub batch: usize,
    /// The greatest number of bytes in an id.
    pub id_bytes: usize,
    /// The number of faults that a refusal lists; further ones are counted.
    pub violations: usize,
}

impl Limits {
    /// The limits for a connection.
    pub const WIRE: Self = Self {
        bytes: 16 << 20,
        depth: 100,
        items: 100_000,
        batch: 1_000,
        id_bytes: 256,
        violations: 100,
    };

    /// The limits for a local file: the same as on the wire, except the size.
    pub const FILE: Self = Self { bytes: 1 << 30, items: 10_000_000, ..Self::WIRE };

    /// Returns the applied depth, which the stack is sized for.
    pub(crate) fn depth(&self) -> usize {
        self.depth.min(1_000)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::WIRE
    }
}
