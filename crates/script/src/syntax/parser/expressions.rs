//! Expressions by precedence (AS-7).

use super::super::ast::{BinaryOp, Expr, ExprKind, Name, UnaryOp};
use super::super::literal::{Number, NumberFault, read_number};
use super::super::token::{Token, TokenKind};
use super::Parser;
use crate::codes;
use contexture_diagnostic::Span;

const COMPARISON: u8 = 3;
const LOWEST: u8 = 1;

/// Returns the precedence of an operator; higher binds tighter. `not` is between `and` and these.
const fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => COMPARISON,
        BinaryOp::Add | BinaryOp::Subtract => 4,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 5,
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Expr {
        self.deeper(Self::own_expression, error_at)
    }

    /// Parses an expression that is a statement's own, so that only its block counts as a level.
    pub(super) fn own_expression(&mut self) -> Expr {
        self.binary(LOWEST)
    }

    /// Parses an expression before a block or a clause, where `=` can only be meant as `==`.
    pub(super) fn condition(&mut self) -> Expr {
        let left = self.header_expression();
        if !self.at(TokenKind::Assign) {
            return left;
        }
        let op_span = self.current.span;
        let fault = codes::ASSIGNMENT_AS_VALUE.at(op_span, "assignment `=` used as a condition");
        self.push_here(fault.with_help("compare with `==`").with_edit(op_span, "=="));
        self.bump();
        let below = self.height;
        let right = self.expression();
        self.join(left, (BinaryOp::Equal, op_span), right, below)
    }

    /// Parses an expression before a block: a `{` that does not open an object is the block, and
    /// the expression is missing.
    pub(super) fn header_expression(&mut self) -> Expr {
        if self.at(TokenKind::OpenBrace) && !self.object_follows() {
            let fault = self.unexpected("an expression");
            let at = self.current.span.start;
            self.push_here(fault);
            self.height = 1;
            return error_at(Span::at(at));
        }
        self.heads += 1;
        let head = self.expression();
        self.heads -= 1;
        head
    }

    pub(super) fn object_follows(&mut self) -> bool {
        let first = self.peek(1).kind;
        matches!(first, TokenKind::Word | TokenKind::Str) && self.peek(2).kind == TokenKind::Colon
    }

    fn binary(&mut self, least: u8) -> Expr {
        let left = self.unary();
        self.binary_of(left, least)
    }

    /// Continues after a left operand with operators whose precedence is at least `least`.
    fn binary_of(&mut self, mut left: Expr, least: u8) -> Expr {
        while let Some(op) = self.infix().or_else(|| self.misspelt_infix()) {
            if precedence(op) < least {
                break;
            }
            let joined = op == BinaryOp::Subtract && self.reads_as_negative();
            let op_span = self.take_operator();
            let below = self.height;
            if self.group_is_left_open() {
                // The next line is a statement, not the missing operand.
                self.push_here(self.unexpected("an expression"));
                return left;
            }
            let right = self.binary(precedence(op) + 1);
            if joined {
                self.report_joined_line(left.span, op_span, right.span);
            }
            left = self.join(left, (op, op_span), right, below);
        }
        left
    }

    fn join(
        &mut self,
        left: Expr,
        (op, op_span): (BinaryOp, Span),
        right: Expr,
        below: usize,
    ) -> Expr {
        let span = left.span.to(right.span);
        if !self.raise(below.max(self.height), span) {
            return error_at(span);
        }
        let (left, right) = (Box::new(left), Box::new(right));
        Expr { kind: ExprKind::Binary { op, op_span, left, right }, span }
    }

    /// Reports whether the current `-` seems to begin a statement: it is the first of its line,
    /// glued to the next token, and in no brackets opened above.
    fn reads_as_negative(&mut self) -> bool {
        let minus = self.current;
        let grouped =
            matches!(self.open.last(), Some(TokenKind::CloseParen | TokenKind::CloseBracket));
        if !minus.starts_line || grouped {
            return false;
        }
        let next = self.peek(1);
        next.span.start == minus.span.end && next.kind != TokenKind::End && !next.kind.is_closer()
    }

    /// Reports a line that continues the one above. It is not counted among the errors: the program
    /// is valid (AS-3).
    fn report_joined_line(&mut self, left: Span, minus: Span, right: Span) {
        let sides = [left, right].map(|side| self.slice(side));
        let [from, value] = sides.map(super::clip);
        let message = if sides.iter().any(|side| side.contains(['\n', '\r'])) {
            "this line continues the one above and subtracts from it".to_owned()
        } else {
            format!("this line continues the one above: `{from} - {value}`")
        };
        let help = "write a space behind `-` if that is meant; a statement of its own stands in \
                    parentheses, as in `(-x)`";
        let told = codes::JOINED_LINE.at(minus.to(right), message);
        self.diagnostics.push(told.with_label(left, "continues below").with_help(help));
    }

    fn infix(&self) -> Option<BinaryOp> {
        Some(match self.kind() {
            TokenKind::Word => match self.slice(self.current.span) {
                "or" => BinaryOp::Or,
                "and" => BinaryOp::And,
                _ => return None,
            },
            TokenKind::ForeignOr => BinaryOp::Or,
            TokenKind::ForeignAnd => BinaryOp::And,
            TokenKind::Equal => BinaryOp::Equal,
            TokenKind::NotEqual => BinaryOp::NotEqual,
            TokenKind::Less => BinaryOp::Less,
            TokenKind::LessEqual => BinaryOp::LessEqual,
            TokenKind::Greater => BinaryOp::Greater,
            TokenKind::GreaterEqual => BinaryOp::GreaterEqual,
            TokenKind::Plus => BinaryOp::Add,
            TokenKind::Minus => BinaryOp::Subtract,
            TokenKind::Star => BinaryOp::Multiply,
            TokenKind::Slash => BinaryOp::Divide,
            TokenKind::Percent => BinaryOp::Remainder,
            _ => return None,
        })
    }

    fn take_operator(&mut self) -> Span {
        let meant = match self.kind() {
            TokenKind::ForeignAnd => Some("and"),
            TokenKind::ForeignOr => Some("or"),
            _ => None,
        };
        if let Some(word) = meant {
            self.report_foreign_operator(word, word);
        }
        self.bump().span
    }

    fn report_foreign_operator(&mut self, word: &str, replacement: &str) {
        let token = self.current;
        let message = format!("{} is written `{word}`", token.kind.describe());
        let fault = codes::FOREIGN_OPERATOR.at(token.span, message);
        self.push(
            fault.with_help(format!("write `{word}`")).with_safe_edit(token.span, replacement),
        );
    }

    /// Parses prefix operators and their operand. The operators are collected and then applied from
    /// the innermost; `not` applies to a whole comparison.
    fn unary(&mut self) -> Expr {
        let mut operators = Vec::new();
        while let Some(op) = self.prefix() {
            operators.push((op, self.bump().span.start));
        }
        let mut operand = self.postfix();
        while let Some((op, start)) = operators.pop() {
            if op == UnaryOp::Not {
                operand = self.binary_of(operand, COMPARISON);
            }
            let span = Span::new(start, operand.span.end.max(start));
            let kind = ExprKind::Unary { op, operand: Box::new(operand) };
            operand = self.above(self.height, span, kind);
        }
        operand
    }

    /// Returns the prefix operator at the current token; reports and skips a `+`.
    fn prefix(&mut self) -> Option<UnaryOp> {
        while self.at(TokenKind::Plus) {
            let mut fault = self.unexpected("an expression");
            if self.foreign_pair().is_none() {
                fault = fault.with_help("remove the `+`");
            }
            self.push_here(fault);
            self.bump();
        }
        match self.kind() {
            TokenKind::Minus if !self.is_least_number() => Some(UnaryOp::Negate),
            TokenKind::ForeignNot => {
                self.report_foreign_operator("not", "not ");
                Some(UnaryOp::Not)
            }
            TokenKind::Word if self.at_word("not") => Some(UnaryOp::Not),
            _ => None,
        }
    }

    /// Reports whether this is `-9223372036854775808`, which is in range although its digits alone
    /// are not.
    fn is_least_number(&mut self) -> bool {
        let number = self.peek(1);
        number.kind == TokenKind::Number
            && read_number(self.slice(number.span)) == Ok(Number::MinInt)
    }

    fn least_number(&mut self) -> Expr {
        let minus = self.bump().span;
        let number = self.bump().span;
        self.leaf(ExprKind::Int(i64::MIN), minus.to(number))
    }

    fn postfix(&mut self) -> Expr {
        let first = self.primary();
        self.postfix_of(first)
    }

    /// Parses postfix operators. `.name` may be on the next line; `(` and `[` on a new line begin
    /// another expression.
    fn postfix_of(&mut self, first: Expr) -> Expr {
        let mut base = first;
        loop {
            base = match self.kind() {
                TokenKind::Dot => self.field(base),
                TokenKind::OpenBracket if self.same_line() => self.index(base),
                TokenKind::OpenParen if self.same_line() => self.call(base),
                _ => return base,
            };
        }
    }

    fn field(&mut self, base: Expr) -> Expr {
        let below = self.height;
        let dot = self.bump();
        let next_statement = self.group_is_left_open();
        let Some(word) = self.word().filter(|_| !next_statement) else {
            let fault = self.unexpected("the name of a field");
            let index = self.at(TokenKind::Number) && self.same_line();
            let fault = if index {
                fault.with_help("write `list[0]` for an item of a list")
            } else {
                fault
            };
            self.push_here(fault);
            if index {
                self.bump();
            } else if self.at(TokenKind::Dot) {
                self.skip_glued();
            }
            let name = Name { text: String::new(), span: Span::at(dot.span.end) };
            let span = base.span.to(dot.span);
            return self.above(below, span, ExprKind::Field { base: Box::new(base), name });
        };
        let span = self.bump().span;
        let name = Name { text: word.to_owned(), span };
        let span = base.span.to(span);
        self.above(below, span, ExprKind::Field { base: Box::new(base), name })
    }

    fn index(&mut self, base: Expr) -> Expr {
        let below = self.height;
        let opening = self.open();
        let index = self.expression();
        if self.at(TokenKind::Colon) {
            self.push_here(
                self.unexpected("`]`")
                    .with_help("write `list.slice(from, to)` for a part of a list"),
            );
            self.skip_to_comma();
        }
        self.close(opening);
        let span = self.span_from(base.span.start);
        let kind = ExprKind::Index { base: Box::new(base), index: Box::new(index) };
        self.above(below.max(self.height), span, kind)
    }

    fn call(&mut self, callee: Expr) -> Expr {
        let below = self.height;
        let opening = self.open();
        let (arguments, highest) = self.sequence("an argument", false);
        self.close(opening);
        let span = self.span_from(callee.span.start);
        self.above(below.max(highest), span, ExprKind::Call { callee: Box::new(callee), arguments })
    }

    /// Puts a node above trees of the given height.
    pub(super) fn above(&mut self, below: usize, span: Span, kind: ExprKind) -> Expr {
        if self.raise(below, span) { Expr { kind, span } } else { error_at(span) }
    }

    fn primary(&mut self) -> Expr {
        match self.kind() {
            TokenKind::Number => self.number(),
            TokenKind::Minus if self.is_least_number() => self.least_number(),
            TokenKind::Str | TokenKind::Block => self.string_literal(),
            TokenKind::Word => self.word_expression(),
            TokenKind::OpenParen => self.parenthesis(),
            TokenKind::OpenBracket => self.list(),
            TokenKind::OpenBrace => self.object(),
            _ => self.missing_expression(),
        }
    }

    pub(super) fn leaf(&mut self, kind: ExprKind, span: Span) -> Expr {
        self.height = 1;
        Expr { kind, span }
    }

    /// Returns an error that takes no token: the caller decides how to continue.
    fn missing_expression(&mut self) -> Expr {
        let fault = self.unexpected("an expression");
        let at = self.current.span.start;
        self.push_here(fault);
        let fraction = self.at(TokenKind::Dot) && self.peek_kind() == TokenKind::Number;
        if self.at(TokenKind::Unknown) || fraction {
            self.skip_glued();
        }
        self.leaf(ExprKind::Error, Span::at(at))
    }

    /// Skips a sign with the dots, word or number glued to it, as in `$name`, `.5` and `..9`.
    fn skip_glued(&mut self) {
        let mut end = self.bump().span.end;
        while matches!(self.kind(), TokenKind::Dot | TokenKind::Word | TokenKind::Number)
            && self.current.span.start == end
        {
            end = self.bump().span.end;
        }
    }

    pub(super) fn number(&mut self) -> Expr {
        let token = self.bump();
        let kind = match read_number(self.slice(token.span)) {
            Ok(Number::Int(value)) => ExprKind::Int(value),
            Ok(Number::Float(value)) => ExprKind::Float(value),
            Ok(Number::MinInt) => {
                self.report_number(token, NumberFault::TooLarge);
                ExprKind::Int(i64::MAX)
            }
            Err(fault) => {
                self.report_number(token, fault);
                ExprKind::Int(0)
            }
        };
        self.leaf(kind, token.span)
    }

    pub(super) fn report_number(&mut self, token: Token, fault: NumberFault) {
        let text = super::clip(self.slice(token.span));
        let (code, message, help) = match fault {
            NumberFault::TooLarge if self.slice(token.span).contains(['.', 'e', 'E']) => (
                codes::NUMBER_TOO_LARGE,
                format!("number `{text}` is too large for a floating-point number"),
                "numbers go up to about 1.8e308",
            ),
            NumberFault::TooLarge => (
                codes::NUMBER_TOO_LARGE,
                format!("number `{text}` does not fit into 64 bits"),
                "whole numbers go from -9223372036854775808 to 9223372036854775807",
            ),
            NumberFault::Suffix => (
                codes::BAD_NUMBER,
                format!("invalid number `{text}`"),
                "only `k` may follow the digits: `2k` is 2000",
            ),
            NumberFault::NotWhole => (
                codes::BAD_NUMBER,
                format!("`{text}` is not a whole number"),
                "`k` multiplies by 1000 and gives a whole number, as in `1.5k`",
            ),
        };
        self.report(code, token.span, message, help);
    }

    fn string_literal(&mut self) -> Expr {
        let token = self.bump();
        self.string_of(token)
    }

    fn parenthesis(&mut self) -> Expr {
        let opening = self.open();
        let start = opening.span.start;
        let inner = self.expression();
        let below = self.height;
        if self.at(TokenKind::Assign) {
            let fault =
                codes::ASSIGNMENT_AS_VALUE.at(self.current.span, "assignment `=` used as a value");
            self.push_here(fault.with_help("compare with `==`").with_edit(self.current.span, "=="));
            self.bump();
            self.expression();
        } else if self.at(TokenKind::Comma) {
            self.push_here(self.unexpected("`)`").with_help("write a list in `[` and `]`"));
            self.skip_in_group();
        }
        self.close(opening);
        let span = self.span_from(start);
        self.above(below, span, ExprKind::Paren(Box::new(inner)))
    }

    /// Skips to the bracket that closes the current group, on this line.
    fn skip_in_group(&mut self) {
        while !self.at_end() && !self.kind().is_closer() && self.same_line() {
            self.skip_balanced();
        }
    }

    fn word_expression(&mut self) -> Expr {
        let word = self.word().unwrap_or_default();
        let span = self.current.span;
        let constant = match word {
            "true" => Some(ExprKind::Bool(true)),
            "false" => Some(ExprKind::Bool(false)),
            "none" => Some(ExprKind::None),
            _ => None,
        };
        if let Some(kind) = constant {
            self.bump();
            return self.leaf(kind, span);
        }
        match word {
            "generate" => return self.generate(),
            "parallel" if self.peek_word(1) == Some("for") => return self.parallel_for(),
            "parallel" if self.peek_word(2) == Some("in") => return self.parallel_without_for(),
            "try" if self.peek_kind() == TokenKind::OpenBrace => return self.try_else(),
            _ => {}
        }
        if super::is_reserved(word) {
            return self.keyword_as_value(word);
        }
        match self.misspelt_expression() {
            Some("generate") => return self.generate(),
            Some("parallel") => return self.parallel_for(),
            Some(_) => return self.try_else(),
            None => {}
        }
        self.bump();
        self.leaf(ExprKind::Name(word.to_owned()), span)
    }

    /// Reports `x = if …`, and parses the statement, so that the rest of the file still makes
    /// sense.
    fn keyword_as_value(&mut self, word: &str) -> Expr {
        let start = self.current.span;
        let statement = matches!(word, "if" | "for" | "return" | "use") && self.same_line();
        if !statement {
            let fault = self.unexpected("an expression");
            let help = match word {
                "and" | "or" => format!("write `{word}` between two values"),
                _ => format!("`{word}` is a reserved word"),
            };
            self.push_here(fault.with_help(help));
            if !self.starts_statement() {
                self.bump();
            }
            return self.leaf(ExprKind::Error, start);
        }
        let message = format!("statement `{word}` used as a value");
        let help = "assign inside its blocks, or call a function that returns the value";
        self.push_here(codes::STATEMENT_AS_VALUE.at(start, message).with_help(help));
        let read = self.deeper(|p| p.statement().span, |span| span);
        self.leaf(ExprKind::Error, start.to(read))
    }
}

pub(super) fn error_at(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
