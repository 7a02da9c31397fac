//! Budgets: a number behind a `use` that was meant as one, and large sources without any.

use super::Subject;
use crate::analysis::visible::{Call, Shown};
use crate::codes;
use crate::syntax::ast::{
    AssignOp, Block, Expr, ExprKind, Func, ImportKind, Statement, StatementKind, UseSource,
};
use crate::syntax::walk::{self, strip};
use contexture_diagnostic::{Diagnostic, Span};
use std::collections::HashSet;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for function in &subject.functions {
        missing_max(subject, &function.func.body, found);
        for statement in &function.statements {
            for block in walk::Parts::of_statement(statement).blocks {
                missing_max(subject, block, found);
            }
        }
    }
    without_budget(subject, found);
}

/// Reports `use input 4k`: the number is a statement of its own, and the budget is gone.
fn missing_max(subject: &Subject<'_>, block: &Block, found: &mut Vec<Diagnostic>) {
    let pairs = block.statements.iter().zip(block.statements.iter().skip(1));
    for (used, number) in pairs.filter(|(used, number)| is_lost_budget(subject, used, number)) {
        let written = subject.slice(number.span);
        let message =
            format!("`{written}` is not a budget without `max`: it is a statement of its own");
        let fault = codes::LOST_BUDGET.at(number.span, message);
        let fault = fault.with_label(used.span, "this `use` has no budget");
        let fault = fault.with_help(format!("write `max {written}`"));
        found.push(fault.with_safe_edit(Span::at(number.span.start), "max "));
    }
}

pub(super) fn is_lost_budget(subject: &Subject<'_>, used: &Statement, number: &Statement) -> bool {
    let StatementKind::Use(tree) = &used.kind else { return false };
    let StatementKind::Expr(Expr { kind: ExprKind::Int(_) | ExprKind::Float(_), span }) =
        &number.kind
    else {
        return false;
    };
    let between = subject.slice(Span::new(used.span.end, span.start));
    let plain = tree.max.is_none() && tree.label.is_none() && tree.question.is_none();
    plain && !between.contains(['\n', '\r'])
}

/// Reports sources that may be of any size and have no budget, in prompts that have none either.
fn without_budget(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut told = HashSet::new();
    for call in subject.visible.calls.iter().filter(|call| !bounds_prompt(call)) {
        for shown in subject.visible.seen_by(call) {
            if !told.insert(shown.used.span.start) {
                // Those before it have been looked at with an earlier call.
                break;
            }
            if let Some(fault) = unbounded(subject, shown) {
                found.push(fault);
            }
        }
    }
}

fn bounds_prompt(call: &Call<'_>) -> bool {
    call.generate.options.iter().any(|(key, _)| key.value == "max_input")
}

fn unbounded(subject: &Subject<'_>, shown: &Shown<'_>) -> Option<Diagnostic> {
    let UseSource::Expr(source) = &shown.used.source else { return None };
    if shown.used.max.is_some() || shown.used.question.is_some() {
        return None;
    }
    let ExprKind::Name(name) = &strip(source).kind else { return None };
    let what = match subject.import(name).map(|import| import.kind) {
        Some(ImportKind::File) => "the whole file",
        Some(_) => return None,
        None => returned_by(subject, shown.function?, name)?,
    };
    let message = format!("`{name}` has no budget: {what} goes into the prompt, whatever its size");
    let fault = codes::NO_BUDGET.at(source.span, message);
    let help = "bound it, as in `max 4k`, or the whole prompt with the option `max_input`";
    Some(fault.with_help(help).with_edit(Span::at(source.span.end), " max 4k"))
}

/// Returns what a variable holds, if that comes from outside in any size.
fn returned_by(subject: &Subject<'_>, function: &Func, name: &str) -> Option<&'static str> {
    let mut only = None;
    let mut times = 0_usize;
    walk::statements(&function.body, &mut |statement| {
        if let StatementKind::Assign { target, op, value } = &statement.kind
            && target.base.text == name
        {
            times += 1;
            only = (*op == AssignOp::Set && target.path.is_empty()).then_some(value);
        }
    });
    let value = only.filter(|_| times == 1)?;
    let ExprKind::Call { callee, .. } = &strip(value).kind else { return None };
    let ExprKind::Field { base, name: method } = &callee.kind else { return None };
    let ExprKind::Name(tool) = &base.kind else { return None };
    let import = subject.import(tool).filter(|import| import.kind == ImportKind::Tool)?;
    match (import.from.value.as_str(), method.text.as_str()) {
        ("file://workspace", "read") => Some("the whole file"),
        (uri, "get" | "post") if uri.starts_with("http") => Some("the whole answer"),
        _ => None,
    }
}
