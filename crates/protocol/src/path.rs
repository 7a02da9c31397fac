//! Paths into a context's state (CP-10).
//!
//! Decision: a path is compared and applied by its segments, and kept as written. A bare number is
//! an index in a list and a field in an object; where nothing exists yet, it begins a list. A
//! quoted segment is always a field.

mod apply;
mod parse;

pub use apply::PathError;
pub use parse::BadPath;

use crate::node::Node;
use crate::read::{Read, wrong};
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
        let is_bare = parse::is_bare(&self.name)
            && self.index.is_some() == parse::index(&self.name).is_some();
        if is_bare { f.write_str(&self.name) } else { Value::from(self.name.as_str()).fmt(f) }
    }
}

impl fmt::Display for StatePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
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
        Ok(Self { written: text.to_owned(), segments: parse::segments(text)? })
    }
}

impl Read for StatePath {
    fn expected() -> Cow<'static, str> {
        "a path such as userPreferences.language".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        let Node::String(text) = value else { return wrong(&value, at, report) };
        match parse::segments(&text) {
            Ok(segments) => Some(Self { written: text.into_owned(), segments }),
            Err(bad) => {
                let found = format!("{}: {bad}", quoted(&text));
                report.add(at, Self::expected(), found);
                None
            }
        }
    }
}

impl serde::Serialize for StatePath {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&self.written)
    }
}

impl<'de> serde::Deserialize<'de> for StatePath {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        crate::record::deserialize(input)
    }
}

impl schemars::JsonSchema for StatePath {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "StatePath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let bare = r#"[^."\[\]\u0000-\u001f\u007f-\u009f]+"#;
        let escape = r#"\\(["\\/bfnrt]|u[0-9A-Fa-f]{4})"#;
        let quoted = format!(r#""([^"\\\u0000-\u001f]|{escape})*""#);
        schemars::json_schema!({
            "description": "A path into the state: names joined by dots; a name with a dot in it in double quotes; a number for a place in a list.",
            "type": "string",
            "pattern": format!(r"^({bare}|{quoted})(\.({bare}|{quoted}))*$"),
        })
    }
}

impl crate::reference::Shape for StatePath {
    fn shape() -> String {
        "string (a path)".to_owned()
    }
}

#[cfg(test)]
mod tests;
