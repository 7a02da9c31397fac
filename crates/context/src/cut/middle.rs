//! Cuts that keep the middle of a text.

use super::bounds;
use super::ends::{Attempt, Head, Tail, clipped, front_marker, shrink};
use super::marker::marker;
use super::ruler::{Cut, Ruler};
use super::total::{self, Total};
use super::walk::{self, Walk};

/// The places of the markers around a kept middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markers {
    None,
    One,
    Both,
}

pub(super) fn middle<'a>(ruler: Ruler<'_>, text: &'a str, limit: usize) -> Cut<'a> {
    let middle = match Middle::new(ruler, text, limit) {
        Ok(middle) => middle,
        Err(count) => return Cut::whole(text, count),
    };
    let total = middle.total;
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

/// A text whose middle is kept: an end of its first half and a beginning of its second.
struct Middle<'a, 'c> {
    ruler: Ruler<'c>,
    text: &'a str,
    left: Tail<'a, 'c>,
    right: Head<'a, 'c>,
    /// True if the counts of the halves add up.
    is_seam: bool,
    total: Total,
}

impl<'a, 'c> Middle<'a, 'c> {
    /// Returns the count of the text if it fits the limit.
    fn new(ruler: Ruler<'c>, text: &'a str, limit: usize) -> Result<Self, usize> {
        let seam = walk::middle(ruler, text);
        let half = || bounds::grapheme_after(text, text.floor_char_boundary(text.len() / 2));
        let half = seam.filter(|at| bounds::is_grapheme_end(text, *at)).unwrap_or_else(half);
        let is_seam = seam == Some(half);
        let (before, after) = text.split_at_checked(half).unwrap_or((text, ""));
        let (left, right) = walk_halves(ruler, before, after, limit);
        let left = Tail { ruler, text: before, walk: left };
        let right = Head { ruler, text: after, walk: right };
        if let (Some(left), Some(right)) = (left.walk.whole, right.walk.whole) {
            let count = if is_seam { left + right } else { ruler.count(text) };
            if count <= limit {
                return Err(count);
            }
        }
        let total = Self::count_all(ruler, text, &left, &right, is_seam);
        Ok(Self { ruler, text, left, right, is_seam, total })
    }

    fn count_all(
        ruler: Ruler<'_>,
        text: &str,
        left: &Tail<'_, '_>,
        right: &Head<'_, '_>,
        is_seam: bool,
    ) -> Total {
        let (from, to) = (left.walk.sure(|_| true), right.walk.sure(|_| true));
        let counted = left.text.len() - from.at + to.at;
        if !is_seam || !ruler.is_cheap(text.len(), counted) {
            return total::after(ruler, text, walk::NOWHERE);
        }
        let rest = ruler.count(left.text.get(..from.at).unwrap_or_default())
            + ruler.count(right.text.get(to.at..).unwrap_or_default());
        Total { count: from.tokens + to.tokens + rest, exact: true }
    }

    fn attempt(&self, room: usize, markers: Markers) -> Attempt {
        let (start, end) = self.range(room);
        let half = self.left.text.len();
        let kept = self.text.get(start..half + end).unwrap_or_default();
        let is_split = self.is_seam && start < half && end > 0;
        let kept_count = if is_split {
            self.left.count(start, "") + self.right.count(end, "")
        } else {
            self.ruler.count(kept)
        };
        let (before, after) = self.markers(markers, start, end, kept_count);
        let with_before = self.ruler.count_at_seam(kept_count, (&before, kept), &before);
        let with_both = with_before
            .and_then(|count| self.ruler.count_at_seam(count, (kept, &after), &after))
            .filter(|_| !kept.is_empty());
        let count = with_both.unwrap_or_else(|| {
            if is_split {
                self.left.count(start, &before) + self.right.count(end, &after)
            } else {
                self.ruler.count(&format!("{before}{kept}{after}"))
            }
        });
        let removed = self.total.less(kept_count);
        let text = format!("{before}{kept}{after}");
        Attempt { text, count, removed, is_bare: kept.is_empty() }
    }

    fn markers(&self, markers: Markers, start: usize, end: usize, kept: usize) -> (String, String) {
        let marker = |removed| marker(removed, self.total, self.ruler.measure);
        let front = |removed| front_marker(marker(removed), self.text, start);
        let is_end = end == self.right.text.len();
        match markers {
            Markers::None => (String::new(), String::new()),
            Markers::One if is_end => (front(self.total.less(kept)), String::new()),
            Markers::One => (String::new(), marker(self.total.less(kept))),
            Markers::Both => {
                let gone = self.count_before(start);
                let before = if start > 0 { front(gone) } else { String::new() };
                let rest = self.total.less(kept.saturating_add(gone.count));
                (before, if is_end { String::new() } else { marker(rest) })
            }
        }
    }

    /// Returns the start of the middle part of at most `room` in the first half and its end in the
    /// second; more of one half if the other is short.
    fn range(&self, room: usize) -> (usize, usize) {
        let all = |walk: &Walk| walk.whole.unwrap_or(usize::MAX);
        let (left, right) = (all(&self.left.walk), all(&self.right.walk));
        let half = room / 2;
        let left_room = room - right.min(room - half);
        let right_room = room - left.min(half);
        let start = if left <= left_room { 0 } else { self.left.start(left_room) };
        let is_whole = right <= right_room;
        let end = if is_whole { self.right.text.len() } else { self.right.end(right_room) };
        (start, end)
    }

    fn count_before(&self, start: usize) -> Total {
        let count = if self.total.exact {
            self.ruler.count(self.text.get(..start).unwrap_or_default())
        } else {
            walk::scale(self.total.count, start, self.text.len())
        };
        self.total.part(count)
    }
}

/// Walks from the middle to both sides.
///
/// Usually each half fills half of the limit, and a little more since the joined text may count a
/// little less; one half more if the other is short.
fn walk_halves(ruler: Ruler<'_>, before: &str, after: &str, limit: usize) -> (Walk, Walk) {
    let half = (limit / 2).saturating_add(walk::BLUR);
    let mut left = walk::back(ruler, before, half);
    let mut right = walk::front(ruler, after, half);
    match (left.whole, right.whole) {
        (Some(count), None) => right.front_until(ruler, after, limit - count.min(limit) / 2),
        (None, Some(count)) => left.back_until(ruler, before, limit - count.min(limit) / 2),
        _ => {}
    }
    (left, right)
}
