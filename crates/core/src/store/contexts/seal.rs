//! The sealing of sensitive parts before they are kept (CP-19).
//!
//! Decision: a sealed value is a text in the place of the value, and the row lists which places are
//! sealed. So a value that only looks sealed is never opened, and what was sealed under an older
//! configuration still is.

use super::SealError;
use contexture_protocol::StatePath;

/// Seals and opens texts.
pub trait Sealer: Send + Sync {
    /// Seals `plain`, bound to `place`: it opens at the same place only.
    ///
    /// # Errors
    /// [`SealError::Random`].
    fn seal(&self, place: &str, plain: &[u8]) -> Result<String, SealError>;

    /// Opens what was sealed at this place.
    ///
    /// # Errors
    /// [`SealError`] for another key or a text that was changed.
    fn open(&self, place: &str, sealed: &str) -> Result<Vec<u8>, SealError>;
}

/// The parts that are declared sensitive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sensitive {
    /// Paths of the state.
    pub state: Vec<StatePath>,
    /// Fields of messages.
    pub messages: Vec<MessageField>,
}

/// A field of a message that is sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageField {
    /// The type of the messages; `None` for all.
    pub kind: Option<String>,
    /// The path in the message, such as `content.text`.
    pub path: StatePath,
}
