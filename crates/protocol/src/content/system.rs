//! SYSTEM_MESSAGE.

use crate::record::{record, words};

record! {
    /// Something the system has to say (3.5).
    pub struct SystemMessage {
        /// How it is meant.
        required action: SystemAction = "action",
        /// What it says.
        required text: String = "text",
        /// What goes with it.
        optional data: Option<SystemData> = "data",
    }
}

impl SystemMessage {
    /// A message without data.
    #[must_use]
    pub fn new(action: SystemAction, text: impl Into<String>) -> Self {
        Self { action, text: text.into(), data: None, extra: serde_json::Map::new() }
    }
}

words! {
    /// How a system message is meant.
    pub enum SystemAction {
        /// As news.
        Notification = "NOTIFICATION",
        /// As a warning.
        Warning = "WARNING",
        /// As an error.
        Error = "ERROR",
        /// For information.
        Info = "INFO",
    }
}

record! {
    /// What goes with a system message.
    #[derive(Default)]
    pub struct SystemData {
        /// A code.
        optional code: Option<String> = "code",
        /// How grave it is, such as `medium`.
        optional severity: Option<String> = "severity",
        /// The parts that are affected.
        optional affected_components: Option<Vec<String>> = "affectedComponents",
    }
}
