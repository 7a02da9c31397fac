//! Misspelt keywords (TY-5): one is reported where it stands, and read as what was meant.
//!
//! Decision: keywords are ordinary names elsewhere (AS-3), so a word is taken for a misspelt one only
//! when nothing in the file binds it: then it would be an undefined name anyway, and no program that
//! runs is refused. What follows must fit the keyword, too.

use super::super::ast::BinaryOp;
use super::super::lexer::Lexer;
use super::super::token::{Token, TokenKind};
use super::Parser;
use crate::codes;
use contexture_diagnostic::nearest;
use std::collections::HashSet;

impl<'a> Parser<'a> {
    /// Reports the current word as a misspelt one of these keywords, if it is; the caller goes on as
    /// if the keyword stood there.
    pub(super) fn misspelt(&mut self, keywords: &[&'static str]) -> Option<&'static str> {
        let word = self.word()?;
        let meant = near(word, keywords)?;
        if self.is_bound(word) {
            return None;
        }
        let message = format!("`{}` is not a keyword", super::clip(word));
        let span = self.current.span;
        let fault = codes::UNEXPECTED_TOKEN.at(span, message);
        self.push_here(fault.with_help(format!("did you mean `{meant}`?")).with_edit(span, meant));
        Some(meant)
    }

    /// Returns the keyword of a statement that begins with a misspelt one.
    pub(super) fn misspelt_statement(&mut self) -> Option<&'static str> {
        let next = self.next_on_line()?;
        let second = self.peek_word(2);
        let fits: &[&'static str] = match next.kind {
            TokenKind::Word if second == Some("in") => &["return", "for"],
            TokenKind::Word if self.peek_word(1) == Some("until") => &["loop"],
            TokenKind::Word => &["return", "use"],
            TokenKind::Star => &["repeat"],
            TokenKind::Str | TokenKind::Block => &["return", "use", "progress"],
            TokenKind::Number | TokenKind::OpenBrace => &["return"],
            TokenKind::OpenParen | TokenKind::OpenBracket => &["return"],
            _ => return None,
        };
        self.misspelt(fits)
    }

    /// Returns the keyword of an expression that begins with a misspelt one.
    pub(super) fn misspelt_expression(&mut self) -> Option<&'static str> {
        let next = self.next_on_line()?;
        let fits: &[&'static str] = match next.kind {
            TokenKind::OpenParen if self.peek(2).kind == TokenKind::OpenBrace => &["generate"],
            TokenKind::OpenBrace => &["try"],
            TokenKind::Word if self.peek_word(1) == Some("for") => &["parallel"],
            _ => return None,
        };
        self.misspelt(fits)
    }

    /// Returns a misspelt `and` between two values.
    pub(super) fn misspelt_infix(&mut self) -> Option<BinaryOp> {
        if !self.at(TokenKind::Word) || self.current.starts_line {
            return None;
        }
        let next = self.next_on_line()?;
        let value = matches!(next.kind, TokenKind::Word | TokenKind::Number | TokenKind::Str);
        value.then(|| self.misspelt(&["and"])).flatten().map(|_| BinaryOp::And)
    }

    /// Returns the keyword of an item that begins with a misspelt one.
    pub(super) fn misspelt_item(&mut self) -> Option<&'static str> {
        let next = self.next_on_line()?;
        let fits: &[&'static str] = match (next.kind, self.peek(2).kind) {
            (TokenKind::Word, _) if matches!(self.peek_word(1), Some("func" | "agent")) => {
                &["main"]
            }
            (TokenKind::Word, TokenKind::OpenParen) => &["func"],
            (TokenKind::Word, TokenKind::OpenBrace) => &["agent", "shape"],
            (TokenKind::Word, TokenKind::Word) if self.peek_word(3) == Some("from") => &["import"],
            (TokenKind::Word, _) => &["use", "model"],
            (TokenKind::Str | TokenKind::Block, _) => &["role", "description", "use"],
            _ => return None,
        };
        self.misspelt(fits)
    }

    /// Returns the clause of a `use`, or of a loop, that begins with a misspelt word.
    pub(super) fn misspelt_clause(&mut self, keywords: &[&'static str]) -> Option<&'static str> {
        if self.current.starts_line {
            return None;
        }
        let next = self.next_on_line()?;
        let fits: Vec<&'static str> = keywords
            .iter()
            .copied()
            .filter(|keyword| match *keyword {
                "keep" => next.kind == TokenKind::Word,
                "max" => next.kind == TokenKind::Number,
                _ => matches!(next.kind, TokenKind::Number | TokenKind::Minus),
            })
            .collect();
        self.misspelt(&fits)
    }

    /// Takes a keyword, also a misspelt one; returns false when it is missing.
    pub(super) fn eat_keyword(&mut self, keyword: &'static str) -> bool {
        if !self.at_word(keyword) && self.misspelt(&[keyword]).is_none() {
            return false;
        }
        self.bump();
        true
    }

    fn next_on_line(&mut self) -> Option<Token> {
        Some(self.peek(1)).filter(|next| !next.starts_line && next.kind != TokenKind::End)
    }

    /// Reports whether a word names something in this file, or may do so elsewhere.
    pub(super) fn is_bound(&mut self, word: &str) -> bool {
        if self.names_elsewhere {
            return true;
        }
        self.asks_for_words = true;
        let text = self.text;
        self.bound.get_or_insert_with(|| bound_in(text)).contains(word)
    }
}

/// Returns the nearest keyword. Short ones are easily near, so they need the same first letter.
fn near(word: &str, keywords: &[&'static str]) -> Option<&'static str> {
    let close = nearest(word, keywords.iter().copied());
    close.or_else(|| {
        let short = |keyword: &&&str| keyword.len() <= 3 && is_short_of(word, keyword);
        keywords.iter().find(short).copied()
    })
}

/// Reports whether a word of two letters is a keyword of three without one of its letters.
fn is_short_of(word: &str, keyword: &str) -> bool {
    let left_out = |at: usize| keyword.chars().enumerate().filter(move |(own, _)| *own != at);
    word.len() == 2 && (0..keyword.len()).any(|at| left_out(at).map(|(_, c)| c).eq(word.chars()))
}

/// Returns the words that a text assigns, declares or takes as parameters, and perhaps some more.
fn bound_in(text: &str) -> HashSet<&str> {
    let mut bound = HashSet::new();
    let mut lexer = Lexer::new(text);
    let mut before = "";
    let mut in_params = false;
    loop {
        let token = lexer.next_token();
        let written = text.get(token.span.range()).unwrap_or_default();
        match token.kind {
            TokenKind::End => return bound,
            kind if kind.is_assignment() => drop(bound.insert(before)),
            TokenKind::CloseParen => in_params = false,
            TokenKind::OpenParen if bound.contains(before) || before == "func" => in_params = true,
            TokenKind::Word => {
                let declared = matches!(before, "func" | "agent" | "shape" | "for" | "else");
                if declared || in_params {
                    bound.insert(written);
                }
                if written == "from" {
                    bound.insert(before);
                }
            }
            _ => {}
        }
        if !token.is_comment() {
            before = written;
        }
    }
}
