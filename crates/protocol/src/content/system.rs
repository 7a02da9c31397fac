//! SYSTEM_MESSAGE.

use crate::record::{record, words};

record! {
    /// A message from the system (3.5).
    pub struct SystemMessage {
        /// The kind of message.
        required action: SystemAction = "action",
        /// The text.
        required text: String = "text",
        /// Additional data.
        optional data: Option<SystemData> = "data",
    }
}

impl SystemMessage {
    /// Creates a message without data.
    #[must_use]
    pub fn new(action: SystemAction, text: impl Into<String>) -> Self {
        Self { action, text: text.into(), data: None, extra: serde_json::Map::new() }
    }
}

words! {
    /// The kind of a system message.
    pub enum SystemAction {
        /// A notification.
        Notification = "NOTIFICATION",
        /// A warning.
        Warning = "WARNING",
        /// An error.
        Error = "ERROR",
        /// Information.
        Info = "INFO",
    }
}

record! {
    /// The data of a system message.
    #[derive(Default)]
    pub struct SystemData {
        /// A code.
        optional code: Option<String> = "code",
        /// The severity, such as `medium`.
        optional severity: Option<String> = "severity",
        /// The affected components.
        optional affected_components: Option<Vec<String>> = "affectedComponents",
    }
}
