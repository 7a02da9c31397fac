//! Prints the operations, and decides which groups fit on their line.

use super::build::Op;
use crate::syntax::token::{Token, TokenKind};

const WIDTH: usize = 100;
const INDENT: usize = 2;

pub(super) fn print(text: &str, tokens: &[Token], ops: &[Op]) -> String {
    let words = Words { text, tokens };
    let measures = Measures::of(&words, ops);
    let mut printer = Printer {
        words,
        out: String::with_capacity(text.len() + text.len() / 8),
        column: 0,
        indent: 0,
        newline: false,
        goes_on: false,
        blank: false,
        space: false,
        opened: true,
        flat: 0,
        groups: Vec::new(),
    };
    for (index, op) in ops.iter().enumerate() {
        printer.run(index, *op, ops, &measures);
    }
    if !printer.out.is_empty() {
        printer.out.push('\n');
    }
    printer.out
}

struct Words<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Words<'a> {
    fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    fn slice(&self, index: usize) -> &'a str {
        let span = self.token(index).map(|token| token.span).unwrap_or_default();
        self.text.get(span.range()).unwrap_or_default()
    }

    fn is_long_text(&self, index: usize) -> bool {
        let block = self.token(index).is_some_and(|token| token.kind == TokenKind::Block);
        block && self.slice(index).contains(['\n', '\r'])
    }
}

/// Widths and forced line breaks up to each operation.
struct Measures {
    width: Vec<usize>,
    forced: Vec<usize>,
}

impl Measures {
    fn of(words: &Words<'_>, ops: &[Op]) -> Self {
        let mut measures = Self {
            width: Vec::with_capacity(ops.len() + 1),
            forced: Vec::with_capacity(ops.len() + 1),
        };
        let (mut width, mut forced) = (0, 0);
        for op in ops {
            measures.width.push(width);
            measures.forced.push(forced);
            match op {
                Op::Token(index) if words.is_long_text(*index) => forced += 1,
                Op::Token(index) => width += words.slice(*index).chars().count(),
                Op::Space | Op::Soft { .. } | Op::FlatComma => width += 1,
                Op::Optional => width += 2,
                Op::Begin { force: true, .. }
                | Op::Line { .. }
                | Op::CommentLine { .. }
                | Op::Trailing(_)
                | Op::Own(_) => forced += 1,
                _ => {}
            }
        }
        measures.width.push(width);
        measures.forced.push(forced);
        measures
    }

    fn width(&self, from: usize, to: usize) -> usize {
        let at = |index: usize| self.width.get(index).copied().unwrap_or_default();
        at(to).saturating_sub(at(from))
    }

    fn is_forced(&self, from: usize, to: usize) -> bool {
        self.forced.get(from) != self.forced.get(to)
    }
}

#[expect(clippy::struct_excessive_bools, reason = "what is owed before the next word")]
struct Printer<'a> {
    words: Words<'a>,
    out: String,
    column: usize,
    indent: usize,
    newline: bool,
    /// True if only a comment ended the line: the continuation is indented.
    goes_on: bool,
    blank: bool,
    space: bool,
    /// True if an opening bracket, or nothing, was printed last.
    opened: bool,
    /// The number of open groups that are on one line; the outermost of them decides.
    flat: usize,
    groups: Vec<bool>,
}

impl Printer<'_> {
    fn run(&mut self, index: usize, op: Op, ops: &[Op], measures: &Measures) {
        match op {
            Op::Token(token) => self.token(token),
            Op::Trailing(token) => self.trailing(token),
            Op::Own(token) => self.own(token),
            Op::FlatComma if self.flat > 0 => self.write(",", false),
            Op::FlatComma => {}
            Op::Optional => self.write("?:", false),
            Op::Space => self.space = true,
            Op::Soft { .. } if self.flat > 0 => self.space = true,
            Op::SoftEmpty if self.flat > 0 => {}
            Op::SoftEmpty => {
                self.newline = true;
                self.goes_on = false;
            }
            Op::Soft { blank } | Op::Line { blank } => {
                self.newline = true;
                self.goes_on = false;
                self.blank |= blank;
            }
            Op::CommentLine { blank } => {
                self.newline = true;
                self.blank |= blank;
            }
            Op::Indent => self.indent += INDENT,
            Op::Dedent => self.indent = self.indent.saturating_sub(INDENT),
            Op::Begin { force, end } => {
                let flat = self.flat > 0 || (!force && self.fits(index, end, ops, measures));
                self.flat += usize::from(flat);
                self.groups.push(flat);
            }
            Op::End => {
                let flat = self.groups.pop().unwrap_or_default();
                self.flat -= usize::from(flat);
            }
        }
    }

    fn fits(&self, begin: usize, end: usize, ops: &[Op], measures: &Measures) -> bool {
        if measures.is_forced(begin + 1, end) {
            return false;
        }
        let column = if self.newline { self.indent } else { self.column + usize::from(self.space) };
        let behind = ops.get(end + 1..).unwrap_or_default();
        let ends_line = |op: &Op| {
            matches!(
                op,
                Op::Soft { .. }
                    | Op::SoftEmpty
                    | Op::Line { .. }
                    | Op::CommentLine { .. }
                    | Op::Trailing(_)
                    | Op::Own(_)
            )
        };
        let rest = behind.iter().position(ends_line).unwrap_or(behind.len());
        let width = measures.width(begin, end) + measures.width(end + 1, end + 1 + rest);
        column + width <= WIDTH
    }

    fn token(&mut self, index: usize) {
        let kind = self.words.token(index).map(|token| token.kind);
        let words = self.words.slice(index);
        let closer = kind.is_some_and(TokenKind::is_closer);
        if closer || kind == Some(TokenKind::OpenBrace) {
            self.goes_on = false;
        }
        match kind {
            Some(TokenKind::Label) => {
                let label = words.split_whitespace().collect::<Vec<_>>().join(" ");
                self.write(&label, closer);
            }
            Some(TokenKind::Block) if words.contains('\r') => {
                let unix = words.replace("\r\n", "\n").replace('\r', "\n");
                self.write(&unix, closer);
            }
            _ => self.write(words, closer),
        }
        self.opened = kind.is_some_and(|kind| kind.closer().is_some());
    }

    fn trailing(&mut self, index: usize) {
        let words = self.words.slice(index).trim_end();
        if !self.opened || !self.out.is_empty() {
            self.space = true;
        }
        self.write(words, false);
        self.opened = false;
        self.newline = true;
        self.goes_on = true;
    }

    fn own(&mut self, index: usize) {
        let goes_on = std::mem::take(&mut self.goes_on);
        let words = self.words.slice(index).trim_end();
        self.write(words, false);
        self.goes_on = goes_on;
    }

    fn write(&mut self, words: &str, closer: bool) {
        if self.newline {
            let start = self.out.is_empty();
            if !start {
                self.out.push('\n');
            }
            if self.blank && !self.opened && !closer {
                self.out.push('\n');
            }
            let indent = self.indent + if self.goes_on { INDENT } else { 0 };
            self.out.extend(std::iter::repeat_n(' ', indent));
            self.column = indent;
        } else if self.space {
            self.out.push(' ');
            self.column += 1;
        }
        (self.newline, self.blank, self.space, self.opened) = (false, false, false, false);
        self.goes_on = false;
        self.out.push_str(words);
        match words.rsplit_once('\n') {
            Some((_, last)) => self.column = last.chars().count(),
            None => self.column += words.chars().count(),
        }
    }
}
