//! Brackets that are missing, placed by the indentation that gives them away (TY-5).
//!
//! Decision: indentation means nothing in the language, so it is looked at only when the brackets of
//! a text do not match; then the text is parsed once more with it.

use super::super::ast::{Param, Statement};
use super::super::lexer::Lexer;
use super::super::token::{Token, TokenKind};
use super::Parser;
use super::items::IMPORT_KINDS;

/// The most tokens that are looked at to find the end of a group.
const FAR: usize = 4_000;

impl<'a> Parser<'a> {
    /// Creates a parser for a text whose brackets do not match.
    pub(crate) fn by_indent(text: &'a str, depth: usize) -> Self {
        Self { by_indent: true, ..Self::new(text, depth) }
    }

    /// Reports whether the current line ends what is open, because it begins no further to the right
    /// than the line that opened it.
    pub(super) fn is_dedented(&self) -> bool {
        let Some(indent) = self.open_indents.last().filter(|_| self.by_indent) else {
            return false;
        };
        let left = if self.kind().is_closer() { *indent } else { indent + 1 };
        self.current.starts_line && !self.at_end() && self.line_indent < left
    }

    /// Reports whether the bracket at the start of this line belongs to one that was opened further
    /// to the left than the innermost.
    pub(super) fn closes_an_outer_one(&self) -> bool {
        self.kind().is_closer() && self.is_dedented()
    }

    /// Parses the statements of a block whose opening brace is missing: what follows in the line, or
    /// stands further to the right than the line before it; and its closing brace.
    pub(super) fn body_without_brace(&mut self) -> Vec<Statement> {
        let head = self.indent_of(self.previous_end);
        let spare = self.take_spare_brace();
        let mut statements = Vec::new();
        let mut is_first = true;
        while !self.at_end() && !self.kind().is_closer() {
            let inside = self.line_indent > head || (spare && is_first && self.same_line());
            if !inside || (self.starts_item() && self.current.starts_line) {
                break;
            }
            let before = self.current.span.start;
            statements.push(self.statement());
            if self.current.span.start == before {
                self.bump();
            }
            is_first = self.same_line();
        }
        if spare && self.at(TokenKind::CloseBrace) {
            self.bump();
        }
        statements
    }

    /// Parses the parameters of a function whose opening parenthesis is missing.
    pub(super) fn params_without_paren(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        while self.same_line() && self.at(TokenKind::Word) {
            params.extend(self.param());
            self.eat(TokenKind::Comma);
        }
        if self.same_line() {
            self.eat(TokenKind::CloseParen);
        }
        params
    }

    /// Reports whether a function begins here without its `func`: a name with parameters and a body.
    pub(super) fn begins_func_without_keyword(&mut self) -> bool {
        // `if (a) { … }` is a statement, and so is an object on the line after a call.
        let is_body = |token: Token| token.kind == TokenKind::OpenBrace && !token.starts_line;
        self.word().is_some_and(|word| !super::is_reserved(word))
            && self.peek_kind() == TokenKind::OpenParen
            && self.peek_past_group().is_some_and(is_body)
    }

    /// Reports whether an import begins here without its `import`.
    pub(super) fn begins_import_without_keyword(&mut self, word: &str) -> bool {
        IMPORT_KINDS.iter().any(|(kind, _)| *kind == word)
            && self.peek_kind() == TokenKind::Word
            && self.peek_word(2) == Some("from")
    }

    /// Takes a bracket that closes nothing which is open; returns false if there is none.
    pub(super) fn takes_stray_closer(&mut self) -> bool {
        let stray = self.kind().is_closer() && !self.is_awaited(self.kind());
        if stray {
            self.stray_closer();
        }
        stray
    }

    /// Reports whether the fields of a shape begin here, where its opening brace is missing.
    pub(super) fn begins_shape_without_brace(&mut self) -> bool {
        let next = self.peek(1);
        let typed = matches!(next.kind, TokenKind::Word | TokenKind::Str | TokenKind::Question);
        self.at(TokenKind::Word)
            && self.current.starts_line
            && !self.starts_statement()
            && ((typed && !next.starts_line) || next.kind == TokenKind::Colon)
    }

    /// Reports whether the clauses of a `use` follow an expression that has no `use` before it.
    pub(super) fn is_use_without_keyword(&mut self) -> bool {
        let next = self.peek(1);
        let clause = match self.word() {
            Some("max") => next.kind == TokenKind::Number,
            Some("as") => next.kind == TokenKind::Word,
            _ => false,
        };
        // Either may be a variable in a statement of its own.
        let is_free = |p: &mut Self| p.word().is_some_and(|word| !p.is_bound(word));
        clause && self.same_line() && !next.starts_line && is_free(self)
    }

    /// Returns the keyword that a loop has lost: its head begins here.
    pub(super) fn head_without_keyword(&mut self) -> Option<&'static str> {
        let (keyword, word) = match (self.word()?, self.peek_word(1)) {
            ("until", Some(_)) => ("loop", "until"),
            (_, Some("in")) => ("for", "in"),
            _ => return None,
        };
        (!self.is_bound(word)).then_some(keyword)
    }

    /// Reports whether a field `key: value` begins here, where a value was expected: the brace before
    /// it is missing.
    pub(super) fn begins_field(&mut self) -> bool {
        matches!(self.kind(), TokenKind::Word | TokenKind::Str)
            && self.peek_kind() == TokenKind::Colon
    }

    /// Reports whether the braces behind a parameter are the body of the function, because no
    /// parenthesis follows them.
    pub(super) fn body_follows_parameter(&self) -> bool {
        let mut open = 0_usize;
        let mut parens = 0_usize;
        let mut lexer = Lexer::new(self.text);
        lexer.seek(self.current.span.start);
        for _ in 0..FAR {
            let token = lexer.next_token();
            match token.kind {
                TokenKind::End => return open > 0,
                TokenKind::OpenBrace => open += 1,
                TokenKind::CloseBrace if open <= 1 => {
                    let next = lexer.next_token().kind;
                    return !matches!(
                        next,
                        TokenKind::CloseParen | TokenKind::Comma | TokenKind::OpenBrace
                    );
                }
                TokenKind::CloseBrace => open -= 1,
                TokenKind::OpenParen => parens += 1,
                // The parenthesis of the parameters: the brace before it is missing.
                TokenKind::CloseParen if parens == 0 => return false,
                TokenKind::CloseParen => parens -= 1,
                _ => {}
            }
        }
        false
    }

    /// Reports whether there is a closing brace without an opening one, and counts it as used.
    pub(super) fn take_spare_brace(&mut self) -> bool {
        let text = self.text;
        let spare = self.spare_braces.get_or_insert_with(|| spare_braces(text));
        let found = *spare > 0;
        *spare = spare.saturating_sub(1);
        found
    }

    /// Returns the column of the first sign in the line of an offset.
    pub(super) fn indent_of(&self, offset: u32) -> usize {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let line = before.get(line..).unwrap_or_default();
        line.len() - line.trim_start().len()
    }
}

fn spare_braces(text: &str) -> usize {
    let mut lexer = Lexer::new(text);
    let (mut opened, mut closed) = (0_usize, 0_usize);
    loop {
        match lexer.next_token().kind {
            TokenKind::End => return closed.saturating_sub(opened),
            TokenKind::OpenBrace => opened += 1,
            TokenKind::CloseBrace => closed += 1,
            _ => {}
        }
    }
}
