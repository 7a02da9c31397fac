//! Who sends a message.

use crate::record::{record, words};

record! {
    /// Who sends a message.
    pub struct Sender {
        /// The sender's id.
        id id: String = "id",
        /// What kind of sender it is. A client may send only the kinds that its token grants (CP-1).
        required kind: SenderType = "type",
    }
}

impl Sender {
    /// A sender.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: SenderType) -> Self {
        Self { id: id.into(), kind, extra: serde_json::Map::new() }
    }

    /// The server itself (CP-5).
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
        /// A tool: of a client.
        Tool = "TOOL",
    }
}
