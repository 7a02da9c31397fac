//! The first step of a tokenizer for ASCII text: where the next piece ends.
//!
//! Decision: the tokenizer's regular expression is the authority; this hand-written reading of it
//! for runs of ASCII gives the same pieces several times faster (a property test compares them)
//! and says "don't know" wherever a character outside ASCII could matter.

/// The two splitting rules in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    O200k,
    Cl100k,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// `' '` alone.
    Space,
    /// `\r` and `\n`.
    Newline,
    /// Other white space.
    White,
    /// All other ASCII, control characters included.
    Mark,
    Foreign,
    End,
}

const CLASSES: [Class; 256] = classes();

#[expect(clippy::indexing_slicing, reason = "at compile time, below 256")]
const fn classes() -> [Class; 256] {
    let mut table = [Class::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b' ' => Class::Space,
            b'\r' | b'\n' => Class::Newline,
            b'\t' | 0x0b | 0x0c => Class::White,
            _ => Class::Mark,
        };
        byte += 1;
    }
    table
}

#[inline]
fn class(bytes: &[u8], at: usize) -> Class {
    bytes
        .get(at)
        .and_then(|byte| CLASSES.get(usize::from(*byte)))
        .copied()
        .unwrap_or(Class::End)
}

#[inline]
fn run(bytes: &[u8], mut at: usize, is_in: impl Fn(Class) -> bool) -> usize {
    while is_in(class(bytes, at)) {
        at += 1;
    }
    at
}

/// The end of the piece that begins at `at`, or none if that depends on more than ASCII.
#[inline]
pub(super) fn ascii_piece(rule: Rule, bytes: &[u8], at: usize) -> Option<usize> {
    let first = class(bytes, at);
    match first {
        Class::Upper | Class::Lower => word(rule, bytes, at),
        Class::Digit => digits(bytes, at),
        Class::Newline => white_space(bytes, at),
        Class::Space | Class::White | Class::Mark => {
            if rule == Rule::Cl100k && bytes.get(at) == Some(&b'\'') {
                match contraction(bytes, at) {
                    Some(end) if end > at => return Some(end),
                    Some(_) => {}
                    None => return None,
                }
            }
            match (first, class(bytes, at + 1)) {
                // One character that is neither letter, digit nor line end opens a word.
                (_, Class::Upper | Class::Lower) => word(rule, bytes, at + 1),
                (_, Class::Foreign) => None,
                (Class::Mark, _) => marks(rule, bytes, at),
                (Class::Space, Class::Mark) => marks(rule, bytes, at + 1),
                _ => white_space(bytes, at),
            }
        }
        Class::Foreign | Class::End => None,
    }
}

#[inline]
fn word(rule: Rule, bytes: &[u8], at: usize) -> Option<usize> {
    let end = match rule {
        // Capitals, then small letters: `HTTPServer` is one word, `fooBar` two.
        Rule::O200k => {
            let capitals = run(bytes, at, |c| c == Class::Upper);
            run(bytes, capitals, |c| c == Class::Lower)
        }
        Rule::Cl100k => run(bytes, at, |c| matches!(c, Class::Upper | Class::Lower)),
    };
    match class(bytes, end) {
        Class::Foreign => None,
        Class::Mark if rule == Rule::O200k => contraction(bytes, end),
        _ => Some(end),
    }
}

/// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at `at`; `at` itself if there is none.
#[inline]
fn contraction(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'\'') {
        return Some(at);
    }
    let lower = |at: usize| bytes.get(at).map(u8::to_ascii_lowercase);
    let length = match (lower(at + 1), lower(at + 2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        // Long s is an s to a pattern that ignores case.
        (Some(0x80..), _) => return None,
        _ => 0,
    };
    Some(at + length)
}

#[inline]
fn digits(bytes: &[u8], at: usize) -> Option<usize> {
    let end = (at..at + 3)
        .find(|at| class(bytes, *at) != Class::Digit)
        .unwrap_or(at + 3);
    (end == at + 3 || class(bytes, end) != Class::Foreign).then_some(end)
}

#[inline]
fn marks(rule: Rule, bytes: &[u8], at: usize) -> Option<usize> {
    let end = run(bytes, at, |c| c == Class::Mark);
    match class(bytes, end) {
        Class::Foreign => None,
        Class::Newline => Some(line_ends(rule, bytes, end)),
        _ => Some(end),
    }
}

#[inline]
fn line_ends(rule: Rule, bytes: &[u8], mut at: usize) -> usize {
    while class(bytes, at) == Class::Newline
        || (rule == Rule::O200k && bytes.get(at) == Some(&b'/'))
    {
        at += 1;
    }
    at
}

fn white_space(bytes: &[u8], at: usize) -> Option<usize> {
    let is_white = |c| matches!(c, Class::Space | Class::White | Class::Newline);
    let end = run(bytes, at, is_white);
    let after = class(bytes, end);
    if after == Class::Foreign {
        return None;
    }
    let last_line_end = (at..end)
        .rev()
        .find(|at| class(bytes, *at) == Class::Newline);
    Some(match last_line_end {
        Some(newline) => newline + 1,
        // The last blank belongs to what follows.
        None if after != Class::End && end > at + 1 => end - 1,
        None => end,
    })
}
