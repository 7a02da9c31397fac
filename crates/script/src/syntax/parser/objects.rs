//! Lists, objects and arguments: parts in brackets, separated by commas (AS-4).

use super::super::ast::{Expr, ExprKind, Text};
use super::super::token::TokenKind;
use super::Parser;
use super::expressions::error_at;
use crate::codes::{self, Code};
use contexture_diagnostic::Span;
use std::collections::HashSet;

impl Parser<'_> {
    pub(super) fn list(&mut self) -> Expr {
        let opening = self.open();
        let (items, highest) = self.sequence("an item", true);
        self.close(opening);
        let span = self.span_from(opening.span.start);
        self.above(highest, span, ExprKind::List(items))
    }

    pub(super) fn object(&mut self) -> Expr {
        let start = self.current.span.start;
        let (fields, highest) = self.fields();
        let span = self.span_from(start);
        self.above(highest, span, ExprKind::Object(fields))
    }

    /// Parses the fields of an object whose opening brace is missing, and its closing one.
    fn object_without_brace(&mut self) -> Expr {
        let start = self.current.span.start;
        let fault = self.unexpected("`{`").with_help("put the fields in `{` and `}`");
        self.push_here(fault.with_edit(Span::at(start), "{ "));
        let (fields, highest) = self.fields_behind(&|_, _, _| ());
        self.eat(TokenKind::CloseBrace);
        let span = self.span_from(start);
        self.above(highest, span, ExprKind::Object(fields))
    }

    /// Parses expressions up to a closing bracket, and returns the height of the highest. With
    /// `old_commas`, version 0.1.3 let the commas be omitted here.
    pub(super) fn sequence(&mut self, what: &str, old_commas: bool) -> (Vec<Expr>, usize) {
        let mut items = Vec::new();
        let mut highest = 0;
        while !self.at_end() && (!self.kind().is_closer() || self.takes_stray_closer()) {
            if self.at(TokenKind::Comma) {
                self.spare_comma(what);
                continue;
            }
            let before = self.current.span.start;
            if self.group_is_left_open() {
                break;
            }
            items.push(if self.begins_field() {
                self.object_without_brace()
            } else {
                self.expression()
            });
            highest = highest.max(self.height);
            if self.eat(TokenKind::Comma).is_some() {
                continue;
            }
            if self.at_end() || self.kind().is_closer() || self.group_is_left_open() {
                break;
            }
            if self.starts_expression() && self.current.span.start > before {
                self.missing_comma(old_commas, "items");
                continue;
            }
            self.unexpected_in_group("`,`", before);
        }
        items.shrink_to_fit();
        (items, highest)
    }

    fn spare_comma(&mut self, what: &str) {
        let fault = self.unexpected(what);
        let span = self.current.span;
        self.push_here(fault.with_help("remove the comma").with_edit(span, ""));
        self.bump();
    }

    fn missing_comma(&mut self, old: bool, what: &str) {
        if self.previous_open {
            return;
        }
        let at = Span::at(self.previous_end);
        let fault = if old {
            codes::OLD_MISSING_COMMA.at(self.current.span, format!("missing comma between {what}"))
        } else {
            self.unexpected("`,`")
        };
        self.push_here(fault.with_help("add a comma before it").with_safe_edit(at, ","));
    }

    /// Reports an unexpected token, and skips to the next comma; always takes something unless the
    /// group ends here.
    fn unexpected_in_group(&mut self, wanted: &str, before: u32) {
        let semicolon = self.at(TokenKind::Semicolon);
        let fault = self.unexpected(wanted);
        let span = self.current.span;
        let fault =
            if semicolon { fault.with_help("write `,`").with_safe_edit(span, ",") } else { fault };
        self.push_here(fault);
        if semicolon {
            self.bump();
            return;
        }
        self.skip_part(before);
    }

    /// Parses `{ key: value, … }` with its braces, and returns the height of the highest value.
    pub(super) fn fields(&mut self) -> (Vec<(Text, Expr)>, usize) {
        self.fields_with(|_, _, _| ())
    }

    /// Does the same; `more` may parse what stands behind the value of a field.
    pub(super) fn fields_with(
        &mut self,
        more: impl Fn(&mut Self, &str, &mut Vec<(Text, Expr)>),
    ) -> (Vec<(Text, Expr)>, usize) {
        let opening = self.open();
        let read = self.fields_behind(&more);
        self.close(opening);
        read
    }

    /// Parses fields up to a closing bracket.
    pub(super) fn fields_behind(
        &mut self,
        more: &impl Fn(&mut Self, &str, &mut Vec<(Text, Expr)>),
    ) -> (Vec<(Text, Expr)>, usize) {
        let mut fields = Vec::new();
        let mut highest = 0;
        let mut column = None;
        while !self.at_end() && (!self.kind().is_closer() || self.takes_stray_closer()) {
            if self.at(TokenKind::Comma) {
                self.spare_comma("a field");
                continue;
            }
            let here = self.current.starts_line.then_some(self.line_indent);
            if self.object_is_left_open(here, column) {
                break;
            }
            column = column.or(here);
            let before = self.current.span.start;
            let Some(key) = self.key() else {
                self.unexpected_in_group("a field `key: value`", before);
                continue;
            };
            let value = self.value_of(&key);
            highest = highest.max(self.height);
            let name = key.value.clone();
            fields.push((key, value));
            more(self, &name, &mut fields);
            highest = highest.max(self.height);
            if !self.separator_of_fields(before) {
                break;
            }
        }
        let keys = fields.iter().map(|(key, _)| (key.value.as_str(), key.span));
        self.report_duplicates(keys, (codes::DUPLICATE_KEY, "key", "keep one of them"));
        fields.shrink_to_fit();
        (fields, highest)
    }

    /// Reports whether the object was left open: a line that assigns, further to the left than the
    /// first key, does not belong to it.
    fn object_is_left_open(&mut self, here: Option<usize>, first: Option<usize>) -> bool {
        let Some(here) = here else { return false };
        if self.starts_item() || self.is_dedented() {
            return true;
        }
        let outside = first.is_some_and(|first| here < first);
        outside && self.group_is_left_open()
    }

    fn key(&mut self) -> Option<Text> {
        if let Some(word) = self.word() {
            let span = self.bump().span;
            return Some(Text { value: word.to_owned(), span });
        }
        self.string()
    }

    fn value_of(&mut self, key: &Text) -> Expr {
        if self.eat(TokenKind::Colon).is_some() {
            return self.value_after_colon();
        }
        let at = Span::at(key.span.end);
        let fault = self.unexpected("`:`");
        match self.kind() {
            TokenKind::Assign => {
                let span = self.current.span;
                self.push_here(fault.with_help("write `:`").with_safe_edit(span, ":"));
                self.bump();
                self.expression()
            }
            TokenKind::Comma | TokenKind::CloseBrace => {
                let name = &key.value;
                let fault = fault.with_help(format!("write `{name}: {name}`"));
                self.push_here(fault.with_edit(at, format!(": {name}")));
                self.leaf(ExprKind::Error, key.span)
            }
            _ => {
                let help = format!("write an object as `{{ {}: value }}`", key.value);
                self.push_here(fault.with_help(help));
                if self.same_line() && self.starts_expression() {
                    self.expression();
                }
                self.leaf(ExprKind::Error, key.span)
            }
        }
    }

    fn value_after_colon(&mut self) -> Expr {
        let next_key = self.current.starts_line
            && matches!(self.kind(), TokenKind::Word | TokenKind::Str)
            && self.peek_kind() == TokenKind::Colon;
        if next_key {
            self.push_here(self.unexpected("a value"));
            self.height = 1;
            return error_at(Span::at(self.previous_end));
        }
        self.expression()
    }

    /// Takes the separator of two fields; returns false when the object ends here.
    fn separator_of_fields(&mut self, before: u32) -> bool {
        if self.eat(TokenKind::Comma).is_some() {
            return true;
        }
        if self.at_end() || self.kind().is_closer() {
            return false;
        }
        let key = matches!(self.kind(), TokenKind::Word | TokenKind::Str);
        if key && self.peek_kind() == TokenKind::Colon {
            self.missing_comma(true, "fields");
            return true;
        }
        if self.current.starts_line && key {
            // Reported when the key is parsed, or when the object is found to be left open.
            return true;
        }
        self.unexpected_in_group("`,` or `}`", before);
        true
    }

    pub(super) fn report_duplicates<'n>(
        &mut self,
        names: impl Iterator<Item = (&'n str, Span)>,
        (code, what, help): (Code, &str, &str),
    ) {
        let mut seen = HashSet::new();
        for (name, span) in names {
            if !seen.insert(name) {
                let message = format!("duplicate {what} `{}`", super::clip(name));
                self.report(code, span, message, help);
            }
        }
    }

    pub(super) fn starts_expression(&self) -> bool {
        match self.kind() {
            TokenKind::Number
            | TokenKind::Str
            | TokenKind::Block
            | TokenKind::OpenParen
            | TokenKind::OpenBracket
            | TokenKind::OpenBrace => true,
            TokenKind::Word => {
                !matches!(self.word(), Some("and" | "or")) && !self.starts_statement()
            }
            _ => false,
        }
    }

    /// Reports whether a line begins here that can only be a statement or an item, so that the
    /// bracket before it was never closed.
    pub(super) fn group_is_left_open(&mut self) -> bool {
        if !self.current.starts_line {
            return false;
        }
        if self.is_dedented() || self.starts_statement() || self.starts_item() {
            return true;
        }
        let assigns = |kind: TokenKind| kind.is_assignment();
        self.at(TokenKind::Word) && assigns(self.peek_kind())
    }

    pub(super) fn column(&self, span: Span) -> usize {
        let before = self.text.get(..span.start as usize).unwrap_or_default();
        before.bytes().rev().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count()
    }
}
