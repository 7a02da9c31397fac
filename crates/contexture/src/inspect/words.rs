//! The words in which two texts differ (IN-8).
//!
//! Decision: a word is a run of letters and digits; a character of a script that does not part words, such
//! as Chinese, and any other sign is one by itself.

use serde::Serialize;
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The most words of a text that are compared.
const MOST: usize = 4_000;

/// A part of two texts: in both, or in one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WordPart {
    /// `=` in both texts, `-` in the left one, `+` in the right one.
    pub side: char,
    /// The text.
    pub text: String,
}

/// Compares two texts word by word; `None` when one has too many words.
#[must_use]
pub fn words(left: &str, right: &str) -> Option<Vec<WordPart>> {
    let (old, new) = (parted(left), parted(right));
    if old.len().max(new.len()) > MOST {
        return None;
    }
    let mut parts = Vec::new();
    for change in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let text = |all: &[&str], range: std::ops::Range<usize>| {
            all.get(range).unwrap_or_default().concat()
        };
        let (tag, removed, added) = change.as_tag_tuple();
        if tag == DiffTag::Equal {
            parts.push(WordPart { side: '=', text: text(&old, removed) });
            continue;
        }
        let sides = [('-', text(&old, removed)), ('+', text(&new, added))];
        let changed = sides.into_iter().filter(|(_, text)| !text.is_empty());
        parts.extend(changed.map(|(side, text)| WordPart { side, text }));
    }
    Some(parts)
}

/// Parts a text into words and what is between them.
fn parted(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_same = |c: char| match first {
            _ if is_of_word(first) => is_of_word(c),
            _ => first.is_whitespace() && c.is_whitespace(),
        };
        let after = rest.trim_start_matches(is_same);
        let end = (rest.len() - after.len()).max(first.len_utf8());
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Reports whether a character goes on with a word: letters and digits of scripts that part words, with
/// the marks on them.
fn is_of_word(c: char) -> bool {
    let is_alone = matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF);
    let is_mark = matches!(u32::from(c), 0x0300..=0x036F | 0x200C | 0x200D);
    (c.is_alphanumeric() || is_mark || c == '_') && !is_alone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(left: &str, right: &str) -> Vec<String> {
        let parts = words(left, right).unwrap();
        let of = |skipped| {
            parts
                .iter()
                .filter(|part| part.side != skipped)
                .map(|part| part.text.as_str())
                .collect::<String>()
        };
        assert_eq!((of('+').as_str(), of('-').as_str()), (left, right), "nothing is lost");
        parts.iter().map(|part| format!("{}{}", part.side, part.text)).collect()
    }

    #[test]
    fn in_8_words_that_differ_are_marked_in_any_script() {
        assert_eq!(
            shown("within 30 days, free", "within 14 days, free"),
            ["=within ", "-30", "+14", "= days, free"]
        );
        assert_eq!(shown("订单明天发货", "订单今天发货"), ["=订单", "-明", "+今", "=天发货"]);
        assert_eq!(
            shown("e\u{301}té", "ete"),
            ["-e\u{301}té", "+ete"],
            "a mark stays on its letter"
        );
        assert_eq!(shown("same", "same"), ["=same"]);
        assert_eq!(shown("", "new"), ["+new"]);
        assert_eq!(shown("", ""), [""; 0]);
    }

    #[test]
    fn in_8_texts_of_too_many_words_are_not_compared() {
        assert_eq!(words(&"a ".repeat(MOST), "a"), None);
        assert!(words(&"a".repeat(1 << 20), "a").is_some());
    }
}
