//! A statement that does nothing: its value goes nowhere.

use super::Subject;
use super::sources::is_lost_budget;
use crate::codes;
use crate::stack::deeper;
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Statement, StatementKind};
use crate::syntax::walk::{self, Parts, strip};
use contexture_diagnostic::Diagnostic;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for function in &subject.functions {
        block(subject, &function.func.body, true, found);
    }
}

/// Looks at a block. With `has_value`, its last expression is the value of something.
fn block(subject: &Subject<'_>, tree: &Block, has_value: bool, found: &mut Vec<Diagnostic>) {
    let last = tree.statements.len().saturating_sub(1);
    let mut before: Option<&Statement> = None;
    for (at, statement) in tree.statements.iter().enumerate() {
        let lost = before.is_some_and(|before| is_lost_budget(subject, before, statement));
        let is_last = at == last;
        match &statement.kind {
            StatementKind::Expr(expr) if !(lost || is_last && has_value) => {
                found.extend(idle(subject, expr));
            }
            // The last expressions of its blocks have a code of their own (AS7006).
            StatementKind::If { arms, otherwise } => {
                let told = is_last && has_value;
                let blocks = arms.iter().map(|(_, block)| block).chain(otherwise);
                blocks.for_each(|inner| deeper(|| block(subject, inner, told, found)));
            }
            StatementKind::Loop { body, .. } | StatementKind::Repeat { body, .. } => {
                deeper(|| block(subject, body, false, found));
            }
            StatementKind::For(each) => deeper(|| block(subject, &each.body, false, found)),
            _ => {}
        }
        for expr in Parts::of_statement(statement).exprs {
            walk::expressions(expr, &mut |part| match &part.kind {
                ExprKind::ParallelFor(each) => block_of_value(subject, &each.body, found),
                ExprKind::Try { body, handler, .. } => {
                    block_of_value(subject, body, found);
                    block_of_value(subject, handler, found);
                }
                _ => {}
            });
        }
        before = Some(statement);
    }
}

/// Looks at the statements of a block that is a value, but not at expressions inside, which the
/// walk over the expression around it visits.
fn block_of_value(subject: &Subject<'_>, tree: &Block, found: &mut Vec<Diagnostic>) {
    let before = tree.statements.split_last().map_or(&[][..], |(_, before)| before);
    for statement in before {
        if let StatementKind::Expr(expr) = &statement.kind {
            found.extend(idle(subject, expr));
        }
    }
}

fn idle(subject: &Subject<'_>, expr: &Expr) -> Option<Diagnostic> {
    let mut acts = false;
    walk::expressions(expr, &mut |part| {
        acts |= matches!(
            part.kind,
            ExprKind::Call { .. }
                | ExprKind::Generate(_)
                | ExprKind::ParallelFor(_)
                | ExprKind::Try { .. }
                | ExprKind::Error
        );
    });
    if acts {
        return None;
    }
    let fault = codes::NO_EFFECT.at(expr.span, "this expression has no effect");
    Some(match &strip(expr).kind {
        ExprKind::Binary { op: BinaryOp::Equal, op_span, left, .. } if is_target(left) => {
            let left = subject.slice(left.span);
            let help = format!("to assign, write `{left} = …`; to compare, use it in an `if`");
            fault.with_help(help).with_edit(*op_span, "=")
        }
        _ => fault.with_help(
            "assign or return its value, or remove it; only the last expression of a function is its value",
        ),
    })
}

fn is_target(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Field { base, .. } => is_target(base),
        _ => false,
    }
}
