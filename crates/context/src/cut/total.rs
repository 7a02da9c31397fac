//! The count of a whole text, exact if that is cheap.

use super::ruler::Ruler;
use super::walk::{Stop, scale};

const SAMPLES: usize = 16;
const SAMPLE_BYTES: usize = 256;

/// A count that may be an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) count: usize,
    pub(super) exact: bool,
}

impl Total {
    /// Returns a part of this total, rounded in the same way.
    pub(super) fn part(self, count: usize) -> Self {
        let count = count.min(self.count);
        Self { count: if self.exact { count } else { round(count) }, exact: self.exact }
    }

    pub(super) fn less(self, kept: usize) -> Self {
        self.part(self.count.saturating_sub(kept))
    }
}

/// Returns the count of `text`, whose beginning up to the stop has been counted.
pub(super) fn after(ruler: Ruler<'_>, text: &str, counted: Stop) -> Total {
    let rest = text.get(counted.at..).unwrap_or_default();
    of_rest(ruler, rest, text.len(), counted.tokens)
}

/// Returns the count of `text`, whose end from the stop on has been counted.
pub(super) fn before(ruler: Ruler<'_>, text: &str, counted: Stop) -> Total {
    let rest = text.get(..counted.at).unwrap_or_default();
    of_rest(ruler, rest, text.len(), counted.tokens)
}

/// Returns the count of `text` given that of everything but `rest`.
fn of_rest(ruler: Ruler<'_>, rest: &str, bytes: usize, count: usize) -> Total {
    if ruler.is_cheap(bytes, bytes - rest.len()) {
        Total { count: count + ruler.count(rest), exact: true }
    } else {
        Total { count: round(count.saturating_add(sample(ruler, rest))), exact: false }
    }
}

/// Estimates the count of a large text from evenly spread samples.
fn sample(ruler: Ruler<'_>, text: &str) -> usize {
    let (mut bytes, mut count) = (0, 0);
    for index in 0..SAMPLES {
        let from = text.floor_char_boundary(text.len() / SAMPLES * index);
        let to = text.floor_char_boundary(from + SAMPLE_BYTES);
        let part = text.get(from..to).unwrap_or_default();
        bytes += part.len();
        count += ruler.count(part);
    }
    scale(text.len(), count, bytes)
}

/// Rounds to three significant digits, which is the precision of an estimate.
fn round(count: usize) -> usize {
    let mut unit = 1;
    while count / unit >= 1000 {
        unit *= 10;
    }
    count.saturating_add(unit / 2) / unit * unit
}
