//! A variable with the name of an import, which it hides.

use super::Subject;
use crate::codes;
use crate::syntax::ast::{ExprKind, Func, Name, StatementKind};
use crate::syntax::walk;
use contexture_diagnostic::Diagnostic;
use std::collections::HashSet;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for function in subject.functions() {
        let mut told = HashSet::new();
        for name in bindings(function) {
            let Some(import) = subject.import(&name.text) else { continue };
            if !told.insert(name.text.as_str()) {
                continue;
            }
            let message = format!("`{}` hides the import of the same name", name.text);
            let fault = codes::HIDDEN_IMPORT.at(name.span, message);
            let fault = fault.with_label(import.name.span, "the import");
            found.push(fault.with_help("give the variable another name"));
        }
    }
}

/// Returns all names that a function binds, in source order.
fn bindings(function: &Func) -> Vec<&Name> {
    let mut all: Vec<&Name> = function.params.iter().map(|param| &param.name).collect();
    walk::statements(&function.body, &mut |statement| match &statement.kind {
        StatementKind::Assign { target, .. } if target.path.is_empty() => all.push(&target.base),
        StatementKind::For(each) => all.push(&each.variable),
        _ => {}
    });
    walk::block_expressions(&function.body, &mut |expr| match &expr.kind {
        ExprKind::ParallelFor(each) => all.push(&each.variable),
        ExprKind::Try { error: Some(error), .. } => all.push(error),
        _ => {}
    });
    all.sort_by_key(|name| name.span.start);
    all
}
