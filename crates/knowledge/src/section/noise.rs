//! What stands in Markdown and MDX and is not shown: comments, and the statements of MDX that only
//! name what its components need.
//!
//! Decision: a section is a range of the file, so only a comment that ends its line is left out;
//! one with text behind it in the same line stays.

use super::markdown;
use super::outline::Line;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use std::ops::Range;

/// Returns the ranges of a text that are not shown, in order, none in code.
pub(super) fn of(text: &str, is_mdx: bool) -> Vec<Range<usize>> {
    if !is_mdx && !text.contains("<!--") {
        return Vec::new();
    }
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut statements = Statements { text, is_mdx, found: Vec::new(), is_open: false };
    for (event, range) in Parser::new_ext(text, markdown::options(text)).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) | Event::Code(_) => {
                code.push(range);
            }
            Event::Start(Tag::HtmlBlock) => between(text, range, "<!--", "-->", &mut found),
            Event::InlineHtml(html) if html.starts_with("<!--") => found.push(range),
            Event::Start(Tag::Paragraph) => statements.add(range.start),
            _ => {}
        }
    }
    if is_mdx {
        let is_code = |at: usize| {
            let next = code.partition_point(|code| code.end <= at);
            code.get(next).is_some_and(|code| code.start <= at)
        };
        let mut comments = Vec::new();
        between(text, 0..text.len(), "{/*", "*/}", &mut comments);
        found.extend(comments.into_iter().filter(|comment| !is_code(comment.start)));
    }
    let mut hidden: Vec<_> =
        found.into_iter().filter_map(|range| to_line_end(text, range)).collect();
    hidden.extend(statements.found);
    hidden.sort_by_key(|range| (range.start, range.end));
    joined(hidden)
}

/// Returns a range with the end of its line; `None` when text follows in the line.
fn to_line_end(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(range.end..)?;
    let line = rest.split_inclusive('\n').next().unwrap_or_default();
    line.trim().is_empty().then(|| range.start..range.end + line.len())
}

/// Returns what of a range is shown.
pub(super) fn outside(hidden: &[Range<usize>], range: Range<usize>) -> Vec<Range<usize>> {
    let first = hidden.partition_point(|one| one.end <= range.start);
    let mut shown = Vec::new();
    let mut from = range.start;
    for one in hidden.iter().skip(first).take_while(|one| one.start < range.end) {
        if from < one.start {
            shown.push(from..one.start);
        }
        from = one.end;
    }
    if from < range.end {
        shown.push(from..range.end);
    }
    shown
}

/// Reports whether something in a range is not shown.
pub(super) fn is_between(hidden: &[Range<usize>], range: Range<usize>) -> bool {
    let first = hidden.partition_point(|one| one.start < range.start);
    hidden.get(first).is_some_and(|one| one.end <= range.end)
}

/// Adds what stands between two marks in a range, with the marks. Without the second one it is
/// text.
fn between(text: &str, range: Range<usize>, begin: &str, end: &str, found: &mut Vec<Range<usize>>) {
    let mut at = range.start;
    while let Some(rest) = text.get(at..range.end) {
        let Some(start) = rest.find(begin) else { break };
        let body = rest.get(start + begin.len()..).unwrap_or_default();
        let Some(length) = body.find(end) else { break };
        let start = at + start;
        at = start + begin.len() + length + end.len();
        found.push(start..at);
    }
}

/// Returns the ranges of a list in order, those that overlap as one.
fn joined(ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// The statements of an MDX text.
struct Statements<'t> {
    text: &'t str,
    is_mdx: bool,
    found: Vec<Range<usize>>,
    /// True once brackets stayed open to the end of the text: no other text is read that far.
    is_open: bool,
}

impl Statements<'_> {
    /// Adds the statements of a paragraph that begins at the start of a line: to the first blank
    /// line after their brackets are closed.
    fn add(&mut self, start: usize) {
        let (before, rest) = self.text.split_at_checked(start).unwrap_or_default();
        let is_first = before.is_empty() || before.ends_with('\n');
        let is_known = self.found.last().is_some_and(|last| start < last.end);
        let is_one = ["import ", "export "].iter().any(|word| rest.starts_with(word));
        if self.is_mdx && is_first && is_one && !is_known {
            let end = self.end(start);
            self.found.push(start..end);
        }
    }

    fn end(&mut self, start: usize) -> usize {
        let mut brackets = Brackets::default();
        let mut first_blank = None;
        let mut end = start;
        let mut line = Line::at(self.text, start);
        while let Some(one) = line {
            if !one.is_blank() {
                brackets.read(one.words);
                end = one.next;
            } else if brackets.is_closed() || self.is_open {
                return end;
            } else {
                first_blank = first_blank.or(Some(end));
            }
            line = one.following(self.text);
        }
        if brackets.is_closed() {
            return end;
        }
        self.is_open = true;
        first_blank.unwrap_or(end)
    }
}

/// The brackets that are open in a program, aside from those in strings and comments.
#[derive(Debug, Default)]
struct Brackets {
    depth: usize,
    /// The mark that closes the string or the comment that is open.
    closer: Option<&'static str>,
}

impl Brackets {
    fn is_closed(&self) -> bool {
        self.depth == 0 && self.closer.is_none()
    }

    /// Reads a line.
    fn read(&mut self, line: &str) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let mut length = first.len_utf8();
            match self.closer {
                Some(closer) if rest.starts_with(closer) => {
                    length = closer.len();
                    self.closer = None;
                }
                Some(closer) if first == '\\' && closer.len() == 1 => {
                    length += rest.chars().nth(1).map_or(0, char::len_utf8);
                }
                Some(_) => {}
                None if rest.starts_with("//") => return,
                None => self.open(first, rest),
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        // A string in quotes ends with its line.
        self.closer = self.closer.filter(|closer| !matches!(*closer, "'" | "\""));
    }

    fn open(&mut self, first: char, rest: &str) {
        match first {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
            '\'' => self.closer = Some("'"),
            '"' => self.closer = Some("\""),
            '`' => self.closer = Some("`"),
            '/' if rest.starts_with("/*") => self.closer = Some("*/"),
            _ => {}
        }
    }
}
