//! Reading one line from the left, in columns (a tab leads to the next multiple of four).

use memchr::{memchr_iter, memchr2, memmem};

/// Elements without an end tag, which hold nothing.
const VOID: [&[u8]; 8] = [b"br", b"hr", b"img", b"input", b"link", b"meta", b"source", b"wbr"];

/// A place in a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    column: usize,
}

/// A marker of a list item, read from a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marker<'a> {
    /// Columns from the begin of the marker to the text of the item.
    pub(super) width: usize,
    /// True if the item may stand directly after the lines of a paragraph.
    pub(super) may_interrupt: bool,
    /// The text after the marker and its space.
    pub(super) rest: Cursor<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: u8,
    length: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { rest: line, column: 0 }
    }

    pub(super) fn first(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.rest.iter().all(|byte| is_space(*byte))
    }

    /// Returns how many columns of white space come next.
    pub(super) fn indent(&self) -> usize {
        let mut column = self.column;
        for byte in self.rest {
            column = match byte {
                b' ' => column + 1,
                b'\t' => next_stop(column),
                _ => break,
            };
        }
        column - self.column
    }

    /// Behind all white space.
    pub(super) fn trimmed(mut self) -> Self {
        let indent = self.indent();
        self.skip_columns(indent);
        self
    }

    /// Behind so many columns of white space; a tab may be taken in part.
    pub(super) fn skip_columns(&mut self, columns: usize) {
        let target = self.column + columns;
        while self.column < target {
            match self.rest.split_first() {
                Some((b' ', rest)) => {
                    self.column += 1;
                    self.rest = rest;
                }
                Some((b'\t', rest)) => {
                    let stop = next_stop(self.column);
                    self.column = stop.min(target);
                    if stop <= target {
                        self.rest = rest;
                    }
                }
                _ => return,
            }
        }
    }

    /// Behind a `>` and one column of white space.
    pub(super) fn quote(&self) -> Option<Self> {
        let mut cursor = self.marked()?;
        cursor = cursor.after(1, b">")?;
        cursor.skip_columns(1);
        Some(cursor)
    }

    /// This place when it is not indented as code is, behind the indent.
    pub(super) fn marked(&self) -> Option<Self> {
        (self.indent() < 4).then(|| self.trimmed())
    }

    fn after(&self, length: usize, signs: &[u8]) -> Option<Self> {
        let (head, rest) = self.rest.split_at_checked(length)?;
        let fits = head.iter().all(|byte| signs.contains(byte));
        fits.then_some(Self { rest, column: self.column + length })
    }

    fn run(&self, sign: u8) -> usize {
        self.rest.iter().take_while(|byte| **byte == sign).count()
    }

    /// Returns the code fence that begins here.
    pub(super) fn fence(&self) -> Option<Fence> {
        let cursor = self.marked()?;
        let sign = cursor.first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = cursor.run(sign);
        let info = cursor.rest.get(length..)?;
        let is_fence = length >= 3 && (sign == b'~' || !info.contains(&b'`'));
        is_fence.then_some(Fence { sign, length })
    }

    /// Reports whether this line closes a fence.
    pub(super) fn closes(&self, fence: Fence) -> bool {
        self.marked().is_some_and(|cursor| {
            let length = cursor.run(fence.sign);
            let rest = cursor.rest.get(length..).unwrap_or_default();
            length >= fence.length && rest.iter().all(|byte| is_space(*byte))
        })
    }

    pub(super) fn begins_comment(&self) -> bool {
        self.marked().is_some_and(|cursor| cursor.rest.starts_with(b"<!--"))
    }

    pub(super) fn ends_comment(&self) -> bool {
        memmem::find(self.rest, b"-->").is_some()
    }

    /// Returns how many tags a line of tags opens, and how many it closes.
    pub(super) fn tags(&self) -> (usize, usize) {
        let text = self.trimmed().rest;
        if text.first() != Some(&b'<') {
            return (0, 0);
        }
        let after = |at: usize| text.get(at + 1..).unwrap_or_default();
        let opened = memchr_iter(b'<', text).filter(|at| opens_tag(after(*at))).count();
        let closed = memchr_iter(b'<', text).filter(|at| after(*at).starts_with(b"/")).count();
        (opened, closed + memmem::find_iter(text, b"/>").count())
    }

    pub(super) fn is_heading(&self) -> bool {
        self.marked().is_some_and(|cursor| {
            let level = cursor.run(b'#');
            let next = cursor.rest.get(level);
            (1..=6).contains(&level) && next.is_none_or(|byte| is_space(*byte))
        })
    }

    /// Reports whether this line makes a heading of the paragraph before it.
    pub(super) fn is_underline(&self) -> bool {
        self.marked().is_some_and(|cursor| {
            let sign = cursor.first().filter(|sign| matches!(sign, b'=' | b'-'));
            sign.is_some_and(|sign| {
                let rest = cursor.rest.get(cursor.run(sign)..).unwrap_or_default();
                rest.iter().all(|byte| is_space(*byte))
            })
        })
    }

    pub(super) fn is_break(&self) -> bool {
        self.marked().is_some_and(|cursor| {
            let sign = cursor.first().filter(|sign| matches!(sign, b'*' | b'-' | b'_'));
            sign.is_some_and(|sign| {
                let mut others = cursor.rest.iter().filter(|byte| !is_space(**byte));
                others.clone().count() >= 3 && others.all(|byte| *byte == sign)
            })
        })
    }

    /// Reports whether this line is that between the head and the body of a table.
    pub(super) fn is_table_rule(&self) -> bool {
        self.marked().is_some_and(|cursor| {
            let has = |sign| cursor.rest.contains(&sign);
            has(b'|') && has(b'-') && cursor.rest.iter().all(|byte| b"|-: \t\r\n".contains(byte))
        })
    }

    pub(super) fn has_pipe(&self) -> bool {
        self.rest.contains(&b'|')
    }

    /// Returns the marker of a list item that begins here.
    pub(super) fn marker(&self) -> Option<Marker<'a>> {
        let cursor = self.marked()?;
        let (length, is_first) = match cursor.first()? {
            b'-' | b'+' | b'*' => (1, true),
            b'0'..=b'9' => cursor.number()?,
            _ => return None,
        };
        let mut rest = Self { rest: cursor.rest.get(length..)?, column: cursor.column + length };
        if rest.first().is_some_and(|byte| !is_space(byte)) {
            return None;
        }
        let is_blank = rest.is_blank();
        let spaces = match rest.indent() {
            spaces @ 1..=4 if !is_blank => spaces,
            // Text indented as code begins one column behind the marker.
            _ => 1,
        };
        rest.skip_columns(spaces);
        let width = rest.column.max(cursor.column + length + spaces) - self.column;
        Some(Marker { width, may_interrupt: is_first && !is_blank, rest })
    }

    /// Returns the length of `12.` or `12)`, and whether the number is 1.
    fn number(&self) -> Option<(usize, bool)> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_end = matches!(self.rest.get(digits), Some(b'.' | b')'));
        let is_first = self.rest.get(..digits) == Some(b"1");
        (digits <= 9 && is_end).then_some((digits + 1, is_first))
    }
}

/// Reports whether what follows a `<` is a tag that something may stand in.
fn opens_tag(rest: &[u8]) -> bool {
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = rest.iter().take_while(is_of_name).count();
    let (name, rest) = rest.split_at(length);
    let ends = rest.first().is_none_or(|byte| is_space(*byte) || matches!(byte, b'>' | b'/'));
    let is_void = VOID.iter().any(|void| void.eq_ignore_ascii_case(name));
    name.first().is_some_and(u8::is_ascii_alphabetic) && ends && !is_void
}

fn next_stop(column: usize) -> usize {
    column + 4 - column % 4
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns where the line ends that begins at an offset, behind its line end.
pub(super) fn end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let Some(at) = memchr2(b'\n', b'\r', rest) else {
        return bytes.len();
    };
    let is_pair = rest.get(at..at + 2) == Some(b"\r\n");
    start + at + if is_pair { 2 } else { 1 }
}
