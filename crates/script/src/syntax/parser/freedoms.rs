//! Bounds of a `use` that leave a choice, and what is selected of them (EV-10): `best 0..4 of`, `max 1k..6k`,
//! `keep head | tail`, `selected 2k tail`.

use super::super::ast::{BestNode, BudgetNode, SelectedNode};
use super::super::token::{Token, TokenKind};
use super::Parser;
use super::uses::whole_units;
use crate::codes;
use contexture_context::Keep;
use contexture_diagnostic::Span;

impl Parser<'_> {
    /// Parses `best 3 of`, `best 0..4 of`; `best` is a name where no number follows.
    pub(super) fn best(&mut self) -> Option<BestNode> {
        if !self.at_word("best") || self.peek_kind() != TokenKind::Number {
            return None;
        }
        let start = self.bump().span.start;
        let first = self.number_of_parts();
        let last = if self.range_follows() { Some(self.number_of_parts()) } else { None };
        if self.at_word("of") && self.same_line() {
            self.bump();
        } else {
            let fault = self.unexpected("`of`").with_help("write `use best 3 of Examples for …`");
            self.push_here(fault);
        }
        let span = self.span_from(start);
        let (low, limit) = match (first, last) {
            (first, None) => (None, first?),
            (first, Some(last)) => (Some(first?), last?),
        };
        Some(BestNode { limit, low, span })
    }

    /// Parses a number of parts, which may be 0.
    fn number_of_parts(&mut self) -> Option<u64> {
        if !self.at(TokenKind::Number) {
            let fault = self.unexpected("a number of parts");
            self.push_here(fault.with_help("write a whole number, as in `best 3 of`"));
            return None;
        }
        let token = self.bump();
        let text = self.slice(token.span);
        let number = text.parse().ok();
        if number.is_none() {
            let message = format!("`{}` is not a number of parts", super::clip(text));
            let help = "write a whole number, as in `best 3 of`";
            self.report(codes::BAD_CHOICE, token.span, &message, help);
        }
        number
    }

    /// Takes the `..` of a range.
    pub(super) fn range_follows(&mut self) -> bool {
        let follows = self.at(TokenKind::Dot)
            && self.same_line()
            && self.peek_kind() == TokenKind::Dot
            && self.peek(1).span.start == self.current.span.end;
        if follows {
            self.bump();
            self.bump();
        }
        follows
    }

    /// Parses the other parts of `keep head | tail`.
    pub(super) fn other_keeps(&mut self) -> Vec<Keep> {
        let mut others = Vec::new();
        while self.at(TokenKind::Pipe) && self.same_line() {
            let sign = self.bump();
            match self.keep(sign) {
                Some((keep, _)) => others.push(keep),
                None => break,
            }
        }
        others
    }

    /// Reports whether the current word is a value, of which a part follows.
    pub(super) fn is_value(&mut self) -> bool {
        let next = self.peek(1);
        let is_part =
            matches!(next.kind, TokenKind::Dot | TokenKind::OpenParen | TokenKind::OpenBracket);
        is_part && !next.starts_line
    }

    /// Parses `selected best 2 4k tail`.
    pub(super) fn selected(&mut self, keyword: Token) -> SelectedNode {
        let mut best = None;
        if self.at_word("best") && self.same_line() {
            self.bump();
            best = self.number_of_parts();
        }
        let mut max = None;
        if self.at(TokenKind::Number) && self.same_line() {
            let token = self.bump();
            match whole_units(self.slice(token.span)) {
                Ok((limit, _)) => max = Some(limit),
                Err(fault) => self.report_budget(token, fault),
            }
            if matches!(self.word(), Some("chars" | "tokens")) && self.same_line() {
                let unit = self.bump();
                let message = "`selected` takes no unit: it is that of `max`";
                self.report(codes::BAD_CHOICE, unit.span, message, "remove it");
            }
        }
        let is_keep = matches!(self.word(), Some("head" | "tail" | "middle")) && self.same_line();
        let keep = if is_keep { self.keep(keyword).map(|(keep, _)| keep) } else { None };
        if best.is_none() && max.is_none() && keep.is_none() {
            let message = "missing choice after `selected`";
            let help = "write what is shown, as in `max 1k..6k selected 2k`";
            self.report(codes::BAD_CHOICE, keyword.span, message, help);
        }
        SelectedNode { best, max, keep, span: self.span_from(keyword.span.start) }
    }

    /// Refuses a choice within a candidate, which is a choice itself.
    pub(super) fn refuse_range(&mut self, max: Option<&BudgetNode>, others: &[Keep], span: Span) {
        let is_range = max.is_some_and(|max| max.low.is_some());
        if is_range || !others.is_empty() {
            let place = max.filter(|max| max.low.is_some()).map_or(span, |max| max.span);
            let message = "a candidate has one budget and one `keep`";
            let help = "list another candidate, or write the choice in a `use` of its own";
            self.report(codes::BAD_CHOICE, place, message, help);
        }
    }
}
