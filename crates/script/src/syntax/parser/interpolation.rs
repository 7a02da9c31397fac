//! Expressions in strings: `"Hello \(name)"` (TY-6).

use super::super::ast::{Expr, ExprKind};
use super::super::interpolation::{Piece, pieces};
use super::super::lexer::Lexer;
use super::super::token::{Token, TokenKind};
use super::Parser;
use contexture_diagnostic::Span;

impl<'a> Parser<'a> {
    /// Parses a string that was taken, with the values in it.
    pub(super) fn string_of(&mut self, token: Token) -> Expr {
        let parts = self.pieces(token);
        if parts.is_empty() {
            let value = self.string_value(token);
            return self.leaf(ExprKind::Str(value), token.span);
        }
        let mut highest = 0;
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            all.push(match part {
                Piece::Text(text, span) => {
                    text.faults.iter().for_each(|(span, fault)| self.report_escape(*span, *fault));
                    Expr { kind: ExprKind::Str(text.value), span }
                }
                Piece::Code(span) => self.interpolated(span),
            });
            highest = highest.max(self.height);
        }
        self.above(highest, token.span, ExprKind::Interpolation(all))
    }

    fn pieces(&self, token: Token) -> Vec<Piece> {
        let is_typographic = self.slice(token.span).starts_with(super::TYPOGRAPHIC);
        if is_typographic || token.flawed {
            return Vec::new();
        }
        let (inner, start) = self.between_quotes(token);
        pieces(inner, start, token.kind == TokenKind::Block)
    }

    /// Parses the expression at a place with a parser that ends there.
    fn interpolated(&mut self, span: Span) -> Expr {
        let text = self.text.get(..span.end as usize).unwrap_or_default();
        let mut lexer = Lexer::new(text);
        lexer.seek(span.start);
        let mut inner = Parser::over(text, lexer, self.limit);
        inner.depth = self.depth;
        inner.outer_statement = self.outer_statement;
        inner.too_deep_in = self.too_deep_in;
        let expr = inner.expression();
        inner.expect_end("`)`");
        self.height = inner.height;
        self.too_deep_in = inner.too_deep_in;
        self.asks_for_words |= inner.asks_for_words;
        inner.diagnostics.into_iter().for_each(|fault| self.push(fault));
        expr
    }
}
