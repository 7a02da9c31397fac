//! The standard layout, as edits of the lines that change.

use crate::protocol::{self, At};
use crate::state::View;
use contexture_diagnostic::Span;
use contexture_script::format::format;
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Returns the edits that lay out a document; none when it has syntax errors.
pub(crate) fn whole(view: View<'_>) -> Vec<Value> {
    edits(view, None)
}

/// Returns the edits that lay out the lines of a range.
pub(crate) fn range(view: View<'_>, at: &At) -> Vec<Value> {
    edits(view, at.range.map(|range| range.span(view.source())))
}

fn edits(view: View<'_>, within: Option<Span>) -> Vec<Value> {
    let source = view.source();
    let Ok(text) = format(source, view.files.limits()) else { return Vec::new() };
    let old: Vec<&str> = source.text().split_inclusive('\n').collect();
    let new: Vec<&str> = text.split_inclusive('\n').collect();
    let starts = starts(&old);
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (before, after) = (op.old_range(), op.new_range());
        let at = |line: usize| starts.get(line).copied().unwrap_or(u32::MAX);
        let span = Span::new(at(before.start), at(before.end));
        if within.is_none_or(|within| span.start <= within.end && within.start <= span.end) {
            let text = new.get(after).unwrap_or_default().concat();
            edits.push(protocol::edit(source, span, &text));
        }
    }
    edits
}

/// Returns the offset of each line, and that of the end.
fn starts(lines: &[&str]) -> Vec<u32> {
    let mut starts = vec![0_u32];
    let mut sum = 0_usize;
    for line in lines {
        sum += line.len();
        starts.push(u32::try_from(sum).unwrap_or(u32::MAX));
    }
    starts
}
