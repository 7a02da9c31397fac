//! References in parameters: `${dependencies.ID.result.path}` (FL-5).
//!
//! Decision: a string that is one reference becomes the value itself, so that types are kept;
//! inside a longer string, strings are inserted raw and everything else as compact JSON. Inserted
//! text is never expanded again, so no result of an action can read another.
//!
//! ```
//! use contexture_flow::reference::expand;
//! use serde_json::json;
//!
//! let outcomes = json!({"results": {"a": {"result": {"n": 5, "name": "Ann"}}}});
//! let mut parameters = json!({"count": "${results.a.result.n}", "text": "$${x}, ${results.a.result.name}"});
//! expand(&mut parameters, &outcomes, 1_000)?;
//! assert_eq!(parameters, json!({"count": 5, "text": "${x}, Ann"}));
//! # Ok::<(), contexture_flow::reference::ExpandError>(())
//! ```

use crate::condition::cursor::{Cursor, is_name, span};
use crate::condition::{Path, Roots, SyntaxError};
use crate::measure::{Size, measure};
use serde_json::Value;

/// A part of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'t> {
    /// Literal text.
    Text(&'t str),
    /// A reference.
    Path(Path),
}

/// Reports whether a string may contain a reference, or a `$${` for a literal `${`.
#[must_use]
pub fn is_expanded(text: &str) -> bool {
    text.contains("${")
}

/// Splits a string into its parts.
///
/// # Errors
/// [`SyntaxError`] for a `${` that is not closed or contains no path.
pub fn parts(text: &str) -> Result<Vec<Part<'_>>, SyntaxError> {
    let mut parts = Vec::new();
    let mut cursor = Cursor::new(text, 0);
    let mut from = 0;
    loop {
        cursor.take_while(|c| c != '$');
        let at = cursor.at();
        if cursor.peek().is_none() {
            parts.extend(piece(text, from, at));
            return Ok(parts);
        }
        if cursor.eat("$${") {
            parts.extend(piece(text, from, at));
            from = at + 1;
        } else if cursor.eat("${") {
            parts.extend(piece(text, from, at));
            parts.push(Part::Path(path(&mut cursor, at)?));
            from = cursor.at();
        } else {
            cursor.bump();
        }
    }
}

fn piece(text: &str, from: usize, to: usize) -> Option<Part<'_>> {
    text.get(from..to).filter(|piece| !piece.is_empty()).map(Part::Text)
}

/// Parses a path and the brace after it.
fn path(cursor: &mut Cursor<'_>, open: usize) -> Result<Path, SyntaxError> {
    let unclosed = !cursor.rest().contains('}');
    let read = within(cursor);
    match read {
        Err(_) if unclosed => {
            let help = "end it with `}`; write `$${` for a literal `${`";
            Err(SyntaxError::new(span(open, open + 2), "unclosed `${`").with_help(help))
        }
        other => other,
    }
}

fn within(cursor: &mut Cursor<'_>) -> Result<Path, SyntaxError> {
    cursor.skip_blanks();
    let start = cursor.at();
    let root = cursor.take_while(is_name);
    if root.is_empty() {
        let help = "write `$${` for a literal `${`";
        return Err(cursor.expected("a path such as results.ID.result").with_help(help));
    }
    let path = Path::after(root, start, cursor)?;
    cursor.skip_blanks();
    if cursor.eat("}") { Ok(path) } else { Err(cursor.expected("`}`")) }
}

/// The reason why references can't be replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// A path without a value.
    #[error("`{0}` does not exist")]
    Missing(String),
    /// The parameters would be larger than the limit.
    #[error("the parameters exceed {0} bytes after their references are replaced")]
    TooLarge(usize),
    /// A reference that can't be parsed; a check finds it before.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
}

/// Replaces every reference in a value, up to so many inserted bytes.
///
/// # Errors
/// [`ExpandError`]; the value is then partly replaced.
pub fn expand<R: Roots + ?Sized>(
    value: &mut Value,
    roots: &R,
    most_bytes: usize,
) -> Result<(), ExpandError> {
    let mut left = most_bytes;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if is_expanded(text) => {
                let put = replaced(text, roots, &mut left).map_err(|error| match error {
                    ExpandError::TooLarge(_) => ExpandError::TooLarge(most_bytes),
                    other => other,
                })?;
                *value = put;
            }
            Value::Array(items) => open.extend(items.iter_mut()),
            Value::Object(map) => open.extend(map.values_mut()),
            _ => {}
        }
    }
    Ok(())
}

