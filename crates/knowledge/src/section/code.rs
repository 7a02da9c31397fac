//! Source code: its symbols, and the lines of each.
//!
//! Decision: a symbol is found by the line that declares it, and ends by indentation, as formatters
//! and people set it. No language is parsed, so no code is too new or too broken, and nothing is
//! lost: a line that no symbol has belongs to what is around it.

mod head;
mod language;

use super::outline::{Line, Part};
use super::paragraphs;
pub(super) use language::Language;
use language::Symbol;
use std::borrow::Cow;
use std::ops::Range;

/// The longest line of code that a person wrote, in bytes.
const MAX_LINE: usize = 10_000;

/// The most lines after the first one that the head of a function has.
const MAX_HEAD: usize = 24;

/// Returns the length of the first line that is longer than people write them, as in minified code.
pub(super) fn longest_line(text: &str) -> Option<usize> {
    text.lines().map(str::len).find(|bytes| *bytes > MAX_LINE)
}

/// Walks the symbols of a text.
pub(super) fn parts(text: &str, language: Language) -> Vec<Part> {
    let mut walk = Walk {
        text,
        language,
        parts: Vec::new(),
        open: Vec::new(),
        from: 0,
        lead: None,
        unclosed: None,
    };
    let mut quoted = None;
    let mut next = Line::at(text, 0);
    while let Some(line) = next {
        let was_quoted = quoted.is_some();
        quoted = language.quoted_after(line.words, quoted);
        walk.take(line, was_quoted);
        next = line.following(text);
    }
    walk.add(text.len());
    walk.parts
}

/// Reports whether a bracket is open at the end of a text.
fn is_open(text: &str) -> bool {
    text.matches('(').count() > text.matches(')').count()
}

/// A symbol whose lines have not ended.
struct Open {
    indent: usize,
    /// True if it holds other symbols: a class, not a function.
    is_container: bool,
}

struct Walk<'t> {
    text: &'t str,
    language: Language,
    parts: Vec<Part>,
    open: Vec<Open>,
    /// Where the lines begin that are in no part yet.
    from: usize,
    /// Where the comments and decorators begin that lead a symbol.
    lead: Option<usize>,
    /// The open brackets of a decorator over several lines, and how many lines may follow.
    unclosed: Option<(usize, usize)>,
}

impl<'t> Walk<'t> {
    fn take(&mut self, line: Line<'t>, is_quoted: bool) {
        let words = line.words.trim_start();
        if self.unclosed.is_some() {
            self.go_on(words);
            return;
        }
        if is_quoted || words.is_empty() {
            if words.is_empty() && !is_quoted {
                self.lead = None;
            }
            return;
        }
        let indent = line.indent();
        if self.language.is_end(words) {
            self.lead = None;
            if self.open.iter().any(|open| open.indent >= indent) {
                self.close(indent, line.next);
            }
            return;
        }
        if self.language.continues(words) {
            return;
        }
        if self.open.last().is_some_and(|open| open.indent >= indent) {
            self.close(indent, line.start);
        }
        if self.language.is_lead(words) {
            self.lead.get_or_insert(line.start);
            if words.starts_with('@') || words.starts_with("#[") {
                self.unclosed = Some((0, MAX_HEAD));
                self.go_on(words);
            }
            return;
        }
        let start = self.lead.take().unwrap_or(line.start);
        let is_looked_at = self.open.last().is_none_or(|open| open.is_container);
        let is_member = !self.open.is_empty();
        if !is_looked_at {
            return;
        }
        if self.language.is_group(words) {
            // Its line belongs to the first symbol in it.
            self.lead = Some(start);
            self.open.push(Open { indent, is_container: true });
            return;
        }
        let (words, below) = self.declaration(line);
        if let Some(symbol) = self.language.symbol(&words, below, is_member) {
            self.begin(symbol, indent, start);
        }
    }

    /// Counts the brackets in a line of a decorator, which ends with the last one.
    fn go_on(&mut self, words: &str) {
        let Some((open, left)) = self.unclosed else { return };
        let opened = words.matches(['(', '[', '{']).count();
        let closed = words.matches([')', ']', '}']).count();
        let open = (open + opened).saturating_sub(closed);
        self.unclosed = left.checked_sub(1).filter(|_| open > 0).map(|left| (open, left));
    }

    /// Returns a line and the one under it; with a list of arguments over several lines, those.
    fn declaration(&self, line: Line<'t>) -> (Cow<'t, str>, &'t str) {
        let mut words = Cow::Borrowed(line.words.trim_start());
        let mut below = line.following(self.text);
        if self.language.has_typed_heads() && is_open(&words) {
            for _ in 0..MAX_HEAD {
                let Some(next) = below.filter(|_| is_open(&words)) else { break };
                words = format!("{words} {}", next.words.trim()).into();
                below = next.following(self.text);
            }
        }
        (words, below.map_or("", |next| next.words.trim_start()))
    }

    /// Begins a symbol, whose comments begin at `start`.
    fn begin(&mut self, symbol: Symbol, indent: usize, start: usize) {
        self.add(start);
        self.open.push(Open { indent, is_container: symbol.is_container });
        self.parts.push(Part::Heading(self.open.len(), symbol.name, start));
    }

    /// Ends the symbols that are indented as deep or deeper.
    fn close(&mut self, indent: usize, at: usize) {
        self.add(at);
        self.open.retain(|open| open.indent < indent);
        self.parts.push(Part::End(self.open.len() + 1));
    }

    /// Adds the lines up to a place, parted at blank ones.
    fn add(&mut self, to: usize) {
        let from = std::mem::replace(&mut self.from, to);
        let lines = self.text.get(from..to).unwrap_or_default();
        let moved = |range: Range<usize>| from + range.start..from + range.end;
        let blocks: Vec<Range<usize>> = paragraphs(lines).into_iter().map(moved).collect();
        if !blocks.is_empty() {
            self.parts.push(Part::Blocks(blocks));
        }
    }
}
