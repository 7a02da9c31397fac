//! The limits of stores of contexts.

/// The limits of a store of contexts. Breaking one is
/// [`ContextError::TooLarge`](super::ContextError::TooLarge) and changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest message, in bytes of JSON.
    pub message_bytes: usize,
    /// The largest state, in bytes of JSON.
    pub state_bytes: usize,
    /// The largest metadata, in bytes of JSON.
    pub metadata_bytes: usize,
    /// The deepest nesting of a message, a state or metadata. JSON readers commonly stop at 128.
    pub depth: usize,
    /// The longest contextId, messageId or owner, in bytes.
    pub id_bytes: usize,
    /// The most operations of one update.
    pub operations: usize,
    /// The most contexts, messages or changes that a page may ask for.
    pub page: usize,
    /// The most messages of a context that is read whole.
    pub whole: u64,
    /// The most changes that a conflict names.
    pub conflicts: usize,
    /// The largest import, in bytes.
    pub import_bytes: u64,
    /// The most updates that may wait to be written.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            state_bytes: 1 << 20,
            metadata_bytes: 64 << 10,
            depth: 100,
            id_bytes: 256,
            operations: 1_000,
            page: 1_000,
            whole: 10_000,
            conflicts: 100,
            import_bytes: 1 << 30,
            waiting: 100_000,
        }
    }
}
