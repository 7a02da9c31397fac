//! Terms: how text and questions are taken apart so that they meet (KN-11).
//!
//! Words are compared without case, in compatibility form (full-width letters are letters) and
//! without common endings of their language. Scripts written without spaces become pairs of
//! neighbouring characters, and single characters beside them.

mod endings;
mod language;
mod stem;

pub(crate) use language::Language;

use std::borrow::Cow;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

/// The longest word that is indexed, in bytes; what is longer is data, not language.
const MAX_WORD: usize = 80;

/// The kind of characters that a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// One character of a script without spaces.
    One,
    /// Two neighbouring characters of such a script.
    Two,
}

/// Returns a text in the form in which terms are compared.
pub(crate) fn comparable(text: &str) -> Cow<'_, str> {
    let needs = |c: char| {
        matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}'
            | '\u{ff66}'..='\u{ffdc}' | '\u{f900}'..='\u{faff}' | '\u{2460}'..='\u{24ff}'
            | '\u{3300}'..='\u{33ff}' | '\u{fb00}'..='\u{fb06}' | '\u{0300}'..='\u{036f}'
            | '\u{1d400}'..='\u{1d7ff}')
    };
    if text.is_ascii() || !text.chars().any(needs) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// Returns the characters of a text without case, as Unicode folds it: `Σ`, `σ` and `ς` are one
/// letter, and `ß` is `ss`.
///
/// A letter is folded by way of its capital, so that all forms of one letter meet; but for `ı`, whose
/// capital is that of `i`. The dot above is left out where it is all that tells `İ` from `I`: few
/// people type it.
pub(crate) fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    let capitals = |c: char| {
        let capital = (c != 'ı').then(|| c.to_uppercase()).into_iter().flatten();
        capital.chain((c == 'ı').then_some(c))
    };
    let letters = text.chars().flat_map(char::to_lowercase).flat_map(capitals);
    let letters = letters.flat_map(char::to_lowercase);
    let mut before = ' ';
    letters.filter(move |c| {
        let is_dot = *c == '\u{307}' && before == 'i';
        before = *c;
        !is_dot
    })
}

/// Scripts whose words are not parted by spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e01..=0x0eff            // Thai, Lao
        | 0x1000..=0x109f          // Myanmar
        | 0x1780..=0x17ff          // Khmer
        | 0x3005..=0x3007          // iteration mark, zero
        | 0x3041..=0x30ff          // Hiragana, Katakana
        | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf          // Han
        | 0x4e00..=0x9fff
        | 0xac00..=0xd7a3          // Hangul
        | 0xf900..=0xfaff
        | 0x20000..=0x3ffff)
        && c != '\u{30fb}'
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Terms;

/// Takes the ending off a word in small letters.
fn stemmed(word: &mut String, language: Option<Language>) {
    match language {
        Some(language) => endings::strip(word, language),
        // `ſtraße` is `strasse`.
        None if word.is_ascii() => stem::stem(word),
        None => {}
    }
}

/// Returns a word as the pages of a language have it.
pub(crate) fn word_in(word: &str, language: Language) -> String {
    let mut word = folded(word).collect();
    endings::strip(&mut word, language);
    word
}

impl Tokenizer for Terms {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream::new(text)
    }
}

#[derive(Debug)]
pub(crate) struct Stream<'a> {
    text: Cow<'a, str>,
    at: usize,
    token: Token,
    kind: Kind,
    /// The place where the pair begins that stands between the last character given and the next.
    pair: Option<usize>,
    language: Option<Language>,
}

impl<'a> Stream<'a> {
    /// Takes apart a text in English, or in a language without a table of endings.
    pub(crate) fn new(text: &'a str) -> Self {
        Self::in_language(text, None)
    }

    pub(crate) fn in_language(text: &'a str, language: Option<Language>) -> Self {
        let token = Token { position: usize::MAX, ..Token::default() };
        Self { text: comparable(text), at: 0, token, kind: Kind::Word, pair: None, language }
    }

    /// Returns what the last term is made of.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn set(&mut self, kind: Kind, from: usize, to: usize) {
        self.kind = kind;
        self.token.offset_from = from;
        self.token.offset_to = to;
        self.token.position = self.token.position.wrapping_add(1);
        self.token.text.clear();
        let piece = self.text.get(from..to).unwrap_or_default();
        if kind != Kind::Word {
            self.token.text.push_str(piece);
        } else if piece.is_ascii() {
            self.token.text.push_str(piece);
            self.token.text.make_ascii_lowercase();
        } else {
            self.token.text.extend(folded(piece));
        }
        if kind == Kind::Word {
            stemmed(&mut self.token.text, self.language);
        }
    }

    /// Returns the pair that begins with the last character given, when the next one belongs to it.
    fn pending_pair(&mut self) -> bool {
        let Some(from) = self.pair.take() else { return false };
        match self.char_at(self.at) {
            Some(next) if is_unspaced(next) => {
                let to = self.at + next.len_utf8();
                self.set(Kind::Two, from, to);
                true
            }
            _ => false,
        }
    }

    /// Skips to the next character that can begin a term.
    fn skip(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        let found = rest.char_indices().find(|(_, c)| c.is_alphanumeric() || is_unspaced(*c));
        let (offset, c) = found?;
        self.at += offset;
        Some(c)
    }

    fn word_end(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            match bytes.get(at) {
                Some(byte) if byte.is_ascii_alphanumeric() => at += 1,
                Some(byte) if byte.is_ascii() => return at,
                None => return at,
                Some(_) => match self.char_at(at) {
                    Some(c) if is_word(c) || is_mark(c) => at += c.len_utf8(),
                    _ => return at,
                },
            }
        }
    }

    /// Past a `'s` behind a word.
    fn past_possessive(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        if !rest.starts_with(['\'', '\u{2019}']) {
            return at;
        }
        for mark in ["'s", "\u{2019}s", "'S", "\u{2019}S"] {
            if let Some(after) = rest.strip_prefix(mark)
                && !after.starts_with(char::is_alphanumeric)
            {
                return at + mark.len();
            }
        }
        at
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0900}'..='\u{0dff}') && !c.is_whitespace()
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        if self.pending_pair() {
            return true;
        }
        while let Some(c) = self.skip() {
            let from = self.at;
            if is_unspaced(c) {
                self.at += c.len_utf8();
                self.pair = Some(from);
                self.set(Kind::One, from, self.at);
                return true;
            }
            let end = self.word_end(from).max(from + c.len_utf8());
            self.at = self.past_possessive(end);
            if end - from <= MAX_WORD {
                self.set(Kind::Word, from, end);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests;
