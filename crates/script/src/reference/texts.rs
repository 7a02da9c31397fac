//! Literal texts, assembled from the parts of an expression.

use super::{COMPUTED, Layer, LiteralText, Seam};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind};
use crate::syntax::places::Places;
use contexture_diagnostic::{SourceFile, Span};

/// A literal text with the places of all its parts.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: LiteralText,
    places: Places,
}

impl Written {
    /// Returns the text of an expression: a literal, or literals and other parts joined by `+`.
    /// `None` when no literal of it holds an `@`.
    pub(crate) fn of_expr(expr: &Expr, layer: Layer, source: &SourceFile) -> Option<Self> {
        let parts = joined(expr);
        let holds = |part: &&Expr| matches!(&part.kind, ExprKind::Str(text) if text.contains('@'));
        if !parts.iter().any(holds) {
            return None;
        }
        let mut written = Self::empty(layer, source);
        let mut last_literal = None;
        for part in parts {
            let at = written.text.text.len();
            if let ExprKind::Str(value) = &part.kind {
                if last_literal == Some(true) {
                    written.text.seams.push(Seam { start: at, end: at });
                }
                written.literal(value, part.span, source);
            } else {
                written.text.text.push(COMPUTED);
                written.places.whole(at, part.span);
                written.text.seams.push(Seam { start: at, end: written.text.text.len() });
            }
            last_literal = Some(matches!(part.kind, ExprKind::Str(_)));
        }
        Some(written.placed(source))
    }

    fn empty(layer: Layer, source: &SourceFile) -> Self {
        let text = LiteralText {
            layer,
            text: String::new(),
            file: source.name().to_owned(),
            seams: Vec::new(),
            places: Vec::new(),
        };
        Self { text, places: Places::default() }
    }

    fn literal(&mut self, value: &str, span: Span, source: &SourceFile) {
        self.places.literal(self.text.text.len(), value, source.slice(span), span);
        self.text.text.push_str(value);
    }

    fn placed(mut self, source: &SourceFile) -> Self {
        let signs = self.text.text.match_indices('@').map(|(at, _)| at);
        let places = signs.map(|at| {
            let start = source.position(self.places.span(at, at + 1).start);
            let file = source.name().to_owned();
            (at, contexture_context::Position { file, line: start.line, column: start.column })
        });
        self.text.places = places.collect();
        self
    }

    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        self.places.span(start, end)
    }
}

/// Returns the operands of `+` and the parts of strings with values, from left to right.
fn joined(expr: &Expr) -> Vec<&Expr> {
    let mut parts = Vec::new();
    let mut open = vec![expr];
    while let Some(part) = open.pop() {
        match &part.kind {
            ExprKind::Paren(inner) => open.push(inner),
            ExprKind::Interpolation(parts) => open.extend(parts.iter().rev()),
            ExprKind::Binary { op: BinaryOp::Add, left, right, .. } => {
                open.push(right);
                open.push(left);
            }
            _ => parts.push(part),
        }
    }
    parts
}
