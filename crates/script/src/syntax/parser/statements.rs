//! Statements (AS-6) and the expressions that contain blocks.

use super::super::ast::{
    Accessor, AssignOp, Block, Expr, ExprKind, For, Name, Statement, StatementKind, Target,
};
use super::super::token::TokenKind;
use super::Parser;
use super::expressions::error_at;
use super::items::Place;
use super::old::OldLimit;
use crate::capability;
use crate::codes;
use contexture_diagnostic::Span;

impl Parser<'_> {
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut highest = 0;
        while !self.at_end() && !self.at(TokenKind::CloseBrace) && !self.is_dedented() {
            if self.kind().is_closer() {
                if self.is_awaited(self.kind()) {
                    break;
                }
                self.stray_closer();
                continue;
            }
            if self.starts_item() {
                if self.body_is_left_open() {
                    break;
                }
                self.item(Place::Function);
                continue;
            }
            self.statement_or_fault(&mut statements);
            highest = highest.max(self.height);
        }
        self.height = highest;
        // Most blocks are short, and a statement is large.
        statements.shrink_to_fit();
        statements
    }

    /// Parses a statement, and takes at least one token.
    pub(super) fn statement_or_fault(&mut self, statements: &mut Vec<Statement>) {
        if self.at(TokenKind::Semicolon) {
            return self.semicolon();
        }
        let before = self.current.span.start;
        statements.push(self.statement());
        if self.current.span.start == before {
            self.bump();
        }
    }

    /// Reports whether the body was left open: a function that starts no further to the right than
    /// the current one is the next one. Any other is nested, which is reported.
    fn body_is_left_open(&mut self) -> bool {
        let inside = self.function_start.last().copied();
        self.current.starts_line && inside.is_none_or(|column| self.line_indent <= column)
    }

    /// Reports whether a statement with a keyword begins here, on a line of its own.
    pub(super) fn starts_statement(&self) -> bool {
        self.current.starts_line
            && matches!(self.word(), Some("if" | "for" | "return" | "use" | "else"))
    }

    pub(super) fn statement(&mut self) -> Statement {
        let start = self.current.span.start;
        if self.depth <= self.body_depth {
            self.outer_statement = start;
        }
        self.height = 1;
        let kind = self.statement_kind();
        Statement { kind, span: self.span_from(start) }
    }

    fn statement_kind(&mut self) -> StatementKind {
        let word = self.word().filter(|word| !self.is_statement_word(word));
        let misspelt = word.and_then(|_| self.misspelt_statement());
        match misspelt.or_else(|| self.word()) {
            Some("if") => self.if_statement(),
            Some("for") => StatementKind::For(self.for_loop()),
            Some("return") => self.return_statement(),
            Some("use") => StatementKind::Use(self.use_statement()),
            Some("loop") if misspelt.is_some() || self.is_keyword_here() => self.loop_statement(),
            Some("repeat") if misspelt.is_some() || self.is_keyword_here() => {
                self.repeat_statement()
            }
            Some(_) if misspelt.is_none() && self.head_without_keyword().is_some() => {
                self.loop_without_keyword()
            }
            Some("progress") if self.is_before_text() => self.progress_statement(),
            Some("fail") if self.is_before_text() => self.fail_statement(),
            Some("else") => self.stray_else(),
            Some(word) => match self.config(word) {
                Some(config) => StatementKind::Config(config),
                None => self.foreign_statement(word).unwrap_or_else(|| self.simple_statement()),
            },
            None if self.at(TokenKind::Semicolon) => {
                self.semicolon();
                StatementKind::Error
            }
            None => self.simple_statement(),
        }
    }

    /// Reports whether a word begins a statement of its own.
    fn is_statement_word(&self, word: &str) -> bool {
        super::is_reserved(word)
            || matches!(word, "loop" | "repeat" | "progress" | "model" | "role" | "description")
    }

    /// Reports whether `loop` or `repeat` is a keyword here; before an assignment or a field it is
    /// a name.
    fn is_keyword_here(&mut self) -> bool {
        let next = self.peek(1);
        let name = next.kind.is_assignment()
            || matches!(next.kind, TokenKind::Dot | TokenKind::CloseBrace | TokenKind::End)
            || (matches!(next.kind, TokenKind::OpenParen | TokenKind::OpenBracket)
                && !next.starts_line)
            || matches!(next.kind, TokenKind::Plus | TokenKind::Minus | TokenKind::Slash)
            || (next.starts_line && next.kind == TokenKind::Word);
        !name
    }

    /// Reports whether a string follows on the same line.
    fn is_before_text(&mut self) -> bool {
        let next = self.peek(1);
        matches!(next.kind, TokenKind::Str | TokenKind::Block) && !next.starts_line
    }

    /// Reads `progress "text"`, which is a call without brackets.
    fn progress_statement(&mut self) -> StatementKind {
        let start = self.current.span.start;
        let callee = self.bump().span;
        let text = self.own_expression();
        self.call_without_brackets(start, (capability::PROGRESS, callee), vec![text])
    }

    /// Reads `fail "reason" code "E_CODE"`, which is a call without brackets.
    fn fail_statement(&mut self) -> StatementKind {
        let start = self.current.span.start;
        let callee = self.bump().span;
        let mut arguments = vec![self.own_expression()];
        let mut highest = self.height;
        if self.at_word("code") && self.same_line() {
            self.bump();
            arguments.push(self.own_expression());
            highest = highest.max(self.height);
        }
        self.height = highest;
        self.call_without_brackets(start, (capability::FAIL, callee), arguments)
    }

    fn call_without_brackets(
        &mut self,
        start: u32,
        (name, span): (&str, Span),
        arguments: Vec<Expr>,
    ) -> StatementKind {
        let callee = Box::new(Expr { kind: ExprKind::Name(name.to_owned()), span });
        self.height = self.height.saturating_add(1);
        self.expect_statement_end();
        let kind = ExprKind::Call { callee, arguments };
        StatementKind::Expr(Expr { kind, span: self.span_from(start) })
    }

    fn if_statement(&mut self) -> StatementKind {
        let mut arms = Vec::new();
        let mut otherwise = None;
        let mut highest = 0;
        self.bump();
        loop {
            let condition = self.condition();
            highest = highest.max(self.height);
            let block = self.block("the body of `if`");
            highest = highest.max(self.height);
            arms.push((condition, block));
            if self.foreign_elif() {
                continue;
            }
            if !self.at_word("else") && !self.begins_misspelt_else() {
                break;
            }
            self.bump();
            if self.eat_word("if") {
                continue;
            }
            otherwise = Some(self.block("the body of `else`"));
            highest = highest.max(self.height);
            break;
        }
        self.height = highest + 1;
        StatementKind::If { arms, otherwise }
    }

    /// Reports a misspelt `else` behind the block of an `if`.
    fn begins_misspelt_else(&mut self) -> bool {
        let next = self.peek_kind() == TokenKind::OpenBrace || self.peek_word(1) == Some("if");
        next && self.misspelt(&["else"]).is_some()
    }

    fn foreign_elif(&mut self) -> bool {
        let Some(word @ ("elif" | "elseif" | "elsif")) = self.word() else { return false };
        if self.peek_kind().is_assignment() {
            return false;
        }
        let span = self.current.span;
        let fault = codes::FOREIGN_STATEMENT.at(span, format!("unsupported keyword `{word}`"));
        self.push_here(fault.with_help("write `else if`").with_safe_edit(span, "else if"));
        self.bump();
        true
    }

    fn stray_else(&mut self) -> StatementKind {
        self.push_here(
            self.unexpected("a statement").with_help("`else` follows the `}` of an `if`"),
        );
        self.bump();
        if self.eat_word("if") {
            self.condition();
        }
        if self.at(TokenKind::OpenBrace) {
            self.block("the body of `else`");
        }
        StatementKind::Error
    }

    fn return_statement(&mut self) -> StatementKind {
        self.bump();
        let none = self.current.starts_line || self.at_end() || self.kind().is_closer();
        if none || self.at(TokenKind::Semicolon) {
            self.height = 1;
            return StatementKind::Return(None);
        }
        StatementKind::Return(Some(self.own_expression()))
    }

    fn loop_statement(&mut self) -> StatementKind {
        let start = self.bump().span;
        self.loop_behind(start)
    }

    fn loop_behind(&mut self, start: Span) -> StatementKind {
        if !self.eat_keyword("until") {
            self.push_here(
                self.unexpected("`until`").with_help("write `loop until done max 10 { … }`"),
            );
        }
        let missing = self.at_word("max") && self.peek_kind() != TokenKind::OpenBrace;
        let until = if missing {
            self.push_here(self.unexpected("the condition that ends the loop"));
            error_at(Span::at(self.previous_end))
        } else {
            self.condition()
        };
        let below = self.height;
        let (until, max) = self.limit_of_loop(until, start, OldLimit::Loop);
        let highest = below.max(self.height);
        let body = self.block("the body of the loop");
        self.height = highest.max(self.height) + 1;
        StatementKind::Loop { until, max, body }
    }

    /// Parses `max n` after the head of a loop, or takes the limit of the old syntax out of it.
    fn limit_of_loop(&mut self, head: Expr, keyword: Span, kind: OldLimit) -> (Expr, Option<Expr>) {
        let is_max = self.at_word("max") || self.misspelt_clause(&["max"]).is_some();
        let max = if is_max && self.eat(TokenKind::Word).is_some() {
            Some(self.header_expression())
        } else {
            None
        };
        if max.is_none() && self.at(TokenKind::Number) && self.peek_kind() == TokenKind::OpenBrace {
            let at = Span::at(self.current.span.start);
            let fault = codes::MISSING_MAX.at(self.current.span, "missing `max` before the bound");
            self.push_here(fault.with_help("write `max` before it").with_safe_edit(at, "max "));
            return (head, Some(self.header_expression()));
        }
        let (head, old) = self.old_limit(head, kind, max.is_some());
        if max.is_some() || old.is_some() {
            return (head, max.or(old));
        }
        let span = keyword.to(self.span_from(keyword.start));
        let at = Span::at(self.previous_end);
        if self.fault_at != Some(self.current.span.start) {
            let fault = codes::MISSING_MAX.at(span, "loop without `max`");
            let help = "limit the number of iterations, as in `max 10`";
            self.push(fault.with_help(help).with_edit(at, " max 10"));
        }
        (head, None)
    }

    /// Parses a loop that has lost its keyword.
    fn loop_without_keyword(&mut self) -> StatementKind {
        let is_for = !self.at_word("until");
        let (keyword, help) = if is_for {
            ("for", "write `for x in list max 10 { … }`")
        } else {
            ("loop", "write `loop until done max 10 { … }`")
        };
        let at = Span::at(self.current.span.start);
        let fault = self.unexpected(&format!("`{keyword}`")).with_help(help);
        self.push_here(fault.with_edit(at, format!("{keyword} ")));
        if is_for { StatementKind::For(self.for_behind(at)) } else { self.loop_behind(at) }
    }

    fn repeat_statement(&mut self) -> StatementKind {
        self.bump();
        if self.eat(TokenKind::Star).is_none() {
            let at = Span::at(self.previous_end);
            self.push_here(
                self.unexpected("`*`").with_help("write `repeat * 3 { … }`").with_edit(at, " *"),
            );
        }
        let count = self.header_expression();
        let below = self.height;
        let body = self.block("the body of `repeat`");
        self.height = below.max(self.height) + 1;
        StatementKind::Repeat { count, body }
    }

    fn for_loop(&mut self) -> For {
        let keyword = self.bump().span;
        self.for_behind(keyword)
    }

    fn for_behind(&mut self, keyword: Span) -> For {
        let variable = self.binding("the variable of the loop");
        let variable =
            variable.unwrap_or(Name { text: String::new(), span: Span::at(self.previous_end) });
        if !self.eat_word("in") {
            self.push_here(self.unexpected("`in`").with_help("write `for x in list max 10 { … }`"));
        }
        let list = self.header_expression();
        let below = self.height;
        let (list, max) = self.limit_of_loop(list, keyword, OldLimit::For);
        let highest = below.max(self.height);
        let body = self.block("the body of the loop");
        self.height = highest.max(self.height) + 1;
        For { variable, list, max, body }
    }

    pub(super) fn parallel_for(&mut self) -> Expr {
        let start = self.bump().span.start;
        let each = self.for_loop();
        let span = self.span_from(start);
        self.above(self.height, span, ExprKind::ParallelFor(Box::new(each)))
    }

    /// Parses `parallel x in list …` as if it had a `for`.
    pub(super) fn parallel_without_for(&mut self) -> Expr {
        let start = self.bump().span;
        self.push_here(
            self.unexpected("`for`")
                .with_help("write `parallel for x in list max 10 { … }`")
                .with_edit(Span::at(start.end), " for"),
        );
        let each = self.for_behind(start);
        let span = self.span_from(start.start);
        self.above(self.height, span, ExprKind::ParallelFor(Box::new(each)))
    }

    pub(super) fn try_else(&mut self) -> Expr {
        let start = self.bump().span.start;
        let body = self.block("the body of `try`");
        let below = self.height;
        if !self.eat_keyword("else") {
            self.push_here(self.unexpected("`else`").with_help("write `try { … } else err { … }`"));
            let span = self.span_from(start);
            let handler = empty_block(Span::at(span.end));
            return self.above(below, span, ExprKind::Try { body, error: None, handler });
        }
        let named = self.at(TokenKind::Word);
        let error = if named { self.binding("the name of the error") } else { None };
        let handler = self.block("the body of `else`");
        let span = self.span_from(start);
        self.above(below.max(self.height), span, ExprKind::Try { body, error, handler })
    }

    fn simple_statement(&mut self) -> StatementKind {
        let start = self.current.span.start;
        let expr = self.own_expression();
        if !self.kind().is_assignment() {
            if matches!(expr.kind, ExprKind::Error) {
                if self.current.span.start == start || !self.current.starts_line {
                    self.skip_line();
                }
                return StatementKind::Error;
            }
            if self.is_use_without_keyword() {
                return StatementKind::Use(self.use_without_keyword(expr));
            }
            self.expect_statement_end();
            return StatementKind::Expr(expr);
        }
        self.assignment(expr)
    }

    /// Reports a token after an expression that can't begin a statement.
    fn expect_statement_end(&mut self) {
        if self.current.starts_line || self.at_end() || self.kind().is_closer() {
            return;
        }
        let begins = self.starts_expression() || self.at(TokenKind::Word);
        if begins || self.at(TokenKind::Semicolon) {
            return;
        }
        self.push_here(self.unexpected("a statement or `}`"));
        self.skip_line();
    }

    fn assignment(&mut self, left: Expr) -> StatementKind {
        let below = self.height;
        let token = self.bump();
        let op = match token.kind {
            TokenKind::PlusAssign => AssignOp::Add,
            TokenKind::MinusAssign => AssignOp::Subtract,
            TokenKind::ForeignAssign => {
                let sign = self.slice(token.span);
                let written = self.slice(left.span);
                let operator = sign.trim_end_matches('=');
                let help = format!("write `{written} = {written} {operator} …`");
                self.report(
                    codes::FOREIGN_OPERATOR,
                    token.span,
                    format!("unsupported operator `{sign}`"),
                    help,
                );
                AssignOp::Set
            }
            _ => AssignOp::Set,
        };
        let target = self.target(left);
        let value = self.own_expression();
        self.height = below.max(self.height) + 1;
        let arrow = self.peek(1);
        if self.at(TokenKind::Assign) && arrow.kind == TokenKind::Greater {
            let span = self.current.span.to(arrow.span);
            let help =
                "declare `func name(x) { … }`, and pass its name to `map`, `filter` or `sort`";
            let fault = codes::UNEXPECTED_TOKEN.at(span, "anonymous functions are not supported");
            self.push_here(fault.with_help(help));
            self.skip_line();
        } else if self.at(TokenKind::Assign) && self.same_line() {
            let span = self.current.span;
            let fault = codes::ASSIGNMENT_AS_VALUE.at(span, "assignment used as a value");
            self.push_here(fault.with_help("assign one variable per statement"));
            self.bump();
            self.expression();
        } else {
            self.expect_statement_end();
        }
        match target {
            Some(target) => StatementKind::Assign { target, op, value },
            // The value is kept, so that faults inside it are reported too.
            None => StatementKind::Expr(value),
        }
    }

    fn target(&mut self, left: Expr) -> Option<Target> {
        let span = left.span;
        let faulty = matches!(left.kind, ExprKind::Error);
        let mut path = Vec::new();
        let mut rest = left;
        loop {
            match rest.take_kind() {
                ExprKind::Name(text) => {
                    path.reverse();
                    return Some(Target { base: Name { text, span: rest.span }, path, span });
                }
                ExprKind::Field { base, name } => {
                    path.push(Accessor::Field(name));
                    rest = *base;
                }
                ExprKind::Index { base, index } => {
                    path.push(Accessor::Index(*index));
                    rest = *base;
                }
                _ => break,
            }
        }
        if !faulty {
            let help = "assign to a variable or to a field of one: `x = …`, `x.field = …`";
            self.report(codes::BAD_TARGET, span, "invalid left side of an assignment", help);
        }
        None
    }

    /// Reports statements of other languages with their counterpart, and skips them.
    fn foreign_statement(&mut self, word: &str) -> Option<StatementKind> {
        let next = self.peek(1);
        let glued = !next.starts_line;
        let before_name = next.kind == TokenKind::Word && glued;
        let before_value = glued
            && (before_name || matches!(next.kind, TokenKind::OpenParen | TokenKind::OpenBrace));
        let help = match word {
            "let" | "var" | "const" | "set" if before_name => "write `name = value`",
            "while" if before_value => {
                "write `loop until done max 10 { … }`; it ends when the condition holds"
            }
            "foreach" if before_name => "write `for x in list max 10 { … }`",
            "match" | "switch" if before_value => "write `if … { } else if … { } else { }`",
            "break" | "continue" if !next.kind.is_assignment() && next.kind != TokenKind::Dot => {
                "end a loop with its condition: `loop until done max 10 { … }`"
            }
            "print" | "throw" | "raise" if before_name || next.kind == TokenKind::Str => {
                "a program's only output is its value: return what should be shown"
            }
            _ => return None,
        };
        let fault = codes::FOREIGN_STATEMENT
            .at(self.current.span, format!("unsupported statement `{word}`"));
        self.push_here(fault.with_help(help));
        let keyword = self.bump();
        if matches!(word, "let" | "var" | "const" | "set") {
            return Some(self.simple_statement());
        }
        if !matches!(word, "break" | "continue") {
            self.condition();
            while self.at(TokenKind::Word) && self.same_line() {
                self.bump();
                self.condition();
            }
            if self.at(TokenKind::OpenBrace) {
                self.block("the body");
            }
        }
        self.fault_at = Some(keyword.span.start);
        Some(StatementKind::Error)
    }
}

fn empty_block(span: Span) -> Block {
    Block { statements: Vec::new(), span }
}
