//! Parts of a text that are in fences of their own.

use std::ops::Range;
use std::sync::Arc;

/// Removes the marks inside those parts: they are already harmless.
pub(super) fn spare(marks: &mut Vec<usize>, text: &str, held: &[Arc<str>]) {
    if held.is_empty() || marks.is_empty() {
        return;
    }
    let places = places(text, held);
    marks.retain(|mark| {
        let before = places.partition_point(|place| place.start < *mark);
        let place = before.checked_sub(1).and_then(|at| places.get(at));
        place.is_none_or(|place| place.end <= *mark)
    });
}

/// Returns the places where the parts occur whole, in order and without overlaps; of two that begin
/// alike the longer one counts.
fn places(text: &str, held: &[Arc<str>]) -> Vec<Range<usize>> {
    let whole = |part: &Arc<str>| text.match_indices(&**part).map(range).collect::<Vec<_>>();
    let held = held.iter().filter(|part| !part.is_empty());
    let mut all: Vec<Range<usize>> = held.flat_map(whole).collect();
    all.sort_unstable_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    let mut end = 0;
    all.retain(|place| {
        let is_apart = place.start >= end;
        if is_apart {
            end = place.end;
        }
        is_apart
    });
    all
}

fn range((start, part): (usize, &str)) -> Range<usize> {
    start..start + part.len()
}
