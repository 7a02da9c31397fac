//! How alike two texts are: by the runs of words that they share (MA-7).

use crate::index::terms::{folded, is_unspaced};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The words of a run.
const RUN: usize = 4;
/// The runs of a text that are compared.
const MOST: usize = 1_000;

/// The runs of words of a text; characters count as words where words have no spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shingles {
    /// The hash of each, rising and each once: two texts are compared in one pass over both.
    runs: Vec<u64>,
}

impl Shingles {
    pub(super) fn of(text: &str) -> Self {
        Self::of_parts([text])
    }

    /// Returns the runs of several texts.
    pub(super) fn of_parts<'t>(parts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut runs: Vec<u64> = parts.into_iter().flat_map(runs).collect();
        runs.sort_unstable();
        runs.dedup();
        Self { runs }
    }

    /// Returns how many runs there are.
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    /// Reports whether another text has all of its runs.
    pub(super) fn are_in(&self, other: &Self) -> bool {
        self.common(other) == self.count()
    }

    /// Returns the share of the runs of the shorter text that the other one has.
    pub(super) fn held(&self, other: &Self) -> f32 {
        share(self.common(other), self.count().min(other.count()))
    }

    /// Returns the share of the runs of both that both have.
    pub(super) fn alike(&self, other: &Self) -> f32 {
        let common = self.common(other);
        share(common, self.count() + other.count() - common)
    }

    /// Returns how many runs both have.
    pub(super) fn common(&self, other: &Self) -> usize {
        let (mut own, mut others, mut common) = (0, 0, 0);
        // Without branches that a processor would guess wrong at every other step.
        while let (Some(one), Some(two)) = (self.runs.get(own), other.runs.get(others)) {
            common += usize::from(one == two);
            own += usize::from(one <= two);
            others += usize::from(two <= one);
        }
        common
    }
}

/// Returns the hashes of the runs of a text, in their order.
fn runs(text: &str) -> Vec<u64> {
    let words: Vec<u64> = words(text).take(MOST + RUN).collect();
    let hash = |run: &[u64]| {
        let mut hasher = FxHasher::default();
        run.iter().for_each(|word| hasher.write_u64(*word));
        hasher.finish()
    };
    words.windows(RUN.min(words.len()).max(1)).map(hash).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of runs are small")]
fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

fn words(text: &str) -> impl Iterator<Item = u64> {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        let first = chars.find(|c| c.is_alphanumeric())?;
        let mut hasher = FxHasher::default();
        write(first, &mut hasher);
        while !is_unspaced(first)
            && let Some(next) = chars.next_if(|c| c.is_alphanumeric() && !is_unspaced(*c))
        {
            write(next, &mut hasher);
        }
        Some(hasher.finish())
    })
}

fn write(letter: char, hasher: &mut FxHasher) {
    if letter.is_ascii() {
        return hasher.write_u32(u32::from(letter.to_ascii_lowercase()));
    }
    let mut bytes = [0; 4];
    folded(letter.encode_utf8(&mut bytes)).for_each(|c| hasher.write_u32(u32::from(c)));
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
