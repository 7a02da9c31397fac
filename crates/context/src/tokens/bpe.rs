//! Byte-pair encoding with OpenAI's public vocabularies.

use super::counter::TokenCounter;
use super::encode::Encoder;
use super::memo::Memo;
use super::pattern::Rule;
use super::segments::Segments;
use super::split::piece;
use super::vocabulary::{CL100K, O200K, Vocabulary};
use std::fmt;

static O200K_MEMO: Memo = Memo::new();
static CL100K_MEMO: Memo = Memo::new();
static O200K_SEGMENTS: Segments = Segments::new();
static CL100K_SEGMENTS: Segments = Segments::new();

/// The tokenizer of GPT-4o, GPT-4.1, GPT-5, the o series and gpt-oss.
pub static O200K_BASE: Bpe = Bpe { name: "o200k_base", exact: true, rule: Rule::O200k };
/// The tokenizer of GPT-4, GPT-3.5 and the text-embedding models.
pub static CL100K_BASE: Bpe = Bpe { name: "cl100k_base", exact: true, rule: Rule::Cl100k };
/// `o200k_base` in place of a tokenizer that is not public.
pub static O200K_STAND_IN: Bpe = Bpe { name: "o200k_base", exact: false, rule: Rule::O200k };

/// `cl100k_base` in place of a tokenizer that is not public.
pub static CL100K_STAND_IN: Bpe = Bpe { name: "cl100k_base", exact: false, rule: Rule::Cl100k };

/// A counter with one of the two vocabularies.
pub struct Bpe {
    name: &'static str,
    exact: bool,
    rule: Rule,
}

impl Bpe {
    fn vocabulary(&self) -> &'static Vocabulary {
        match self.rule {
            Rule::O200k => &O200K,
            Rule::Cl100k => &CL100K,
        }
    }

    fn segments(&self) -> &'static Segments {
        match self.rule {
            Rule::O200k => &O200K_SEGMENTS,
            Rule::Cl100k => &CL100K_SEGMENTS,
        }
    }

    fn count_all(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let mut encoder = Encoder::new(self.vocabulary());
        let mut table = self.memo().table();
        let mut tokens = 0;
        self.pieces(text, |at, len| {
            let mut encode = || encoder.count(bytes.get(at..at + len).unwrap_or_default());
            tokens += match &mut table {
                Some(table) => table.count(bytes, at, len, encode),
                None => encode(),
            };
        });
        tokens
    }

    fn memo(&self) -> &'static Memo {
        match self.rule {
            Rule::O200k => &O200K_MEMO,
            Rule::Cl100k => &CL100K_MEMO,
        }
    }

    /// Calls `visit` with the start and the length of each piece.
    #[inline]
    fn pieces(&self, text: &str, mut visit: impl FnMut(usize, usize)) {
        let mut at = 0;
        while at < text.len() {
            let end = piece(self.rule, text, at);
            visit(at, end - at);
            at = end;
        }
    }
}

impl fmt::Debug for Bpe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bpe").field("name", &self.name).field("exact", &self.exact).finish()
    }
}

impl TokenCounter for Bpe {
    fn name(&self) -> &str {
        self.name
    }

    fn exact(&self) -> bool {
        self.exact
    }

    fn count(&self, text: &str) -> usize {
        let seam = |before, after| self.seam(before, after);
        self.segments().count(text, seam, |part| self.count_all(part))
    }

    fn token_ends(&self, text: &str) -> Vec<usize> {
        let mut encoder = Encoder::new(self.vocabulary());
        let mut ends = Vec::with_capacity(text.len() / 3);
        self.pieces(text, |at, len| {
            let piece = text.as_bytes().get(at..at + len).unwrap_or_default();
            ends.extend(encoder.ends(piece).map(|end| at + end));
        });
        ends
    }

    fn seam(&self, before: char, after: char) -> bool {
        match after {
            '\r' | '\n' => before.is_ascii_alphanumeric() || is_cjk_letter(before),
            // A blank never joins what stands before it.
            _ if after.is_whitespace() => !before.is_whitespace(),
            // A line end never opens a word.
            _ if before == '\n' => after.is_ascii_alphanumeric() || is_cjk_letter(after),
            // Nor does a sign join a letter or digit before it, but for the apostrophe of `it's`.
            '\'' => false,
            _ if is_cjk_letter(before) => {
                is_cjk_sign(after) || after.is_ascii() && !after.is_ascii_alphabetic()
            }
            _ if before.is_ascii_digit() => after.is_ascii() && !after.is_ascii_digit(),
            _ if before.is_ascii_alphabetic() => after.is_ascii() && !after.is_ascii_alphabetic(),
            _ => false,
        }
    }
}

/// Letters of the Chinese, Japanese and Korean scripts that are letters in every version of
/// Unicode that a tokenizer may have been built with.
const fn is_cjk_letter(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{3400}'..='\u{4db5}'
        | '\u{4e00}'..='\u{9fa5}' | '\u{ac00}'..='\u{d7a3}')
}

const fn is_cjk_sign(c: char) -> bool {
    matches!(
        c,
        '、' | '。' | '〈'
            ..='】' | '！' | '（' | '）' | '，' | '：' | '；' | '？' | '“' | '”' | '…'
    )
}
