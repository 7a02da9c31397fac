//! Walks over a text from either end, seam by seam, until a limit is exceeded.

use super::ruler::Ruler;

/// The length of a step: enough to make a new start at each seam cheap.
const STEP: usize = 1024;
/// The greatest error of a step's count without a seam: it may differ from the count within the
/// whole text, but not by more than the last token's neighbourhood.
pub(super) const BLUR: usize = 64;

/// A position in the text with the tokens between it and the start of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) at: usize,
    pub(super) tokens: usize,
    /// True if `tokens` stays valid whatever replaces the text beyond.
    pub(super) sure: bool,
}

pub(super) const NOWHERE: Stop = Stop { at: 0, tokens: 0, sure: true };

/// The stops of a walk, in its direction. The first is its start, with no tokens.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) stops: Vec<Stop>,
    /// The count of the whole text, if the walk reached its other end within the limit.
    pub(super) whole: Option<usize>,
    /// The token ends between the last two stops, if the last one is not sure: encoding such a
    /// stretch is most of a cut's cost there, so it is done once.
    last_ends: Vec<usize>,
}

impl Walk {
    const fn new() -> Self {
        Self { stops: Vec::new(), whole: None, last_ends: Vec::new() }
    }

    /// Returns the index of the last stop of at most `limit` tokens.
    pub(super) fn within(&self, limit: usize) -> usize {
        self.stops.partition_point(|stop| stop.tokens <= limit).saturating_sub(1)
    }

    pub(super) fn stop(&self, index: usize) -> Stop {
        let last = self.stops.last().copied();
        self.stops.get(index).copied().or(last).unwrap_or(NOWHERE)
    }

    /// Returns the furthest sure stop that `is_near` enough.
    pub(super) fn sure(&self, is_near: impl Fn(Stop) -> bool) -> Stop {
        let found = self.stops.iter().rfind(|stop| stop.sure && is_near(**stop)).copied();
        found.unwrap_or(self.stop(0))
    }

    /// Returns the token ends between the stop of that index and the next one.
    pub(super) fn ends_after(&self, ruler: Ruler<'_>, text: &str, index: usize) -> Vec<usize> {
        let (one, next) = (self.stop(index), self.stop(index + 1));
        if !next.sure {
            return self.last_ends.clone();
        }
        token_ends(ruler, text, one.at.min(next.at), one.at.max(next.at))
    }

    /// Continues from the front until more than `limit` tokens are passed.
    pub(super) fn front_until(&mut self, ruler: Ruler<'_>, text: &str, limit: usize) {
        let Stop { mut at, mut tokens, .. } = self.resume(0);
        while at < text.len() && tokens <= limit {
            let step = self.forward(ruler, text, at, limit - tokens);
            (at, tokens) = (step.at, tokens + step.tokens);
            self.stops.push(Stop { tokens, ..step });
        }
        self.whole = (at == text.len() && tokens <= limit).then_some(tokens);
    }

    /// Continues from the back until more than `limit` tokens are passed.
    pub(super) fn back_until(&mut self, ruler: Ruler<'_>, text: &str, limit: usize) {
        let Stop { mut at, mut tokens, .. } = self.resume(text.len());
        while at > 0 && tokens <= limit {
            let step = self.backward(ruler, text, at, limit - tokens);
            (at, tokens) = (step.at, tokens + step.tokens);
            self.stops.push(Stop { tokens, ..step });
        }
        self.whole = (at == 0 && tokens <= limit).then_some(tokens);
    }

    /// Returns the last sure stop, where a walk can continue.
    fn resume(&mut self, start: usize) -> Stop {
        self.stops.pop_if(|stop| !stop.sure);
        if self.stops.is_empty() {
            self.stops.push(Stop { at: start, tokens: 0, sure: true });
        }
        self.stop(usize::MAX)
    }

    fn forward(&mut self, ruler: Ruler<'_>, text: &str, from: usize, left: usize) -> Stop {
        let (mut searched, mut size) = (STEP / 2, STEP);
        loop {
            let target = text.floor_char_boundary(from.saturating_add(size));
            let mut found = seams(ruler, text, from + searched, target);
            // A large step stops at its first seam: the amount after it is unknown.
            let seam = if size == STEP { found.next_back() } else { found.next() };
            let end = (target == text.len()).then_some(target);
            if let Some(at) = end.or(seam) {
                return Stop { at, tokens: count(ruler, text, from, at), sure: true };
            }
            let tokens = match self.count_unsure(ruler, text, (from, target), left) {
                Ok(stop) => return Stop { at: target, ..stop },
                Err(tokens) => tokens,
            };
            (searched, size) = (size, grow(size, tokens, left));
        }
    }

