//! Texts that were read through lately (GR-1).
//!
//! The digest of a list of messages that grows is made for each call. What was found on the way is
//! kept at stops, so that a text that begins like one of these is read from the last stop that both
//! have. It changes the speed and nothing else.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Shorter texts are read through at once, in bytes.
const LONG: usize = 16 << 10;

/// The bytes between two stops.
const STRIDE: usize = 8 << 10;

/// The most texts that are kept, and the most bytes of all.
const TEXTS: usize = 16;
const BYTES: usize = 8 << 20;

/// The longest text that is kept.
const LONGEST: usize = BYTES / 4;

/// Texts with what was found up to each stop, the latest first.
pub(crate) struct Recent<S>(Mutex<VecDeque<Known<S>>>);

/// A text with its stops: the bytes before each, and what was found up to there.
struct Known<S> {
    text: String,
    stops: Vec<(usize, S)>,
}

impl<S: Clone> Recent<S> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// Reads a text from `start` on, by `step`.
    pub(crate) fn read(&self, text: &str, start: S, step: impl Fn(&mut S, &str)) -> S {
        if !(LONG..=LONGEST).contains(&text.len()) {
            let mut found = start;
            step(&mut found, text);
            return found;
        }
        let mut known = self.take(text);
        let (mut at, mut found) = known.stops.last().cloned().unwrap_or((0, start));
        while at + STRIDE < text.len() {
            let next = text.floor_char_boundary(at + STRIDE);
            step(&mut found, text.get(at..next).unwrap_or_default());
            known.stops.push((next, found.clone()));
            at = next;
        }
        step(&mut found, text.get(at..).unwrap_or_default());
        known.text.push_str(text.get(known.text.len()..).unwrap_or_default());
        self.keep(known);
        found
    }

    /// Returns the longest beginning that this text has in common with a known one, and the stops
    /// in it. A text that has hardly more is forgotten: the new one takes its place.
    fn take(&self, text: &str) -> Known<S> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = texts.iter().enumerate().map(|(index, known)| (common(&known.text, text), index));
        let (common, index) = all.max().unwrap_or_default();
        let is_same = texts.get(index).is_some_and(|known| known.text.len() - common < STRIDE);
        let mut known = match texts.get(index) {
            Some(_) if is_same => texts.remove(index),
            Some(Known { text, stops }) => {
                let text = text.get(..common).unwrap_or_default().to_owned();
                Some(Known { text, stops: stops.clone() })
            }
            None => None,
        }
        .unwrap_or_else(|| Known { text: String::new(), stops: Vec::new() });
        known.text.truncate(common);
        known.stops.retain(|(at, _)| *at <= common);
        known
    }

    /// Keeps a text as the latest one, and as many of the others as there is room for.
    fn keep(&self, known: Known<S>) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.push_front(known);
        let mut bytes = 0;
        let fits = |known: &Known<S>| {
            bytes += known.text.len();
            bytes <= BYTES
        };
        let count = texts.iter().take(TEXTS).map(fits).take_while(|fits| *fits).count();
        texts.truncate(count);
    }
}

/// Returns the length of the beginning that two texts have in common, whole characters alone.
fn common(one: &str, other: &str) -> usize {
    let (left, _) = one.as_bytes().as_chunks::<256>();
    let (right, _) = other.as_bytes().as_chunks::<256>();
    let blocks = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let left = one.bytes().skip(blocks * 256);
    let right = other.bytes().skip(blocks * 256);
    let same = left.zip(right).take_while(|(left, right)| left == right).count();
    other.floor_char_boundary(blocks * 256 + same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Counts the bytes of a text, and those that were read for it.
    fn read(recent: &Recent<usize>, text: &str) -> (usize, usize) {
        let read = Cell::new(0);
        let step = |found: &mut usize, part: &str| {
            read.set(read.get() + part.len());
            *found += part.len();
        };
        (recent.read(text, 0, step), read.get())
    }

    #[test]
    fn gr_1_a_text_that_grows_is_read_from_where_it_grew() {
        let recent = Recent::new();
        let mut text = "some words, größer ".repeat(5_000);
        assert_eq!(read(&recent, &text), (text.len(), text.len()));
        for turn in 0..50 {
            text.insert_str(text.len() - 2, &format!(" turn {turn} of many"));
            let (found, read) = read(&recent, &text);
            assert_eq!(found, text.len());
            assert!(read < 2 * STRIDE, "{read}");
        }
    }

    #[test]
    fn gr_1_texts_of_any_kind_are_read_whole() {
        let recent = Recent::new();
        let long = "a".repeat(100_000);
        let words = "word ".repeat(20_000);
        let changed = words.replacen("word", "Word", 10_000);
        let accents = "é ".repeat(20_000);
        let other = accents.replacen('é', "è", 15_000);
        let most = "word ".repeat(LONGEST);
        for text in [&long, "short", &words, &changed, &words, &accents, &other, &accents, &most] {
            assert_eq!(read(&recent, text).0, text.len());
        }
        let (_, again) = read(&recent, &words);
        assert!(again < 2 * STRIDE, "a text that others followed is still known: {again}");
    }

    #[test]
    fn gr_1_what_is_kept_has_a_limit() {
        let recent = Recent::new();
        for number in 0..40 {
            read(&recent, &format!("{number} {}", "word ".repeat(100_000)));
        }
        let texts = recent.0.lock().unwrap();
        assert!(
            texts.len() <= TEXTS && texts.iter().map(|one| one.text.len()).sum::<usize>() <= BYTES
        );
    }
}
