//! Tags: `<resource protocol="name">`, `</location>`.

use std::ops::Range;

/// The element's name.
pub(super) const RESOURCE: &str = "resource";

/// A start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartTag<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// True if it ends with `/>`.
    pub(super) is_closed: bool,
    /// Its length in bytes.
    pub(super) length: usize,
}

/// An attribute; its value is always quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// The place of the value, in bytes from the begin of the tag.
    pub(super) place: Range<usize>,
}

/// A fault in a start tag, with its offset in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

/// Returns the name of a tag that a text begins with: of `<name` or, with `is_end`, of `</name`.
pub(super) fn name(text: &str, is_end: bool) -> Option<&str> {
    let inside = text.strip_prefix(if is_end { "</" } else { "<" })?;
    let length = inside.find(|c: char| !is_name(c)).unwrap_or(inside.len());
    inside.get(..length).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Returns the length of the end tag `</name>` that a text begins with.
pub(super) fn end_tag(text: &str, name: &str) -> Option<usize> {
    let rest = text.strip_prefix("</")?.strip_prefix(name)?.trim_start_matches([' ', '\t']);
    rest.strip_prefix('>').map(|rest| text.len() - rest.len())
}

/// Reads the start tag that a text begins with; it stands on one line.
pub(super) fn start_tag(text: &str) -> Result<StartTag<'_>, Malformed> {
    let fail = |rest: &str, expected| Err(Malformed { at: text.len() - rest.len(), expected });
    let Some(name) = name(text, false) else { return fail(text, "a tag") };
    let mut rest = text.get(1 + name.len()..).unwrap_or_default();
    let mut attributes = Vec::new();
    loop {
        let next = rest.trim_start_matches([' ', '\t']);
        let is_apart = next.len() < rest.len();
        rest = next;
        for (end, is_closed) in [(">", false), ("/>", true)] {
            if let Some(behind) = rest.strip_prefix(end) {
                let length = text.len() - behind.len();
                return Ok(StartTag { name, attributes, is_closed, length });
            }
        }
        if !is_apart {
            return fail(rest, "a space or `>`");
        }
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let Some((key, behind)) = rest.split_at_checked(length).filter(|(key, _)| !key.is_empty())
        else {
            return fail(rest, "an attribute or `>`");
        };
        let Some(value) = behind.strip_prefix('=') else { return fail(behind, "`=`") };
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return fail(value, "a quoted value");
        };
        let inside = value.get(1..).unwrap_or_default();
        let Some((value, behind)) = inside.split_once(quote) else {
            return fail("", "the closing quote");
        };
        let start = text.len() - inside.len();
        attributes.push(Attribute { name: key, value, place: start..start + value.len() });
        rest = behind;
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}
