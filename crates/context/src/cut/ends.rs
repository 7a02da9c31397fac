//! Cuts that keep the head or the tail of a text.

use super::bounds::{self, NEAR_LINE};
use super::marker::marker;
use super::ruler::{Cut, Ruler};
use super::total::{self, Total};
use super::walk::{self, Walk};
use std::borrow::Cow;

/// A text that may still be too long.
pub(super) struct Attempt {
    pub(super) text: String,
    pub(super) count: usize,
    pub(super) removed: Total,
    /// True if it contains nothing of the text.
    pub(super) is_bare: bool,
}

pub(super) fn head<'a>(ruler: Ruler<'_>, text: &'a str, limit: usize) -> Cut<'a> {
    let head = Head { ruler, text, walk: walk::front(ruler, text, limit) };
    if let Some(count) = head.walk.whole {
        return Cut::whole(text, count);
    }
    let total = total::after(ruler, text, head.walk.sure(|_| true));
    finish(ruler, limit, total, |room, marked| {
        let end = head.end(room);
        let kept_count = head.count(end, "");
        let removed = total.less(kept_count);
        let marker = if marked { marker(removed, total, ruler.measure) } else { String::new() };
        let kept = text.get(..end).unwrap_or_default();
        let sum = ruler.count_at_seam(kept_count, (kept, &marker), &marker);
        let count = sum.unwrap_or_else(|| head.count(end, &marker));
        Attempt { text: format!("{kept}{marker}"), count, removed, is_bare: kept.is_empty() }
    })
}

pub(super) fn tail<'a>(ruler: Ruler<'_>, text: &'a str, limit: usize) -> Cut<'a> {
    let tail = Tail { ruler, text, walk: walk::back(ruler, text, limit) };
    if let Some(count) = tail.walk.whole {
        return Cut::whole(text, count);
    }
    let total = total::before(ruler, text, tail.walk.sure(|_| true));
    finish(ruler, limit, total, |room, marked| {
        let start = tail.start(room);
        let kept_count = tail.count(start, "");
        let removed = total.less(kept_count);
        let marker = marker(removed, total, ruler.measure);
        let marker = if marked { front_marker(marker, text, start) } else { String::new() };
        let kept = text.get(start..).unwrap_or_default();
        let sum = ruler.count_at_seam(kept_count, (&marker, kept), &marker);
        let count = sum.unwrap_or_else(|| tail.count(start, &marker));
        Attempt { text: format!("{marker}{kept}"), count, removed, is_bare: kept.is_empty() }
    })
}

/// Tries with a marker, then without one if that leaves no room for text.
fn finish<'a>(
    ruler: Ruler<'_>,
    limit: usize,
    total: Total,
    attempt: impl Fn(usize, bool) -> Attempt,
) -> Cut<'a> {
    let reserve = ruler.count(&marker(total, total, ruler.measure));
    let marked = shrink(limit, reserve, |room| attempt(room, true));
    let made = match marked {
        Some(made) if !made.is_bare => Some(made),
        only_marker => {
            let plain = shrink(limit, 0, |room| attempt(room, false));
            plain.filter(|made| !made.is_bare).or(only_marker)
        }
    };
    clipped(total, made)
}

pub(super) fn clipped<'a>(total: Total, made: Option<Attempt>) -> Cut<'a> {
    let made =
        made.unwrap_or(Attempt { text: String::new(), count: 0, removed: total, is_bare: true });
    Cut {
        text: Cow::Owned(made.text),
        clipped: true,
        before: total.count,
        before_exact: total.exact,
        after: made.count,
        removed: made.removed.count,
        kept: None,
    }
}

