//! The syntax of version 0.1.3, recognised to explain and migrate it (AS-31, AS-32): one code
//! per kind, one diagnostic per occurrence, the new spelling as edits.

use super::super::ast::{
    BinaryOp, Block, Expr, ExprKind, ShapeNode, Statement, StatementKind, UnaryOp,
};
use super::super::token::TokenKind;
use super::Parser;
use super::expressions::error_at;
use crate::codes;
use crate::stack::deeper;
use contexture_diagnostic::Span;

/// The statement in which a `<` was a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OldLimit {
    /// `use x < 4k`
    Use,
    /// `loop until done < 6`
    Loop,
    /// `for x in list < 12`
    For,
}

impl Parser<'_> {
    /// Takes the limit of the old syntax out of a head, if it has one, and reports it.
    ///
    /// If there is also a `max`, `<` is the comparison of the new language: `use n < 5 max 3`.
    /// Otherwise it is a limit, except in the condition of a loop, which may compare with anything
    /// but a number and only lack its `max`.
    pub(super) fn old_limit(
        &mut self,
        head: Expr,
        kind: OldLimit,
        has_max: bool,
    ) -> (Expr, Option<Expr>) {
        let Some((op_span, literal)) = rightmost_less(&head) else { return (head, None) };
        if has_max || (kind == OldLimit::Loop && !literal) {
            return (head, None);
        }
        let (code, form) = match kind {
            OldLimit::Use => (codes::OLD_USE_BUDGET, "use … max n"),
            OldLimit::Loop => (codes::OLD_LOOP_LIMIT, "loop until … max n"),
            OldLimit::For => (codes::OLD_FOR_LIMIT, "for … in … max n"),
        };
        let message = format!("`<` no longer sets a limit: write `{form}`");
        let help = match kind {
            OldLimit::Loop => "write `max` instead of `<`, or add a `max` after a comparison",
            _ => "write `max` instead of `<`",
        };
        let fault = code.at(op_span, message).with_help(help);
        self.push(fault.with_safe_edit(op_span, self.spaced(op_span, "max")));
        take_limit(head)
    }

    /// Reports whether `{ return {` follows the options of a `generate`, as in the first versions.
    pub(super) fn begins_old_body(&mut self) -> bool {
        self.at(TokenKind::OpenBrace)
            && self.same_line()
            && self.peek_word(1) == Some("return")
            && self.peek(2).kind == TokenKind::OpenBrace
    }

    /// Parses `{ return { … } }` as the shape that it was, and reports it.
    pub(super) fn old_body(&mut self) -> ShapeNode {
        let opening = self.open();
        self.bump();
        let shape = self.shape();
        let inner = shape.span;
        let sound = self.at(TokenKind::CloseBrace);
        let end = self.current.span;
        self.close(opening);
        let message = "the shape of an answer is written `generate({ … }) -> { … }`";
        let fault = codes::OLD_GENERATE_BODY.at(opening.span, message);
        let fault = fault.with_help("write `->` before the shape, without `return`");
        if !sound {
            self.push(fault);
            return shape;
        }
        let head = Span::new(opening.span.start, inner.start);
        let mut fault = fault.with_safe_edit(head, "-> ");
        let deeper = self.indent_of(inner.end).saturating_sub(self.indent_of(end.start));
        for line in self.lines_in(inner) {
            let blank = self.text.get(line..).unwrap_or_default();
            let blank = blank.len() - blank.trim_start_matches([' ', '\t']).len();
            let start = u32::try_from(line).unwrap_or_default();
            let width = u32::try_from(blank.min(deeper)).unwrap_or_default();
            if width > 0 {
                fault = fault.with_safe_edit(Span::new(start, start + width), "");
            }
        }
        self.push(fault.with_safe_edit(Span::new(inner.end, end.end), ""));
        shape
    }

    /// Returns the offsets of the lines that begin in a span.
    fn lines_in(&self, span: Span) -> Vec<usize> {
        let text = self.text.get(span.range()).unwrap_or_default();
        text.match_indices('\n').map(|(at, _)| span.start as usize + at + 1).collect()
    }

    /// Returns a word in place of an operator, which may have no spaces around it.
    fn spaced(&self, span: Span, word: &str) -> String {
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let before = self.text.get(..span.start as usize).and_then(|text| text.chars().next_back());
        let after = self.text.get(span.end as usize..).and_then(|text| text.chars().next());
        let left = if blank(before) { "" } else { " " };
        let right = if blank(after) { "" } else { " " };
        format!("{left}{word}{right}")
    }

    /// Reports the values of blocks at the end of a function. In the old version, a function whose
    /// last statement is an `if` returned the last expression of the block that ran. If every block
    /// ends in a value, a call counts as one; otherwise a call, even of a model, may be meant for
    /// its effect.
    pub(super) fn report_block_return(&mut self, body: &Block) {
        let Some(last) = body.statements.last() else { return };
        let mut ends = Vec::new();
        let complete = collect_ends(last, &mut ends);
        let calls_count = complete && ends.iter().any(|end| is_value(end));
        for end in ends {
            let asks = matches!(end.kind, ExprKind::Generate(_));
            let meant = is_value(end) && (complete || !asks);
            if !(meant || (calls_count && is_call(end))) {
                continue;
            }
            let message = "the last expression of a block is not the value of the function";
            let fault = codes::OLD_BLOCK_RETURN.at(end.span, message);
            let at = Span::at(end.span.start);
            self.push(fault.with_help("write `return` before it").with_edit(at, "return "));
        }
    }
}

