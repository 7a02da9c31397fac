//! What stands before a place in a text, by its tokens: a text that is being written rarely parses.

use contexture_diagnostic::SourceFile;
use contexture_script::program::ProgramFile;
use contexture_script::syntax::token::{Token, TokenKind};

/// The tokens before a place, without comments and without the word that is being written there.
pub(crate) struct Spot<'s> {
    source: &'s SourceFile,
    tokens: &'s [Token],
    /// The number of tokens before the place.
    before: usize,
    /// The string or label around the place.
    pub(crate) inside: Option<Token>,
    pub(crate) in_comment: bool,
    pub(crate) offset: u32,
}

impl<'s> Spot<'s> {
    pub(crate) fn new(file: &'s ProgramFile, offset: u32) -> Self {
        let tokens = file.parsed.tokens.as_slice();
        let mut before = tokens.partition_point(|token| token.span.start < offset);
        let last = before.checked_sub(1).and_then(|index| tokens.get(index)).copied();
        let around = last.filter(|token| offset <= token.span.end);
        let is_text = |token: &Token| {
            let ends_before = offset < token.span.end || token.flawed;
            match token.kind {
                TokenKind::Label => true,
                TokenKind::Str | TokenKind::Block => ends_before,
                _ => false,
            }
        };
        let word = around.filter(|token| token.kind == TokenKind::Word);
        let inside = around.filter(is_text);
        let in_comment = around.is_some_and(|token| token.is_comment());
        if word.is_some() || inside.is_some() {
            before -= 1;
        }
        Self { source: &file.source, tokens, before, inside, in_comment, offset }
    }

    /// Returns the tokens before the place, the nearest one first.
    pub(crate) fn back(&self) -> impl Iterator<Item = Token> + '_ {
        let before = self.tokens.get(..self.before).unwrap_or_default();
        before.iter().rev().filter(|token| !token.is_comment()).copied()
    }

    pub(crate) fn text(&self, token: Token) -> &'s str {
        self.source.slice(token.span)
    }

    /// Returns the kind of the nearest token.
    pub(crate) fn previous(&self) -> Option<Token> {
        self.back().next()
    }

    /// Returns the words before the place on its line, in order; other tokens are left out.
    pub(crate) fn line_words(&self) -> Vec<&'s str> {
        let line = self.source.position(self.offset).line;
        let own = |token: &Token| self.source.position(token.span.start).line == line;
        let mut words: Vec<&str> = self
            .back()
            .take_while(own)
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| self.text(token))
            .collect();
        words.reverse();
        words
    }

    /// Returns the path of names before a dot at the place: `["a", "b"]` for `a.b.`; `None` when
    /// something else than names is before it.
    pub(crate) fn path(&self) -> Option<Vec<&'s str>> {
        let mut back = self.back();
        back.next().filter(|token| token.kind == TokenKind::Dot)?;
        self.names(back)
    }

    /// Returns the path of names that ends before some tokens, given the nearest first.
    pub(crate) fn names(&self, mut back: impl Iterator<Item = Token>) -> Option<Vec<&'s str>> {
        let mut names = Vec::new();
        loop {
            let name = back.next().filter(|token| token.kind == TokenKind::Word)?;
            names.push(self.text(name));
            if back.next().is_none_or(|token| token.kind != TokenKind::Dot) {
                names.reverse();
                return Some(names);
            }
        }
    }

    /// Returns the innermost open bracket before the place, with its number among the tokens.
    pub(crate) fn open_bracket(&self) -> Option<(usize, Token)> {
        self.open_bracket_before(self.before)
    }

    pub(crate) fn open_bracket_before(&self, index: usize) -> Option<(usize, Token)> {
        let mut closed = 0_usize;
        let before = self.tokens.get(..index).unwrap_or_default().iter().enumerate().rev();
        for (index, token) in before {
            if token.kind.is_closer() {
                closed += 1;
            } else if token.kind.closer().is_some() {
                let Some(left) = closed.checked_sub(1) else { return Some((index, *token)) };
                closed = left;
            }
        }
        None
    }

    /// Returns the tokens before another one, the nearest first.
    pub(crate) fn back_from(&self, index: usize) -> impl Iterator<Item = Token> + '_ {
        let before = self.tokens.get(..index).unwrap_or_default();
        before.iter().rev().filter(|token| !token.is_comment()).copied()
    }

    /// Returns the tokens between an open bracket and the place, in order.
    pub(crate) fn after(&self, index: usize) -> &'s [Token] {
        self.tokens.get(index + 1..self.before).unwrap_or_default()
    }
}
