//! The three ways to cut a text: which part stays, where its markers stand.

use super::bounds::{self, NEAR_LINE};
use super::marker::marker;
use super::total::{self, Total};
use super::walk::{self, Walk};
use super::{Cut, Ruler};
use std::borrow::Cow;

/// A text that may still be too long.
struct Attempt {
    text: String,
    count: usize,
    removed: Total,
    is_bare: bool,
}

pub(super) fn head<'a>(ruler: Ruler<'_>, text: &'a str, limit: usize) -> Cut<'a> {
    let walk = walk::front(ruler, text, limit);
    if let Some(count) = walk.whole {
        return Cut::whole(text, count);
    }
    let total = total::after(ruler, text, walk.sure(|_| true));
    let attempt = |room: usize, marked: bool| {
        let end = head_end(ruler, text, &walk, room);
        let kept = text.get(..end).unwrap_or_default();
        let base = walk.sure(|stop| stop.at <= end);
        let removed = total.less(base.tokens + count_from(ruler, kept, base.at));
        let mut text = kept.to_owned();
        if marked {
            text.push_str(&marker(removed, total, ruler.measure));
        }
        let base = walk.sure(|stop| stop.at < end);
        let count = base.tokens + count_from(ruler, &text, base.at);
        Attempt {
            text,
            count,
            removed,
            is_bare: kept.is_empty(),
        }
    };
    finish(ruler, limit, total, attempt)
}

pub(super) fn tail<'a>(ruler: Ruler<'_>, text: &'a str, limit: usize) -> Cut<'a> {
    let walk = walk::back(ruler, text, limit);
    if let Some(count) = walk.whole {
        return Cut::whole(text, count);
    }
    let total = total::before(ruler, text, walk.sure(|_| true));
    let attempt = |room: usize, marked: bool| {
        let start = tail_start(ruler, text, &walk, room);
        let kept = text.get(start..).unwrap_or_default();
        let base = walk.sure(|stop| stop.at >= start);
        let removed = total.less(base.tokens + count_to(ruler, kept, text.len() - base.at));
        let mut made = String::new();
        if marked {
            push_front_marker(
                &mut made,
                &marker(removed, total, ruler.measure),
                text,
                start,
            );
        }
        made.push_str(kept);
        let base = walk.sure(|stop| stop.at > start);
        let count = base.tokens + count_to(ruler, &made, text.len() - base.at);
        Attempt {
            text: made,
            count,
            removed,
            is_bare: kept.is_empty(),
        }
    };
    finish(ruler, limit, total, attempt)
}

/// Tries with a marker, then without one where that leaves no room for text.
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

