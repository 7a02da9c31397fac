//! The regular expressions of the tokenizers.

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};
use std::sync::LazyLock;

/// The two splitting rules in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    O200k,
    Cl100k,
}

static O200K: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new_many(&[
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$"
        ),
        LOOK_AHEAD,
        BLANKS,
    ])
    .ok()
});
static CL100K: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new_many(&[
        concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
            r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+$"
        ),
        LOOK_AHEAD,
        BLANKS,
    ])
    .ok()
});

/// The last blank of many belongs to what follows: `\s+(?!\S)` of the original. The blank that is
/// matched beyond the piece is given back.
const LOOK_AHEAD: &str = r"\s+\s";
const LOOK_AHEAD_PATTERN: usize = 1;
const BLANKS: &str = r"\s+";

/// Returns the end of the piece that begins at `at`. Where the expression matches nothing, which
/// the tests have not seen, the rest of the text is one piece.
pub(super) fn piece(rule: Rule, text: &str, at: usize) -> usize {
    let regex = match rule {
        Rule::O200k => &*O200K,
        Rule::Cl100k => &*CL100K,
    };
    let rest = text.get(at..).unwrap_or_default();
    let input = Input::new(rest).anchored(Anchored::Yes);
    let Some(found) = regex.as_ref().and_then(|regex| regex.find(input)) else {
        return text.len();
    };
    let given_back = match found.pattern().as_usize() {
        LOOK_AHEAD_PATTERN => {
            rest.get(found.range()).and_then(|m| m.chars().next_back()).map_or(0, char::len_utf8)
        }
        _ => 0,
    };
    at + (found.end() - given_back).max(1)
}
