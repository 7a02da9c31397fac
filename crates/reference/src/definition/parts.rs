//! The content of a resource element: its three parts and prose around them.

use super::lines::{Fence, Line, line_at};
use super::report::{Report, span};
use super::tag::{self, RESOURCE};
use crate::codes;
use contexture_diagnostic::nearest;
use std::ops::Range;

/// The parts in their order.
const PARTS: [&str; 3] = ["location", "params", "registry"];

/// The parts of an element, by the bytes of their content in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) location: Option<Range<usize>>,
    pub(super) params: Option<Range<usize>>,
    pub(super) registry: Option<Range<usize>>,
    /// The first line of prose outside the parts.
    pub(super) description: Option<String>,
}

/// Reads an element behind its start tag, up to `end` at most; returns the body and its end.
pub(super) fn read(
    source: &str,
    tag: Range<usize>,
    end: usize,
    report: &mut Report,
) -> (Body, usize) {
    let mut reader = Reader {
        source,
        report,
        at: tag.end,
        end,
        tag,
        fence: None,
        open: None,
        seen: Vec::new(),
        body: Body::default(),
        is_empty: true,
        may_end_comment: true,
    };
    let next = reader.run();
    (reader.body, next)
}

/// A part whose end is not yet found.
#[derive(Debug, Clone)]
struct OpenPart {
    index: usize,
    place: Range<usize>,
}

struct Reader<'a, 'r> {
    source: &'a str,
    report: &'r mut Report,
    at: usize,
    end: usize,
    /// The start tag of the element.
    tag: Range<usize>,
    fence: Option<(Fence, usize)>,
    open: Option<OpenPart>,
    /// The parts so far, and where their start tags are.
    seen: Vec<OpenPart>,
    body: Body,
    is_empty: bool,
    /// True if a `-->` still follows, as far as is known.
    may_end_comment: bool,
}

