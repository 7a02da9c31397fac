use crate::{Diagnostic, Edit};
use std::collections::BTreeSet;

/// Applies the fixes that do not overlap an earlier one, and returns the text and their number.
///
/// ```
/// use contexture_diagnostic::{Diagnostic, Span, apply};
///
/// let fault = Diagnostic::error("XX1", "spare `;`", Span::new(1, 2)).with_edit(Span::new(1, 2), "");
/// assert_eq!(apply("a;b", [&fault]), ("ab".to_owned(), 1));
/// ```
#[must_use]
pub fn apply<'f>(text: &str, faults: impl IntoIterator<Item = &'f Diagnostic>) -> (String, usize) {
    let mut faults: Vec<&Diagnostic> =
        faults.into_iter().filter(|fault| !fault.fix.is_empty()).collect();
    faults.sort_by_key(|fault| fault.fix.iter().map(|edit| edit.span.start).min());
    let mut edits: Vec<&Edit> = Vec::new();
    let mut applied = 0;
    let mut end = 0;
    // Of two insertions at one place nobody knows which comes first.
    let mut insertions = BTreeSet::new();
    for fault in faults {
        let overlaps = |edit: &Edit| {
            edit.span.start < end || edit.span.is_empty() && insertions.contains(&edit.span.start)
        };
        if fault.fix.iter().any(overlaps) {
            continue;
        }
        let inserted = fault.fix.iter().filter(|edit| edit.span.is_empty());
        insertions.extend(inserted.map(|edit| edit.span.start));
        end = fault.fix.iter().map(|edit| edit.span.end).max().unwrap_or(end);
        edits.extend(&fault.fix);
        applied += 1;
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    (edited(text, &edits), applied)
}

fn edited(text: &str, edits: &[&Edit]) -> String {
    let mut out = String::with_capacity(text.len() + edits.len() * 4);
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start as usize).unwrap_or_default());
        out.push_str(&edit.replacement);
        at = edit.span.end as usize;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn fault(edits: &[(u32, u32, &str)]) -> Diagnostic {
        let bare = Diagnostic::error("XX1", "wrong", Span::at(0));
        edits
            .iter()
            .fold(bare, |all, (start, end, text)| all.with_edit(Span::new(*start, *end), *text))
    }

    #[test]
    fn ty_4_fixes_that_overlap_an_earlier_one_are_left_out() {
        let faults =
            [fault(&[(4, 6, "Y")]), fault(&[(0, 1, "X"), (5, 5, "!")]), fault(&[(5, 5, "?")])];
        assert_eq!(apply("abcdefg", &faults), ("Xbcde!fg".to_owned(), 1));
        assert_eq!(apply("abcdefg", &[]), ("abcdefg".to_owned(), 0));
    }
}
