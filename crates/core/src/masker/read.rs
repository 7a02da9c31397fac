//! A text with its escapes read, and where each part of it stood.

use std::borrow::Cow;
use std::ops::Range;

/// A text in which escapes of JSON are read and other backslashes are left out, and in which
/// encoded ASCII (`%2F`, also encoded several times) is decoded.
pub(super) struct Read<'t> {
    text: Cow<'t, str>,
    /// Where each part of it begins, here and in the original; empty if the text is the original.
    parts: Vec<Part>,
}

/// A part that is copied from the original, or one character that is spelt there.
struct Part {
    start: usize,
    original: usize,
}

/// The parts for which there is room from the start: those of the lines of a model call.
const PARTS: usize = 32;

/// How the escapes of a text are read.
#[derive(Clone, Copy)]
struct Reading {
    /// True if backslashes may have been escaped any number of times.
    is_nested: bool,
    /// True if encoded ASCII is decoded.
    is_decoded: bool,
}

impl<'t> Read<'t> {
    /// Reads a text in every way that makes a difference. Text that was escaped any number of times
    /// comes first.
    pub(super) fn every(text: &'t str) -> Vec<Self> {
        let nested: &[bool] = if has_escaped_backslash(text) { &[true, false] } else { &[true] };
        // What stands before a value can look like encoded text that takes in its beginning: `%0`
        // before `a`.
        let decoded: &[bool] = if has_percent(text) { &[true, false] } else { &[true] };
        let readings = decoded.iter().flat_map(|&is_decoded| {
            nested.iter().map(move |&is_nested| Reading { is_nested, is_decoded })
        });
        readings.map(|reading| Self::walk(text, reading)).collect()
    }

    /// Reads a text, in one walk: texts that were escaped any number of times.
    pub(super) fn of(text: &'t str) -> Self {
        Self::walk(text, Reading { is_nested: true, is_decoded: true })
    }

    /// Reads a text that was escaped once: a letter behind an escaped backslash is not an escape.
    pub(super) fn of_once(text: &'t str) -> Self {
        Self::walk(text, Reading { is_nested: false, is_decoded: true })
    }

    /// Takes a text as it is.
    pub(super) const fn as_it_is(text: &'t str) -> Self {
        Self { text: Cow::Borrowed(text), parts: Vec::new() }
    }

    fn walk(text: &'t str, reading: Reading) -> Self {
        let sign = |from: usize| {
            memchr::memchr2(b'\\', b'%', text.as_bytes().get(from..).unwrap_or_default())
        };
        let Some(first) = sign(0) else {
            return Self { text: Cow::Borrowed(text), parts: Vec::new() };
        };
        let mut out = String::with_capacity(text.len());
        let mut parts = Vec::with_capacity(PARTS);
        let mut at = 0;
        let mut plain = first;
        loop {
            parts.push(Part { start: out.len(), original: at });
            out.push_str(text.get(at..at + plain).unwrap_or_default());
            at += plain;
            let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            let (spelt, end) = next(text, at, (first, reading));
            if let Some(spelt) = spelt {
                parts.push(Part { start: out.len(), original: at });
                out.push(spelt);
            }
            at = end;
            plain = sign(at).unwrap_or(text.len() - at);
        }
        Self { text: Cow::Owned(out), parts }
    }

    /// Returns the text as it is read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place in the original of a place in the text as it is read.
    pub(super) fn place(&self, place: Range<usize>) -> Range<usize> {
        self.original(place.start)..self.original(place.end)
    }

    fn original(&self, at: usize) -> usize {
        // The last part that begins there: what is before it was left out.
        let after = self.parts.partition_point(|part| part.start <= at);
        let part = after.checked_sub(1).and_then(|before| self.parts.get(before));
        part.map_or(at, |part| part.original + (at - part.start))
    }
}

