//! Sections of any other text: runs of paragraphs, parted at blank lines.

use super::{LONG, Lines, SourceSection, add_pieces, stem};
use std::ops::Range;

/// Paragraphs beyond this size, in bytes, are parted at the ends of their lines: tables and logs
/// have no blank lines.
const HUGE: usize = 2 * LONG;

/// Returns the sections of a file.
pub(super) fn sections(path: &str, text: &str) -> Vec<SourceSection> {
    let lines = Lines::of(text);
    let mut out = Vec::new();
    add_pieces(&mut out, stem(path), text, &lines, &paragraphs(text));
    out
}

/// Returns the paragraphs of a text, without the blank lines between them.
pub(super) fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.trim_end().len();
        if line.trim().is_empty() {
            found.extend(open.take());
        } else {
            match &mut open {
                Some(paragraph) if end - paragraph.start <= HUGE => paragraph.end = end,
                _ => {
                    found.extend(open.take());
                    open = Some(at..end);
                }
            }
        }
        at += line.len();
    }
    found.extend(open);
    found
}
