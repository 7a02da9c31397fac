//! The cursor of a parser in a text.

use super::error::SyntaxError;
use contexture_diagnostic::Span;

/// A text that is read from the front.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        match self.byte()? {
            byte if byte.is_ascii() => Some(char::from(byte)),
            _ => self.rest().chars().next(),
        }
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Skips a text, if it is here.
    pub(crate) fn eat(&mut self, what: &str) -> bool {
        let ends = self.at + what.len();
        let is_here = self.text.as_bytes().get(self.at..ends) == Some(what.as_bytes());
        if is_here {
            self.at = ends;
        }
        is_here
    }

    pub(crate) fn skip_blanks(&mut self) {
        while let Some(next) = self.peek() {
            if !next.is_whitespace() {
                break;
            }
            self.at += next.len_utf8();
        }
    }

    /// Skips characters of a kind and returns them.
    pub(crate) fn take_while(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        while let Some(next) = self.peek() {
            if !is(next) {
                break;
            }
            self.at += next.len_utf8();
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(crate) fn since(&self, start: usize) -> Span {
        span(start, self.at)
    }

    /// Returns the span of the next character, or the end.
    pub(crate) fn here(&self) -> Span {
        span(self.at, self.at + self.peek().map_or(0, char::len_utf8))
    }

    /// Describes the next token for a message.
    pub(crate) fn found(&self) -> String {
        let word: String = self.rest().chars().take_while(|c| is_name(*c)).take(30).collect();
        match self.peek() {
            None => "the end".to_owned(),
            Some(_) if !word.is_empty() => format!("`{word}`"),
            Some(next) if next.is_control() => format!("U+{:04X}", u32::from(next)),
            Some(next) => format!("`{next}`"),
        }
    }

    pub(crate) fn expected(&self, what: &str) -> SyntaxError {
        SyntaxError::new(self.here(), format!("expected {what}, found {}", self.found()))
    }
}

/// Reports whether a character belongs to a path's segment (FL-8).
pub(crate) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-' || (!c.is_ascii() && c.is_alphanumeric())
}

pub(crate) fn span(start: usize, end: usize) -> Span {
    let clamp = |at| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(clamp(start), clamp(end))
}
