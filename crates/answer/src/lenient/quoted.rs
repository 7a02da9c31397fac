//! Ends of strings whose quotes can't be trusted.
//!
//! Every quote that could close the string is judged by the text after it ([`super::look`]). Two
//! facts help in doubt: inner quotes come in pairs, and an inner pair that opens a bracket closes
//! it before the string ends.

use super::chars::{Mark, Quote, is_blank};
use super::look::Verdict;
use super::parser::{Parser, Place};
use super::string::find_special;
use crate::repair::RepairKind;
use serde_json::Value;

#[derive(Debug, Clone, Copy)]
struct End {
    /// The end of the content.
    content: usize,
    /// The position where parsing continues.
    resume: usize,
    /// The number of quotes inside that were not escaped.
    inner: usize,
    /// True if the closing quote is missing.
    missing: bool,
}

impl Parser<'_> {
    /// Parses the quoted value at the cursor, and finds its end carefully.
    pub(super) fn careful_value(&mut self, place: Place) -> Option<Value> {
        self.careful(place).map(Value::String)
    }

    /// Parses the quoted string at the cursor, and finds its end carefully; returns `None` for a
    /// key that is cut.
    pub(super) fn careful(&mut self, place: Place) -> Option<String> {
        let (Mark::Quote(family), length) = self.mark_at(self.pos)? else {
            return None;
        };
        if family != Quote::Double {
            self.note(RepairKind::OtherQuotes);
        }
        let start = self.pos + length;
        let end = match self.find_end(start, family, place) {
            Ok(end) => end,
            Err(_) if place == Place::Key => {
                self.pos = self.text.len();
                return None;
            }
            Err(likely) => self.unterminated(start, family, place, likely),
        };
        Some(self.accept(start, end))
    }

    /// Parses the last string again when the text after it made no sense. Returns `None` if its end
    /// stays.
    #[cold]
    pub(super) fn reread(&mut self, place: Place) -> Option<Value> {
        let start = self.trusted.take()?;
        let family = match self.byte(start.checked_sub(1)?) {
            b'\'' => Quote::Single,
            _ => Quote::Double,
        };
        let end = self.find_end(start, family, place).ok()?;
        if end.resume <= self.pos {
            return None;
        }
        Some(Value::String(self.accept(start, end)))
    }

    fn accept(&mut self, start: usize, end: End) -> String {
        if end.inner > 0 {
            self.notes.add(RepairKind::UnescapedQuote, start);
        }
        if end.missing {
            self.notes.add(RepairKind::MissingQuote, end.content);
        }
        let raw = self.text.get(start..end.content).unwrap_or_default();
        let escaped = find_special(raw.as_bytes(), 0, b'\\') < raw.len();
        if escaped && let Some(at) = raw.bytes().position(|byte| byte < b' ') {
            self.notes.add(RepairKind::RawControl, start + at);
        }
        self.trusted = None;
        self.pos = end.resume;
        self.text_of(start, end.content, escaped)
    }

    /// Judges the quotes from `start` on. If none of them ends the string, the last one that closes
    /// no inner pair and ends its line may still do.
    fn find_end(&mut self, start: usize, family: Quote, place: Place) -> Result<End, Option<End>> {
        let mut likely = None;
        let mut from = start;
        let mut inner = Inner::new(self.char_before(start));
        loop {
            let Some((at, length)) = self.next_close(from, usize::MAX, family) else {
                return Err(likely);
            };
            let (content, resume) = (at, at + length);
            let end = End { content, resume, inner: inner.count, missing: false };
            let Some(care) = self.care.checked_sub(resume - from) else {
                return Ok(end);
            };
            self.care = care;
            inner.add_text(self.text.get(start..from), self.text.get(from..at));
            let quote = self.char_at(at);
            let odd = inner.is_open();
            if inner.closes(quote) && self.is_delimited(resume, place) {
                return Ok(end);
            }
            match self.judge(resume, place, odd) {
                Verdict::End if odd && inner.brackets > 0 && resume < self.text.len() => {}
                Verdict::End => return Ok(end),
                Verdict::Colon => {
                    if let Some(open) = inner.last
                        && let Some(end) = self.missing_quote(start, open, at, length)
                    {
                        return Ok(End { inner: inner.count - 1, ..end });
                    }
                }
                Verdict::Inner => {}
            }
            let ends_line = matches!(self.byte(resume), b'\n' | b'\r');
            likely = (ends_line && !odd).then_some(end);
            inner.add_quote(quote, at);
            from = resume;
        }
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    /// Finds the end of a string without a closing quote, as in `"text, "key": 1`: the quotes at
    /// `open` and `at` enclose the next key, and the string ended before the comma or the line
    /// break in front of it.
    fn missing_quote(&self, start: usize, open: usize, at: usize, length: usize) -> Option<End> {
        let key = self.text.get(open + 1..at)?;
        let colon = self.look_space(at + length);
        let (_, colon_length) = self.mark_at(colon)?;
        if key.len() > 128 || key.contains('\n') || !self.value_follows(colon + colon_length) {
            return None;
        }
        let head = self.text.get(start..open)?;
        let content = head.trim_end_matches(is_blank);
        let (content, resume) = match content.strip_suffix([',', '，']) {
            Some(shorter) => (shorter, start + shorter.len()),
            None if head.get(content.len()..)?.contains('\n') => (content, open),
            None => return None,
        };
        let content = content.trim_end_matches(is_blank);
        // A closing quote of another kind, or one after the backslash that ends a path.
        let content = content.strip_suffix(['”', '’', '＂', '＇', '"']).unwrap_or(content);
        Some(End { content: start + content.len(), resume, inner: 1, missing: true })
    }

    /// Returns the end of a string that no quote ends.
    fn unterminated(
        &mut self,
        start: usize,
        family: Quote,
        place: Place,
        likely: Option<End>,
    ) -> End {
        if !self.growing {
            if let Some(stand_in) = family.stand_in()
                && let Ok(end) = self.find_end(start, stand_in, place)
            {
                return end;
            }
            if let Some(end) = likely {
                return end;
            }
            if let Some(end) = self.before_fence(start).or_else(|| self.before_closers(start)) {
                return end;
            }
        }
        let rest = self.rest(start);
        let mut content = rest.trim_end();
        // Half an escape does not determine its character.
        if let Some(at) = content.rfind('\\')
            && let Some((_, tail)) = content.split_at_checked(at)
            && is_half_escape(tail)
            && !is_escaped(content, at)
        {
            content = content.get(..at).unwrap_or(content);
        }
        self.note_cut();
        End { content: start + content.len(), resume: self.text.len(), inner: 0, missing: true }
    }

    pub(super) fn note_cut(&mut self) {
        self.cut = true;
        self.note(RepairKind::MissingCloser);
    }

    /// Returns the end of an open string at the code fence around the value.
    fn before_fence(&self, start: usize) -> Option<End> {
        if !self.fenced {
            return None;
        }
        let at = self.rest(start).rfind("\n```")?;
        let content = self.rest(start).get(..at)?.trim_end();
        Some(self.cut_string(start, content, start + at))
    }

    /// Returns the end before closers at the very end that close exactly the open containers: only
    /// the quote is missing.
    fn before_closers(&self, start: usize) -> Option<End> {
        let mut content = self.rest(start).trim_end();
        let mut closers: Vec<char> = self.open_closers().collect();
        while let Some(closer) = closers.pop() {
            content = content.strip_suffix(closer)?.trim_end();
        }
        Some(self.cut_string(start, content, start + content.len()))
    }

    fn cut_string(&self, start: usize, content: &str, resume: usize) -> End {
        End { content: start + content.len(), resume, inner: 0, missing: true }
    }
}

