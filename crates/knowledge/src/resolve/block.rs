//! A section as it is shown.

use super::select::Candidate;
use crate::anchor::{Anchor, Mapped, SourceMap, anchors};
use crate::section::paragraph_ends;

/// A section with its text and anchors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub(super) candidate: Candidate,
    pub(super) text: String,
    /// The anchors in the text.
    pub(super) own: Vec<Anchor>,
    /// What the source map says of it.
    pub(super) mapped: Vec<Mapped>,
}

impl Block {
    pub(super) fn new(candidate: &Candidate, text: String, map: Option<&SourceMap>) -> Self {
        let place = &candidate.place;
        let about =
            |map: &SourceMap| map.about(&place.path, &place.heading, &text).cloned().collect();
        let mapped = map.map_or_else(Vec::new, about);
        Self { candidate: candidate.clone(), own: anchors(&text), mapped, text }
    }

    /// The text, or its beginning.
    pub(super) fn kept(&self, kept: Option<usize>) -> &str {
        kept.and_then(|kept| self.text.get(..kept)).unwrap_or(&self.text)
    }

    /// As it stands in the context.
    pub(super) fn render(&self, kept: Option<usize>) -> String {
        let place = &self.candidate.place;
        let text = self.kept(kept).trim_end();
        let newline = if text.is_empty() { "" } else { "\n" };
        // On the line of the heading: alone on a line it would read as a label of the layout.
        format!(
            "## {} [source: {}#L{}]{newline}{text}",
            place.heading, place.path, place.first_line
        )
    }

    /// Where it may be cut, rising.
    pub(super) fn ends(&self) -> Vec<usize> {
        paragraph_ends(&self.candidate.place.path, &self.text)
    }

    /// The anchors of the part that is kept, each once.
    pub(super) fn anchors(&self, kept: Option<usize>) -> Vec<String> {
        let end = kept.unwrap_or(self.text.len());
        let own = self.own.iter().filter(|anchor| anchor.at.end <= end);
        let mut found: Vec<String> = Vec::new();
        for anchor in own.chain(self.mapped.iter().flat_map(|entry| &entry.anchors)) {
            let anchor = anchor.to_string();
            if !found.contains(&anchor) {
                found.push(anchor);
            }
        }
        found
    }
}