impl<'a> Reader<'a, '_> {
    /// Goes through the lines to the end tag; returns where to continue behind the element.
    fn run(&mut self) -> usize {
        let mut is_first = true;
        while let Some(line) = line_at(self.source, self.at, self.end) {
            self.at = line.next;
            match self.fence {
                Some((fence, _)) => {
                    if fence.is_closed_by(line.text) {
                        self.fence = None;
                    }
                }
                None => match Fence::opened_by(line.text).filter(|_| !is_first) {
                    Some(fence) => {
                        self.fence = Some((fence, line.start));
                        self.is_empty = false;
                    }
                    None => {
                        if let Some(next) = self.line(&line) {
                            return next;
                        }
                    }
                },
            }
            is_first = false;
        }
        self.unclosed();
        self.end
    }

    /// Reads a line outside code; returns where to continue when the element ends in it.
    fn line(&mut self, line: &Line<'a>) -> Option<usize> {
        let line_end = line.start + line.text.len();
        let mut at = line.start;
        let mut only_tags = true;
        while let Some(rest) = self.source.get(at..line_end).filter(|rest| !rest.is_empty()) {
            let from = at;
            if rest.starts_with('`') {
                at += code_span(rest);
            } else if let Some(end) = self.comment_end(rest, at) {
                at = end;
                if at > line_end {
                    self.at = at;
                    return None;
                }
                continue;
            } else if let Some(name) = tag::name(rest, true).filter(|name| is_ours(name))
                && let Some(length) = tag::end_tag(rest, name)
            {
                at += length;
                if name == RESOURCE {
                    self.finish(from);
                    return Some(at);
                }
                self.close(name, from..at);
                only_tags = true;
                continue;
            } else if only_tags && let Some(name) = tag::name(rest, false) {
                if name == RESOURCE {
                    self.nested(from, rest);
                    return Some(from);
                }
                if let Some(length) = self.start(name, rest, from) {
                    at += length;
                    continue;
                }
                at += 1;
            } else {
                at += self.skip(rest, only_tags);
            }
            let passed = self.source.get(from..at).unwrap_or_default();
            if !passed.trim().is_empty() {
                self.is_empty = false;
                if only_tags {
                    self.describe(from, line_end);
                }
                only_tags = false;
            }
        }
        None
    }

    /// Returns where a comment ends that the text begins with.
    fn comment_end(&mut self, rest: &str, at: usize) -> Option<usize> {
        if !self.may_end_comment || !rest.starts_with("<!--") {
            return None;
        }
        let length = self.source.get(at..self.end).and_then(|rest| rest.find("-->"));
        self.may_end_comment = length.is_some();
        length.map(|length| at + length + "-->".len())
    }

    /// Returns the length of the text before anything that could be a tag or code.
    fn skip(&self, rest: &str, only_tags: bool) -> usize {
        let blanks = rest.len() - rest.trim_start().len();
        if blanks > 0 && only_tags {
            return blanks;
        }
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let tail = rest.get(first..).unwrap_or_default();
        first + tail.find(['<', '`']).unwrap_or(tail.len())
    }

    /// Takes the first prose outside the parts as the description.
    fn describe(&mut self, from: usize, line_end: usize) {
        if self.open.is_none() && self.body.description.is_none() {
            let text = self.source.get(from..line_end).unwrap_or_default();
            let text = text.split("</").next().unwrap_or_default().trim();
            let text = text.trim_start_matches(['#', '>', '*', ' ']).trim_end_matches('*');
            if text.starts_with(char::is_alphanumeric) {
                self.body.description = Some(text.to_owned());
            }
        }
    }

    /// Takes the start tag of a part; its length, or none when the text is prose.
    fn start(&mut self, name: &str, rest: &str, from: usize) -> Option<usize> {
        let Some(index) = PARTS.iter().position(|part| *part == name) else {
            self.misspelt(name, from);
            return None;
        };
        let tag = tag::start_tag(rest).ok()?;
        let place = from..from + tag.length;
        self.is_empty = false;
        if let Some(attribute) = tag.attributes.first() {
            let at = from + attribute.place.start..from + attribute.place.end;
            self.report.say(codes::UNKNOWN_ATTRIBUTE, at, format!("`<{name}>` has no attributes"));
        }
        if let Some(open) = self.open.take() {
            self.unclosed_part(&open);
        }
        self.check_order(index, &place);
        let part = OpenPart { index, place: place.clone() };
        self.seen.push(part.clone());
        if tag.is_closed {
            self.report.say(codes::EMPTY_PART, place, format!("this `<{name}>` is empty"));
        } else {
            self.open = Some(part);
        }
        Some(tag.length)
    }

    fn check_order(&mut self, index: usize, place: &Range<usize>) {
        let name = PARTS.get(index).copied().unwrap_or_default();
        if let Some(first) = self.seen.iter().find(|part| part.index == index) {
            let message = format!("`<{name}>` is given twice");
            let fault = codes::DUPLICATE_PART.at(span(place.clone()), message);
            self.report.add(fault.with_label(span(first.place.clone()), "first here"));
        } else if let Some(later) = self.seen.iter().find(|part| part.index > index) {
            let before = PARTS.get(later.index).copied().unwrap_or_default();
            let message = format!("`<{name}>` stands behind `<{before}>`");
            let fault = codes::PART_ORDER.at(span(place.clone()), message);
            self.report.add(
                fault
                    .with_label(span(later.place.clone()), "this part belongs behind it")
                    .with_help("the order is location, params, registry"),
            );
        }
    }

    fn misspelt(&mut self, name: &str, from: usize) {
        if let Some(near) = nearest(name, PARTS).filter(|_| self.open.is_none()) {
            let place = from..from + 1 + name.len();
            let fault = codes::UNKNOWN_PART.at(span(place), format!("`<{name}>` is not a part"));
            self.report.add(fault.with_help(format!("did you mean `<{near}>`?")));
        }
    }

    /// Takes the end tag of a part.
    fn close(&mut self, name: &str, place: Range<usize>) {
        let is_open = self.open.as_ref().is_some_and(|open| PARTS.get(open.index) == Some(&name));
        let Some(open) = self.open.take_if(|_| is_open) else {
            let fault =
                codes::STRAY_CLOSING_TAG.at(span(place), format!("`</{name}>` closes nothing"));
            let fault = match &self.open {
                Some(open) => fault.with_label(span(open.place.clone()), "this part is open"),
                None => fault,
            };
            self.report.add(fault.with_help("put the start tag at the beginning of a line"));
            return;
        };
        let content = open.place.end..place.start;
        if self.source.get(content.clone()).is_some_and(|content| content.trim().is_empty()) {
            self.report.say(codes::EMPTY_PART, open.place, format!("this `<{name}>` is empty"));
            return;
        }
        let slot = match open.index {
            0 => &mut self.body.location,
            1 => &mut self.body.params,
            _ => &mut self.body.registry,
        };
        if slot.is_none() {
            *slot = Some(content);
        }
    }

    /// The end tag of the element is found.
    fn finish(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.unclosed_part(&open);
        }
        let is_blank = |text: &str| text.trim().is_empty();
        if self.is_empty && self.source.get(self.tag.end..at).is_none_or(is_blank) {
            self.report.say(
                codes::EMPTY_RESOURCE,
                self.tag.clone(),
                "this resource element is empty",
            );
        }
    }

    fn unclosed_part(&mut self, open: &OpenPart) {
        let name = PARTS.get(open.index).copied().unwrap_or_default();
        let message = format!("`<{name}>` is not closed");
        let fault = codes::UNCLOSED_PART.at(span(open.place.clone()), message);
        self.report.add(fault.with_help(format!("write `</{name}>` behind its content")));
    }

    fn nested(&mut self, at: usize, rest: &str) {
        let length = tag::start_tag(rest).map_or(1 + RESOURCE.len(), |tag| tag.length);
        let message = "a resource element begins inside another";
        let fault = codes::NESTED_RESOURCE.at(span(at..at + length), message);
        self.report.add(
            fault
                .with_label(span(self.tag.clone()), "this one is not closed")
                .with_help("write `</resource>` before it"),
        );
    }

    fn unclosed(&mut self) {
        let message = "this resource element is not closed";
        let mut fault = codes::UNCLOSED_RESOURCE.at(span(self.tag.clone()), message);
        if let Some((_, start)) = self.fence {
            fault = fault.with_label(span(start..start + 3), "this code fence goes on to the end");
        }
        if let Some(open) = self.open.take() {
            fault = fault.with_label(span(open.place), "this part is not closed either");
        }
        self.report.add(fault.with_help("write `</resource>` behind its content"));
    }
}

fn is_ours(name: &str) -> bool {
    name == RESOURCE || PARTS.contains(&name)
}

/// Returns the length of the inline code that a text begins with, or of its backticks alone.
fn code_span(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('`')) {
        let run = text.get(at + found..).unwrap_or_default();
        let length = run.len() - run.trim_start_matches('`').len();
        at += found + length;
        if length == ticks {
            return at;
        }
    }
    ticks
}
