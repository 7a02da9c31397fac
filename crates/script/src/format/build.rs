//! The layout as a flat list of operations, made while walking tree and tokens together.

use crate::syntax::token::{Token, TokenKind};

/// An operation of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// Prints a token of the source.
    Token(usize),
    /// Prints a comment behind what stands on its line, and ends the line.
    Trailing(usize),
    /// Prints a comment on a line of its own.
    Own(usize),
    /// A comma where the group stands on one line.
    FlatComma,
    /// One blank.
    Space,
    /// A blank where the group stands on one line, else a new line.
    Soft {
        /// Whether a blank line stands there too.
        blank: bool,
    },
    /// Nothing where the group stands on one line, else a new line.
    SoftEmpty {
        /// Whether a blank line stands there too.
        blank: bool,
    },
    /// A new line.
    Line {
        /// Whether a blank line stands there too.
        blank: bool,
    },
    /// The line end that a comment needs.
    CommentLine {
        /// Whether a blank line stands there too.
        blank: bool,
    },
    Indent,
    Dedent,
    /// A group begins; it ends at the `End` of the given index.
    Begin {
        force: bool,
        end: usize,
    },
    End,
}

pub(super) struct Builder<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The next token, comments among them.
    next: usize,
    ops: Vec<Op>,
    /// Comments behind what was printed last, kept back so that a comma may go before them.
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

    /// The index of the next token that is no comment.
    fn significant(&self) -> usize {
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        self.next + rest.iter().take_while(|token| token.is_comment()).count()
    }

    pub(super) fn peek(&self) -> Option<TokenKind> {
        self.get(self.significant()).map(|token| token.kind)
    }

    /// The token behind the next one, comments left out.
    fn peek_second(&self) -> Option<TokenKind> {
        let rest = self.tokens.get(self.significant() + 1..).unwrap_or_default();
        rest.iter().find(|token| !token.is_comment()).map(|token| token.kind)
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    /// The byte where the next token, no comment, begins.
    pub(super) fn next_start(&self) -> u32 {
        self.get(self.significant()).map_or(u32::MAX, |token| token.span.start)
    }

    /// Whether the next token begins a line of the source, as it does behind a comment.
    pub(super) fn next_starts_line(&self) -> bool {
        self.get(self.significant()).is_some_and(|token| token.starts_line)
    }

    /// Whether what follows the next token begins a line: the group it opens was broken.
    pub(super) fn second_starts_line(&self) -> bool {
        let after = self.get(self.significant() + 1);
        after.is_some_and(|token| token.starts_line || token.is_comment())
    }

    /// Whether comments stand before the token behind the next one.
    fn comment_behind_next(&self) -> bool {
        self.get(self.significant() + 1).is_some_and(Token::is_comment)
    }

    /// Whether the next token opens a group with nothing in it.
    pub(super) fn is_empty_group(&self) -> bool {
        let closes = self.peek_second().is_some_and(TokenKind::is_closer);
        closes && !self.comment_behind_next()
    }

    /// Whether a blank line stands before the next token or comment.
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
        // Comments kept back belong to what follows the end of a set-in part.
        if op != Op::Dedent {
            self.release();
        }
        self.ops.push(op);
    }

    /// Comments that were kept back.
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

    /// Prints the next token with the comments before and behind it.
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

    /// Leaves the next token out, but not the comments around it.
    pub(super) fn skip(&mut self) {
        let lines = self.next != self.significant();
        if lines {
            self.own_comments();
        }
        self.next += 1;
        self.comments_behind();
        if lines {
            // What it would stand behind is a comment now.
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

    /// Prints the comments before the next token, each on a line of its own.
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

    /// The next token, a blank before it.
    pub(super) fn spaced(&mut self) {
        self.space();
        self.token();
    }

    pub(super) fn begin(&mut self, force: bool) {
        self.release();
        self.groups.push(self.ops.len());
        self.ops.push(Op::Begin { force, end: 0 });
    }

    /// Comments behind the closer stand outside the group and do not break it.
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

    /// A bracketed list whose parts `part` prints, as many as there are; commas between them are
    /// kept, one behind the last is left out.
    pub(super) fn bracketed(
        &mut self,
        padded: bool,
        count: usize,
        mut part: impl FnMut(&mut Self, usize),
    ) {
        if self.is_empty_group() {
            self.token();
            self.token();
            return;
        }
        let soft = |blank| if padded { Op::Soft { blank } } else { Op::SoftEmpty { blank } };
        self.begin(self.second_starts_line());
        self.token();
        self.push(Op::Indent);
        for index in 0..count {
            if index == 0 {
                self.push(soft(false));
            } else {
                let blank = self.blank_before();
                self.push(Op::Soft { blank });
            }
            part(self, index);
            if self.at(TokenKind::Comma) {
                if index + 1 < count { self.token() } else { self.skip() }
            }
        }
        self.dedent();
        self.push(soft(false));
        self.token();
        self.end();
    }

    /// As [`Builder::bracketed`] for parts that lines alone separate: commas stand only where the
    /// group is on one line.
    pub(super) fn by_lines(&mut self, count: usize, mut part: impl FnMut(&mut Self, usize)) {
        if self.is_empty_group() {
            self.token();
            self.token();
            return;
        }
        self.begin(self.second_starts_line());
        self.token();
        self.push(Op::Indent);
        for index in 0..count {
            let blank = index > 0 && self.blank_before();
            self.push(Op::Soft { blank });
            part(self, index);
            if self.at(TokenKind::Comma) {
                self.skip();
            }
            if index + 1 < count {
                self.ops.push(Op::FlatComma);
            }
        }
        self.dedent();
        self.push(Op::Soft { blank: false });
        self.token();
        self.end();
    }
}
