//! Lookahead: decides by the text after a quote whether it ends its string.
//!
//! Nothing here moves the cursor, and every lookahead is bounded: one that exceeds its bound
//! answers as if the text ended there.

use super::chars::{Mark, Quote, is_blank, is_word};
use super::parser::{Kind, Parser, Place};
use super::string::{find_special, find_wide, is_space};

const MAX_SPACE: usize = 256;
const MAX_COMMENT: usize = 256;
const MAX_KEY: usize = 128;
const MAX_ITEM: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    End,
    Inner,
    /// A value can't end before a colon: perhaps this quote ends the next key.
    Colon,
}

impl Parser<'_> {
    /// Judges a quote by the text after it. `odd` means that an odd number of quotes was found
    /// inside the string already, so that this one more likely closes an inner pair.
    pub(super) fn judge(&self, after: usize, place: Place, odd: bool) -> Verdict {
        self.judge_once(after, place, odd, true)
    }

    /// Judges once; `further` allows one more judgement further on. More could recurse as deep as
    /// the text is long.
    fn judge_once(&self, after: usize, place: Place, odd: bool, further: bool) -> Verdict {
        let next = self.look_space(after);
        let Some((mark, length)) = self.mark_at(next) else {
            return Verdict::End;
        };
        if self.fence_closes(next) {
            return if odd { Verdict::Inner } else { Verdict::End };
        }
        let beyond = next + length;
        let apart = next > after;
        let ends = match (mark, place) {
            (Mark::Colon, Place::Member) => return Verdict::Colon,
            (Mark::Colon, _) => true,
            (Mark::Comma, Place::Key) => !odd,
            (Mark::Comma, Place::Member) => self.member_follows(beyond, odd),
            (Mark::Comma, Place::Item) => self.item_follows(beyond, odd),
            (Mark::CloseObject, Place::Item) => {
                self.is_inside(Kind::Object) && self.closes_well(beyond, odd)
            }
            (Mark::CloseArray, Place::Member) => {
                self.is_inside(Kind::Array) && self.closes_well(beyond, odd)
            }
            (Mark::CloseObject | Mark::CloseArray, Place::Key) => !odd,
            (Mark::CloseObject | Mark::CloseArray, _) => self.closes_well(beyond, odd),
            (Mark::Quote(_), Place::Key) => apart && !odd,
            (Mark::Quote(_), Place::Member) => apart && self.member_follows(next, odd),
            (Mark::Quote(family), Place::Item) if apart => {
                !odd || self.string_follows(beyond, family)
            }
            // Of two quotes side by side the second ends the string, if it can.
            (Mark::Quote(family), Place::Item) => {
                further
                    && self.judge_once(beyond, place, !odd, false) != Verdict::End
                    && self.string_follows(beyond, family)
            }
            (Mark::OpenObject | Mark::OpenArray, Place::Key | Place::Item) => apart,
            (Mark::OpenObject, Place::Member) => {
                apart && self.parent() == Some(Kind::Array) && !odd
            }
            (Mark::OpenArray, Place::Member) => false,
            (Mark::Other, _) if !odd && place != Place::Key && self.ends_paragraph(after, next) => {
                true
            }
            (Mark::Other, Place::Member | Place::Item) if apart && self.byte(next) == b'#' => {
                further && self.judge_behind_comment(next, place)
            }
            (Mark::Other, _) => self.other(after, next, place, odd),
        };
        if ends { Verdict::End } else { Verdict::Inner }
    }

    /// Reports whether a comma or a closer follows, or the colon of a key.
    pub(super) fn is_delimited(&self, after: usize, place: Place) -> bool {
        match self.mark_at(self.look_space(after)) {
            Some((Mark::Comma | Mark::CloseObject | Mark::CloseArray, _)) => true,
            Some((Mark::Colon, _)) => place == Place::Key,
            _ => false,
        }
    }

    /// Reports whether a code fence closes at an offset: one that opens has a language.
    fn fence_closes(&self, at: usize) -> bool {
        let tail = self.rest(at).strip_prefix("```");
        tail.is_some_and(|tail| tail.is_empty() || tail.starts_with(char::is_whitespace))
    }

    fn other(&self, after: usize, next: usize, place: Place, odd: bool) -> bool {
        let apart = next > after;
        match (self.byte(next), place) {
            (b'=', Place::Key) => true,
            (_, Place::Key) => {
                apart
                    && super::bare::literal(self.look_word(next)).is_some()
                    && !self.key_follows(next, Quote::Double)
            }
            (b';', Place::Member) => self.member_follows(next + 1, true),
            (_, Place::Member) if self.rest(next).starts_with('；') => {
                self.member_follows(next + '；'.len_utf8(), true)
            }
            (_, Place::Member) => {
                apart
                    && (self.bare_key_follows(next, self.breaks(after, next))
                        || (!odd && self.bare_member_follows(next)))
            }
            (_, Place::Item) => apart && !odd && self.literal_follows(next, false),
        }
    }

    /// Judges `#` after a value, where it begins a comment even without a blank after it.
    fn judge_behind_comment(&self, hash: usize, place: Place) -> bool {
        let line = self.rest(hash).bytes().take(MAX_ITEM).position(|b| b == b'\n');
        line.is_some_and(|length| {
            self.judge_once(hash + length, place, false, false) == Verdict::End
        })
    }

    /// Returns the first offset from `at` on that is neither blank nor comment.
    pub(super) fn look_space(&self, at: usize) -> usize {
        let mut next = at;
        while next < at + MAX_SPACE {
            if is_space(self.byte(next)) {
                next += 1;
            } else if let Some(end) = self.comment_end(next, MAX_COMMENT) {
                next = end;
            } else if let Some(c) = self.char_at(next).filter(|c| !c.is_ascii() && is_blank(*c)) {
                next += c.len_utf8();
            } else {
                break;
            }
        }
        next
    }

    fn ends_paragraph(&self, from: usize, to: usize) -> bool {
        let gap = self.text.get(from..to).unwrap_or_default();
        gap.bytes().filter(|byte| *byte == b'\n').count() > 1
    }

    fn breaks(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|gap| gap.contains('\n'))
    }

    /// Returns the position, kind and length of the next mark; `None` where the text or its fence
    /// ends.
    fn next_inside(&self, at: usize) -> Option<(usize, Mark, usize)> {
        let next = self.look_space(at);
        let (mark, length) = self.mark_at(next)?;
        (!self.fence_closes(next)).then_some((next, mark, length))
    }

    /// Reports whether a key with its colon, or the end of the object, follows at `at`. `doubtful`
    /// means that the text before may be prose that continues here.
    pub(super) fn member_follows(&self, at: usize, doubtful: bool) -> bool {
        let Some((next, mark, length)) = self.next_inside(at) else {
            return true;
        };
        match mark {
            Mark::Quote(family) => self.key_follows(next + length, family),
            Mark::CloseObject | Mark::CloseArray => self.closes_well(next + length, false),
            Mark::Comma => next == at || self.byte(next) == b',',
            Mark::OpenObject => self.parent() == Some(Kind::Array),
            Mark::Other => {
                self.rest(next).starts_with("...")
                    || self.bare_key_follows(next, self.breaks(at, next))
                    || (!doubtful && self.bare_member_follows(next))
            }
            Mark::OpenArray | Mark::Colon => false,
        }
    }

    /// Reports whether the quoted text that begins at `start` is a key: short, on one line, then a
    /// colon.
    fn key_follows(&self, start: usize, family: Quote) -> bool {
        match self.look_close(start, family, MAX_KEY) {
            Close::At(after) => match self.mark_at(self.look_space(after)) {
                None | Some((Mark::Colon, _)) => true,
                Some(_) => self.byte(self.look_space(after)) == b'=',
            },
            Close::TextEnds => true,
            Close::TooFar => false,
        }
    }

    /// Reports whether a brace that ends at `after` was meant to be the bracket of the current
    /// list: the list belongs to the outermost object, which continues after the brace.
    pub(super) fn brace_for_bracket(&self, after: usize) -> bool {
        let outermost = self.depth() == 2 && self.parent() == Some(Kind::Object);
        let Some((comma, Mark::Comma, length)) = self.next_inside(after).filter(|_| outermost)
        else {
            return false;
        };
        let next = self.next_inside(comma + length);
        next.is_some_and(|(at, mark, length)| {
            matches!(mark, Mark::Quote(family) if self.key_follows(at + length, family))
        })
    }

    /// Reports whether the quoted text that begins at `start` is followed like an item of a list.
    fn string_follows(&self, start: usize, family: Quote) -> bool {
        match self.look_close(start, family, MAX_ITEM) {
            Close::At(after) => {
                let next = self.look_space(after);
                let delimited = matches!(
                    self.mark_at(next),
                    None | Some((Mark::Comma | Mark::CloseArray | Mark::CloseObject, _))
                );
                delimited || self.breaks(after, next)
            }
            Close::TextEnds | Close::TooFar => true,
        }
    }

    fn look_close(&self, start: usize, family: Quote, limit: usize) -> Close {
        match self.next_close(start, start + limit, family) {
            Some((at, length)) => Close::At(at + length),
            None if start + limit >= self.text.len() => Close::TextEnds,
            None => Close::TooFar,
        }
    }

    /// Reports whether an unquoted key with its colon begins at an offset. Prose can look the same
    /// (`"hi", note: …`), so it needs a line of its own or another such key before.
    fn bare_key_follows(&self, at: usize, own_line: bool) -> bool {
        (own_line || self.bare_keys)
            && matches!(self.look_bare_key(at), None | Some((Mark::Colon, _)))
    }

    /// Reports whether an unquoted key, its colon and a value in JSON's form are at an offset.
    fn bare_member_follows(&self, at: usize) -> bool {
        match self.look_bare_key(at) {
            Some((Mark::Colon, beyond)) => self.value_follows(beyond),
            _ => false,
        }
    }

    /// Returns the mark after the word at an offset, and the offset after that; `None` at the end.
    fn look_bare_key(&self, at: usize) -> Option<(Mark, usize)> {
        let length: usize = self
            .rest(at)
            .chars()
            .take(64)
            .take_while(|c| is_word(*c) || (self.spaced_keys && *c == ' '))
            .map(char::len_utf8)
            .sum();
        if length == 0 {
            return Some((Mark::Other, at));
        }
        let next = self.look_space(at + length);
        self.mark_at(next).map(|(mark, length)| (mark, next + length))
    }

    /// Reports whether an item, or the end of the list, follows at `at`.
    pub(super) fn item_follows(&self, at: usize, odd: bool) -> bool {
        let Some((next, mark, length)) = self.next_inside(at) else {
            return true;
        };
        match mark {
            Mark::Quote(family) => !odd || self.string_follows(next + length, family),
            Mark::CloseObject | Mark::CloseArray => self.closes_well(next + length, odd),
            Mark::OpenObject | Mark::OpenArray => !odd,
            Mark::Comma => true,
            Mark::Colon => false,
            Mark::Other => self.rest(next).starts_with("...") || self.literal_follows(next, odd),
        }
    }

    /// Returns the ASCII word or number at an offset.
    pub(super) fn look_word(&self, at: usize) -> &str {
        let rest = self.rest(at);
        let length = rest
            .bytes()
            .take(32)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-'))
            .count();
        rest.get(..length).unwrap_or_default()
    }

    /// Reports whether a number or a literal is alone at an offset; unless that is doubtful,
    /// another value may follow it without a comma.
    pub(super) fn literal_follows(&self, at: usize, doubtful: bool) -> bool {
        let word = self.look_word(at);
        if super::bare::literal(word).is_none() {
            return false;
        }
        let end = at + word.len();
        let next = self.look_space(end);
        match self.mark_at(next).map(|(mark, _)| mark) {
            None | Some(Mark::Comma | Mark::CloseArray | Mark::CloseObject) => true,
            _ if self.breaks(end, next) => true,
            _ if doubtful || next == end => false,
            Some(Mark::Quote(_) | Mark::OpenObject | Mark::OpenArray) => true,
            Some(_) => super::bare::literal(self.look_word(next)).is_some(),
        }
    }

    /// Reports whether a value in JSON's form begins at an offset.
    pub(super) fn value_follows(&self, at: usize) -> bool {
        let next = self.look_space(at);
        match self.mark_at(next) {
            None => true,
            Some((Mark::Quote(_) | Mark::OpenObject | Mark::OpenArray, _)) => true,
            Some((Mark::Other, _)) => self.literal_follows(next, false),
            Some(_) => false,
        }
    }

    /// Reports whether the text after a closing brace or bracket continues as expected after one.
    fn closes_well(&self, after: usize, odd: bool) -> bool {
        let next = self.look_space(after);
        let Some((mark, length)) = self.mark_at(next) else {
            return true;
        };
        if self.fence_closes(next) {
            return true;
        }
        let beyond = next + length;
        match mark {
            Mark::Comma | Mark::CloseObject | Mark::CloseArray => true,
            Mark::OpenObject | Mark::OpenArray => true,
            Mark::Colon => false,
            Mark::Quote(family) => match (self.depth(), self.parent()) {
                (0 | 1, _) => !matches!(
                    self.mark_at(self.look_space(beyond)),
                    Some((Mark::Comma | Mark::CloseObject | Mark::CloseArray, _))
                ),
                (_, Some(Kind::Array)) => !odd || self.string_follows(beyond, family),
                _ => self.key_follows(beyond, family),
            },
            Mark::Other => {
                (self.depth() <= 1 && !odd)
                    || self.breaks(after, next)
                    || self.rest(next).starts_with("</")
                    || match self.parent() {
                        Some(Kind::Array) => self.literal_follows(next, odd),
                        Some(Kind::Object) => {
                            self.bare_key_follows(next, false)
                                || (!odd && self.bare_member_follows(next))
                        }
                        None => false,
                    }
            }
        }
    }

    /// Returns the next character before `limit` that can close a string of the family, with its
    /// length.
    pub(super) fn next_close(
        &self,
        from: usize,
        limit: usize,
        family: Quote,
    ) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        let bytes = bytes.get(..limit).unwrap_or(bytes);
        let mut at = from;
        loop {
            match family.ascii() {
                Some(quote) => at = find_special(bytes, at, quote),
                None if self.byte(at) < 0x80 => at = find_wide(bytes, at, family.ascii_twin()),
                None => {}
            }
            match *bytes.get(at)? {
                b'\\' => at += 2,
                byte @ 0..0x80 => {
                    if family.closes(char::from(byte)) {
                        return Some((at, 1));
                    }
                    at += 1;
                }
                // The lead bytes of all quotes beyond ASCII.
                0xC2 | 0xE2 | 0xE3 | 0xEF => match self.char_at(at) {
                    Some(c) if family.closes(c) => return Some((at, c.len_utf8())),
                    Some(c) => at += c.len_utf8(),
                    None => at += 1,
                },
                0xE4..=0xEE => at += 3,
                _ => at += 1,
            }
        }
    }
}

enum Close {
    At(usize),
    TextEnds,
    TooFar,
}
