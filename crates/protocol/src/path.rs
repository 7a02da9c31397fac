//! Paths into a context's state (CP-10).
//!
//! Decision: a path is compared and applied by its segments, and kept as written. A bare number is
//! an index in a list and a field in an object; where nothing exists yet, it begins a list. A
//! quoted segment is always a field.

mod apply;

use crate::node::Node;
use crate::read::{Read, wrong};
use crate::record::{inline_schema, text};
use crate::report::{Place, Report, quoted};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A path such as `userPreferences.language`, `tools.0` or `hosts."example.org".port`.
///
/// ```
/// use contexture_protocol::StatePath;
/// let mut state = serde_json::json!({"tools": ["a"]});
/// let path: StatePath = "tools.1".parse()?;
/// path.set(&mut state, "b".into())?;
/// "hosts.\"example.org\".port".parse::<StatePath>()?.set(&mut state, 80.into())?;
/// assert_eq!(
///     state,
///     serde_json::json!({"tools": ["a", "b"], "hosts": {"example.org": {"port": 80}}})
/// );
/// assert!("tools.5".parse::<StatePath>()?.set(&mut state, "f".into()).is_err());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct StatePath {
    written: String,
    segments: Vec<Segment>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The name, without quotes and escapes.
    pub name: String,
    /// The index in a list, for a bare decimal number.
    pub index: Option<usize>,
}

/// A text that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub struct BadPath {
    /// The byte of the fault, from 0.
    pub offset: usize,
    /// The fault and its fix.
    pub reason: &'static str,
}

/// The reason why a path cannot be applied to a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A value on the way is neither an object nor a list.
    #[error("{at} is {found}, which can't contain a value; set {at} itself first")]
    NotAContainer {
        /// The path of that value.
        at: String,
        /// Its kind.
        found: &'static str,
    },
    /// The path has a name for a list.
    #[error("{at} is an array of {length}, and \"{name}\" is not an index of it")]
    NotAnIndex {
        /// The path of the list.
        at: String,
        /// The name.
        name: String,
        /// The length of the list.
        length: usize,
    },
    /// The path has an index beyond the end of a list.
    #[error(
        "{at} is an array of {length}: index {index} is beyond its end, {length} appends (quote the number if a field is meant)"
    )]
    Beyond {
        /// The path of the list.
        at: String,
        /// The index.
        index: usize,
        /// The length of the list.
        length: usize,
    },
}

impl StatePath {
    /// The greatest number of segments of a path.
    pub const MOST_SEGMENTS: usize = 64;

    /// Returns its segments; there is at least one.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Reports whether one path is inside the other, or they are equal: a change of one may change
    /// the other, so stale updates of the two are not merged (CP-11).
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.segments.iter().zip(&other.segments).all(|(one, two)| one.name == two.name)
    }

    /// Returns the part that a removal affects: removing an element of a list moves those after it,
    /// so that is the whole list. `None` is the whole state.
    #[must_use]
    pub fn touched_by_removal(&self) -> Option<Self> {
        let (last, before) = self.segments.split_last()?;
        if last.index.is_none() {
            return Some(self.clone());
        }
        Self::of(before.to_vec())
    }

    /// Creates a path from segments, in the simplest spelling; `None` without segments.
    #[must_use]
    pub fn of(segments: Vec<Segment>) -> Option<Self> {
        let texts: Vec<String> = segments.iter().map(ToString::to_string).collect();
        (!segments.is_empty()).then(|| Self { written: texts.join("."), segments })
    }
}

impl Segment {
    /// Creates a segment for a field.
    #[must_use]
    pub fn field(name: impl Into<String>) -> Self {
        Self { name: name.into(), index: None }
    }

    /// Creates a segment for an index.
    #[must_use]
    pub fn index(index: usize) -> Self {
        Self { name: index.to_string(), index: Some(index) }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = is_bare(&self.name) && self.index.is_some() == index(&self.name).is_some();
        if is_bare { f.write_str(&self.name) } else { Value::from(self.name.as_str()).fmt(f) }
    }
}

/// Compares paths by their segments, regardless of the spelling.
impl PartialEq for StatePath {
    fn eq(&self, other: &Self) -> bool {
        self.segments == other.segments
    }
}

impl Eq for StatePath {}

impl std::hash::Hash for StatePath {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.segments.hash(state);
    }
}

impl std::str::FromStr for StatePath {
    type Err = BadPath;

    fn from_str(text: &str) -> Result<Self, BadPath> {
        Ok(Self { written: text.to_owned(), segments: segments(text)? })
    }
}

impl Read for StatePath {
    fn expected() -> Cow<'static, str> {
        "a path such as userPreferences.language".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        let Node::String(text) = value else { return wrong(&value, at, report) };
        match segments(&text) {
            Ok(segments) => Some(Self { written: text.into_owned(), segments }),
            Err(bad) => {
                let found = format!("{}: {bad}", quoted(&text));
                report.add(at, Self::expected(), found);
                None
            }
        }
    }
}

text!(StatePath);
inline_schema!(StatePath, pattern());
crate::shape::shapes!(StatePath => "string (a path)");

fn pattern() -> schemars::Schema {
    let bare = r#"[^."\[\]\u0000-\u001f\u007f-\u009f]+"#;
    let escape = r#"\\(["\\/bfnrt]|u[0-9A-Fa-f]{4})"#;
    let quoted = format!(r#""([^"\\\u0000-\u001f]|{escape})*""#);
    schemars::json_schema!({
        "description": "A path into the state: names joined by dots; a name with a dot in it in double quotes; a number for a place in a list.",
        "type": "string",
        "pattern": format!(r"^({bare}|{quoted})(\.({bare}|{quoted}))*$"),
    })
}

fn segments(text: &str) -> Result<Vec<Segment>, BadPath> {
    let mut segments = Vec::new();
    let mut rest = text;
    loop {
        let offset = text.len() - rest.len();
        if segments.len() >= StatePath::MOST_SEGMENTS {
            return Err(BadPath { offset, reason: "more than 64 segments" });
        }
        let (segment, after) = if rest.starts_with('"') {
            quoted_name(rest, offset)?
        } else {
            bare_name(rest, offset)?
        };
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

fn bare_name(text: &str, offset: usize) -> Result<(Segment, &str), BadPath> {
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
fn quoted_name(text: &str, offset: usize) -> Result<(Segment, &str), BadPath> {
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
fn is_bare(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| matches!(c, '.' | '"' | '[' | ']') || c.is_control())
}

/// Returns the index for a bare name that is a decimal number without leading zeros.
fn index(name: &str) -> Option<usize> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_padded = name.len() > 1 && name.starts_with('0');
    if is_number && !is_padded { name.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
