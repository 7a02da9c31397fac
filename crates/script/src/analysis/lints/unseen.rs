//! A `use` that no `generate` can see: the prompt lacks what was meant to be in it.

use super::Subject;
use crate::analysis::visible::{Call, Shown};
use crate::codes;
use contexture_diagnostic::Diagnostic;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for shown in subject.visible.uses.iter().filter(|shown| !shown.seen) {
        let calls: Vec<&Call<'_>> =
            subject.visible.calls.iter().filter(|call| is_in_function_of(call, shown)).collect();
        let fault = codes::UNSEEN_USE.at(shown.used.span, "no `generate` sees this `use`");
        let next = calls.iter().find(|call| shown.used.span.start < call.span.start);
        found.push(match (next, calls.last()) {
            (Some(next), _) => fault
                .with_label(next.span, "this one stands outside of the block of the `use`")
                .with_help(
                    "assign the value in the block, and put the `use` before the `generate`, outside of the block",
                ),
            (None, Some(last)) => fault
                .with_label(last.span, "the last one stands before it")
                .with_help("move it before the `generate` that should see it, or remove it"),
            (None, None) => fault.with_help(
                "only a `generate` of the same function, or of the same agent, sees it: pass the value on as an argument, or remove it",
            ),
        });
    }
}

fn is_in_function_of(call: &Call<'_>, shown: &Shown<'_>) -> bool {
    shown.function.is_some_and(|function| std::ptr::eq(function, call.function))
}
