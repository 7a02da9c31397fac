//! The references inside a document that is expanded, with what became of each (MA-1).

use super::{LoadError, Place};
use contexture_context::{Digest, Trust};

/// The state of a reference in an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpansionState {
    /// Its text stands in its place.
    Loaded,
    /// It is not loaded, and may be.
    Pending,
    /// It could not be loaded, or is not a reference.
    Failed,
    /// It leads back to a document around it.
    Cycle,
    /// It lies beyond a limit of expansions.
    Limit,
}

impl ExpansionState {
    /// Returns the word that outputs show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Cycle => "cycle",
            Self::Limit => "limit",
        }
    }
}

/// A reference of an expansion, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpansionStep {
    /// The reference, canonical and without user info.
    pub reference: String,
    /// The reference as written, user info included, to be loaded later; none for what is not a
    /// reference. Never shown.
    pub source: Option<String>,
    /// The start of its relative paths.
    pub place: Place,
    /// The documents around it: 0 for what is expanded itself.
    pub depth: usize,
    /// True if it had to be loaded at once (`@!`).
    pub is_hot: bool,
    /// What became of it.
    pub state: ExpansionState,
    /// The reason why it is in this state.
    pub reason: String,
    /// Tokens of what it gave, without what was expanded in it.
    pub tokens: Option<u64>,
    /// The digest of what it gave; none for several resources together.
    pub digest: Option<Digest>,
    /// The lowest trust level of what it gave.
    pub trust: Option<Trust>,
    /// The failure or the breach of a limit.
    pub error: Option<LoadError>,
}

impl ExpansionStep {
    /// Returns the error that must stop a prompt: a hot reference failed or lies beyond a limit.
    #[must_use]
    pub fn hot_failure(&self) -> Option<&LoadError> {
        self.error.as_ref().filter(|_| self.is_hot)
    }
}