/// Reports whether behind an even number of backslashes a letter stands that is an escape behind
/// an odd number.
fn has_escaped_backslash(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(found) = memchr::memchr(b'\\', rest) {
        rest = rest.get(found..).unwrap_or_default();
        let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        rest = rest.get(slashes..).unwrap_or_default();
        if slashes % 2 == 0 && rest.first().is_some_and(|next| b"nrtbfu".contains(next)) {
            return true;
        }
    }
    false
}

/// Reports whether a percent sign stands before a hexadecimal digit.
fn has_percent(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_hex = |at: usize| bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit);
    memchr::memchr_iter(b'%', bytes).any(is_hex)
}

/// Returns the character that is spelt there, if any, and where the next one begins.
fn next(text: &str, at: usize, (first, reading): (char, Reading)) -> (Option<char>, usize) {
    match first {
        '\\' => escaped(text, at, reading.is_nested),
        '%' if reading.is_decoded => percent(text, at),
        plain => (Some(plain), at + plain.len_utf8()),
    }
}

/// Reads an escape with any number of backslashes; those that escape nothing are left out.
fn escaped(text: &str, at: usize, is_nested: bool) -> (Option<char>, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let after = rest.trim_start_matches('\\');
    let slashes = rest.len() - after.len();
    let end = at + slashes;
    if !is_nested && slashes % 2 == 0 {
        return (None, end);
    }
    let spelt = match after.bytes().next() {
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let digits = after.get(1..5).filter(|digits| is_hex(digits));
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            return match code.and_then(char::from_u32) {
                Some(spelt) => (Some(spelt), end + 5),
                None => (None, end),
            };
        }
        Some(sign @ (b'"' | b'/' | b'\'')) => char::from(sign),
        _ => return (None, end),
    };
    (Some(spelt), end + 1)
}

/// Reads an encoded character of ASCII, which may be encoded several times: `%252F`.
fn percent(text: &str, at: usize) -> (Option<char>, usize) {
    let rest = text.get(at + 1..).unwrap_or_default();
    let digits = rest.trim_start_matches("25");
    let skipped = rest.len() - digits.len();
    let read = |from: usize| {
        let digits = rest.get(from..from + 2).filter(|digits| is_hex(digits))?;
        let byte = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)?;
        Some((Some(char::from(byte)), at + 1 + from + 2))
    };
    // `%25` itself is a percent sign.
    let of_itself = || (skipped > 0).then(|| read(skipped - 2)).flatten();
    read(skipped).or_else(of_itself).unwrap_or((Some('%'), at + 1))
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gu_9_escapes_are_read_at_their_places() {
        for (text, read) in [
            ("plain", "plain"),
            (r#"a\"b\\\"c\u0073\/"#, "a\"b\"cs/"),
            (r"\x \uZZZZ \", "x uZZZZ "),
            ("a%2Fb%252fc%25", "a/b/c%"),
            ("100% of %zz %C3%A9", "100% of %zz %C3%A9"),
            (r"%\u0032F", "%2F"),
        ] {
            assert_eq!(Read::of(text).text(), read, "{text}");
        }
        let read = Read::of(r#"{"k":"p\/%40"}"#);
        assert_eq!(read.text(), "{\"k\":\"p/@\"}");
        assert_eq!(read.place(6..9), 6..12);
    }

    #[test]
    fn gu_9_reading_hostile_text_is_linear() {
        for part in ["\\", "%", "%25", "25", "%2", "\\u"] {
            assert!(Read::of(&part.repeat(300_000)).text().len() <= 600_000);
            let _ = Read::of(&format!("%{}", part.repeat(300_000))).text().len();
        }
    }

    proptest! {
        #[test]
        fn gu_9_places_are_on_borders_of_characters(text in "(\\PC|\\\\|%|25|u00e9|2F){0,20}") {
            let read = Read::of(&text);
            let mut end = 0;
            for (at, spelt) in read.text().char_indices() {
                let place = read.place(at..at + spelt.len_utf8());
                prop_assert!(place.start >= end && text.get(place.clone()).is_some());
                end = place.start;
            }
        }
    }
}
