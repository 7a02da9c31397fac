//! `generate({ … }) -> { … }` (AS-19).

use super::super::ast::{Expr, ExprKind, Generate, MOST_OUTPUT, Text};
use super::super::token::TokenKind;
use super::Parser;
use crate::codes;
use contexture_diagnostic::Span;

impl Parser<'_> {
    pub(super) fn generate(&mut self) -> Expr {
        let start = self.bump().span;
        let (options, below) = if self.at(TokenKind::OpenParen) && self.same_line() {
            self.generate_options()
        } else if self.at(TokenKind::OpenBrace) && self.same_line() && self.heads == 0 {
            let at = Span::at(start.end);
            self.push_here(
                self.unexpected("`(`").with_help("write `generate({ … })`").with_edit(at, "("),
            );
            let options = self.fields_with(Self::most_output);
            self.eat(TokenKind::CloseParen);
            options
        } else {
            let fault = codes::BAD_GENERATE.at(start, "`generate` without arguments");
            self.push(fault.with_help("write `generate({ input: \"…\" }) -> { answer string }`"));
            self.fault_at = Some(self.current.span.start);
            (Vec::new(), 0)
        };
        let mut highest = below;
        let shape = if self.begins_old_body() {
            let shape = self.old_body();
            highest = highest.max(self.height);
            Some(shape)
        } else if self.eat(TokenKind::Arrow).is_some() || self.lacks_arrow() {
            let shape = self.shape_of_answer();
            highest = highest.max(self.height);
            Some(shape)
        } else {
            None
        };
        let span = self.span_from(start.start);
        self.above(highest, span, ExprKind::Generate(Box::new(Generate { options, shape })))
    }

    /// Reports the shape of an answer that has no `->` before it. What may be an object or a block is
    /// one.
    fn lacks_arrow(&mut self) -> bool {
        let shape = self.at(TokenKind::OpenBrace) && self.same_line() && self.heads == 0;
        if !shape || self.object_follows() || self.peek_kind().is_closer() {
            return false;
        }
        let at = Span::at(self.previous_end);
        let fault = self.unexpected("`->`").with_help("write `->` before the shape of the answer");
        self.push_here(fault.with_edit(at, " ->"));
        true
    }

    fn generate_options(&mut self) -> (Vec<(Text, Expr)>, usize) {
        let opening = self.open();
        if !self.at(TokenKind::OpenBrace) && !self.begins_field() {
            let (arguments, highest) = self.sequence("the options", false);
            self.close(opening);
            self.report_bad_options(&arguments, self.span_from(opening.span.start));
            return (arguments.into_iter().map(as_input).collect(), highest);
        }
        let (options, mut highest) = if self.at(TokenKind::OpenBrace) {
            self.fields_with(Self::most_output)
        } else {
            self.options_without_brace()
        };
        self.eat(TokenKind::Comma);
        let ended = self.at(TokenKind::Arrow) || self.kind().is_closer() || self.at_end();
        if !ended && !self.group_is_left_open() {
            let at = self.current.span;
            let (_, spare) = self.sequence("`)`", false);
            highest = highest.max(spare);
            let span = at.to(self.span_from(at.start));
            let fault = codes::BAD_GENERATE.at(span, "`generate` takes one object of options");
            self.push(fault.with_help("put all options into that object"));
        }
        self.close(opening);
        for (key, _) in options.iter().filter(|(key, _)| key.value == "limit") {
            let message = "the option `limit` is now called `max_output`";
            let fault = codes::OLD_LIMIT_OPTION.at(key.span, message);
            self.push(fault.with_help("write `max_output`").with_safe_edit(key.span, "max_output"));
        }
        (options, highest)
    }

    fn options_without_brace(&mut self) -> (Vec<(Text, Expr)>, usize) {
        let at = Span::at(self.current.span.start);
        let fault = self.unexpected("`{`").with_help("write `generate({ … })`");
        self.push_here(fault.with_edit(at, "{ "));
        let read = self.fields_behind(&Self::most_output);
        self.eat(TokenKind::CloseBrace);
        read
    }

    /// Parses the second bound of `max_output: 800 to 3200`.
    fn most_output(&mut self, name: &str, options: &mut Vec<(Text, Expr)>) {
        if name == "max_output" && self.at_word("to") {
            let key = Text { value: MOST_OUTPUT.to_owned(), span: self.bump().span };
            let most = self.expression();
            options.push((key, most));
        }
    }

    fn report_bad_options(&mut self, arguments: &[Expr], span: Span) {
        if self.fault_at == Some(self.current.span.start) {
            return;
        }
        let fault = codes::BAD_GENERATE.at(span, "`generate` takes one object of options");
        let fault = fault.with_help("write `generate({ input: \"…\" })`");
        let fault = match arguments {
            [only] => fault
                .with_edit(Span::at(only.span.start), "{ input: ")
                .with_edit(Span::at(only.span.end), " }"),
            _ => fault,
        };
        self.push(fault);
    }
}

/// Takes an argument without a name as the instruction, which it most likely is.
fn as_input(argument: Expr) -> (Text, Expr) {
    let key = Text { value: "input".to_owned(), span: Span::at(argument.span.start) };
    (key, argument)
}
