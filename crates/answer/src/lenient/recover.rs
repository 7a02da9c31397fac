//! Recovery where JSON expects something else: decides what was meant.

use super::chars::{Mark, is_word, mark};
use super::parser::{Kind, Next, Parser, Place};
use crate::repair::RepairKind;
use serde_json::Value;

/// The number of meaningless characters that are skipped on their line.
const MAX_JUNK: usize = 80;

impl Parser<'_> {
    /// Parses the value at a byte that begins no JSON value; returns `None` if there is none.
    #[cold]
    pub(super) fn odd_value(&mut self, place: Place) -> Option<Value> {
        self.trusted = None;
        loop {
            if self.stops_here() {
                self.stop();
                return None;
            }
            let (mark, length) = self.mark_at(self.pos)?;
            match mark {
                Mark::OpenObject | Mark::OpenArray => {
                    self.note_wide(length);
                    self.pos += length;
                    return Some(match mark {
                        Mark::OpenObject => self.object(),
                        _ => self.array(),
                    });
                }
                Mark::Quote(_) if self.byte(self.pos) == b'\'' => {
                    self.note(RepairKind::OtherQuotes);
                    return self.quick_string(b'\'', place);
                }
                Mark::Quote(_) => return self.careful_value(place),
                Mark::Comma | Mark::CloseObject | Mark::CloseArray => return None,
                Mark::Colon => {
                    self.note(RepairKind::Junk);
                    self.pos += length;
                    self.skip_space();
                }
                Mark::Other if self.skip_ellipsis() => return None,
                Mark::Other if place == Place::Item && self.prose_begins() => {
                    self.stop();
                    return None;
                }
                Mark::Other => return self.bare(place),
            }
        }
    }

    /// Parses the key at a byte other than `"` and `}`, or after a quote that ends no plain key.
    /// Returns `None` at the end of the object, whose end has been taken if it belongs to it.
    #[cold]
    pub(super) fn odd_key(&mut self) -> Option<String> {
        loop {
            let (mark, length) = self.next_mark()?;
            match mark {
                Mark::Quote(_) => return self.quoted_key(),
                Mark::Comma => {
                    self.note(RepairKind::ExtraComma);
                    self.pos += length;
                }
                Mark::CloseObject => {
                    self.note_wide(length);
                    self.pos += length;
                    return None;
                }
                Mark::CloseArray if self.is_inside(Kind::Array) => {
                    self.note(RepairKind::MissingCloser);
                    return None;
                }
                Mark::OpenObject if self.parent() == Some(Kind::Array) => {
                    self.note(RepairKind::MissingCloser);
                    return None;
                }
                Mark::CloseArray | Mark::OpenObject | Mark::Colon => {
                    self.note(RepairKind::StrayBracket);
                    self.pos += length;
                }
                Mark::Other if self.skip_ellipsis() || self.skip_hash() => {}
                Mark::Other if !self.bare_keys && self.prose_begins() => self.stop(),
                Mark::Other => match self.bare_key() {
                    Some(key) => return Some(key),
                    None => self.stop(),
                },
                Mark::OpenArray => self.stop(),
            }
        }
    }

    fn quoted_key(&mut self) -> Option<String> {
        let Some(key) = self.careful(Place::Key) else {
            self.note_cut();
            return None;
        };
        // A key that the end of the text cuts may be half a key: nothing is known about it.
        if self.skip_space() == 0 && self.at_end() {
            self.note_cut();
            return None;
        }
        self.colon();
        Some(key)
    }

    fn bare_key(&mut self) -> Option<String> {
        let bytes = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let length = bytes.iter().take_while(|b| word(b)).count();
        if length > 0 && self.byte(self.pos + length) == b':' {
            let key = self.text.get(self.pos..self.pos + length)?.to_owned();
            self.note(RepairKind::UnquotedKey);
            self.bare_keys = true;
            self.pos += length + 1;
            return Some(key);
        }
        self.odd_bare_key()
    }

    /// Parses an unquoted key beyond plain words: other letters, blanks in it or before its colon.
    fn odd_bare_key(&mut self) -> Option<String> {
        let rest = self.rest(self.pos);
        let length: usize = rest
            .chars()
            .take(64)
            .take_while(|c| is_word(*c) || *c == ' ')
            .map(char::len_utf8)
            .sum();
        let key = rest.get(..length)?.trim_end();
        if key.is_empty() {
            return None;
        }
        let next = self.look_space(self.pos + key.len());
        let separates = matches!(self.mark_at(next), Some((Mark::Colon, _)));
        let equals = self.byte(next) == b'=' && !key.contains(' ');
        if !separates && !equals {
            return None;
        }
        self.note(RepairKind::UnquotedKey);
        self.bare_keys = true;
        self.spaced_keys |= key.contains(' ');
        self.pos += key.len();
        self.colon();
        Some(key.to_owned())
    }

    /// Takes the colon after a key, or a substitute for it.
    fn colon(&mut self) {
        self.skip_space();
        match self.mark_at(self.pos) {
            Some((Mark::Colon, length)) => {
                self.note_wide(length);
                self.pos += length;
            }
            Some(_) if self.byte(self.pos) == b'=' => {
                self.note(RepairKind::MissingColon);
                self.pos += 1;
                if self.byte(self.pos) == b'>' {
                    self.pos += 1;
                }
            }
            // Without a value the colon is not missing.
            None | Some((Mark::Comma | Mark::CloseObject | Mark::CloseArray, _)) => {}
            Some(_) => self.note(RepairKind::MissingColon),
        }
    }

    /// Returns the mark at the next byte that is not a blank; notes a cut at the end of the text,
    /// or where the value stops early.
    fn next_mark(&mut self) -> Option<(Mark, usize)> {
        self.skip_space();
        if self.stops_here() {
            self.stop();
        }
        let found = self.mark_at(self.pos);
        if found.is_none() {
            self.note_cut();
        }
        found
    }

    /// Takes what follows a member or an item when it is neither an ASCII comma nor the closer.
    #[cold]
    pub(super) fn odd_separator(&mut self, place: Place) -> Next {
        loop {
            let Some((mark, length)) = self.next_mark() else {
                return Next::Done;
            };
            match (mark, place) {
                (Mark::Comma, _) => {
                    self.note_wide(length);
                    self.pos += length;
                    return Next::Go { comma: true };
                }
                (Mark::CloseObject, Place::Member) | (Mark::CloseArray, Place::Item) => {
                    self.note_wide(length);
                    self.pos += length;
                    return Next::Done;
                }
                (Mark::CloseObject, Place::Item) if self.brace_for_bracket(self.pos + length) => {
                    self.note(RepairKind::StrayBracket);
                    self.note(RepairKind::MissingCloser);
                    self.pos += length;
                    return Next::Done;
                }
                (Mark::CloseObject | Mark::CloseArray, _) => {
                    if self.is_inside(closed_kind(mark)) {
                        self.note(RepairKind::MissingCloser);
                        return Next::Done;
                    }
                    self.note(RepairKind::StrayBracket);
                    self.pos += length;
                }
                (Mark::OpenObject, Place::Member) if self.parent() == Some(Kind::Array) => {
                    self.note(RepairKind::MissingCloser);
                    return Next::Done;
                }
                _ if self.skip_ellipsis() || self.skip_hash() => {}
                _ if matches!(self.byte(self.pos), b';')
                    || self.char_at(self.pos) == Some('；') =>
                {
                    self.note(RepairKind::MissingComma);
                    self.pos += length;
                    return Next::Go { comma: true };
                }
                _ if self.more_follows(mark, place) => {
                    self.note(RepairKind::MissingComma);
                    return Next::Go { comma: false };
                }
                _ => {
                    if !self.skip_junk() {
                        self.stop();
                    }
                }
            }
        }
    }

    /// Reports whether another member or item begins here without a comma.
    fn more_follows(&self, mark: Mark, place: Place) -> bool {
        match (place, mark) {
            (Place::Item, Mark::Quote(_) | Mark::OpenObject | Mark::OpenArray) => true,
            (Place::Item, _) => super::bare::literal(self.look_word(self.pos)).is_some(),
            (_, Mark::Quote(_)) => self.member_follows(self.pos, false),
            (_, Mark::Other) => {
                let word: usize = self
                    .rest(self.pos)
                    .chars()
                    .take(64)
                    .take_while(|c| is_word(*c))
                    .map(char::len_utf8)
                    .sum();
                word > 0 && matches!(self.mark_at(self.pos + word), Some((Mark::Colon, _)))
            }
            _ => false,
        }
    }

    /// Reports whether an item is followed by a colon, and so is a key of the object around: the
    /// list lacks its bracket.
    pub(super) fn is_key_after_all(&mut self, start: usize) -> bool {
        let key = self.byte(self.pos) == b':'
            && self.parent() == Some(Kind::Object)
            && matches!(self.mark_at(start), Some((Mark::Quote(_), _)));
        if key {
            self.note(RepairKind::MissingCloser);
            self.pos = start;
        }
        key
    }

    /// Reports whether the answer ends here though the value does not: a code fence or a closing
    /// tag.
    fn stops_here(&self) -> bool {
        let rest = self.rest(self.pos);
        rest.starts_with("```") || rest.starts_with("</")
    }

    /// Reports whether a word that is not a literal follows a blank line: the answer continued with
    /// prose without closing its value.
    fn prose_begins(&self) -> bool {
        let before = self.text.get(..self.pos).unwrap_or_default();
        let gap = before.len() - before.trim_end().len();
        let breaks = before.bytes().rev().take(gap).filter(|b| *b == b'\n').count();
        breaks > 1 && super::bare::literal(self.look_word(self.pos)).is_none()
    }

    fn skip_ellipsis(&mut self) -> bool {
        let rest = self.rest(self.pos);
        let tail = rest.trim_start_matches(['.', '…']);
        let length = rest.len() - tail.len();
        let found = length >= 3 && (rest.starts_with("...") || rest.starts_with('…'));
        if found {
            self.note(RepairKind::Ellipsis);
            self.pos += length;
        }
        found
    }

    /// Skips a comment that `#` begins: after a value it can't be anything else.
    fn skip_hash(&mut self) -> bool {
        if self.byte(self.pos) != b'#' {
            return false;
        }
        self.note(RepairKind::Comment);
        let rest = self.rest(self.pos);
        self.pos += rest.find('\n').unwrap_or(rest.len());
        true
    }

    /// Skips to the next comma or closer, if there is one near on this line.
    fn skip_junk(&mut self) -> bool {
        if self.opens_line(self.pos) {
            return false;
        }
        let mut at = self.pos;
        while let Some(c) = self.char_at(at) {
            if c == '\n' || at > self.pos + MAX_JUNK {
                return false;
            }
            if at > self.pos
                && matches!(mark(c), Mark::Comma | Mark::CloseObject | Mark::CloseArray)
            {
                self.note(RepairKind::Junk);
                self.pos = at;
                return true;
            }
            at += c.len_utf8();
        }
        false
    }

    /// Notes full-width punctuation, which is all structure beyond ASCII.
    fn note_wide(&mut self, length: usize) {
        if length > 1 {
            self.note(RepairKind::FullWidth);
        }
    }
}

fn closed_kind(mark: Mark) -> Kind {
    match mark {
        Mark::CloseObject => Kind::Object,
        _ => Kind::Array,
    }
}
