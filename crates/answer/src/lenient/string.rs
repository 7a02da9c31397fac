//! Strings in JSON's form: the plain branch.

use super::parser::{Parser, Place};
use crate::repair::RepairKind;
use serde_json::Value;

/// A string up to its first unescaped quote.
struct Run {
    end: usize,
    escaped: bool,
    /// The position of the first raw control character.
    control: Option<usize>,
}

impl Parser<'_> {
    /// Parses a quoted value that ends at its first quote, if the text after it agrees; otherwise
    /// its end is searched carefully.
    pub(super) fn quick_string(&mut self, quote: u8, place: Place) -> Option<Value> {
        let start = self.pos + 1;
        if let Some(run) = self.run(start, quote)
            && let Some(next) = self.after_value(run.end + 1, place)
        {
            let text = self.take(start, &run);
            self.pos = next;
            self.trusted = Some(start);
            return Some(Value::String(text));
        }
        self.careful_value(place)
    }

    /// Parses a quoted key with its colon, if both are as in JSON.
    pub(super) fn quick_key(&mut self, quote: u8) -> Option<String> {
        let start = self.pos + 1;
        let run = self.run(start, quote)?;
        let mut next = run.end + 1;
        while is_space(self.byte(next)) {
            next += 1;
        }
        if self.byte(next) != b':' {
            return None;
        }
        if quote != b'"' {
            self.note(RepairKind::OtherQuotes);
        }
        let key = self.take(start, &run);
        self.pos = next + 1;
        Some(key)
    }

    fn run(&self, start: usize, quote: u8) -> Option<Run> {
        let bytes = self.text.as_bytes();
        let mut run = Run { end: start, escaped: false, control: None };
        loop {
            run.end = find_special(bytes, run.end, quote);
            match *bytes.get(run.end)? {
                b'\\' => {
                    run.escaped = true;
                    run.end += 2;
                }
                byte if byte == quote => return Some(run),
                _ => {
                    run.control.get_or_insert(run.end);
                    run.end += 1;
                }
            }
        }
    }

    fn take(&mut self, start: usize, run: &Run) -> String {
        if let Some(at) = run.control {
            self.notes.add(RepairKind::RawControl, at);
        }
        self.text_of(start, run.end, run.escaped)
    }

    /// Returns the content of a string between two offsets.
    pub(super) fn text_of(&mut self, start: usize, end: usize, escaped: bool) -> String {
        let raw = self.text.get(start..end).unwrap_or_default();
        if escaped { super::escape::unescape(raw, start, &mut self.notes) } else { raw.to_owned() }
    }

    /// Returns the position of the next separator, if a value that ends before `at` may end there.
    ///
    /// A comma is assumed to be one: if no key or item follows it, the string is parsed again.
    fn after_value(&self, at: usize, place: Place) -> Option<usize> {
        let mut next = at;
        loop {
            match (self.byte(next), place) {
                (b',', _) => return Some(next),
                (b'}', Place::Member) | (b']', Place::Item) => break,
                (byte, _) if is_space(byte) => next += 1,
                _ => return None,
            }
        }
        // `"print("x") }"`: a brace before a quote may be text.
        let mut beyond = next + 1;
        while is_space(self.byte(beyond)) {
            beyond += 1;
        }
        (!matches!(self.byte(beyond), b'"' | b'\'')).then_some(next)
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks, in their highest bits, the bytes of a word that equal `byte`, and perhaps bytes above
/// the lowest of them.
const fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * byte as u64);
    zero.wrapping_sub(ONES) & !zero
}

/// Returns the first byte from an offset on that `marked` marks, eight bytes at a time; the length
/// if there is none.
#[inline(always)]
fn find(bytes: &[u8], from: usize, marked: impl Fn(u64) -> u64) -> usize {
    let (chunks, tail) = bytes.get(from..).unwrap_or_default().as_chunks::<8>();
    let mut at = from;
    for chunk in chunks {
        let hit = marked(u64::from_le_bytes(*chunk)) & HIGH;
        if hit != 0 {
            return at + (hit.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let hits = |byte: &u8| marked(u64::from(*byte) | ((ONES << 8) * 0x7f)) & 0x80 != 0;
    at + tail.iter().position(hits).unwrap_or(tail.len())
}

/// Returns the first quote, backslash or control character from an offset on; the length if there
/// is none.
pub(super) fn find_special(bytes: &[u8], from: usize, quote: u8) -> usize {
    find(bytes, from, |word| {
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        equal(word, quote) | equal(word, b'\\') | control
    })
}

/// Returns the first quote, backslash or byte beyond ASCII from an offset on; the length if there
/// is none.
pub(super) fn find_wide(bytes: &[u8], from: usize, quote: u8) -> usize {
    find(bytes, from, |word| equal(word, quote) | equal(word, b'\\') | word)
}
