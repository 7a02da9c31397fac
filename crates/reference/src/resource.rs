//! What loading gives.

use contexture_context::{Digest, Trust};
use contexture_diagnostic::Severity;

/// Something that a reference named, loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its own reference, canonical and without user info; matches of a wildcard each have theirs.
    pub reference: String,
    /// Its media type, such as `text/markdown`.
    pub media_type: String,
    /// Its bytes; text is UTF-8 once it left the loader.
    pub content: Vec<u8>,
    /// How far it may be believed.
    pub trust: Trust,
}

impl Resource {
    /// The content as text, if it is UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.content).ok()
    }

    /// Digest of the content.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_bytes(&self.content)
    }
}

/// What a load gave and what is to be said about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// In the order of their names.
    pub resources: Vec<Resource>,
    /// Empty matches, files that are no text, clipped ranges.
    pub notes: Vec<Note>,
}

/// Something to be said about a load that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Stable code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in one line, without secrets.
    pub message: String,
}
