//! References that own their text.

use super::{MAX_DEPTH, Parts, Reference, Semantics, SyntaxError, encode};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A reference that owns its text.
///
/// `Display` prints the text as it was written (REF-5), user info included; `Debug` shows none.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ReferenceBuf {
    text: String,
    parts: Parts,
}

impl ReferenceBuf {
    /// Reads a reference of [`MAX_DEPTH`] levels at most.
    ///
    /// # Errors
    /// As [`Reference::parse`].
    pub fn parse(text: impl Into<String>) -> Result<Self, SyntaxError> {
        Self::parse_within(text, MAX_DEPTH)
    }

    /// Reads a reference of so many levels at most.
    ///
    /// # Errors
    /// As [`Reference::parse_within`].
    pub fn parse_within(text: impl Into<String>, max_depth: usize) -> Result<Self, SyntaxError> {
        let text = text.into();
        let parts = Reference::parse_within(&text, max_depth)?.parts;
        Ok(Self { text, parts })
    }

    /// Returns a reference with another query, in this order, encoded; none removes the query.
    ///
    /// # Errors
    /// [`SyntaxError`] when a name is empty or stands twice, or the whole becomes too long.
    pub fn with_query<'q>(
        reference: Reference<'_>,
        parameters: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> Result<Self, SyntaxError> {
        let owned = reference.to_owned();
        let mut text = owned.text.get(..owned.parts.query as usize).unwrap_or_default().to_owned();
        for (index, (name, value)) in parameters.into_iter().enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            text.push_str(&encode(name));
            text.push('=');
            text.push_str(&encode(value));
        }
        Self::parse_within(text, reference.depth())
    }

    /// Returns the reference, borrowed.
    #[must_use]
    pub fn as_ref(&self) -> Reference<'_> {
        Reference { text: &self.text, parts: self.parts }
    }

    /// Returns the text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Cuts the levels outside away; an inner level of the short form gets its `@`.
    pub(super) fn from_reference(reference: Reference<'_>) -> Self {
        let written = reference.as_str();
        let is_short = !written.starts_with('@');
        let text = if is_short { format!("@{written}") } else { written.to_owned() };
        let parts = reference.parts;
        let moved = |offset: u32| offset - parts.level + u32::from(is_short);
        let parts = Parts {
            level: 0,
            name: moved(parts.name),
            colon: moved(parts.colon),
            path: moved(parts.path),
            query: moved(parts.query),
            ..parts
        };
        Self { text, parts }
    }

    /// Returns when it is loaded.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.parts.semantics
    }
}

impl FromStr for ReferenceBuf {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for ReferenceBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ReferenceBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReferenceBuf").field(&self.as_ref().public()).finish()
    }
}

impl Ord for ReferenceBuf {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl PartialOrd for ReferenceBuf {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