/// The quotes and brackets seen inside a string so far.
struct Inner {
    count: usize,
    /// The position of the last of them.
    last: Option<usize>,
    /// The number of brackets opened minus those closed; counted once there is an inner quote.
    brackets: i64,
    /// The opening and closing quote of the string, if they differ and nothing else uses the
    /// closing one.
    pair: Option<(char, char)>,
    /// The number of open opening quotes.
    nested: usize,
}

impl Inner {
    fn new(opening: Option<char>) -> Self {
        let pair = match opening {
            Some('“') => Some(('“', '”')),
            Some('「') => Some(('「', '」')),
            Some('『') => Some(('『', '』')),
            Some('｢') => Some(('｢', '｣')),
            Some('«') => Some(('«', '»')),
            _ => None,
        };
        Self { count: 0, last: None, brackets: 0, pair, nested: 0 }
    }

    /// Takes the text before the next quote into account.
    fn add_text(&mut self, before: Option<&str>, text: Option<&str>) {
        let text = text.unwrap_or_default();
        if let Some((open, _)) = self.pair {
            self.nested += text.matches(open).count();
        }
        if self.count == 1 {
            self.brackets += brackets(before.unwrap_or_default());
        }
        if self.count > 0 {
            self.brackets += brackets(text);
        }
    }

    fn add_quote(&mut self, quote: Option<char>, at: usize) {
        self.count += 1;
        self.last = Some(at);
        match (self.pair, quote) {
            (Some((open, _)), Some(quote)) if quote == open => self.nested += 1,
            (Some((_, close)), Some(quote)) if quote == close => {
                self.nested = self.nested.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Reports whether the next quote more likely closes an inner pair than the string.
    fn is_open(&self) -> bool {
        match self.pair {
            Some(_) => self.nested > 0,
            None => self.count % 2 == 1,
        }
    }

    /// Reports whether a quote is the counterpart of the one that opened the string.
    fn closes(&self, quote: Option<char>) -> bool {
        self.nested == 0 && self.pair.is_some_and(|(_, close)| quote == Some(close))
    }
}

/// Returns the number of brackets opened minus those closed in a text.
fn brackets(text: &str) -> i64 {
    text.bytes().fold(0, |sum, byte| match byte {
        b'(' | b'[' | b'{' => sum + 1,
        b')' | b']' | b'}' => sum - 1,
        _ => sum,
    })
}

/// Reports whether the backslash at an offset is itself escaped.
fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let slashes = before.len() - before.trim_end_matches('\\').len();
    slashes % 2 == 1
}

/// Reports whether the end of the text cut an escape short: `\`, `\u`, `\u12`.
fn is_half_escape(tail: &str) -> bool {
    match tail.strip_prefix("\\u") {
        Some(digits) => digits.len() < 4 && digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => tail == "\\",
    }
}
