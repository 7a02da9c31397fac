//! How large a message may be.

/// The bounds within which a message is read (CP-19). A breach is a refusal with `TOO_LARGE` that
/// names the bound; nothing is ever cut.
///
/// ```
/// use contexture_protocol::{ErrorCode, Limits, Message};
/// let limits = Limits { bytes: 10, ..Limits::WIRE };
/// let refusal = Message::parse(br#"{"messageId":"msg_1"}"#, &limits).unwrap_err();
/// assert_eq!(refusal.code, ErrorCode::TooLarge);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text of a message or of a batch.
    pub bytes: usize,
    /// Lists and objects that stand in each other, the message itself counted. Above 1,000 it
    /// counts as 1,000.
    pub depth: usize,
    /// Elements of one list that the protocol declares, such as calls or instructions.
    pub items: usize,
    /// Messages of one batch.
    pub batch: usize,
    /// Bytes of one id.
    pub id_bytes: usize,
    /// Faults that a refusal lists; what it finds beyond them it counts.
    pub violations: usize,
}

impl Limits {
    /// What is accepted from a connection.
    pub const WIRE: Self = Self {
        bytes: 16 << 20,
        depth: 100,
        items: 100_000,
        batch: 1_000,
        id_bytes: 256,
        violations: 100,
    };

    /// What is accepted from a file of one's own: as on the wire, but for the size.
    pub const FILE: Self = Self { bytes: 1 << 30, items: 10_000_000, ..Self::WIRE };

    /// The depth that is applied: never more than the stack is made for.
    pub(crate) fn depth(&self) -> usize {
        self.depth.min(1_000)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::WIRE
    }
}
