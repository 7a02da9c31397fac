//! Text inside a paragraph: emphasis, code and links, with what Markdown would misread escaped.

/// A paragraph, heading or cell that is being written.
#[derive(Debug, Default)]
pub(super) struct Inline {
    text: String,
    /// The marks that are open, outermost first.
    open: Vec<Mark>,
    /// True if a mark is open whose characters are not written.
    is_pending: bool,
    /// How many code elements are open: their text is not escaped.
    code: usize,
}

#[derive(Debug)]
struct Mark {
    name: &'static str,
    /// The characters before its text.
    before: &'static str,
    after: String,
    /// Its characters are written before its first character.
    is_written: bool,
}

/// The most marks that are open at once; what is deeper is plain text.
const MAX_OPEN: usize = 64;

impl Inline {
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Opens a mark, whose characters come before its first text.
    pub(super) fn open(&mut self, name: &'static str, before: &'static str, after: String) {
        if self.open.len() < MAX_OPEN {
            self.open.push(Mark { name, before, after, is_written: false });
            self.is_pending = true;
        }
    }

    /// Closes the innermost mark of that name, and those inside it.
    pub(super) fn close(&mut self, name: &str) {
        if !self.open.iter().any(|mark| mark.name == name) {
            return;
        }
        while let Some(mark) = self.open.pop() {
            self.write_end(&mark);
            if mark.name == name {
                return;
            }
        }
    }

    fn write_end(&mut self, mark: &Mark) {
        if mark.is_written {
            let trimmed = self.text.trim_end().len();
            let space = self.text.split_off(trimmed);
            self.text.push_str(&mark.after);
            self.text.push_str(&space);
        }
    }

    pub(super) fn open_code(&mut self) {
        if self.code == 0 {
            self.open("code", "`", "`".to_owned());
        }
        self.code += 1;
    }

    pub(super) fn close_code(&mut self) {
        self.code = self.code.saturating_sub(1);
        if self.code == 0 {
            self.close("code");
        }
    }

    /// Adds text with its white space collapsed.
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c.is_whitespace() && c != '\u{a0}' {
                self.space();
                continue;
            }
            self.begin_marks();
            let before = self.text.chars().next_back();
            let after = rest.peek().copied();
            if self.code == 0 && needs_escape(before, c, after) {
                self.text.push('\\');
            }
            // A grave accent can't stand in code that is marked by one.
            let c = if self.code > 0 && c == '`' { '\'' } else { c };
            self.text.push(if c == '\u{a0}' { ' ' } else { c });
        }
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    fn begin_marks(&mut self) {
        if !std::mem::take(&mut self.is_pending) {
            return;
        }
        for mark in self.open.iter_mut().filter(|mark| !mark.is_written) {
            self.text.push_str(mark.before);
            mark.is_written = true;
        }
    }

    /// Adds what needs no escape.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.begin_marks();
        self.text.push_str(text);
    }

    pub(super) fn line_break(&mut self) {
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        if kept > 0 {
            self.text.push('\n');
        }
    }

    /// Returns the text and begins anew.
    pub(super) fn take(&mut self) -> String {
        while let Some(mark) = self.open.pop() {
            self.write_end(&mark);
        }
        self.code = 0;
        std::mem::take(&mut self.text).trim().to_owned()
    }
}

/// Reports whether Markdown would read a character as a mark.
fn needs_escape(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    match c {
        '`' => true,
        '\\' => after.is_some_and(|c| c.is_ascii_punctuation()),
        '*' => !(is_blank(before) && is_blank(after)),
        '_' => {
            let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !(is_word(before) && is_word(after) || is_blank(before) && is_blank(after))
        }
        '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
        '&' => after.is_some_and(|c| c.is_ascii_alphabetic() || c == '#'),
        '(' | '[' | ':' => before == Some(']'),
        _ => false,
    }
}

/// Returns a text that is a line of its own with what Markdown would misread escaped.
pub(in super::super) fn escaped(text: &str) -> String {
    let mut inline = Inline::default();
    inline.text(text);
    start_escaped(&inline.take())
}

/// Escapes the beginnings of lines that Markdown would read as blocks.
pub(in super::super) fn start_escaped(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let after_digits = line.get(digits..).unwrap_or_default();
        if line.starts_with(['#', '+', '-', '>', '=', '~', '|']) {
            lines.push(format!("\\{line}"));
        } else if digits > 0 && after_digits.starts_with(['.', ')']) {
            let number = line.get(..digits).unwrap_or_default();
            lines.push(format!("{number}\\{after_digits}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}
