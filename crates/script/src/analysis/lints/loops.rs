//! A loop with a model call that can't end early: it always pays for all its turns.

use super::{Subject, asks_a_model};
use crate::codes;
use crate::stack::deeper;
use crate::syntax::ast::{Block, Expr, ExprKind, StatementKind, UnaryOp};
use crate::syntax::walk::{self, strip};
use contexture_diagnostic::{Diagnostic, Span};

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for statement in subject.functions.iter().flat_map(|function| &function.statements) {
        let (head, body, count) = match &statement.kind {
            StatementKind::Loop { until, body, .. } if is_constant(until) => (until, body, None),
            StatementKind::Repeat { count, body } if is_several(count) => {
                (count, body, Some(count))
            }
            _ => continue,
        };
        if asks_a_model(body) && !returns(body) {
            let span = Span::new(statement.span.start, head.span.end);
            found.push(fault(span, count.map(|count| subject.slice(count.span))));
        }
    }
}

fn fault(span: Span, count: Option<&str>) -> Diagnostic {
    let fault = codes::NO_EARLY_END.at(span, "this loop asks a model and can't end early");
    fault.with_help(match count {
        Some(count) => format!(
            "end it when its work is done: `loop until done max {count} {{ … }}`, or `return` inside"
        ),
        None => "write a condition that its body changes, or `return` inside".to_owned(),
    })
}

/// Reports whether a count is not known to be 0 or 1.
fn is_several(count: &Expr) -> bool {
    !matches!(strip(count).kind, ExprKind::Int(..=1))
}

/// Reports whether a condition consists of literals.
fn is_constant(until: &Expr) -> bool {
    match &strip(until).kind {
        ExprKind::Bool(_) | ExprKind::None | ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Str(_) => true,
        ExprKind::Unary { op: UnaryOp::Not | UnaryOp::Negate, operand } => {
            deeper(|| is_constant(operand))
        }
        ExprKind::Binary { left, right, .. } => {
            deeper(|| is_constant(left)) && deeper(|| is_constant(right))
        }
        _ => false,
    }
}

fn returns(body: &Block) -> bool {
    let mut found = false;
    walk::statements(body, &mut |statement| {
        found |= matches!(statement.kind, StatementKind::Return(_));
    });
    found
}