    fn backward(&mut self, ruler: Ruler<'_>, text: &str, from: usize, left: usize) -> Stop {
        let (mut searched, mut size) = (STEP / 2, STEP);
        loop {
            let target = text.ceil_char_boundary(from.saturating_sub(size));
            let mut found = seams(ruler, text, target, from.saturating_sub(searched));
            let seam = if size == STEP { found.next() } else { found.next_back() };
            let end = (target == 0).then_some(0);
            if let Some(at) = end.or(seam) {
                return Stop { at, tokens: count(ruler, text, at, from), sure: true };
            }
            let tokens = match self.count_unsure(ruler, text, (target, from), left) {
                Ok(stop) => return Stop { at: target, ..stop },
                Err(tokens) => tokens,
            };
            (searched, size) = (size, grow(size, tokens, left));
        }
    }

    /// Counts the tokens of a stretch that ends at no seam: returns a stop if they are more than
    /// are left.
    fn count_unsure(
        &mut self,
        ruler: Ruler<'_>,
        text: &str,
        (from, to): (usize, usize),
        left: usize,
    ) -> Result<Stop, usize> {
        let ends = token_ends(ruler, text, from, to);
        let tokens = ends.len();
        if tokens <= left.saturating_add(BLUR) {
            return Err(tokens);
        }
        self.last_ends = ends;
        Ok(Stop { at: to, tokens, sure: false })
    }
}

/// The bytes for each token of a limit that are counted at once: a walk would count half of them.
const AT_ONCE: usize = 8;

/// Returns the count of a text that has at most `limit` tokens, or else where counting it ended.
pub(super) fn within(ruler: Ruler<'_>, text: &str, limit: usize) -> Result<usize, Stop> {
    // What is counted as a whole is known again, as what a walk counts is not.
    if text.len() <= limit.saturating_mul(AT_ONCE) {
        let tokens = ruler.count(text);
        let end = Stop { at: text.len(), tokens, sure: true };
        return if tokens <= limit { Ok(tokens) } else { Err(end) };
    }
    let walk = front(ruler, text, limit);
    walk.whole.ok_or_else(|| walk.sure(|_| true))
}

/// Walks from the front until more than `limit` tokens are passed.
pub(super) fn front(ruler: Ruler<'_>, text: &str, limit: usize) -> Walk {
    let mut walk = Walk::new();
    walk.front_until(ruler, text, limit);
    walk
}

/// Walks from the back until more than `limit` tokens are passed.
pub(super) fn back(ruler: Ruler<'_>, text: &str, limit: usize) -> Walk {
    let mut walk = Walk::new();
    walk.back_until(ruler, text, limit);
    walk
}

fn count(ruler: Ruler<'_>, text: &str, from: usize, to: usize) -> usize {
    ruler.count(text.get(from..to).unwrap_or_default())
}

fn token_ends(ruler: Ruler<'_>, text: &str, from: usize, to: usize) -> Vec<usize> {
    let mut ends = ruler.counter.token_ends(text.get(from..to).unwrap_or_default());
    ends.iter_mut().for_each(|end| *end += from);
    ends
}

/// Returns the next size to try after `size` bytes without a seam had `tokens`: what should be
/// enough, and at least twice as much, so that an attempt costs no more than the last one.
fn grow(size: usize, tokens: usize, left: usize) -> usize {
    let wanted = left.saturating_add(2 * BLUR);
    scale(size, wanted, tokens).max(size.saturating_mul(2))
}

/// Returns the seam nearest to the middle of the text, if there is one near.
pub(super) fn middle(ruler: Ruler<'_>, text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let before = seams(ruler, text, half.saturating_sub(STEP), half).next_back();
    before.or_else(|| seams(ruler, text, half, half.saturating_add(STEP)).next())
}

/// Returns the seams in `from..=to` except those at the very beginning, rising.
fn seams<'a>(
    ruler: Ruler<'a>,
    text: &'a str,
    from: usize,
    to: usize,
) -> impl DoubleEndedIterator<Item = usize> + 'a {
    let from = text.floor_char_boundary(from);
    let to = text.floor_char_boundary(to);
    let part = text.get(from..to).unwrap_or_default();
    part.char_indices().filter_map(move |(at, before)| {
        let at = from + at + before.len_utf8();
        let after = text.get(at..)?.chars().next()?;
        ruler.counter.seam(before, after).then_some(at)
    })
}

/// Computes `whole * part / of` without overflow.
pub(super) fn scale(whole: usize, part: usize, of: usize) -> usize {
    let scaled = whole as u128 * part as u128 / of.max(1) as u128;
    usize::try_from(scaled).unwrap_or(usize::MAX)
}
