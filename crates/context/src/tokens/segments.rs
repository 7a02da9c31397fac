//! The counts of segments of long texts (GR-1, GR-11).
//!
//! A long text is counted again and again: as an item, in its list, in the prompt, and with the next
//! question, when something stands before or behind it, or its beginning is cut off. So it is parted
//! where its content says so, at seams, and each segment is known again wherever it stands. This
//! changes the speed of a count and nothing else.

use fastcdc::v2020::FastCDC;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};

/// The lengths of texts that are parted, in bytes.
const LEAST: usize = 4 << 10;
const MOST: usize = 2 << 20;

/// The lengths of segments: the least, the one aimed at, the most; bytes.
const SIZES: (usize, usize, usize) = (1 << 10, 2 << 10, 8 << 10);

/// The bytes in which a seam is looked for: fewer than the shortest segment.
const LOOKED_AT: usize = 256;

/// The longest segment that is kept: where no seams are, one can be as long as its text.
const LONGEST: usize = 64 << 10;

/// The bytes of segments that are kept before the older half of them is forgotten.
const KEPT: usize = 4 << 20;

/// The hash of a segment. Segments that share it take turns, so that nobody can make a look-up slow.
type Name = u64;

/// The segments that were counted lately.
pub(super) struct Segments(Mutex<Kept>);

struct Kept {
    young: BTreeMap<Name, Segment>,
    old: BTreeMap<Name, Segment>,
    /// The bytes of the young ones.
    bytes: usize,
}

struct Segment {
    text: Box<str>,
    tokens: usize,
}

impl Segments {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Kept { young: BTreeMap::new(), old: BTreeMap::new(), bytes: 0 }))
    }

    /// Returns the tokens of a text, by `count` where a segment is not known.
    pub(super) fn count(
        &self,
        text: &str,
        seam: impl Fn(char, char) -> bool,
        count: impl Fn(&str) -> usize,
    ) -> usize {
        if !(LEAST..=MOST).contains(&text.len()) {
            return count(text);
        }
        let (mut tokens, mut from) = (0, 0);
        let (least, aim, most) = SIZES;
        for cut in FastCDC::new(text.as_bytes(), least, aim, most) {
            let end = cut.offset + cut.length;
            let end = if end < text.len() { seam_after(text, end, &seam) } else { Some(end) };
            let Some(segment) = end.and_then(|end| text.get(from..end)) else { continue };
            tokens += self.of_segment(segment, &count);
            from += segment.len();
        }
        tokens
    }

    fn of_segment(&self, text: &str, count: impl Fn(&str) -> usize) -> usize {
        let name = FxBuildHasher.hash_one(text);
        if let Some(tokens) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name, text)
        {
            return tokens;
        }
        let tokens = count(text);
        if text.len() <= LONGEST {
            let segment = Segment { text: text.into(), tokens };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).keep(name, segment);
        }
        tokens
    }
}

impl Kept {
    fn get(&mut self, name: Name, text: &str) -> Option<usize> {
        if let Some(known) = self.young.get(&name).filter(|known| *known.text == *text) {
            return Some(known.tokens);
        }
        let known = self.old.remove(&name).filter(|known| *known.text == *text)?;
        let tokens = known.tokens;
        self.keep(name, known);
        Some(tokens)
    }

    fn keep(&mut self, name: Name, segment: Segment) {
        self.bytes += segment.text.len();
        if let Some(replaced) = self.young.insert(name, segment) {
            self.bytes -= replaced.text.len();
        }
        if self.bytes > KEPT {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
    }
}

/// Returns the first seam at `from` or behind it, if one is near.
fn seam_after(text: &str, from: usize, seam: impl Fn(char, char) -> bool) -> Option<usize> {
    let from = text.ceil_char_boundary(from);
    let to = text.floor_char_boundary(from.saturating_add(LOOKED_AT));
    let mut before = text.get(..from)?.chars().next_back()?;
    for (at, after) in text.get(from..to)?.char_indices() {
        if seam(before, after) {
            return Some(from + at);
        }
        before = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Counts the bytes of a text, and those that were read for it.
    fn read(segments: &Segments, text: &str) -> (usize, usize) {
        let read = Cell::new(0);
        let count = |part: &str| {
            read.set(read.get() + part.len());
            part.len()
        };
        (segments.count(text, |_, after| after == ' ', count), read.get())
    }

    fn words(count: u64) -> String {
        (0..count).map(|n| format!("{} größer ", n * 7_919 % 10_007)).collect()
    }

    #[test]
    fn gr_11_a_text_that_changes_at_its_ends_and_within_is_read_where_it_did() {
        let segments = Segments::new();
        let mut text = words(10_000);
        assert_eq!(read(&segments, &text), (text.len(), text.len()));
        for turn in 0..50 {
            let half = text.floor_char_boundary(text.len() / 2);
            text.insert_str(half, &format!(" turn {turn} of many"));
            text = format!("{}{text} and {turn}", text.split_off(text.floor_char_boundary(900)));
            let (found, read) = read(&segments, &text);
            assert_eq!(found, text.len());
            assert!(read < 24 << 10, "{read} of {}", text.len());
        }
    }

    #[test]
    fn gr_11_a_text_that_repeats_itself_is_known_again() {
        let segments = Segments::new();
        let sentence = "some words of a message that is about four hundred bytes long, ";
        let message = format!("{{ \"text\": \"{}\" }},\n", sentence.repeat(6));
        let (mut text, mut again) = (message.repeat(300), 0);
        for _ in 0..40 {
            read(&segments, &format!("Context: {text}"));
            text.push_str(&message);
            again += read(&segments, &text).1;
        }
        assert!(again < 3 * text.len(), "{again} of 40 times {}", text.len());
    }

    #[test]
    fn gr_11_texts_of_any_kind_are_read_whole() {
        let segments = Segments::new();
        let long = "a".repeat(100_000);
        let accents = "é ".repeat(20_000);
        let other = accents.replacen('é', "è", 15_000);
        let most = "word ".repeat(MOST);
        for text in [&long, "short", &words(5_000), &accents, &other, &accents, &long, &most] {
            assert_eq!(read(&segments, text).0, text.len());
        }
    }

    #[test]
    fn gr_11_what_is_kept_has_a_limit() {
        let segments = Segments::new();
        for number in 0..40 {
            read(&segments, &format!("{number} {}", words(20_000 + number)));
            read(&segments, &format!("{number}{}", "x".repeat(MOST / 2)));
        }
        let kept = segments.0.lock().unwrap();
        let bytes = |of: &BTreeMap<Name, Segment>| of.values().map(|one| one.text.len()).sum();
        let (young, old): (usize, usize) = (bytes(&kept.young), bytes(&kept.old));
        assert_eq!(young, kept.bytes);
        assert!(young <= KEPT && old <= KEPT + LONGEST, "{young} and {old}");
    }
}
