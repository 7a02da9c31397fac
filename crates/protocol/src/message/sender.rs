//! Senders of messages.

use crate::record::{record, words};

record! {
    /// The sender of a message.
    pub struct Sender {
        /// The name of the client. It tells the clients of one owner apart and grants nothing; the
        /// name of another owner is refused.
        id id: String = "id",
        /// The kind of sender. A client may send only the kinds that its token grants (CP-1).
        required kind: SenderType = "type",
    }
}

impl Sender {
    /// Creates a sender.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: SenderType) -> Self {
        Self { id: id.into(), kind, extra: serde_json::Map::new() }
    }

    /// Returns the sender of the server itself (CP-5).
    #[must_use]
    pub fn system() -> Self {
        Self::new("system", SenderType::System)
    }
}

words! {
    /// Kinds of senders.
    pub enum SenderType {
        /// A user.
        User = "USER",
        /// A model.
        Model = "MODEL",
        /// The system.
        System = "SYSTEM",
        /// A tool of a client.
        Tool = "TOOL",
    }
}
