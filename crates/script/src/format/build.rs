//! The layout as a flat list of operations, built while walking tree and tokens together.

use crate::syntax::token::{Token, TokenKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Token(usize),
    // A comment at the end of a line, which ends the line.
    Trailing(usize),
    // A comment on a line of its own.
    Own(usize),
    // The `?:` of an optional field whose `?` stood behind its type.
    Optional,
    // A comma if the group is on one line.
    FlatComma,
    Space,
    // A space if the group is on one line, else a line break, and with `blank` a blank line.
    Soft { blank: bool },
    // A line break unless the group is on one line.
    SoftEmpty,
    // A line break, and with `blank` a blank line.
    Line { blank: bool },
    // The line break that a comment needs.
    CommentLine { blank: bool },
    Indent,
    Dedent,
    // The start of a group; it ends at the `End` of the given index.
    Begin { force: bool, end: usize },
    End,
}

pub(super) struct Builder<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    ops: Vec<Op>,
    /// Comments after the last printed token, held back so that a comma may come before them.
    behind: Vec<usize>,
    groups: Vec<usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        let ops = Vec::with_capacity(tokens.len() * 2);
        Self { text, tokens, next: 0, ops, behind: Vec::new(), groups: Vec::new() }
    }

    pub(super) fn finish(mut self) -> Vec<Op> {
        self.own_comments();
        self.release();
        self.ops
    }

    // --- looking ahead ------------------------------------------------------------------------

    fn get(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    fn significant(&self) -> usize {
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        self.next + rest.iter().take_while(|token| token.is_comment()).count()
    }

    pub(super) fn peek(&self) -> Option<TokenKind> {
        self.get(self.significant()).map(|token| token.kind)
    }

    /// Returns the token after the next one, ignoring comments.
    fn peek_second(&self) -> Option<TokenKind> {
        let rest = self.tokens.get(self.significant() + 1..).unwrap_or_default();
        rest.iter().find(|token| !token.is_comment()).map(|token| token.kind)
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    pub(super) fn next_start(&self) -> u32 {
        self.get(self.significant()).map_or(u32::MAX, |token| token.span.start)
    }

    /// Reports whether the next token begins a line of the source, as it does after a comment.
    pub(super) fn next_starts_line(&self) -> bool {
        self.get(self.significant()).is_some_and(|token| token.starts_line)
    }

    /// Reports whether the token after the next one begins a line: the group was broken.
    pub(super) fn second_starts_line(&self) -> bool {
        let after = self.get(self.significant() + 1);
        after.is_some_and(|token| token.starts_line || token.is_comment())
    }

    fn comment_behind_next(&self) -> bool {
        self.get(self.significant() + 1).is_some_and(Token::is_comment)
    }

    fn is_empty_group(&self) -> bool {
        let closes = self.peek_second().is_some_and(TokenKind::is_closer);
        closes && !self.comment_behind_next()
    }

    /// Prints an empty group, if one is next.
    pub(super) fn empty_group(&mut self) -> bool {
        let empty = self.is_empty_group();
        if empty {
            self.token();
            self.token();
        }
        empty
    }

    pub(super) fn skip_comma(&mut self) {
        if self.at(TokenKind::Comma) {
            self.skip();
        }
    }

    pub(super) fn skip_colon(&mut self) {
        if self.at(TokenKind::Colon) {
            self.skip();
        }
    }

    /// Prints the next token with a space at both sides.
    pub(super) fn between(&mut self) {
        self.spaced();
        self.space();
    }

    pub(super) fn blank_before(&self) -> bool {
        let Some(token) = self.get(self.next) else { return false };
        let from = self.next.checked_sub(1).and_then(|before| self.get(before));
        let from = from.map_or(0, |before| before.span.end as usize);
        let gap = self.text.get(from..token.span.start as usize).unwrap_or_default();
        let ends = gap.matches('\n').count();
        let lone = gap.replace("\r\n", "").matches('\r').count();
        ends + lone > 1
    }

    // --- printing -----------------------------------------------------------------------------

    pub(super) fn push(&mut self, op: Op) {
        // Comments that were held back belong to what follows the end of an indented part.
        if op != Op::Dedent {
            self.release();
        }
        self.ops.push(op);
    }

    /// Prints the comments that were held back.
    fn release(&mut self) {
        for (index, comment) in std::mem::take(&mut self.behind).into_iter().enumerate() {
            if index == 0 {
                self.ops.push(Op::Trailing(comment));
            } else {
                self.own(comment);
            }
        }
    }

    fn own(&mut self, comment: usize) {
        let line = Op::CommentLine { blank: false };
        self.ops.extend([line, Op::Own(comment), line]);
    }

    /// Prints the next token with the comments before and after it.
    pub(super) fn token(&mut self) {
        let comma = self.at(TokenKind::Comma) && self.next == self.significant();
        if !comma {
            self.own_comments();
            self.release();
        }
        let index = self.next;
        if index < self.tokens.len() {
            self.ops.push(Op::Token(index));
            self.next += 1;
            self.comments_behind();
        }
    }

    /// Omits the next token, but not the comments around it.
    pub(super) fn skip(&mut self) {
        let lines = self.next != self.significant();
        if lines {
            self.own_comments();
        }
        self.next += 1;
        self.comments_behind();
        if lines {
            // The token that it would follow is a comment now.
            for comment in std::mem::take(&mut self.behind) {
                self.own(comment);
            }
        }
    }

    fn comments_behind(&mut self) {
        while let Some(token) = self.get(self.next) {
            if !token.is_comment() || token.starts_line {
                return;
            }
            self.behind.push(self.next);
            self.next += 1;
        }
    }

    pub(super) fn own_comments(&mut self) {
        while let Some(token) = self.get(self.next) {
            if !token.is_comment() {
                return;
            }
            let blank = self.blank_before();
            self.push(Op::CommentLine { blank });
            self.push(Op::Own(self.next));
            self.next += 1;
            let blank = self.blank_before();
            self.push(Op::CommentLine { blank });
        }
    }

    pub(super) fn space(&mut self) {
        self.push(Op::Space);
    }

    pub(super) fn spaced(&mut self) {
        self.space();
        self.token();
    }

    pub(super) fn begin(&mut self, force: bool) {
        self.release();
        self.groups.push(self.ops.len());
        self.ops.push(Op::Begin { force, end: 0 });
    }

    /// Ends a group. Comments after the closer are outside the group and do not break it.
    pub(super) fn end(&mut self) {
        let at = self.ops.len();
        self.ops.push(Op::End);
        let begin = self.groups.pop().and_then(|begin| self.ops.get_mut(begin));
        if let Some(Op::Begin { end, .. }) = begin {
            *end = at;
        }
    }

    /// Ends the inside of a bracket: comments before the closer belong to the inside.
    pub(super) fn dedent(&mut self) {
        self.own_comments();
        self.release();
        self.push(Op::Dedent);
    }

    /// Prints a bracketed list of as many parts, which `part` prints; commas between them are kept,
    /// a trailing one is omitted.
    pub(super) fn bracketed<T>(&mut self, padded: bool, parts: &[T], part: impl Fn(&mut Self, &T)) {
        if self.empty_group() {
            return;
        }
        let edge = if padded { Op::Soft { blank: false } } else { Op::SoftEmpty };
        // A comment above the list does not break it.
        self.own_comments();
        self.begin(self.second_starts_line());
        self.token();
        self.push(Op::Indent);
        for (index, each) in parts.iter().enumerate() {
            let blank = self.blank_before();
            self.push(if index == 0 { edge } else { Op::Soft { blank } });
            part(self, each);
            if index + 1 == parts.len() {
                self.skip_comma();
            } else if self.at(TokenKind::Comma) {
                self.token();
            }
        }
        self.dedent();
        self.push(edge);
        self.token();
        self.end();
    }

    /// Does the same as [`Builder::bracketed`] for parts that line breaks alone separate: commas
    /// are printed only if the group is on one line.
    pub(super) fn by_lines<T>(&mut self, parts: &[T], part: impl Fn(&mut Self, &T)) {
        if self.empty_group() {
            return;
        }
        self.begin(self.second_starts_line());
        self.token();
        self.push(Op::Indent);
        for (index, each) in parts.iter().enumerate() {
            let blank = index > 0 && self.blank_before();
            self.push(Op::Soft { blank });
            part(self, each);
            self.skip_comma();
            if index + 1 < parts.len() {
                self.ops.push(Op::FlatComma);
            }
        }
        self.dedent();
        self.push(Op::Soft { blank: false });
        self.token();
        self.end();
    }
}
