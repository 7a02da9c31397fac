//! From text to tokens. Any text has tokens; the parser reports a malformed token when it takes it,
//! so that scanning ahead has no effect.

use super::interpolation;
use super::token::{Token, TokenKind};
use contexture_diagnostic::Span;

/// A scanner of a text, from front to back.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line_start: bool,
}

impl<'a> Lexer<'a> {
    /// Creates a scanner at the start of a text; a byte order mark is skipped.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, line_start: true }
    }

    /// Continues from `offset`, in the middle of a line.
    pub fn seek(&mut self, offset: u32) {
        self.at = offset as usize;
        self.line_start = false;
    }

    /// Returns the next token; at the end, `End` again and again.
    pub fn next_token(&mut self) -> Token {
        self.skip_space();
        let start = self.at;
        let starts_line = std::mem::replace(&mut self.line_start, false);
        let Some(first) = self.peek() else {
            return self.token(TokenKind::End, start, starts_line, false);
        };
        let (kind, flawed) = self.scan(first);
        self.token(kind, start, starts_line, flawed)
    }

    /// Returns the bare words of a label, up to the end of the line, a comment, `}` or a character
    /// that no bare label may contain; `None` when a string or nothing follows.
    pub fn label(&mut self) -> Option<Token> {
        while self.peek().is_some_and(|c| c.is_whitespace() && !is_line_end(c)) {
            self.bump();
        }
        let start = self.at;
        let mut end = start;
        let mut previous = ' ';
        while let Some(c) = self.peek() {
            let comment = self.rest().starts_with("//") || self.rest().starts_with("--");
            if comment || !self.is_label_char(c, previous) {
                break;
            }
            self.bump();
            if !c.is_whitespace() {
                end = self.at;
            }
            previous = c;
        }
        self.at = end;
        (end > start).then(|| self.token(TokenKind::Label, start, false, false))
    }

    fn is_label_char(&self, c: char, previous: char) -> bool {
        if matches!(c, '\'' | '’') {
            let next = self.rest().chars().nth(1);
            return previous.is_alphanumeric() && next.is_some_and(char::is_alphanumeric);
        }
        !c.is_control() && !"{}()[]<>=\"“”;`\\".contains(c) || c == '\t'
    }

    fn token(&self, kind: TokenKind, start: usize, starts_line: bool, flawed: bool) -> Token {
        let span = Span::new(offset(start), offset(self.at));
        Token { kind, span, starts_line, flawed }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.rest().chars().next(),
            None => None,
        }
    }

    fn peek_byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.peek() {
            if is_line_end(c) {
                self.line_start = true;
            } else if !c.is_whitespace() && c != '\u{feff}' {
                break;
            }
            self.at += c.len_utf8();
        }
    }

    fn scan(&mut self, first: char) -> (TokenKind, bool) {
        match first {
            '0'..='9' => (self.number(), false),
            '"' | '\'' => self.string(first),
            '“' | '”' | '‘' | '’' => self.typographic_string(),
            '`' if self.closes_on_line('`') => self.typographic_string(),
            c if is_word_start(c) => (self.word(), false),
            c if c.is_ascii() => (self.sign(), false),
            c => self.other(c),
        }
    }

    fn word(&mut self) -> TokenKind {
        while self.peek().is_some_and(is_word_char) {
            self.bump();
        }
        TokenKind::Word
    }

    fn digits(&mut self) {
        while self.peek_byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn number(&mut self) -> TokenKind {
        self.digits();
        if self.peek_byte(0) == b'.' && self.peek_byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek_byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek_byte(1), b'+' | b'-'));
            if self.peek_byte(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.digits();
            }
        }
        self.word();
        TokenKind::Number
    }

    fn string(&mut self, quote: char) -> (TokenKind, bool) {
        let triple = if quote == '"' { "\"\"\"" } else { "'''" };
        if self.rest().starts_with(triple) {
            self.at += 3;
            return (TokenKind::Block, !self.block(triple));
        }
        self.at += 1;
        loop {
            match self.peek() {
                None => return (TokenKind::Str, true),
                Some(c) if is_line_end(c) => return (TokenKind::Str, true),
                Some('\\') if self.interpolation() => {}
                Some('\\') => {
                    self.at += 1;
                    if self.peek().is_some_and(|c| !is_line_end(c)) {
                        self.bump();
                    }
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    if c == quote {
                        return (TokenKind::Str, false);
                    }
                }
            }
        }
    }

    /// Scans over `\(…)`, whose expression may hold strings; returns false if it is not one.
    fn interpolation(&mut self) -> bool {
        let end = match self.peek_byte(1) {
            b'(' => interpolation::end(self.text, self.at + 2),
            _ => None,
        };
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }

    /// Scans to the end of a triple-quoted block; returns false when there is none.
    fn block(&mut self, close: &str) -> bool {
        while let Some(c) = self.peek() {
            if c == '\\' {
                if !self.interpolation() {
                    self.at += 1;
                    self.bump();
                }
            } else if self.rest().starts_with(close) {
                self.at += close.len();
                return true;
            } else {
                self.at += c.len_utf8();
            }
        }
        false
    }

    fn closes_on_line(&self, quote: char) -> bool {
        let mut rest = self.rest().chars().skip(1).take_while(|c| !is_line_end(*c));
        rest.any(|c| c == quote)
    }

    fn typographic_string(&mut self) -> (TokenKind, bool) {
        self.bump();
        while let Some(c) = self.peek() {
            if is_line_end(c) {
                break;
            }
            self.bump();
            if matches!(c, '”' | '“' | '’' | '‘' | '`') {
                break;
            }
        }
        (TokenKind::Str, true)
    }

    fn skip_to_line_end(&mut self) {
        while self.peek().is_some_and(|c| !is_line_end(c)) {
            self.bump();
        }
    }

    fn comment(&mut self) -> Option<TokenKind> {
        let rest = self.rest();
        let kind = if rest.starts_with("///") && !rest.starts_with("////") {
            TokenKind::DocComment
        } else if rest.starts_with("//") {
            TokenKind::LineComment
        } else if rest.starts_with("--") {
            TokenKind::DashComment
        } else if rest.starts_with("/*") {
            self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            return Some(TokenKind::BlockComment);
        } else {
            return None;
        };
        self.skip_to_line_end();
        Some(kind)
    }

    fn sign(&mut self) -> TokenKind {
        if let Some(kind) = self.comment() {
            return kind;
        }
        if let Some(kind) = pair(self.peek_byte(0), self.peek_byte(1)) {
            self.at += 2;
            return kind;
        }
        let kind = single(self.peek_byte(0));
        self.at += 1;
        if kind == TokenKind::Unknown {
            self.unknown_run();
        }
        kind
    }

    /// Scans punctuation of other scripts as the sign that was meant, in a flawed token.
    fn other(&mut self, c: char) -> (TokenKind, bool) {
        self.bump();
        let kind = full_width(c).map_or(TokenKind::Unknown, single);
        if kind == TokenKind::Unknown {
            self.unknown_run();
        }
        (kind, kind != TokenKind::Unknown)
    }

    /// Scans a run of unknown characters as one token, so that a pasted picture is one fault.
    fn unknown_run(&mut self) {
        while let Some(c) = self.peek() {
            let known = c.is_whitespace()
                || is_word_start(c)
                || c.is_ascii_digit()
                || "\"'“”‘’".contains(c)
                || u8::try_from(c).is_ok_and(|byte| single(byte) != TokenKind::Unknown)
                || full_width(c).is_some();
            if known {
                return;
            }
            self.bump();
        }
    }
}

