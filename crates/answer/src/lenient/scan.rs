//! A scan for the values in an answer: the text around them, fences and blocks of thinking.

use super::chars::Mark;
use super::parser::{Parser, full_care};
use super::think::{closing_tag, think_tag};
use crate::repair::{Notes, RepairKind};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Answer,
    /// After an opening tag of thinking that is never closed: perhaps only a draft.
    Thought,
}

#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) value: Value,
    pub(crate) notes: Notes,
    pub(crate) source: Source,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// True if the end of the text, or something other than JSON, closed it.
    pub(crate) cut: bool,
    /// True if it begins in the middle of a line of prose.
    pub(crate) inline: bool,
}

#[derive(Debug)]
pub(crate) enum Event {
    Value(Found),
    /// Everything before was thinking.
    Forget,
}

/// A walk over an answer that stops at each value.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    text: &'a str,
    pos: usize,
    max_depth: usize,
    growing: bool,
    fenced: bool,
    care: usize,
    source: Source,
    /// The omissions around the values.
    pub(crate) notes: Notes,
    /// The start of a value that is nested too deep.
    pub(crate) too_deep: Option<usize>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        let mut scan = Self {
            text,
            pos: 0,
            max_depth,
            growing: false,
            fenced: false,
            care: full_care(text),
            source: Source::Answer,
            notes: Notes::default(),
            too_deep: None,
        };
        if text.starts_with('\u{FEFF}') {
            scan.notes.add(RepairKind::ByteOrderMark, 0);
            scan.pos = '\u{FEFF}'.len_utf8();
        }
        scan
    }

    pub(crate) fn growing(mut self) -> Self {
        self.growing = true;
        self
    }

    pub(crate) fn starting_at(mut self, pos: usize) -> Self {
        self.pos = pos;
        self
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Goes on at a position, unless the scan is further.
    pub(crate) fn continue_at(&mut self, pos: usize) {
        self.pos = self.pos.max(pos);
    }

    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            match *self.text.as_bytes().get(self.pos)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.pos += 1,
                b'{' | b'[' => {
                    if let Some(found) = self.try_value() {
                        return Some(Event::Value(found));
                    }
                }
                b'`' => self.fence(),
                b'<' => {
                    if self.think() {
                        return Some(Event::Forget);
                    }
                }
                // The lead bytes of `【`, `｛` and `［`.
                0xE3 | 0xEF => {
                    if let Some(found) = self.try_value() {
                        return Some(Event::Value(found));
                    }
                }
                b'}' | b']' => {
                    self.notes.add(RepairKind::StrayBracket, self.pos);
                    self.pos += 1;
                }
                byte => {
                    // A continuation byte belongs to a character that was noted.
                    if !(0x80..0xC0).contains(&byte) {
                        self.notes.add(RepairKind::TextAround, self.pos);
                    }
                    self.skip_prose();
                }
            }
        }
    }

    /// Skips to the next byte that could matter.
    fn skip_prose(&mut self) {
        let rest = self.text.as_bytes().get(self.pos + 1..).unwrap_or_default();
        let length = rest.iter().position(|b| matches!(b, b'{' | b'[' | b'`' | b'<' | 0xE3 | 0xEF));
        self.pos += 1 + length.unwrap_or(rest.len());
    }

    /// Parses the object that begins at an offset without its brace.
    pub(crate) fn without_opener(text: &'a str, start: usize, max_depth: usize) -> Option<Found> {
        let mut parser = Parser::new(text, start, max_depth, full_care(text));
        if !parser.opens_object(false) {
            return None;
        }
        parser.notes.add(RepairKind::MissingOpener, start);
        let value = parser.object();
        (!parser.too_deep).then(|| Found {
            value,
            source: Source::Answer,
            start,
            end: parser.pos,
            cut: false,
            inline: false,
            notes: parser.notes,
        })
    }

    /// Parses the value at the cursor if there is one; advances in any case.
    fn try_value(&mut self) -> Option<Found> {
        let start = self.pos;
        let mut parser = Parser::new(self.text, start, self.max_depth, self.care);
        parser.growing = self.growing;
        parser.fenced = self.fenced;
        let (mark, length) = parser.mark_at(start)?;
        self.pos += length;
        let inline = self.is_inline(start);
        // Chinese prose puts headings in these brackets: a list of words in them is not a value.
        let is_heading = parser.char_at(start) == Some('【');
        parser.pos = start + length;
        let value = match mark {
            Mark::OpenObject if parser.opens_object(!inline) => parser.object(),
            Mark::OpenArray if parser.opens_array(!inline && !is_heading) => parser.array(),
            _ => {
                if !matches!(mark, Mark::Other) || length > 1 {
                    self.notes.add(RepairKind::TextAround, start);
                }
                return None;
            }
        };
        if length > 1 {
            parser.notes.add(RepairKind::FullWidth, start);
        }
        self.pos = parser.pos.max(start + length);
        self.care = parser.care;
        if parser.too_deep {
            self.too_deep.get_or_insert(start);
            self.pos = self.behind_brackets(parser.depth_reached());
            return None;
        }
        if self.fenced {
            self.notes.add(RepairKind::CodeFence, start);
        }
        Some(Found {
            value,
            source: self.source,
            start,
            end: self.pos,
            cut: parser.cut,
            inline,
            notes: parser.notes,
        })
    }

    /// Returns the position after the brackets that are open at the cursor: no part of a value that
    /// is too deep may pass for the answer.
    fn behind_brackets(&self, open: usize) -> usize {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let mut open = open;
        let mut quoted = false;
        let mut escaped = false;
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = quoted,
                b'"' => quoted = !quoted,
                b'{' | b'[' if !quoted => open += 1,
                b'}' | b']' if !quoted => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return self.pos + at + 1;
            }
        }
        self.text.len()
    }

    fn is_inline(&self, start: usize) -> bool {
        let before = self.text.get(..start).unwrap_or_default();
        let before = before.trim_end_matches(['\u{FEFF}', ' ', '\t', '\r']);
        !before.is_empty() && !before.ends_with('\n') && !before.ends_with("```")
    }

    /// Handles the backticks at the cursor: a fence opens or closes, with its language.
    fn fence(&mut self) {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let tail = rest.trim_start_matches('`');
        let ticks = rest.len() - tail.len();
        self.pos += ticks;
        if ticks < 3 {
            self.notes.add(RepairKind::TextAround, self.pos);
            return;
        }
        self.fenced = !self.fenced;
        if self.fenced {
            let language =
                tail.trim_start_matches(|c: char| c.is_alphanumeric() || "-_+.".contains(c));
            self.pos += tail.len() - language.len();
        }
    }

    /// Handles the tag at the cursor, if it is one of thinking. Returns true if it ends thinking
    /// that began before the answer.
    fn think(&mut self) -> bool {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let Some(tag) = think_tag(rest) else {
            self.notes.add(RepairKind::TextAround, self.pos);
            self.skip_prose();
            return false;
        };
        self.notes.add(RepairKind::ThinkBlock, self.pos);
        self.pos += tag.length;
        if tag.closes {
            self.source = Source::Answer;
            return true;
        }
        if self.source == Source::Thought {
            return false;
        }
        match closing_tag(self.text, self.pos, tag.name) {
            Some(end) => self.pos = end,
            None => {
                self.source = Source::Thought;
                if self.growing {
                    self.pos = self.text.len();
                }
            }
        }
        false
    }
}
