//! Parsing of paths.

use super::{Segment, StatePath};

/// A text that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub struct BadPath {
    /// The byte of the fault, from 0.
    pub offset: usize,
    /// The fault and its fix.
    pub reason: &'static str,
}

/// Parses the segments of a path.
pub(super) fn segments(text: &str) -> Result<Vec<Segment>, BadPath> {
    let mut segments = Vec::new();
    let mut rest = text;
    loop {
        let offset = text.len() - rest.len();
        if segments.len() >= StatePath::MOST_SEGMENTS {
            return Err(BadPath { offset, reason: "more than 64 segments" });
        }
        let (segment, after) =
            if rest.starts_with('"') { quoted(rest, offset)? } else { bare(rest, offset)? };
        segments.push(segment);
        rest = match after.strip_prefix('.') {
            Some(rest) => rest,
            None if after.is_empty() => return Ok(segments),
            None => {
                let offset = text.len() - after.len();
                return Err(BadPath { offset, reason: "expected a dot" });
            }
        };
    }
}

fn bare(text: &str, offset: usize) -> Result<(Segment, &str), BadPath> {
    let end = text.find(['.', '"', '[', ']']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let at = |end: usize, reason| Err(BadPath { offset: offset + end, reason });
    if rest.starts_with(['[', ']']) {
        return at(end, "a bracket: write list.0 for a place in a list, or quote the name");
    }
    if rest.starts_with('"') {
        return at(end, "a quote within a name: quote all of it, with \\\" for a quote");
    }
    if name.is_empty() {
        return at(0, "an empty name: write \"\" for the field whose name is empty");
    }
    if let Some(end) = name.find(char::is_control) {
        return at(end, "a control character: quote the name and escape it");
    }
    Ok((Segment { name: name.to_owned(), index: index(name) }, rest))
}

/// Parses a name in double quotes, with the escapes of JSON.
fn quoted(text: &str, offset: usize) -> Result<(Segment, &str), BadPath> {
    let mut is_escaped = false;
    for (end, char) in text.char_indices().skip(1) {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => {
                let (quoted, rest) = text.split_at_checked(end + 1).unwrap_or((text, ""));
                let name = serde_json::from_str(quoted);
                let reason = "an escape that JSON does not have, or a control character";
                let name = name.map_err(|_| BadPath { offset, reason })?;
                return Ok((Segment { name, index: None }, rest));
            }
            _ => {}
        }
    }
    Err(BadPath { offset, reason: "a quote that is not closed" })
}

/// Reports whether a name needs no quotes.
pub(super) fn is_bare(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| matches!(c, '.' | '"' | '[' | ']') || c.is_control())
}

/// Returns the index for a bare name that is a decimal number without leading zeros.
pub(super) fn index(name: &str) -> Option<usize> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_padded = name.len() > 1 && name.starts_with('0');
    if is_number && !is_padded { name.parse().ok() } else { None }
}