fn clipped<'a>(total: Total, made: Option<Attempt>) -> Cut<'a> {
    let made = made.unwrap_or(Attempt {
        text: String::new(),
        count: 0,
        removed: total,
        is_bare: true,
    });
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

/// The first attempt of at most `limit`, with less and less room for text beside `reserve`.
///
/// Putting parts together can change their count a little, so what was made is counted, and the
/// room shrinks by what was too much, in steps that double so that it ends soon on any text.
fn shrink(limit: usize, reserve: usize, attempt: impl Fn(usize) -> Attempt) -> Option<Attempt> {
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

/// Where a beginning of at most `room` ends well.
fn head_end(ruler: Ruler<'_>, text: &str, walk: &Walk, room: usize) -> usize {
    let last = walk.within(room);
    let edge = walk.stop(last).at;
    let mut first = last;
    while first > 0 && edge - walk.stop(first).at < NEAR_LINE {
        first -= 1;
    }
    let (from, to) = (walk.stop(first), walk.stop(last + 1).at);
    let part = text.get(from.at..to).unwrap_or_default();
    let token_ends = ruler.counter.token_ends(part);
    let ends = token_ends.into_iter().take(room - from.tokens.min(room));
    let ends = std::iter::once(0).chain(ends).map(|end| from.at + end);
    let ends: Vec<_> = ends
        .filter(|at| *at > 0 && text.is_char_boundary(*at))
        .collect();
    bounds::choose_end(text, &ends)
}

/// Where an end of at most `room` begins well.
fn tail_start(ruler: Ruler<'_>, text: &str, walk: &Walk, room: usize) -> usize {
    let last = walk.within(room);
    let edge = walk.stop(last).at;
    let mut first = last;
    while first > 0 && walk.stop(first).at - edge < NEAR_LINE {
        first -= 1;
    }
    let (to, from) = (walk.stop(first), walk.stop(last + 1).at);
    let part = text.get(from..to.at).unwrap_or_default();
    let token_ends = ruler.counter.token_ends(part);
    let skipped = token_ends.len().saturating_sub(room - to.tokens.min(room));
    let starts = std::iter::once(0)
        .chain(token_ends)
        .skip(skipped)
        .map(|end| from + end);
    let starts: Vec<_> = starts
        .filter(|at| *at < text.len() && text.is_char_boundary(*at))
        .collect();
    bounds::choose_start(text, &starts)
}

fn count_from(ruler: Ruler<'_>, text: &str, from: usize) -> usize {
    ruler.count(text.get(from..).unwrap_or_default())
}

/// The count of `text` but for its last `bytes`.
fn count_to(ruler: Ruler<'_>, text: &str, bytes: usize) -> usize {
    let to = text.len().saturating_sub(bytes);
    ruler.count(text.get(..to).unwrap_or_default())
}

/// The marker before what stays. A line that stays whole stands on a line of its own; a part of
/// one stays on the marker's line, since at the beginning of a line it could pose as something
/// that it was not.
fn push_front_marker(made: &mut String, marker: &str, text: &str, start: usize) {
    made.push_str(marker);
    if bounds::is_line_start(text, start) {
        made.push('\n');
    } else if !text
        .get(start..)
        .is_some_and(|kept| kept.starts_with(char::is_whitespace))
    {
        made.push(' ');
    }
}

/// Where the markers of a kept middle stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markers {
    None,
    One,
    Both,
}

pub(super) fn middle<'a>(ruler: Ruler<'_>, text: &'a str, limit: usize) -> Cut<'a> {
    let walk = walk::front(ruler, text, limit);
    if let Some(count) = walk.whole {
        return Cut::whole(text, count);
    }
    let total = total::after(ruler, text, walk.sure(|_| true));
    let middle = Middle::new(ruler, text, limit, total);
    let one = ruler.count(&marker(total, total, ruler.measure));
    let both = one.saturating_mul(2).saturating_add(1);
    let mut plans = vec![(one, Markers::One), (0, Markers::None)];
    if both.saturating_mul(2) <= limit {
        plans.insert(0, (both, Markers::Both));
    }
    let mut bare = None;
    for (reserve, markers) in plans {
        match shrink(limit, reserve, |room| middle.attempt(room, markers)) {
            Some(made) if !made.is_bare => return clipped(total, Some(made)),
            made => bare = bare.or(made),
        }
    }
    clipped(total, bare)
}

struct Middle<'a, 'c> {
    ruler: Ruler<'c>,
    text: &'a str,
    half: &'a str,
    /// The walk back from the middle.
    walk: Walk,
    limit: usize,
    total: Total,
}

impl<'a, 'c> Middle<'a, 'c> {
    fn new(ruler: Ruler<'c>, text: &'a str, limit: usize, total: Total) -> Self {
        let middle = text.floor_char_boundary(text.len() / 2);
        let half = text
            .get(..bounds::grapheme_after(text, middle))
            .unwrap_or_default();
        let walk = walk::back(ruler, half, limit / 2);
        Self {
            ruler,
            text,
            half,
            walk,
            limit,
            total,
        }
    }

    fn attempt(&self, room: usize, markers: Markers) -> Attempt {
        let (start, end) = self.range(room);
        let kept = self.text.get(start..end).unwrap_or_default();
        let kept_count = self.ruler.count(kept);
        let front = self.count_before(start);
        let removed = self.total.less(kept_count);
        let (before, after) = match markers {
            Markers::None => (None, None),
            Markers::One if end == self.text.len() => (Some(removed), None),
            Markers::One => (None, Some(removed)),
            Markers::Both => (
                (start > 0).then_some(front),
                (end < self.text.len()).then_some(self.total.less(kept_count + front.count)),
            ),
        };
        let marker = |removed| marker(removed, self.total, self.ruler.measure);
        let mut text = String::new();
        if let Some(removed) = before {
            push_front_marker(&mut text, &marker(removed), self.text, start);
        }
        text.push_str(kept);
        if let Some(removed) = after {
            text.push_str(&marker(removed));
        }
        let count = self.ruler.count(&text);
        Attempt {
            text,
            count,
            removed,
            is_bare: kept.is_empty(),
        }
    }

    /// The middle part of at most `room`; more of one side where the other is short.
    fn range(&self, room: usize) -> (usize, usize) {
        let (ruler, text) = (self.ruler, self.text);
        let start = match self.walk.whole {
            Some(count) if count <= room / 2 => 0,
            _ => tail_start(ruler, self.half, &self.walk, room / 2),
        };
        let rest = text.get(start..).unwrap_or_default();
        let walk = walk::front(ruler, rest, self.limit.min(room));
        if walk.whole.is_none() {
            return (start, start + head_end(ruler, rest, &walk, room));
        }
        let walk = walk::back(ruler, text, room);
        (tail_start(ruler, text, &walk, room), text.len())
    }

    fn count_before(&self, start: usize) -> Total {
        let count = if self.total.exact {
            self.ruler.count(self.text.get(..start).unwrap_or_default())
        } else {
            total::scale(self.total.count, start, self.text.len())
        };
        self.total.part(count)
    }
}
