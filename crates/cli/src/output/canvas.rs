//! Lines at the end of the terminal that are redrawn in place and erased at the end.
//!
//! Decision: the cursor stays at the end of the last line, and no line reaches the last columns.
//! The terminal's own output there, such as `^C`, stays on that line and is erased with it; a
//! line as wide as the terminal would wrap and could no longer be erased.

use std::io::{self, Write as _};
use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

/// Columns left free at the end of a line: the `^C` of the terminal and the cursor.
const MARGIN: usize = 3;
/// The size of a terminal that does not report one.
const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// The lines on the terminal.
#[derive(Default)]
pub(crate) struct Canvas {
    drawn: usize,
    /// True while nothing is drawn, since a question waits for its answer.
    is_held: bool,
}

impl Canvas {
    /// Returns the most columns of a line and the most lines.
    pub(crate) fn size() -> (usize, usize) {
        let (columns, rows) = match terminal_size_of(io::stderr()) {
            Some((Width(columns @ 1..), Height(rows @ 1..))) => (columns, rows),
            _ => (COLUMNS, ROWS),
        };
        (usize::from(columns).saturating_sub(MARGIN), usize::from(rows).saturating_sub(1))
    }

    /// Draws lines in place of the previous ones.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        let lines = if self.is_held { &[] } else { lines };
        let text = format!("{}{}", self.erasure(), lines.join("\r\n"));
        self.drawn = lines.len();
        write(&text);
    }

    /// Erases the lines, and draws none while it is held.
    pub(crate) fn hold(&mut self, is_held: bool) {
        self.erase();
        self.is_held = is_held;
    }

    pub(crate) fn erase(&mut self) {
        let text = self.erasure();
        self.drawn = 0;
        write(&text);
    }

    /// Returns the sequence that moves to the first line and clears everything from there.
    fn erasure(&self) -> String {
        match self.drawn {
            0 => String::new(),
            1 => "\r\u{1b}[J".to_owned(),
            more => format!("\r\u{1b}[{}A\u{1b}[J", more - 1),
        }
    }
}

fn write(text: &str) {
    if !text.is_empty() {
        let mut err = io::stderr().lock();
        // A stderr without a reader is not an error.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

/// Returns the longest beginning of a text that fits into `columns` columns.
pub(super) fn head(text: &str, columns: usize) -> &str {
    let mut text = text;
    while text.width() > columns {
        let end = text.char_indices().next_back().map_or(0, |(at, _)| at);
        text = text.get(..end).unwrap_or_default();
    }
    text
}

/// Returns the longest end of a text that fits into `columns` columns.
pub(super) fn tail(text: &str, columns: usize) -> &str {
    let mut text = text;
    while text.width() > columns {
        let mut rest = text.chars();
        rest.next();
        text = rest.as_str();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_progress_line_is_cut_to_available_columns() {
        assert_eq!((head("running", 3), tail("running", 3)), ("run", "ing"));
        assert_eq!((head("会议纪要", 5), tail("会议纪要", 5)), ("会议", "纪要"));
        assert_eq!((head("ab", 9), tail("ab", 0)), ("ab", ""));
    }

    #[test]
    fn as_31_erasing_clears_from_first_drawn_line() {
        let of = |drawn| Canvas { drawn, ..Canvas::default() }.erasure();
        assert_eq!(
            (of(0), of(1), of(3)),
            (String::new(), "\r\u{1b}[J".into(), "\r\u{1b}[2A\u{1b}[J".into())
        );
    }
}