/// Returns the first attempt of at most `limit`, with less and less room for text beside `reserve`.
///
/// Joining parts can change their count a little, so each attempt is counted, and the room shrinks
/// by the excess, in steps that double so that it ends soon on any text.
pub(super) fn shrink(
    limit: usize,
    reserve: usize,
    attempt: impl Fn(usize) -> Attempt,
) -> Option<Attempt> {
    let mut room = limit.checked_sub(reserve)?;
    let mut step = 1_usize;
    while room > 0 {
        let made = attempt(room);
        let Some(excess) = made.count.checked_sub(limit).filter(|excess| *excess > 0) else {
            return Some(made);
        };
        room = room.saturating_sub(excess.max(step));
        step = step.saturating_mul(2);
    }
    None
}

/// Puts the marker before the kept part. A line that stays whole is on a line of its own; a part of
/// one stays on the marker's line, since at the beginning of a line it could imitate something that
/// it was not.
pub(super) fn front_marker(mut marker: String, text: &str, start: usize) -> String {
    if bounds::is_line_start(text, start) {
        marker.push('\n');
    } else if !text.get(start..).is_some_and(|kept| kept.starts_with(char::is_whitespace)) {
        marker.push(' ');
    }
    marker
}

/// A text whose beginning is kept.
pub(super) struct Head<'a, 'c> {
    pub(super) ruler: Ruler<'c>,
    pub(super) text: &'a str,
    pub(super) walk: Walk,
}

impl Head<'_, '_> {
    /// Returns the best end of a beginning of at most `room`.
    pub(super) fn end(&self, room: usize) -> usize {
        let last = self.walk.within(room);
        let edge = self.walk.stop(last).at;
        let mut first = last;
        while first > 0 && edge - self.walk.stop(first).at < NEAR_LINE {
            first -= 1;
        }
        let from = self.walk.stop(first);
        let ends = (first..=last).flat_map(|at| self.walk.ends_after(self.ruler, self.text, at));
        let ends = ends.take(room - from.tokens.min(room));
        let ends = std::iter::once(from.at).chain(ends);
        let ends: Vec<_> = ends.filter(|at| *at > 0 && self.text.is_char_boundary(*at)).collect();
        bounds::choose_end(self.text, &ends)
    }

    /// Returns the count of the text up to `end` followed by `suffix`, from the last seam on.
    pub(super) fn count(&self, end: usize, suffix: &str) -> usize {
        let base = self.walk.sure(|stop| stop.at < end);
        let rest = self.text.get(base.at..end).unwrap_or_default();
        base.tokens + self.ruler.count_joined(rest, suffix)
    }
}

/// A text whose end is kept.
pub(super) struct Tail<'a, 'c> {
    pub(super) ruler: Ruler<'c>,
    pub(super) text: &'a str,
    pub(super) walk: Walk,
}

impl Tail<'_, '_> {
    /// Returns the best start of an end of at most `room`.
    pub(super) fn start(&self, room: usize) -> usize {
        let last = self.walk.within(room);
        let edge = self.walk.stop(last).at;
        let mut first = last;
        while first > 0 && self.walk.stop(first).at - edge < NEAR_LINE {
            first -= 1;
        }
        let (to, from) = (self.walk.stop(first), self.walk.stop(last + 1).at);
        let ends = |at| self.walk.ends_after(self.ruler, self.text, at);
        let ends: Vec<_> = (first..=last).rev().flat_map(ends).collect();
        let skipped = ends.len().saturating_sub(room - to.tokens.min(room));
        let starts = std::iter::once(from).chain(ends).skip(skipped);
        let is_start = |at: &usize| *at < self.text.len() && self.text.is_char_boundary(*at);
        let starts: Vec<_> = starts.filter(is_start).collect();
        bounds::choose_start(self.text, &starts)
    }

    /// Returns the count of the text from `start` with `prefix` before it, up to the first seam.
    pub(super) fn count(&self, start: usize, prefix: &str) -> usize {
        let base = self.walk.sure(|stop| stop.at > start);
        let rest = self.text.get(start..base.at).unwrap_or_default();
        base.tokens + self.ruler.count_joined(prefix, rest)
    }
}
