//! How alike two texts are: by the runs of words that they share (MA-7).

use crate::index::terms::{folded, is_unspaced};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The words of a run.
const RUN: usize = 4;
/// The runs of a text that are compared.
const MOST: usize = 1_000;

/// The runs of words of a text; characters count as words where words have no spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shingles(HashSet<u64>);

impl Shingles {
    pub(super) fn of(text: &str) -> Self {
        let words: Vec<u64> = words(text).take(MOST + RUN).collect();
        let hash = |run: &[u64]| {
            let mut hasher = DefaultHasher::new();
            run.hash(&mut hasher);
            hasher.finish()
        };
        Self(words.windows(RUN.min(words.len()).max(1)).map(hash).collect())
    }

    /// Adds the runs of another text.
    pub(super) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns how many runs there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Reports whether another text has all of its runs.
    pub(super) fn are_in(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Returns the share of the runs of the shorter text that the other one has.
    pub(super) fn held(&self, other: &Self) -> f32 {
        share(self.common(other), self.0.len().min(other.0.len()))
    }

    /// Returns the share of the runs of both that both have.
    pub(super) fn alike(&self, other: &Self) -> f32 {
        let common = self.common(other);
        share(common, self.0.len() + other.0.len() - common)
    }

    /// Returns how many runs both have.
    pub(super) fn common(&self, other: &Self) -> usize {
        self.0.intersection(&other.0).count()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of runs are small")]
fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

fn words(text: &str) -> impl Iterator<Item = u64> {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        let first = chars.find(|c| c.is_alphanumeric())?;
        let mut hasher = DefaultHasher::new();
        let mut letter = [0; 4];
        folded(first.encode_utf8(&mut letter)).for_each(|c| c.hash(&mut hasher));
        while !is_unspaced(first)
            && let Some(next) = chars.next_if(|c| c.is_alphanumeric() && !is_unspaced(*c))
        {
            folded(next.encode_utf8(&mut letter)).for_each(|c| c.hash(&mut hasher));
        }
        Some(hasher.finish())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ma_7_texts_are_alike_by_runs_of_words_in_any_script() {
        let alike = |one: &str, other: &str| Shingles::of(one).alike(&Shingles::of(other));
        let text = "Install the package, then call `connect` with the key of your account.";
        assert_eq!(alike(text, &text.to_uppercase()), 1.0);
        assert!(alike(text, &format!("{text} It returns a client.")) > 0.6);
        assert_eq!(alike(text, "Something else, in other words, without one run of it."), 0.0);
        assert!(alike("封禁账号一天，到期自动解封", "封禁账号七天，到期自动解封") > 0.3);
        assert_eq!(alike("封禁账号一天", "价格是十二欧元"), 0.0);
        assert_eq!((alike("", ""), alike("a", "a")), (0.0, 1.0));
    }

    #[test]
    fn ma_7_shorter_text_in_longer_one_is_held() {
        let long = Shingles::of("one two three four five six seven eight nine ten");
        assert_eq!(long.held(&Shingles::of("three four five six seven")), 1.0);
        assert!(long.alike(&Shingles::of("three four five six seven")) < 0.5);
    }
}
