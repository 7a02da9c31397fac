//! Errors of meaning that only follow from an error of syntax: one fault is reported once (TY-5).
//!
//! Decision: behind an error of syntax, the rest of its function is not understood well enough to say
//! what is wrong with it; the other functions are. Outside of functions, an error of syntax hides what
//! the file declares, so that nothing is said of missing declarations.

use crate::codes;
use crate::program::ProgramFile;
use crate::syntax::ast::Item;
use contexture_diagnostic::{Diagnostic, Severity, Span};

/// Faults of names that a part that was not understood may declare.
const OF_DECLARATIONS: [&str; 8] = [
    codes::UNKNOWN_NAME.code,
    codes::NOT_CALLABLE.code,
    codes::UNKNOWN_FUNCTION.code,
    codes::MISSING_MAIN.code,
    codes::UNKNOWN_MODEL.code,
    codes::IMPORT_WITHOUT_AGENT.code,
    codes::NO_ENTRY.code,
    codes::WRONG_ARITY.code,
];

/// Faults of syntax after which it is not clear what belongs where.
const OF_STRUCTURE: [&str; 6] = [
    codes::UNEXPECTED_TOKEN.code,
    codes::UNCLOSED_BRACKET.code,
    codes::STRAY_CLOSER.code,
    codes::UNCLOSED_STRING.code,
    codes::MISPLACED_STATEMENT.code,
    codes::FOREIGN_STATEMENT.code,
];

/// Removes the errors that only follow from those of syntax.
pub(super) fn without_derived(file: &ProgramFile, faults: &mut Vec<Diagnostic>) {
    let broken: Vec<&Diagnostic> =
        file.parsed.diagnostics.iter().filter(|fault| OF_STRUCTURE.contains(&fault.code)).collect();
    if broken.is_empty() {
        return;
    }
    let mut places: Vec<u32> = broken.iter().map(|fault| fault.span.start).collect();
    places.sort_unstable();
    let functions = functions(&file.parsed.file.items);
    let around = |at: u32| functions.iter().find(|span| span.start <= at && at < span.end);
    let outside = broken
        .iter()
        .any(|fault| fault.code != codes::STRAY_CLOSER.code && around(fault.span.start).is_none());
    faults.retain(|fault| {
        let at = fault.span.start;
        let behind = around(at).is_some_and(|function| {
            let first = places.get(places.partition_point(|at| *at < function.start));
            first.is_some_and(|first| *first <= at)
        });
        let of_declarations = outside && OF_DECLARATIONS.contains(&fault.code);
        fault.severity != Severity::Error || !(behind || of_declarations)
    });
}

/// Returns the spans of all functions, in source order.
fn functions(items: &[Item]) -> Vec<Span> {
    let mut all = Vec::new();
    for item in items {
        match item {
            Item::Func(func) => all.push(func.span),
            Item::Agent(agent) => all.extend(functions(&agent.items)),
            Item::Import(_) | Item::Config(_) | Item::Use(_) | Item::Shape(_) => {}
        }
    }
    all
}
