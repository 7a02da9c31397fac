//! Counts of texts that begin or end with one that was counted.

use super::ruler::Ruler;

/// The bytes of a counted text in which a seam is looked for.
const LOOKED_AT: usize = 1024;

/// A text with its count. What is joined to it may change the count where they meet, so the texts are
/// parted at a seam within the counted one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'t> {
    text: &'t str,
    count: usize,
}

impl<'t> Known<'t> {
    pub(super) const fn new(text: &'t str, count: usize) -> Self {
        Self { text, count }
    }

    pub(super) fn of(ruler: Ruler<'_>, text: &'t str) -> Self {
        Self::new(text, ruler.count(text))
    }

    /// Returns the count of a text, most of which need not be counted again where it begins or ends
    /// with this one.
    pub(super) fn count_in(&self, ruler: Ruler<'_>, text: &str) -> usize {
        let found = if let Some(added) = text.strip_prefix(self.text) {
            self.last_seam(ruler).map(|at| self.text.split_at(at).1).map(|end| {
                self.count.saturating_sub(ruler.count(end)) + ruler.count_joined(end, added)
            })
        } else if let Some(added) = text.strip_suffix(self.text) {
            self.first_seam(ruler).map(|at| self.text.split_at(at).0).map(|start| {
                self.count.saturating_sub(ruler.count(start)) + ruler.count_joined(added, start)
            })
        } else {
            None
        };
        found.unwrap_or_else(|| ruler.count(text))
    }

    fn first_seam(&self, ruler: Ruler<'_>) -> Option<usize> {
        let next = self.text.char_indices().skip(1);
        let mut pairs = self.text.chars().zip(next).take(LOOKED_AT);
        pairs
            .find(|(before, (_, after))| ruler.counter.seam(*before, *after))
            .map(|(_, (at, _))| at)
    }

    fn last_seam(&self, ruler: Ruler<'_>) -> Option<usize> {
        let before = self.text.chars().rev().skip(1);
        let mut pairs = self.text.char_indices().rev().zip(before).take(LOOKED_AT);
        pairs
            .find(|((_, after), before)| ruler.counter.seam(*before, *after))
            .map(|((at, _), _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Measure;
    use crate::tokens::{FourBytes, O200K_BASE, TokenCounter};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ca_15_known_count_gives_that_of_longer_text(
            known in "([a-c1 ,\"{}\n'.]|\\PC|[一-三。]){0,60}",
            added in "([a-c1 ,\"{}\n'.]|\\PC|[一-三。]){0,20}",
        ) {
            for counter in [&O200K_BASE as &dyn TokenCounter, &FourBytes] {
                let ruler = Ruler::new(Measure::Tokens, counter);
                let of_known = Known::of(ruler, &known);
                for text in [format!("{known}{added}"), format!("{added}{known}"), added.clone()] {
                    prop_assert_eq!(of_known.count_in(ruler, &text), counter.count(&text), "{}", text);
                }
            }
        }
    }
}
