//! Lines of a text and its code fences.

use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The byte of the file at which it begins.
    pub(super) start: usize,
    /// Its text without the line end.
    pub(super) text: &'a str,
    /// The byte behind its line end.
    pub(super) next: usize,
}

/// Returns the lines of a range, which may begin and end within a line.
pub(super) fn lines(source: &str, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let line = line_at(source, at, range.end)?;
        at = line.next;
        Some(line)
    })
}

/// Returns the line that begins at a byte, up to `end` at most; `None` behind the last one.
pub(super) fn line_at(source: &str, at: usize, end: usize) -> Option<Line<'_>> {
    let rest = source.get(at..end).filter(|rest| !rest.is_empty())?;
    let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let (text, ending) = rest.split_at_checked(length)?;
    let ending = if ending.starts_with("\r\n") { 2 } else { usize::from(!ending.is_empty()) };
    Some(Line { start: at, text, next: at + length + ending })
}

/// A code fence that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fence {
    /// Returns the fence that a line opens, at any indentation and behind a list's bullet.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let text = without_bullets(line);
        let indent = line.len() - text.len();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then_some(Self { mark, length, indent })
    }

    /// Reports whether a line closes it.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim_start_matches([' ', '\t']);
        let rest = text.trim_start_matches(self.mark);
        text.len() - rest.len() >= self.length
            && rest.trim().is_empty()
            && line.len() - text.len() <= self.indent + 3
    }
}

/// Returns a line without its indentation and bullets: `- `, `* `, `+ `, `1. `, `2) `.
fn without_bullets(line: &str) -> &str {
    let mut text = line.trim_start_matches([' ', '\t']);
    loop {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = digits.len() < text.len() && text.len() - digits.len() < 10;
        let marks: &[char] = if is_numbered { &['.', ')'] } else { &['-', '*', '+'] };
        let Some(behind) = digits.strip_prefix(marks) else { return text };
        let inner = behind.trim_start_matches([' ', '\t']);
        if inner.len() == behind.len() {
            return text;
        }
        text = inner;
    }
}
