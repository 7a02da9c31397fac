//! Bounds of values in shapes (TY-1): `min 1 max 5`, `length 1 to 80`, `pattern "…"`.
//!
//! Decision: the words are not reserved. One counts as a bound only with its value behind it, so
//! that fields may have these names.

use super::super::ast::{BoundKind, BoundNode, ExprKind, ShapeKind};
use super::super::token::TokenKind;
use super::Parser;
use crate::codes;
use contexture_diagnostic::Span;
use serde_json::Number;

impl Parser<'_> {
    /// Parses the bounds behind a type.
    pub(super) fn bounds(&mut self, kind: &ShapeKind) -> Vec<BoundNode> {
        let mut bounds: Vec<BoundNode> = Vec::new();
        // `for x in generate(…) -> list[string] max 3` bounds the loop.
        while let Some(word) = self.bound_word(kind) {
            let start = self.bump().span.start;
            let kind_of = self.bound(word);
            let span = self.span_from(start);
            let Some(bound) = kind_of else { continue };
            let is_same = |other: &BoundNode| {
                std::mem::discriminant(&other.kind) == std::mem::discriminant(&bound)
            };
            if !applies(kind, &bound) {
                self.report_inapplicable(word, kind, span);
            } else if bounds.iter().any(is_same) {
                let message = format!("the bound `{word}` is given twice");
                self.report(codes::BAD_BOUND, span, message, "remove one of them");
            } else {
                bounds.push(BoundNode { kind: bound, span });
            }
        }
        bounds
    }

    /// Returns the word of a bound, if one follows on the same line with its value.
    fn bound_word(&mut self, kind: &ShapeKind) -> Option<&'static str> {
        if !self.same_line() {
            return None;
        }
        let word = match self.word()? {
            "min" => "min",
            "max" if !matches!(kind, ShapeKind::List(_) | ShapeKind::Object(_)) => "max",
            "length" => "length",
            "pattern" => "pattern",
            _ => return None,
        };
        let next = self.peek(1);
        let fits = match word {
            "pattern" => matches!(next.kind, TokenKind::Str | TokenKind::Block),
            _ => matches!(next.kind, TokenKind::Number | TokenKind::Minus),
        };
        (fits && !next.starts_line).then_some(word)
    }

    fn bound(&mut self, word: &str) -> Option<BoundKind> {
        match word {
            "pattern" => self.string().map(BoundKind::Pattern),
            "length" => {
                let least = self.count()?;
                let most = match self.same_line() && self.eat_word("to") {
                    true => self.count()?,
                    false => least,
                };
                Some(BoundKind::Length(least, most))
            }
            "min" => self.bounding_number().map(BoundKind::Min),
            _ => self.bounding_number().map(BoundKind::Max),
        }
    }

    /// Parses a number with its sign.
    fn bounding_number(&mut self) -> Option<Number> {
        let is_negative = self.eat(TokenKind::Minus).is_some();
        if !self.at(TokenKind::Number) {
            self.push_here(self.unexpected("a number"));
            return None;
        }
        let literal = self.number();
        match literal.kind {
            ExprKind::Int(value) if is_negative => value.checked_neg().map(Number::from),
            ExprKind::Int(value) => Some(value.into()),
            ExprKind::Float(value) => Number::from_f64(if is_negative { -value } else { value }),
            _ => None,
        }
    }

    /// Parses a number of characters or items.
    fn count(&mut self) -> Option<u64> {
        let start = self.current.span.start;
        let number = self.bounding_number()?;
        let count = number.as_u64();
        if count.is_none() {
            let span = self.span_from(start);
            let help = "write `length 1 to 80`, or `length 3` for exactly that";
            self.report(codes::BAD_BOUND, span, "a length is a whole number from 0", help);
        }
        count
    }

    fn report_inapplicable(&mut self, word: &str, kind: &ShapeKind, span: Span) {
        let (message, help) = match (word, kind) {
            ("min" | "max", ShapeKind::String | ShapeKind::List(_)) => (
                format!("`{word}` bounds numbers"),
                "write `length 1 to 80` for a number of characters or items",
            ),
            ("min" | "max", _) => (format!("`{word}` bounds numbers"), "remove it"),
            ("length", _) => ("`length` bounds strings and lists".to_owned(), "remove it"),
            _ => (format!("`{word}` bounds strings"), "remove it"),
        };
        self.report(codes::BAD_BOUND, span, message, help);
    }
}

/// Reports whether a type has values that a bound is about.
const fn applies(kind: &ShapeKind, bound: &BoundKind) -> bool {
    match bound {
        BoundKind::Min(_) | BoundKind::Max(_) => {
            matches!(kind, ShapeKind::Number | ShapeKind::Integer | ShapeKind::Error)
        }
        BoundKind::Length(..) => {
            matches!(kind, ShapeKind::String | ShapeKind::List(_) | ShapeKind::Error)
        }
        BoundKind::Pattern(_) => matches!(kind, ShapeKind::String | ShapeKind::Error),
    }
}
