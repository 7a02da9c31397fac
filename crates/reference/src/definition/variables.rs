//! Rows of a registry that pass a part of the path on to their target (MA-2).
//!
//! Decision: `{name}` stands for text within one segment of the path, and at its end for all that
//! follows; `*name` is the same as `{name}` there. What is passed on never goes up (`..`), so a row
//! leads to what lies below its target and nowhere else.

use crate::syntax::encode;
use std::ops::Range;

/// An id with variables: `{path}`, `docs/{path}`, `{module}/{file}.md`, `*path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IdPattern {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// Within one segment.
    Name(String),
    /// The rest of the path.
    Rest(String),
}

/// The values of the variables of an id.
pub(super) type Values<'v> = Vec<(&'v str, &'v str)>;

impl IdPattern {
    /// Reads the id of a row; `None` when it has no variable.
    pub(super) fn read(id: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut at = 0;
        for (name, place) in variables(id) {
            push_text(&mut parts, id.get(at..place.start)?);
            at = place.end;
            let is_segment = place.start == 0 || id.get(..place.start)?.ends_with('/');
            let is_rest = is_segment && place.end == id.len();
            parts.push(if is_rest {
                Part::Rest(name.to_owned())
            } else {
                Part::Name(name.to_owned())
            });
        }
        if parts.is_empty() {
            let (before, name) = id.rsplit_once('*').filter(|(_, name)| is_name(name))?;
            if !(before.is_empty() || before.ends_with('/')) {
                return None;
            }
            push_text(&mut parts, before);
            parts.push(Part::Rest(name.to_owned()));
            return Some(Self { parts });
        }
        push_text(&mut parts, id.get(at..)?);
        Some(Self { parts })
    }

    /// Reports whether it has a variable.
    pub(super) fn has(&self, variable: &str) -> bool {
        self.names().any(|name| name == variable)
    }

    /// Returns the names of its variables, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Name(name) | Part::Rest(name) => Some(name.as_str()),
        })
    }

    /// Returns the values that its variables have in a path; `None` when the path is another.
    pub(super) fn matched<'v>(&'v self, path: &'v str) -> Option<Values<'v>> {
        if path.split('/').any(goes_up) {
            return None;
        }
        let mut values = Vec::new();
        let mut rest = path;
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(text) => rest = rest.strip_prefix(text.as_str())?,
                Part::Rest(name) => {
                    let value = std::mem::take(&mut rest);
                    values.push((name.as_str(), Some(value).filter(|value| !value.is_empty())?));
                }
                Part::Name(name) => {
                    let length = self.length(index, rest).filter(|length| *length > 0)?;
                    let (value, after) = rest.split_at_checked(length)?;
                    values.push((name.as_str(), value));
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(values)
    }

    /// Returns how much of the path a variable takes: up to the text behind it, within its segment.
    fn length(&self, index: usize, rest: &str) -> Option<usize> {
        let segment = rest.find('/').unwrap_or(rest.len());
        match self.parts.get(index + 1) {
            Some(Part::Text(text)) => {
                let found = rest.get(1..)?.find(text.as_str()).map(|at| at + 1);
                found.filter(|at| *at <= segment)
            }
            _ => Some(segment),
        }
    }
}

/// Reports whether a segment is `.` or `..`, written out or percent-encoded.
fn goes_up(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// Returns the variables of a text, `{name}`, with their places.
pub(super) fn variables(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    text.match_indices('{').filter_map(|(start, _)| {
        let inside = text.get(start + 1..)?;
        let name = inside.get(..inside.find('}')?)?;
        is_name(name).then(|| (name, start..start + name.len() + 2))
    })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Returns a registered reference with the values of its variables; in a query they are encoded.
pub(super) fn filled(target: &str, values: &Values<'_>) -> String {
    let query = target.find('?').unwrap_or(target.len());
    let mut filled = String::with_capacity(target.len());
    let mut at = 0;
    for (name, place) in variables(target) {
        let Some((_, value)) = values.iter().find(|(known, _)| *known == name) else { continue };
        filled.push_str(target.get(at..place.start).unwrap_or_default());
        if place.start < query {
            filled.push_str(value);
        } else {
            filled.push_str(&encode(value));
        }
        at = place.end;
    }
    filled.push_str(target.get(at..).unwrap_or_default());
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(id: &str, path: &str, target: &str) -> Option<String> {
        let id = IdPattern::read(id)?;
        let values = id.matched(path)?;
        Some(filled(target, &values))
    }

    #[test]
    fn ma_2_last_variable_takes_rest_of_path() {
        let target = "@file://packages/{path}";
        for id in ["{path}", "*path"] {
            let found = passed(id, "role/nuwa/a.md", target);
            assert_eq!(found.as_deref(), Some("@file://packages/role/nuwa/a.md"), "{id}");
        }
        let found = passed("docs/{path}", "docs/a/b.md", "@file://x/{path}?section={path}");
        assert_eq!(found.as_deref(), Some("@file://x/a/b.md?section=a/b.md"));
        assert_eq!(passed("docs/{path}", "docs/", target), None);
        assert_eq!(passed("docs/{path}", "other/a", target), None);
    }

    #[test]
    fn ma_2_inner_variable_stays_within_its_segment() {
        let target = "@file://{module}/src/{file}.rs";
        let found = passed("{module}/{file}.md", "core/lib.md", target);
        assert_eq!(found.as_deref(), Some("@file://core/src/lib.rs"));
        assert_eq!(passed("{module}/{file}.md", "core/a/lib.md", target), None);
        assert_eq!(passed("{module}/{file}.md", "/lib.md", target), None);
    }

    #[test]
    fn ma_2_path_that_goes_up_matches_no_row() {
        for path in ["../secret", "a/../../b", ".", "a/./b", "a/%2E./b"] {
            assert_eq!(passed("{path}", path, "@file://docs/{path}"), None, "{path}");
        }
    }

    #[test]
    fn ma_2_id_without_variable_is_no_pattern() {
        for id in ["plain", "a{", "{}", "{1}", "a*b", "a{,}"] {
            assert_eq!(IdPattern::read(id), None, "{id}");
        }
    }
}
