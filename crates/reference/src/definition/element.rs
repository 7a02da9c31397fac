//! Resource elements in a Markdown text (REF-15).

use super::lines::{Fence, Line, line_at};
use super::parts::{self, Body};
use super::report::Limits;
use super::report::{Report, span};
use super::tag::{self, Attribute, RESOURCE, StartTag};
use crate::codes;
use contexture_diagnostic::suggestion;
use std::ops::Range;

/// Its only attribute.
const PROTOCOL: &str = "protocol";

/// A resource element without errors of its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// The protocol as written.
    pub(super) protocol: String,
    /// The bytes of the start tag in the file.
    pub(super) place: Range<usize>,
    pub(super) body: Body,
    /// True if its form is right; a wrong one is not used.
    pub(super) is_sound: bool,
}

/// Finds the resource elements of a text. Those inside code fences are examples and count with
/// `examples` alone, which also takes elements at any indentation.
pub(super) fn read(
    source: &str,
    examples: bool,
    limits: &Limits,
    report: &mut Report,
) -> Vec<Element> {
    let mut reader = Reader { source, report, elements: Vec::new(), examples };
    let mut at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut example: Option<(usize, usize)> = None;
    while let Some(line) = line_at(source, at, source.len()) {
        if let Some((_, behind)) = example.take_if(|(end, _)| at >= *end) {
            at = behind.max(at);
            continue;
        }
        let end = example.map_or(source.len(), |(end, _)| end);
        if let Some(start) = reader.start(&line) {
            if reader.elements.len() >= limits.elements {
                let message = format!("a file has at most {} resource elements", limits.elements);
                reader.report.say(codes::TOO_MANY_RESOURCES, start..line.next, message);
                break;
            }
            at = reader.element(start, &line, end).max(line.next);
            continue;
        }
        at = line.next;
        if example.is_some() {
            continue;
        }
        if let Some(fence) = Fence::opened_by(line.text) {
            let (inside, behind) = fence_end(source, line.next, fence);
            if examples {
                example = Some((inside, behind));
            } else {
                at = behind;
            }
        } else if is_comment(line.text) {
            // A comment that is never closed is one for the rest of the text.
            at = comment_end(source, line.start).unwrap_or(source.len());
        }
    }
    reader.elements
}

/// Returns where the text inside a fence ends, and where the line behind it begins.
fn fence_end(source: &str, from: usize, fence: Fence) -> (usize, usize) {
    let mut at = from;
    while let Some(line) = line_at(source, at, source.len()) {
        if fence.is_closed_by(line.text) {
            return (line.start, line.next);
        }
        at = line.next;
    }
    (source.len(), source.len())
}

fn is_comment(line: &str) -> bool {
    indent(line) <= 3 && line.trim_start().starts_with("<!--")
}

/// Returns the line behind the comment that begins in a line.
fn comment_end(source: &str, start: usize) -> Option<usize> {
    let from = start + source.get(start..)?.find("-->")?;
    line_at(source, from, source.len()).map(|line| line.next)
}

/// Returns the columns of white space that a line begins with; a tab makes code of it.
pub(super) fn indent(line: &str) -> usize {
    let lead = line.len() - line.trim_start_matches([' ', '\t']).len();
    if line.get(..lead).is_some_and(|lead| lead.contains('\t')) { lead.max(4) } else { lead }
}

struct Reader<'a, 'r> {
    source: &'a str,
    examples: bool,
    report: &'r mut Report,
    elements: Vec<Element>,
}

impl<'a> Reader<'a, '_> {
    /// Returns where a line has `<resource` as its first text.
    fn start(&mut self, line: &Line<'a>) -> Option<usize> {
        if indent(line.text) > 3 && !self.examples {
            return None;
        }
        let text = line.text.trim_start_matches([' ', '\t']);
        if tag::end_tag(text, RESOURCE).is_some() {
            let place = line.start..line.start + line.text.len();
            self.report.say(codes::STRAY_RESOURCE_END, place, "`</resource>` closes nothing");
        }
        let is_start = tag::name(text, false) == Some(RESOURCE);
        is_start.then(|| line.start + line.text.len() - text.len())
    }

    /// Reads the element whose start tag begins at `start`; returns where to continue.
    fn element(&mut self, start: usize, line: &Line<'a>, end: usize) -> usize {
        let text = self.source.get(start..line.start + line.text.len()).unwrap_or_default();
        let tag = match tag::start_tag(text) {
            Ok(tag) => tag,
            Err(fault) => {
                let message = format!("no resource element: {} is expected here", fault.expected);
                let fault =
                    codes::MALFORMED_RESOURCE.at(span(start + fault.at..start + fault.at), message);
                self.report
                    .add(fault.with_help("write `<resource protocol=\"name\">` on one line"));
                return line.next;
            }
        };
        let before = self.report.errors();
        let place = start..start + tag.length;
        let protocol = self.protocol(&tag, start);
        let behind = place.end;
        if tag.is_closed {
            self.report.say(codes::EMPTY_RESOURCE, place, "this resource element is empty");
            return behind;
        }
        let (body, next) = parts::read(self.source, place.clone(), end, self.report);
        if let Some(protocol) = protocol {
            let is_sound = self.report.errors() == before;
            self.elements.push(Element { protocol, place, body, is_sound });
        }
        next
    }

    /// Returns the protocol that a start tag names.
    fn protocol(&mut self, tag: &StartTag<'_>, start: usize) -> Option<String> {
        let place =
            |attribute: &Attribute<'_>| start + attribute.place.start..start + attribute.place.end;
        let mut found: Option<&Attribute<'_>> = None;
        for attribute in &tag.attributes {
            let name = attribute.name;
            if name == PROTOCOL && found.is_none() {
                found = Some(attribute);
                continue;
            }
            let message = match name {
                PROTOCOL => "`protocol` is given twice".to_owned(),
                name => format!("`<resource>` has no attribute `{name}`"),
            };
            let fault = codes::UNKNOWN_ATTRIBUTE.at(span(place(attribute)), message);
            let near = suggestion(name, [PROTOCOL]);
            self.report.add(fault.with_help(near.unwrap_or_else(|| "remove it".to_owned())));
        }
        let Some(attribute) = found else {
            let message = "this resource element names no protocol";
            let fault = codes::MISSING_PROTOCOL.at(span(start..start + tag.length), message);
            self.report.add(fault.with_help("write `<resource protocol=\"name\">`"));
            return None;
        };
        if !is_protocol(attribute.value) {
            let message = format!("`{}` can't name a protocol", attribute.value.escape_debug());
            let fault = codes::BAD_DEFINED_NAME.at(span(place(attribute)), message);
            self.report
                .add(fault.with_help("begin with a letter; letters, digits, `_` and `-` follow"));
            return None;
        }
        Some(attribute.value.to_owned())
    }
}

/// `[A-Za-z][A-Za-z0-9_-]*`
pub(super) fn is_protocol(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