fn full_width(c: char) -> Option<u8> {
    let sign = match c {
        '。' => b'.',
        '、' => b',',
        '【' => b'[',
        '】' => b']',
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(c) - 0xfee0).ok()?,
        _ => return None,
    };
    (single(sign) != TokenKind::Unknown).then_some(sign)
}

fn pair(first: u8, second: u8) -> Option<TokenKind> {
    Some(match (first, second) {
        (b'-', b'>') => TokenKind::Arrow,
        (b'+', b'=') => TokenKind::PlusAssign,
        (b'-', b'=') => TokenKind::MinusAssign,
        (b'=', b'=') => TokenKind::Equal,
        (b'!', b'=') => TokenKind::NotEqual,
        (b'<', b'=') => TokenKind::LessEqual,
        (b'>', b'=') => TokenKind::GreaterEqual,
        (b'&', b'&') => TokenKind::ForeignAnd,
        (b'|', b'|') => TokenKind::ForeignOr,
        (b'*' | b'/' | b'%', b'=') => TokenKind::ForeignAssign,
        _ => return None,
    })
}

fn single(sign: u8) -> TokenKind {
    match sign {
        b'{' => TokenKind::OpenBrace,
        b'}' => TokenKind::CloseBrace,
        b'(' => TokenKind::OpenParen,
        b')' => TokenKind::CloseParen,
        b'[' => TokenKind::OpenBracket,
        b']' => TokenKind::CloseBracket,
        b',' => TokenKind::Comma,
        b':' => TokenKind::Colon,
        b'.' => TokenKind::Dot,
        b'?' => TokenKind::Question,
        b'|' => TokenKind::Pipe,
        b'=' => TokenKind::Assign,
        b'<' => TokenKind::Less,
        b'>' => TokenKind::Greater,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'*' => TokenKind::Star,
        b'/' => TokenKind::Slash,
        b'%' => TokenKind::Percent,
        b';' => TokenKind::Semicolon,
        b'!' => TokenKind::ForeignNot,
        _ => TokenKind::Unknown,
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Reports whether a character continues a word. Combining marks do: without them most Indic
/// scripts could not be written.
pub(super) fn is_word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || (!c.is_ascii() && unicode_ident::is_xid_continue(c))
}

/// Reports whether a text is one word that can be a name without quotes.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    text.chars().next().is_some_and(is_word_start) && text.chars().all(is_word_char)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
