//! References in running text (REF-6).
//!
//! Decision: what is code is found out only where something looks like a reference. The text is
//! searched for `@` at the speed of memory; block structure and code spans (as CommonMark has them)
//! are read up to a candidate, once. HTML comments are skipped as code is.
//!
//! ```
//! use contexture_reference::scan::scan;
//!
//! let text = "先读@!file://规则.md，then `@file://no.md` and (@file://a(1).md).";
//! let found: Vec<&str> = scan(text).filter_map(Result::ok).map(|found| found.text).collect();
//! assert_eq!(found, ["@!file://规则.md", "@file://a(1).md"]);
//! ```

mod block;
mod candidate;
mod code_span;
mod end;
mod imports;
mod line;

#[cfg(test)]
mod tests;

use crate::syntax::{Reference, SyntaxError};
use block::{Block, Blocks};
use code_span::CodeSpans;
pub use imports::{Import, Imports, imports};
use memchr::memchr;

/// A reference found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    /// The reference.
    pub reference: Reference<'a>,
    /// Its text.
    pub text: &'a str,
    /// Its start, in bytes.
    pub start: usize,
    /// Its end, in bytes.
    pub end: usize,
}

/// Something in a text that looks like a reference and is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed<'a> {
    /// The fault; its offset counts from the begin of `text`.
    pub error: SyntaxError,
    /// Its text, user info included: never for messages.
    pub text: &'a str,
    /// Its start, in bytes.
    pub start: usize,
    /// Its end, in bytes.
    pub end: usize,
}

impl Malformed<'_> {
    /// Returns where the fault is, in bytes from the begin of the searched text.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.start + self.error.offset
    }
}

/// Finds the references in a Markdown text of any script, in order, none in code or comments.
///
/// Text like a reference to a place (`@file:a.md`, `@1x://a`) that is not one comes as
/// [`Malformed`]; mentions (`@ann: hello`) and addresses (`ann@example.org`) are neither.
#[must_use]
pub fn scan(text: &str) -> Scan<'_> {
    Scan { text, at: 0, blocks: Blocks::new(text), block: None, spans: CodeSpans::default() }
}

/// The references of a text; made by [`scan`].
#[derive(Debug, Clone)]
pub struct Scan<'a> {
    text: &'a str,
    /// Everything before it is done.
    at: usize,
    blocks: Blocks<'a>,
    block: Option<Block>,
    spans: CodeSpans,
}

impl<'a> Iterator for Scan<'a> {
    type Item = Result<Found<'a>, Malformed<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        loop {
            let sign = self.at + memchr(b'@', bytes.get(self.at..)?)?;
            self.at = sign + 1;
            let Some(body) = candidate::body(bytes, sign) else {
                continue;
            };
            if let Some(end) = self.code_end(sign) {
                self.at = end;
                continue;
            }
            let in_table = self.block.is_some_and(|block| block.is_table_row);
            let end = end::of_reference(self.text, sign, body, in_table);
            if end <= body {
                continue;
            }
            self.at = end;
            let text = self.text.get(sign..end).unwrap_or_default();
            return Some(match Reference::parse(text) {
                Ok(reference) => Ok(Found { reference, text, start: sign, end }),
                Err(error) => Err(Malformed { error, text, start: sign, end }),
            });
        }
    }
}

impl Scan<'_> {
    /// Returns where the code ends that an offset lies in; `None` outside code.
    fn code_end(&mut self, at: usize) -> Option<usize> {
        while self.block.is_none_or(|block| block.end <= at) {
            let Some(block) = self.blocks.next() else {
                break;
            };
            self.block = Some(block);
            if block.end > at && !block.is_code {
                self.spans = CodeSpans::of(self.text.as_bytes(), block);
            }
        }
        let block = self.block?;
        if block.is_code { Some(block.end) } else { self.spans.end_around(at) }
    }
}
