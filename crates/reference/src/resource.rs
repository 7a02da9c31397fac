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
    /// What it holds.
    pub content: Content,
    /// How far it may be believed.
    pub trust: Trust,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its bytes; text is UTF-8 once it left the loader.
    Bytes(Vec<u8>),
    /// A match of a pattern that is named and not loaded: a folder, or a file that is no text.
    Listed {
        /// Its size in bytes; 0 for a folder.
        bytes: u64,
    },
}

/// The media type of a folder.
pub const FOLDER: &str = "inode/directory";

impl Resource {
    /// A text.
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
        }
    }

    /// The content as text, if it is loaded and UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The content, if it is loaded.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Listed { .. } => None,
        }
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Listed { bytes } => *bytes,
        }
    }

    /// Digest of the content, if it is loaded.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.bytes().map(Digest::of_bytes)
    }
}

/// What a load gave and what is to be said about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// In the order of their names.
    pub resources: Vec<Resource>,
    /// Whether the path was a pattern: what of its matches is no text is then said, and no failure.
    pub listing: bool,
    /// Empty matches, files that are no text, clipped ranges.
    pub notes: Vec<Note>,
}

impl Loaded {
    /// The bytes of all its resources together; what is only listed has none.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.resources.iter().filter_map(|one| Some(one.bytes()?.len() as u64)).sum()
    }
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
