//! The cursor over one value: its position, the open containers, blanks and comments.

use super::chars::{Mark, is_blank, mark};
use crate::options::Limits;
use crate::repair::{Notes, RepairKind};

/// The place of a string; it decides what may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Key,
    Member,
    Item,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another one; its comma was taken or not.
    Go { comma: bool },
    /// The container is closed, or given up.
    Done,
}

/// A cursor over one candidate value of the answer.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    /// The answer; shortened to the parsed part when the value stops before its end, so that
    /// every open container sees the end of the text and closes itself.
    pub(super) text: &'a str,
    pub(super) pos: usize,
    pub(super) notes: Notes,
    /// True if the text may continue: an unfinished part at its end is left out instead of guessed.
    pub(super) growing: bool,
    /// True if the value began inside a code fence.
    pub(super) fenced: bool,
    /// True if the end of the text closed a container.
    pub(super) cut: bool,
    pub(super) too_deep: bool,
    /// True if an unquoted key was found: more of them are likely.
    pub(super) bare_keys: bool,
    /// True if one of them contained a blank.
    pub(super) spaced_keys: bool,
    /// The start of the last value, if it was a quoted string whose end was assumed.
    pub(super) trusted: Option<usize>,
    /// The number of fields of the last object: the next one gets room for as many, since the
    /// objects of a list are alike and growing a map costs more than anything else here.
    pub(super) likely_fields: usize,
    /// The number of bytes that may still be read carefully (see [`super::quoted`]).
    pub(super) care: usize,
    depth: usize,
    /// The number of open containers when it exceeded the limit.
    deepest: usize,
    max_depth: usize,
    /// The open containers, innermost in the lowest bit, 1 for an array.
    kinds: u128,
}

/// Returns the number of bytes of an answer that may be read carefully: in proportion to its
/// length, shared by all values in it, and ample for a short one.
pub(super) fn full_care(text: &str) -> usize {
    text.len().saturating_mul(4).saturating_add(65_536)
}

impl<'a> Parser<'a> {
    /// Creates a cursor; `care` is the rest of [`full_care`] for this answer.
    pub(super) fn new(text: &'a str, pos: usize, max_depth: usize, care: usize) -> Self {
        Self {
            text,
            pos,
            notes: Notes::default(),
            growing: false,
            fenced: false,
            cut: false,
            too_deep: false,
            bare_keys: false,
            spaced_keys: false,
            trusted: None,
            likely_fields: 8,
            care,
            depth: 0,
            deepest: 0,
            max_depth: max_depth.min(Limits::MAX_DEPTH),
            kinds: 0,
        }
    }

    pub(super) fn note(&mut self, kind: RepairKind) {
        self.notes.add(kind, self.pos);
    }

    #[inline(always)]
    pub(super) fn byte(&self, at: usize) -> u8 {
        match self.text.as_bytes().get(at) {
            Some(byte) => *byte,
            None => 0,
        }
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    pub(super) fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn char_at(&self, at: usize) -> Option<char> {
        self.rest(at).chars().next()
    }

    pub(super) fn mark_at(&self, at: usize) -> Option<(Mark, usize)> {
        self.char_at(at).map(|c| (mark(c), c.len_utf8()))
    }

    /// Gives up here: the text ends at this position for all open containers.
    pub(super) fn stop(&mut self) {
        self.text = self.text.get(..self.pos).unwrap_or(self.text);
    }

    /// Skips white space and comments, and returns the byte there; 0 at the end.
    #[inline]
    pub(super) fn skip_space(&mut self) -> u8 {
        loop {
            match self.byte(self.pos) {
                b' ' | b'\n' | b'\r' | b'\t' => self.pos += 1,
                byte @ (0..=b' ' | b'#' | b'/' | 0x7f..) => {
                    if !self.skip_odd() {
                        return byte;
                    }
                }
                byte => return byte,
            }
        }
    }

    /// Skips a comment or a blank that is not ASCII.
    #[cold]
    fn skip_odd(&mut self) -> bool {
        if let Some(end) = self.comment_end(self.pos, usize::MAX) {
            self.note(RepairKind::Comment);
            self.pos = end;
            return true;
        }
        match self.char_at(self.pos) {
            Some(c) if is_blank(c) => {
                self.pos += c.len_utf8();
                true
            }
            _ => false,
        }
    }

    /// Returns the end of the comment that begins at an offset, searched in `limit` bytes. `#`
    /// begins one only before a blank or first on its line, since `#fff` and `#tag` are values.
    pub(super) fn comment_end(&self, at: usize, limit: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(at..).unwrap_or_default();
        let bytes = bytes.get(..limit).unwrap_or(bytes);
        let length = match bytes {
            [b'/', b'*', body @ ..] => {
                let end = body.windows(2).position(|pair| pair == b"*/");
                end.map_or(bytes.len(), |end| end + 4)
            }
            [b'/', b'/', ..] => line_length(bytes),
            [b'#', b' ' | b'\t' | b'\n' | b'\r' | b'#', ..] => line_length(bytes),
            [b'#', ..] if self.opens_line(at) => line_length(bytes),
            _ => return None,
        };
        Some(at + length)
    }

    /// Reports whether an offset is the first on its line that is not blank.
    pub(super) fn opens_line(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).ends_with('\n')
    }

    /// Reports whether an enclosing container, not the innermost one, is of this kind.
    pub(super) fn is_inside(&self, kind: Kind) -> bool {
        let arrays = (self.kinds >> 1).count_ones() as usize;
        match kind {
            Kind::Array => arrays > 0,
            Kind::Object => self.depth.saturating_sub(1) > arrays,
        }
    }

    pub(super) fn parent(&self) -> Option<Kind> {
        (self.depth > 1).then_some(if self.kinds & 2 == 2 { Kind::Array } else { Kind::Object })
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the number of open containers when it exceeded the limit.
    pub(super) fn depth_reached(&self) -> usize {
        self.deepest
    }

    /// Returns the closers that would end all open containers, innermost first.
    pub(super) fn open_closers(&self) -> impl Iterator<Item = char> {
        let kinds = self.kinds;
        (0..self.depth).map(move |level| if (kinds >> level) & 1 == 1 { ']' } else { '}' })
    }

    pub(super) fn enter(&mut self, kind: Kind) -> bool {
        if self.depth >= self.max_depth {
            self.too_deep = true;
            self.deepest = self.depth + 1;
            self.stop();
            return false;
        }
        self.depth += 1;
        self.kinds = (self.kinds << 1) | u128::from(kind == Kind::Array);
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        self.kinds >>= 1;
        self.trusted = None;
    }
}

fn line_length(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    end.unwrap_or(bytes.len())
}
