//! Counters without a vocabulary: characters, which budgets may count, and two for tests.

use super::counter::TokenCounter;

/// Unicode scalar values: what a budget of `8k chars` counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chars;

impl TokenCounter for Chars {
    fn name(&self) -> &str {
        "chars"
    }

    fn exact(&self) -> bool {
        true
    }

    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn token_ends(&self, text: &str) -> Vec<usize> {
        text.char_indices().map(|(at, c)| at + c.len_utf8()).collect()
    }

    fn seam(&self, _before: char, _after: char) -> bool {
        true
    }
}

/// A counter for tests: one token for each four bytes begun, wherever characters end. It has no
/// seams.
#[derive(Debug, Clone, Copy, Default)]
pub struct FourBytes;

impl TokenCounter for FourBytes {
    fn name(&self) -> &str {
        "four_bytes"
    }

    fn exact(&self) -> bool {
        true
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn token_ends(&self, text: &str) -> Vec<usize> {
        (1..=self.count(text)).map(|n| (n * 4).min(text.len())).collect()
    }
}

/// A counter for tests: one token for each word with the white space before it, and one for white
/// space at the end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Words;

impl TokenCounter for Words {
    fn name(&self) -> &str {
        "words"
    }

    fn exact(&self) -> bool {
        true
    }

    fn count(&self, text: &str) -> usize {
        let words = text.split_whitespace().count();
        words + usize::from(text.ends_with(char::is_whitespace))
    }

    fn token_ends(&self, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut in_word = false;
        for (at, c) in text.char_indices() {
            if in_word && c.is_whitespace() {
                ends.push(at);
            }
            in_word = !c.is_whitespace();
        }
        if !text.is_empty() {
            ends.push(text.len());
        }
        ends
    }

    fn seam(&self, before: char, after: char) -> bool {
        !before.is_whitespace() && after.is_whitespace()
    }
}
