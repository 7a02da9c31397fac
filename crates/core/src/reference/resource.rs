//! Loaded resources.

use super::{ExpansionStep, Place};
use contexture_context::{Digest, Trust};
use contexture_diagnostic::Severity;

/// A resource that a reference names, loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its own reference, canonical and without user info; matches of a wildcard each have theirs.
    pub reference: String,
    /// Its media type, such as `text/markdown`.
    pub media_type: String,
    /// Its content.
    pub content: Content,
    /// The trust level of its content.
    pub trust: Trust,
    /// The place from which references in its text start, if it is a document that may be expanded
    /// (MA-1); none for what is only data.
    pub place: Option<Place>,
}

/// The content of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its bytes; text is UTF-8 once it left the loader.
    Bytes(Vec<u8>),
    /// Nothing: a match of a pattern that is listed and not loaded, a folder or a file that is not
    /// text.
    Listed {
        /// Its size in bytes; 0 for a folder.
        bytes: u64,
    },
}

/// The media type of a folder.
pub const FOLDER: &str = "inode/directory";

impl Resource {
    /// Makes a resource that is text.
    #[must_use]
    pub fn of_text(
        reference: impl Into<String>,
        media_type: impl Into<String>,
        text: impl Into<String>,
        trust: Trust,
    ) -> Self {
        Self {
            reference: reference.into(),
            media_type: media_type.into(),
            content: Content::Bytes(text.into().into_bytes()),
            trust,
            place: None,
        }
    }

    /// Returns the content as text, if it is loaded and UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Returns the content, if it is loaded.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Listed { .. } => None,
        }
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Listed { bytes } => *bytes,
        }
    }

    /// Returns the digest of the content, if it is loaded.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.bytes().map(Digest::of_bytes)
    }
}

/// The result of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// In the order of their names.
    pub resources: Vec<Resource>,
    /// True if the path was a pattern: a match that is not text is then a note, not a failure.
    pub listing: bool,
    /// Empty matches, files that are not text, clipped ranges.
    pub notes: Vec<Note>,
    /// The references inside its texts, in order, when it was expanded (MA-1).
    pub steps: Vec<ExpansionStep>,
}

impl Loaded {
    /// Returns the bytes of all its resources together; what is only listed has none.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.resources.iter().filter_map(|one| Some(one.bytes()?.len() as u64)).sum()
    }
}

/// A remark about a load that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Stable code.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The remark, in one line, without secrets.
    pub message: String,
}
