//! Two items of one prompt with the same label: the model can't tell them apart.

use super::Subject;
use crate::analysis::visible::Shown;
use crate::codes;
use contexture_diagnostic::Diagnostic;

/// The most uses before one with which its label is compared.
const COMPARED: usize = 256;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for shown in subject.visible.uses.iter().filter(|shown| shown.seen) {
        let Some(label) = &shown.used.label else { continue };
        let mut before = subject.visible.chain(shown.above).take(COMPARED);
        let Some(first) = before.find(|other| label_of(other) == Some(label.value.as_str())) else {
            continue;
        };
        let message = format!("two items of one prompt have the label `{}`", label.value);
        let fault = codes::SAME_LABEL.at(label.span, message);
        let place = first.used.label.as_ref().map_or(first.used.span, |label| label.span);
        let fault = fault.with_label(place, "the first one");
        found.push(
            fault.with_help("give each a label of its own, so that the model can tell them apart"),
        );
    }
}

fn label_of<'u>(shown: &'u Shown<'_>) -> Option<&'u str> {
    shown.used.label.as_ref().map(|label| label.value.as_str())
}
