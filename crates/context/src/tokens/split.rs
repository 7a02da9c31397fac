//! The first step of a tokenizer: where the next piece ends.
//!
//! Decision: the tokenizer's regular expression is the authority; this hand-written reading of it
//! for ASCII and for runs of Chinese, Japanese and Korean gives the same pieces several times
//! faster (a property test compares them) and returns nothing wherever another character could
//! matter.

use super::pattern::{self, Rule};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// `' '` alone.
    Space,
    Newline,
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
    bytes.get(at).and_then(|byte| CLASSES.get(usize::from(*byte))).copied().unwrap_or(Class::End)
}

#[inline]
fn run(bytes: &[u8], mut at: usize, is_in: impl Fn(Class) -> bool) -> usize {
    while is_in(class(bytes, at)) {
        at += 1;
    }
    at
}

/// The class of the character at a byte that is not ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cjk {
    Letter,
    Sign,
    Other,
}

/// All of these take three bytes.
const CJK_BYTES: usize = 3;

/// Letters and signs that are such in every version of Unicode a tokenizer may know.
#[inline]
fn cjk(bytes: &[u8], at: usize) -> Cjk {
    let Some([first, second, third]) = bytes.get(at..).and_then(|rest| rest.first_chunk::<3>())
    else {
        return Cjk::Other;
    };
    match (first, second, third) {
        // Han U+4E00..U+9F7F, Hangul U+AC00..U+D77F
        (0xe4, 0xb8.., _) | (0xe5..=0xe8, ..) | (0xe9, ..=0xbd, _) => Cjk::Letter,
        (0xea, 0xb0.., _) | (0xeb | 0xec, ..) | (0xed, ..=0x9d, _) => Cjk::Letter,
        // Kana
        (0xe3, 0x81, 0x81..) | (0xe3, 0x82, ..=0x96 | 0xa1..) | (0xe3, 0x83, ..=0xba) => {
            Cjk::Letter
        }
        // 、。〈〉《》「」『』【】 and full-width ！（），：；？ and “”…
        (0xe3, 0x80, 0x81 | 0x82 | 0x88..=0x91) => Cjk::Sign,
        (0xef, 0xbc, 0x81 | 0x88 | 0x89 | 0x8c | 0x9a | 0x9b | 0x9f) => Cjk::Sign,
        (0xe2, 0x80, 0x9c | 0x9d | 0xa6) => Cjk::Sign,
        _ => Cjk::Other,
    }
}

/// Returns the end of the piece that begins at `at`.
#[inline]
pub(super) fn piece(rule: Rule, text: &str, at: usize) -> usize {
    fast_piece(rule, text.as_bytes(), at).unwrap_or_else(|| pattern::piece(rule, text, at))
}

/// The end of the piece that begins at `at`, or none if that depends on other characters.
#[inline]
fn fast_piece(rule: Rule, bytes: &[u8], at: usize) -> Option<usize> {
    let first = class(bytes, at);
    match first {
        Class::Upper | Class::Lower => word(rule, bytes, at),
        Class::Digit => digits(bytes, at),
        Class::Newline => white_space(bytes, at),
        Class::Space | Class::White | Class::Mark => opened(rule, bytes, at, first),
        Class::Foreign => match cjk(bytes, at) {
            Cjk::Letter => cjk_word(rule, bytes, at),
            Cjk::Sign => match (class(bytes, at + CJK_BYTES), cjk(bytes, at + CJK_BYTES)) {
                (Class::Upper | Class::Lower, _) => word(rule, bytes, at + CJK_BYTES),
                (_, Cjk::Letter) => cjk_word(rule, bytes, at + CJK_BYTES),
                _ => marks(rule, bytes, at),
            },
            Cjk::Other => None,
        },
        Class::End => None,
    }
}

/// A piece that begins with a blank or a mark. One character that is neither letter, digit nor
/// line end opens a word.
#[inline]
fn opened(rule: Rule, bytes: &[u8], at: usize, first: Class) -> Option<usize> {
    if rule == Rule::Cl100k && bytes.get(at) == Some(&b'\'') {
        match contraction(bytes, at) {
            Some(end) if end > at => return Some(end),
            Some(_) => {}
            None => return None,
        }
    }
    match (first, class(bytes, at + 1)) {
        (_, Class::Upper | Class::Lower) => word(rule, bytes, at + 1),
        (_, Class::Foreign) => match (first, cjk(bytes, at + 1)) {
            (_, Cjk::Letter) => cjk_word(rule, bytes, at + 1),
            (Class::Mark, Cjk::Sign) => marks(rule, bytes, at),
            (Class::Space, Cjk::Sign) => marks(rule, bytes, at + 1),
            _ => None,
        },
        (Class::Mark, _) => marks(rule, bytes, at),
        (Class::Space, Class::Mark) => marks(rule, bytes, at + 1),
        _ => white_space(bytes, at),
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
        Class::Foreign => (cjk(bytes, end) == Cjk::Sign).then_some(end),
        Class::Mark if rule == Rule::O200k => contraction(bytes, end),
        _ => Some(end),
    }
}

/// A run of letters that are neither capital nor small, at least one.
#[inline]
fn cjk_word(rule: Rule, bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while cjk(bytes, end) == Cjk::Letter {
        end += CJK_BYTES;
    }
    match class(bytes, end) {
        // Whether these still belong to the word depends on what follows them.
        Class::Upper | Class::Lower => None,
        Class::Foreign => (cjk(bytes, end) == Cjk::Sign).then_some(end),
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
    let end = (at..at + 3).find(|at| class(bytes, *at) != Class::Digit).unwrap_or(at + 3);
    let is_end = end == at + 3 || class(bytes, end) != Class::Foreign;
    (is_end || cjk(bytes, end) != Cjk::Other).then_some(end)
}

#[inline]
fn marks(rule: Rule, bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    loop {
        match class(bytes, end) {
            Class::Mark => end += 1,
            Class::Newline => return Some(line_ends(rule, bytes, end)),
            Class::Foreign => match cjk(bytes, end) {
                Cjk::Sign => end += CJK_BYTES,
                Cjk::Letter => return Some(end),
                Cjk::Other => return None,
            },
            _ => return Some(end),
        }
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
    let last_line_end = (at..end).rev().find(|at| class(bytes, *at) == Class::Newline);
    Some(match last_line_end {
        Some(newline) => newline + 1,
        // The last blank belongs to what follows.
        None if after != Class::End && end > at + 1 => end - 1,
        None => end,
    })
}
