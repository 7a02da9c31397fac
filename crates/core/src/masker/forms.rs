//! The ways in which values are written, and the search for all of them in one walk.

use super::read::Read;
use aho_corasick::Span;
use aho_corasick::packed::Searcher;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Values of fewer bytes are not looked for in base64: what is left of them there is too short.
const SHORTEST_ENCODED: usize = 8;

/// Both alphabets of base64.
const ALPHABETS: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// The bytes of the beginning of a form that are searched for.
const BEGINNING: usize = 4;

/// Texts to look for.
#[derive(Default)]
pub(super) struct Forms {
    /// By their first two bytes.
    all: HashMap<[u8; 2], Vec<Form>>,
    /// Finds the beginnings of all; absent where there are too many, or where the processor has no
    /// instructions for it.
    searcher: Option<Searcher>,
}

struct Form {
    text: Box<[u8]>,
    /// True if the value is encoded in base64, of which whole words are found.
    is_encoded: bool,
}

impl Forms {
    /// Adds values in all their forms.
    pub(super) fn add<'v>(&mut self, values: impl IntoIterator<Item = &'v str>) {
        for value in values {
            self.add_plain(value);
            if value.len() >= SHORTEST_ENCODED {
                for alphabet in ALPHABETS {
                    for skipped in 0..3 {
                        self.add_form(&encoded(value.as_bytes(), skipped, alphabet), true);
                    }
                }
            }
        }
        let beginning = |form: &Form| form.text.get(..BEGINNING).unwrap_or(&form.text).to_vec();
        let beginnings: HashSet<Vec<u8>> = self.all.values().flatten().map(beginning).collect();
        self.searcher = Searcher::new(beginnings);
    }

    fn add_plain(&mut self, value: &str) {
        let mut add = |form: &str| self.add_form(form.as_bytes(), false);
        add(Read::of(value).text());
        // Behind a backslash of something else, `\\n` of the value is read as it was escaped.
        let escaped = serde_json::Value::from(value).to_string();
        let escaped = escaped.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        add(Read::of_once(escaped.unwrap_or_default()).text());
        // A space in a query is a `+`.
        for written in [value, &value.replace(' ', "+")] {
            add(written);
            add(&url_encoded(written, false));
            add(&url_encoded(written, true));
        }
    }

    fn add_form(&mut self, form: &[u8], is_encoded: bool) {
        let Some(first) = form.first_chunk() else { return };
        let forms = self.all.entry(*first).or_default();
        if !forms.iter().any(|known| known.is_encoded == is_encoded && *known.text == *form) {
            forms.push(Form { text: form.into(), is_encoded });
        }
    }

    /// Adds the places of all forms in a text.
    pub(super) fn find(&self, text: &str, read: &Read<'_>, found: &mut Vec<Range<usize>>) {
        if self.all.is_empty() {
            return;
        }
        if read.text() != text {
            self.find_in(text.as_bytes(), false, |place| found.push(place));
        }
        let within = read.text().as_bytes();
        self.find_in(within, false, |place| found.push(read.place(place)));
        self.find_in(within, true, |place| found.push(read.place(widened(within, place))));
    }

    /// Finds the longest form at each place.
    fn find_in(&self, text: &[u8], is_encoded: bool, mut found: impl FnMut(Range<usize>)) {
        self.beginnings(text, |at| {
            let rest = text.get(at..).unwrap_or_default();
            let forms = rest.first_chunk().and_then(|first| self.all.get(first));
            let is_there =
                |form: &&Form| form.is_encoded == is_encoded && rest.starts_with(&form.text);
            let there = forms.into_iter().flatten().filter(is_there);
            if let Some(length) = there.map(|form| form.text.len()).max() {
                found(at..at + length);
            }
        });
    }

    /// Visits each place where a form may begin.
    fn beginnings(&self, text: &[u8], mut visit: impl FnMut(usize)) {
        let Some(searcher) = &self.searcher else {
            return self.first_bytes(text, visit);
        };
        let mut from = 0;
        while let Some(found) = searcher.find_in(text, Span { start: from, end: text.len() }) {
            visit(found.start());
            // Another may begin within this one.
            from = found.start() + 1;
        }
    }

    fn first_bytes(&self, text: &[u8], visit: impl FnMut(usize)) {
        // One bit for each first byte, so that most places need no look into the table.
        let mut begins = [false; 256];
        for [first, _] in self.all.keys() {
            if let Some(begins) = begins.get_mut(usize::from(*first)) {
                *begins = true;
            }
        }
        let is_first = |byte: u8| begins.get(usize::from(byte)).is_some_and(|begins| *begins);
        let places = text.iter().enumerate().filter(|(_, byte)| is_first(**byte));
        places.map(|(at, _)| at).for_each(visit);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn places(forms: &Forms, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        forms.find(text, &Read::of(text), &mut found);
        found.sort_by_key(|place| (place.start, place.end));
        found.dedup();
        found
    }

    #[test]
    fn as_29_values_are_found_without_instructions_for_it() {
        let values = ["aaaaaa1", "aaaaaa12", "sk-Ab12Cd34", "p@ss/w\"örd 12"];
        let mut forms = Forms::default();
        forms.add(values);
        assert!(forms.searcher.is_some());
        let text = "aaaaaaaaaa12 sk-Ab12Cd34, c2stQWIxMkNkMzQ= p%40ss%2Fw\\\"%C3%B6rd+12 aaaaaa1";
        let found = places(&forms, text);
        assert_eq!(found, [4..12, 13..24, 26..42, 43..66, 67..74]);
        forms.searcher = None;
        assert_eq!(places(&forms, text), found);
    }

    #[test]
    fn as_29_more_values_than_the_search_takes_are_found() {
        let values: Vec<String> = (0..200).map(|n| format!("{n:03}-Ab12Cd34")).collect();
        let mut forms = Forms::default();
        forms.add(values.iter().map(String::as_str));
        assert!(forms.searcher.is_none());
        let text = values.join(" ");
        let found = places(&forms, &text);
        assert!(values.iter().enumerate().all(|(n, _)| found.contains(&(n * 13..n * 13 + 12))));
    }
}