fn replaced<R: Roots + ?Sized>(
    text: &str,
    roots: &R,
    left: &mut usize,
) -> Result<Value, ExpandError> {
    let parts = parts(text)?;
    if let [Part::Path(path)] = parts.as_slice() {
        return found(path, roots, left).cloned();
    }
    let mut out = String::with_capacity(text.len());
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Path(path) => match found(&path, roots, left)? {
                Value::String(text) => out.push_str(text),
                other => out.push_str(&other.to_string()),
            },
        }
    }
    Ok(Value::String(out))
}

fn found<'r, R: Roots + ?Sized>(
    path: &'r Path,
    roots: &'r R,
    left: &mut usize,
) -> Result<&'r Value, ExpandError> {
    let value = roots.find(path).ok_or_else(|| ExpandError::Missing(path.to_string()))?;
    match measure(value, *left, usize::MAX) {
        Size::Within(bytes) => *left -= bytes.min(*left),
        Size::TooLarge | Size::TooDeep => return Err(ExpandError::TooLarge(*left)),
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcomes() -> Value {
        json!({"dependencies": {"a": {"status": "COMPLETED", "result": {
            "n": 5, "f": 2.0, "text": "${dependencies.a.status}", "null": null, "list": [1, {"b": "c"}],
            "a}b": "brace", "name": "Ann",
        }}}})
    }

    fn put(text: &str) -> Result<Value, ExpandError> {
        let mut value = json!({"p": [text], "${dependencies.a.status}": 1});
        expand(&mut value, &outcomes(), 1_000)?;
        assert_eq!(value["${dependencies.a.status}"], 1, "keys are not expanded");
        Ok(value["p"][0].take())
    }

    #[test]
    fn fl_5_whole_string_keeps_type() {
        assert_eq!(put("${dependencies.a.result.n}").unwrap(), json!(5));
        assert_eq!(put("${dependencies.a.result.f}").unwrap().to_string(), "2.0");
        assert_eq!(put("${ dependencies.a.result.null }").unwrap(), Value::Null);
        assert_eq!(put("${dependencies.a.result.list[1]}").unwrap(), json!({"b": "c"}));
        assert_eq!(put("${dependencies.a.result[\"a}b\"]}").unwrap(), json!("brace"));
    }

    #[test]
    fn fl_5_in_longer_string_values_are_text() {
        assert_eq!(put("<${dependencies.a.result.name}>").unwrap(), "<Ann>");
        assert_eq!(put("${dependencies.a.result.n}${dependencies.a.result.f}").unwrap(), "52.0");
        assert_eq!(put(" ${dependencies.a.result.list}").unwrap(), " [1,{\"b\":\"c\"}]");
        assert_eq!(put("n: ${dependencies.a.result.null}").unwrap(), "n: null");
    }

    #[test]
    fn fl_5_inserted_text_is_not_expanded_again() {
        assert_eq!(put("${dependencies.a.result.text}").unwrap(), "${dependencies.a.status}");
        assert_eq!(put("x${dependencies.a.result.text}").unwrap(), "x${dependencies.a.status}");
    }

    #[test]
    fn fl_5_double_dollar_is_literal() {
        assert_eq!(put("$${dependencies.a.status}").unwrap(), "${dependencies.a.status}");
        assert_eq!(put("$$${x}").unwrap(), "$${x}");
        assert_eq!(put("$${").unwrap(), "${");
        assert_eq!(
            put("5 $ and $x and ${dependencies.a.status}$").unwrap(),
            "5 $ and $x and COMPLETED$"
        );
        assert_eq!(put("$${a} ${dependencies.a.status}").unwrap(), "${a} COMPLETED");
    }

    #[test]
    fn fl_5_missing_or_invalid_references_are_reported() {
        let missing = put("${dependencies.a.result.x.y}").unwrap_err();
        assert_eq!(missing, ExpandError::Missing("dependencies.a.result.x.y".to_owned()));
        let offset =
            |text| parts(text).map_err(|fault| (fault.offset(), fault.message)).unwrap_err();
        assert_eq!(offset("ab ${dependencies.a"), (3, "unclosed `${`".to_owned()));
        assert_eq!(offset("${").0, 0);
        assert_eq!(offset("${}").1, "expected a path such as results.ID.result, found `}`");
        assert_eq!(offset("${a b}"), (4, "expected `}`, found `b`".to_owned()));
        assert_eq!(offset("${a.}").0, 4);
        assert!(put("${dependencies.a.result.${x}}").is_err());
    }

    #[test]
    fn fl_5_growth_is_limited() {
        let outcomes = json!({"results": {"a": {"result": "x".repeat(100)}}});
        let mut value = json!(["${results.a.result}", "${results.a.result}"]);
        assert_eq!(expand(&mut value, &outcomes, 150), Err(ExpandError::TooLarge(150)));
    }
}
