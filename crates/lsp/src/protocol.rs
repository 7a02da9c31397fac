//! The parts of messages that the server reads, and those that it writes.
//!
//! Decision: only the fields that are used are read, so that a newer client is understood; what is
//! written is plain JSON. Positions are in units of UTF-16, which every client knows.

use contexture_diagnostic::{SourceFile, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A position in a text, line and character from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) character: u32,
}

impl Position {
    /// Returns its offset; a position outside of the text is moved to the next one inside.
    pub(crate) fn offset(self, source: &SourceFile) -> u32 {
        source.utf16_offset(self.line, self.character)
    }
}

/// A range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

impl Range {
    pub(crate) fn span(self, source: &SourceFile) -> Span {
        let start = self.start.offset(source);
        Span::new(start, self.end.offset(source).max(start))
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct TextDocument {
    pub(crate) uri: String,
}

/// The parameters that name a document, and possibly a place in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct At {
    pub(crate) text_document: TextDocument,
    pub(crate) position: Option<Position>,
    pub(crate) range: Option<Range>,
    pub(crate) new_name: Option<String>,
    pub(crate) context: Option<Context>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Context {
    pub(crate) include_declaration: Option<bool>,
    pub(crate) only: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Opened {
    pub(crate) text_document: OpenedDocument,
}

#[derive(Debug, Deserialize)]
pub(crate) struct OpenedDocument {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) version: i64,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changed {
    pub(crate) text_document: Versioned,
    pub(crate) content_changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Versioned {
    pub(crate) uri: String,
    pub(crate) version: Option<i64>,
}

/// A change of a text; without a range it is the whole one.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) range: Option<Range>,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    #[serde(default)]
    pub(crate) query: String,
}

pub(crate) fn position(source: &SourceFile, offset: u32) -> Position {
    let (line, character) = source.utf16_position(offset);
    Position { line, character }
}

pub(crate) fn range(source: &SourceFile, span: Span) -> Range {
    let end = span.end.max(span.start);
    Range { start: position(source, span.start), end: position(source, end) }
}

pub(crate) fn edit(source: &SourceFile, span: Span, text: &str) -> Value {
    json!({ "range": range(source, span), "newText": text })
}

pub(crate) fn markdown(text: &str) -> Value {
    json!({ "kind": "markdown", "value": text })
}