/// Returns the operator of the last comparison in a head, and whether its right side is a number:
/// the old limit was always last.
fn rightmost_less(head: &Expr) -> Option<(Span, bool)> {
    match &head.kind {
        ExprKind::Binary { op: BinaryOp::Less, op_span, right, .. } => {
            let literal = matches!(right.kind, ExprKind::Int(_) | ExprKind::Float(_));
            Some((*op_span, literal))
        }
        ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, right, .. } => rightmost_less(right),
        ExprKind::Unary { op: UnaryOp::Not, operand } => deeper(|| rightmost_less(operand)),
        _ => None,
    }
}

/// Splits off the last comparison of a head, and returns the rest and its right side.
fn take_limit(mut head: Expr) -> (Expr, Option<Expr>) {
    match head.take_kind() {
        ExprKind::Binary { op: BinaryOp::Less, left, right, .. } => (*left, Some(*right)),
        ExprKind::Binary { op, op_span, left, right } => {
            let (right, limit) = take_limit(*right);
            let span = left.span.to(right.span);
            let right = Box::new(right);
            (Expr { kind: ExprKind::Binary { op, op_span, left, right }, span }, limit)
        }
        ExprKind::Unary { op, operand } => {
            let (operand, limit) = deeper(|| take_limit(*operand));
            let span = Span::new(head.span.start, operand.span.end);
            (Expr { kind: ExprKind::Unary { op, operand: Box::new(operand) }, span }, limit)
        }
        _ => (error_at(head.span), None),
    }
}

/// Collects the last expressions of the blocks of an `if`; reports whether there is an `else` and
/// every block ends in an expression or a `return`.
fn collect_ends<'t>(statement: &'t Statement, ends: &mut Vec<&'t Expr>) -> bool {
    let StatementKind::If { arms, otherwise } = &statement.kind else { return false };
    let mut complete = otherwise.is_some();
    for block in arms.iter().map(|(_, block)| block).chain(otherwise) {
        complete &= match block.statements.last() {
            Some(Statement { kind: StatementKind::Expr(expr), .. }) => {
                ends.push(expr);
                true
            }
            Some(Statement { kind: StatementKind::Return(_), .. }) => true,
            Some(nested) => deeper(|| collect_ends(nested, ends)),
            None => false,
        };
    }
    complete
}

/// Reports whether an expression can only be meant as a value; a function returns `none` anyway.
fn is_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { .. }
        | ExprKind::ParallelFor(_)
        | ExprKind::Try { .. }
        | ExprKind::None
        | ExprKind::Error => false,
        ExprKind::Paren(inner) => is_value(inner),
        _ => true,
    }
}

/// Reports whether an expression is a call whose result may be meant; that of `list.add(…)` is not.
fn is_call(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { callee, .. } => {
            !matches!(&callee.kind, ExprKind::Field { name, .. } if name.text == "add")
        }
        ExprKind::ParallelFor(_) | ExprKind::Try { .. } => true,
        ExprKind::Paren(inner) => is_call(inner),
        _ => false,
    }
}
