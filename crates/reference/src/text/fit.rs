//! `max=2k`: a budget for what a whole reference gives (REF-14).

use contexture_context::cut::cut;
use contexture_context::limits::token_amount;
use contexture_context::{Keep, Measure, TokenCounter};

/// A text that takes part in a budget, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// It fits whole.
    Whole,
    /// It was cut to this text.
    Cut(String),
    /// Nothing of it fits.
    LeftOut,
}

/// Fits texts into `limit` tokens, in order: each whole while it fits, the first that does not is
/// cut, and the later ones take what is left.
pub(crate) fn fit(texts: &[&str], limit: u64, counter: &dyn TokenCounter) -> Vec<Piece> {
    let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut pieces = Vec::with_capacity(texts.len());
    for text in texts {
        let fitted = cut(text, left, Measure::Tokens, Keep::Head, counter);
        left = left.saturating_sub(fitted.after);
        pieces.push(match (fitted.clipped, fitted.text.is_empty()) {
            (false, _) => Piece::Whole,
            (true, false) => Piece::Cut(fitted.text.into_owned()),
            (true, true) => Piece::LeftOut,
        });
    }
    pieces
}

/// Returns a budget as it is written: `500`, `2k`, `1.5k`; `None` for what is not a positive number of
/// tokens.
#[must_use]
pub fn budget(text: &str) -> Option<u64> {
    token_amount(text).filter(|limit| *limit > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_context::tokens::Words;

    #[test]
    fn ref_14_budget_is_number_of_tokens() {
        assert_eq!(budget("500"), Some(500));
        assert_eq!(budget("2k"), Some(2_000));
        assert_eq!(budget("1.5K"), Some(1_500));
        for text in
            ["", "0", "0k", "k", "-1", "2 k b", "1.", "1.0005k", "1e3", "99999999999999999999"]
        {
            assert_eq!(budget(text), None, "{text}");
        }
    }

    #[test]
    fn ref_14_texts_share_budget_in_order() {
        let texts = ["one two", "three four five six seven eight nine ten eleven twelve", "last"];
        let pieces = fit(&texts, 6, &Words);
        assert_eq!(pieces.first(), Some(&Piece::Whole));
        assert!(matches!(pieces.get(1), Some(Piece::Cut(_))), "{pieces:?}");
        assert_eq!(fit(&["one two three"], 3, &Words), [Piece::Whole]);
    }
}
