//! A variable with the name of an import, which it hides.

use super::{Function, Subject};
use crate::codes;
use crate::syntax::ast::{ExprKind, Name, StatementKind};
use contexture_diagnostic::Diagnostic;
use std::collections::HashSet;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.imports.is_empty() {
        return;
    }
    for function in &subject.functions {
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
fn bindings<'p>(function: &Function<'p>) -> Vec<&'p Name> {
    let mut all: Vec<&Name> = function.func.params.iter().map(|param| &param.name).collect();
    all.extend(function.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Assign { target, .. } if target.path.is_empty() => Some(&target.base),
        StatementKind::For(each) => Some(&each.variable),
        _ => None,
    }));
    all.extend(function.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::ParallelFor(each) => Some(&each.variable),
        ExprKind::Try { error, .. } => error.as_ref(),
        _ => None,
    }));
    all.sort_by_key(|name| name.span.start);
    all
}
