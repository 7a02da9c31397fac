//! The ways in which values are written, and the search for all of them in one walk.

use super::read::Read;
use std::collections::HashMap;
use std::ops::Range;

/// Values of fewer bytes are not looked for in base64: what is left of them there is too short.
const SHORTEST_ENCODED: usize = 8;

/// Both alphabets of base64.
const ALPHABETS: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// Texts to look for, by their first two bytes.
#[derive(Default)]
pub(super) struct Forms {
    plain: Index,
    encoded: Index,
}

#[derive(Default)]
struct Index(HashMap<[u8; 2], Vec<Box<[u8]>>>);

impl Forms {
    /// Adds a value in all its forms.
    pub(super) fn add(&mut self, value: &str) {
        self.plain.add(Read::of(value).text().as_bytes());
        // Behind a backslash of something else, `\\n` of the value is read as it was escaped.
        let escaped = serde_json::Value::from(value).to_string();
        let escaped = escaped.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        self.plain.add(Read::of_once(escaped.unwrap_or_default()).text().as_bytes());
        // A space in a query is a `+`.
        for written in [value, &value.replace(' ', "+")] {
            self.plain.add(written.as_bytes());
            self.plain.add(url_encoded(written, false).as_bytes());
            self.plain.add(url_encoded(written, true).as_bytes());
        }
        if value.len() >= SHORTEST_ENCODED {
            for alphabet in ALPHABETS {
                for skipped in 0..3 {
                    self.encoded.add(&encoded(value.as_bytes(), skipped, alphabet));
                }
            }
        }
    }

    /// Adds the places of all forms in a text.
    pub(super) fn find(&self, text: &str, read: &Read<'_>, found: &mut Vec<Range<usize>>) {
        self.plain.find(text.as_bytes(), |place| found.push(place));
        if read.text() != text {
            self.plain.find(read.text().as_bytes(), |place| found.push(read.place(place)));
        }
        self.encoded.find(read.text().as_bytes(), |place| {
            found.push(read.place(widened(read.text().as_bytes(), place)));
        });
    }
}

impl Index {
    fn add(&mut self, form: &[u8]) {
        let Some(first) = form.first_chunk() else { return };
        let forms = self.0.entry(*first).or_default();
        if !forms.iter().any(|known| **known == *form) {
            forms.push(form.into());
        }
    }

    fn find(&self, text: &[u8], mut found: impl FnMut(Range<usize>)) {
        if self.0.is_empty() {
            return;
        }
        // One bit for each first byte, so that most places need no look into the table.
        let mut begins = [false; 256];
        for [first, _] in self.0.keys() {
            if let Some(begins) = begins.get_mut(usize::from(*first)) {
                *begins = true;
            }
        }
        for (at, pair) in text.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            if !begins.get(usize::from(*first)).is_some_and(|begins| *begins) {
                continue;
            }
            let Some(forms) = self.0.get(&[*first, *second]) else { continue };
            let rest = text.get(at..).unwrap_or_default();
            let longest =
                forms.iter().filter(|form| rest.starts_with(form)).map(|form| form.len()).max();
            if let Some(length) = longest {
                found(at..at + length);
            }
        }
    }
}

/// Returns the whole word of base64 about a place.
fn widened(text: &[u8], place: Range<usize>) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    let before = text.get(..place.start).unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default();
    let start = before.iter().rev().take(4).take_while(|byte| is_part(byte)).count();
    let end = after.iter().take(4).take_while(|byte| is_part(byte)).count();
    place.start - start..place.end + end
}

/// Returns what of a value stands in base64 for certain when so many bytes of its first group are
/// another's.
fn encoded(value: &[u8], before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let mut out = Vec::new();
    // The groups of six bits that are the value's alone.
    let mut bit = (6 - (before * 8) % 6) % 6;
    while bit + 6 <= value.len() * 8 {
        let byte = |at: usize| u16::from(value.get(at).copied().unwrap_or_default());
        let pair = byte(bit / 8) << 8 | byte(bit / 8 + 1);
        let index = usize::from(pair >> (10 - bit % 8) & 63);
        out.extend(alphabet.get(index));
        bit += 6;
    }
    out
}

/// Returns a text with each byte that is not ASCII encoded for a URL.
fn url_encoded(text: &str, is_lower: bool) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in text.bytes() {
        // Writing to a string cannot fail.
        let _ = match byte {
            ascii if ascii.is_ascii() => write!(out, "{}", char::from(ascii)),
            byte if is_lower => write!(out, "%{byte:02x}"),
            byte => write!(out, "%{byte:02X}"),
        };
    }
    out
}
