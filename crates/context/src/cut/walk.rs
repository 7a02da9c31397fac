//! Walking a text from either end, seam by seam, until a limit is passed.

use super::Ruler;
use super::total::scale;

/// How far a step goes: enough to make starting anew at each seam cheap.
const STEP: usize = 1024;
/// Where no seam ends a step, its count may differ from what the whole text has there, but not by
/// more than the last token's neighbourhood.
const BLUR: usize = 64;

/// A place in the text with the tokens between it and the end that the walk began at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) at: usize,
    pub(super) tokens: usize,
    /// Whether `tokens` stays true whatever replaces the text beyond.
    pub(super) sure: bool,
}

pub(super) const NOWHERE: Stop = Stop { at: 0, tokens: 0, sure: true };

/// The stops of a walk, in its direction. The first is the end it began at, with no tokens.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) stops: Vec<Stop>,
    /// The count of the whole text, if the walk came to its other end within the limit.
    pub(super) whole: Option<usize>,
}

impl Walk {
    /// The index of the last stop of at most `limit` tokens.
    pub(super) fn within(&self, limit: usize) -> usize {
        self.stops.partition_point(|stop| stop.tokens <= limit).saturating_sub(1)
    }

    /// The stop of that index, or the last one.
    pub(super) fn stop(&self, index: usize) -> Stop {
        let last = self.stops.last().copied();
        self.stops.get(index).copied().or(last).unwrap_or(NOWHERE)
    }

    /// The furthest sure stop that `is_near` enough.
    pub(super) fn sure(&self, is_near: impl Fn(Stop) -> bool) -> Stop {
        let found = self.stops.iter().rfind(|stop| stop.sure && is_near(**stop)).copied();
        found.unwrap_or(self.stop(0))
    }
}

/// Walks from the front until more than `limit` tokens are passed.
pub(super) fn front(ruler: Ruler<'_>, text: &str, limit: usize) -> Walk {
    let mut stops = vec![Stop { at: 0, tokens: 0, sure: true }];
    let (mut at, mut tokens) = (0, 0);
    while at < text.len() && tokens <= limit {
        let step = forward(ruler, text, at, limit - tokens);
        (at, tokens) = (step.at, tokens + step.tokens);
        stops.push(Stop { tokens, ..step });
    }
    Walk { stops, whole: (at == text.len() && tokens <= limit).then_some(tokens) }
}

/// Walks from the back until more than `limit` tokens are passed.
pub(super) fn back(ruler: Ruler<'_>, text: &str, limit: usize) -> Walk {
    let mut stops = vec![Stop { at: text.len(), tokens: 0, sure: true }];
    let (mut at, mut tokens) = (text.len(), 0);
    while at > 0 && tokens <= limit {
        let step = backward(ruler, text, at, limit - tokens);
        (at, tokens) = (step.at, tokens + step.tokens);
        stops.push(Stop { tokens, ..step });
    }
    Walk { stops, whole: (at == 0 && tokens <= limit).then_some(tokens) }
}

fn forward(ruler: Ruler<'_>, text: &str, from: usize, left: usize) -> Stop {
    let count = |to| ruler.count(text.get(from..to).unwrap_or_default());
    let (mut searched, mut size) = (STEP / 2, STEP);
    loop {
        let target = text.floor_char_boundary(from.saturating_add(size));
        if target == text.len() {
            return Stop { at: target, tokens: count(target), sure: true };
        }
        let mut found = seams(ruler, text, from + searched, target);
        // A large step stops at its first seam: how much lies behind it is not known.
        if let Some(at) = if size == STEP { found.next_back() } else { found.next() } {
            return Stop { at, tokens: count(at), sure: true };
        }
        let tokens = count(target);
        if tokens > left.saturating_add(BLUR) {
            return Stop { at: target, tokens, sure: false };
        }
        (searched, size) = (size, grow(size, tokens, left));
    }
}

fn backward(ruler: Ruler<'_>, text: &str, from: usize, left: usize) -> Stop {
    let count = |to| ruler.count(text.get(to..from).unwrap_or_default());
    let (mut searched, mut size) = (STEP / 2, STEP);
    loop {
        let target = text.ceil_char_boundary(from.saturating_sub(size));
        if target == 0 {
            return Stop { at: 0, tokens: count(0), sure: true };
        }
        let mut found = seams(ruler, text, target, from - searched);
        if let Some(at) = if size == STEP { found.next() } else { found.next_back() } {
            return Stop { at, tokens: count(at), sure: true };
        }
        let tokens = count(target);
        if tokens > left.saturating_add(BLUR) {
            return Stop { at: target, tokens, sure: false };
        }
        (searched, size) = (size, grow(size, tokens, left));
    }
}

/// The next size to try where `size` bytes without a seam have `tokens`: what should be enough,
/// and at least twice as much, so that trying costs no more than the last try.
fn grow(size: usize, tokens: usize, left: usize) -> usize {
    let wanted = left.saturating_add(2 * BLUR);
    scale(size, wanted, tokens).max(size.saturating_mul(2))
}

/// The seam nearest to the middle of the text, if there is one near.
pub(super) fn middle(ruler: Ruler<'_>, text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let before = seams(ruler, text, half.saturating_sub(STEP), half).next_back();
    before.or_else(|| seams(ruler, text, half, half.saturating_add(STEP)).next())
}

/// The seams in `from..=to` but for those at the very beginning, rising.
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
