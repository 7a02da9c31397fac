//! JSON that stays a text: an input of many megabytes has no tree in memory (GR-5).

use super::{JsonError, MOST_DEPTH, depth, end_of_string, fields, read, read_levels};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A JSON text that was read once, on one line.
///
/// ```
/// use contexture_context::json::JsonText;
///
/// let text = JsonText::read("{\n  \"a b\": [1, 2.5]\n}".to_owned())?;
/// assert_eq!(text.as_str(), "{\"a b\":[1,2.5]}");
/// assert!(JsonText::read("{\"a\": }".to_owned()).is_err());
/// # Ok::<_, (contexture_context::json::JsonError, String)>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(
    /// A text of megabytes is not copied into an allocation of its own.
    Arc<String>,
);

impl JsonText {
    /// Checks a text, and takes the blanks between its parts out.
    ///
    /// # Errors
    /// [`JsonError`], with line and column, and the text as it was given.
    pub fn read(text: String) -> Result<Self, (JsonError, String)> {
        match read_levels(MOST_DEPTH, text.as_bytes(), Any { inside: 0 }) {
            Ok(()) => Ok(Self(Arc::new(on_one_line(text)))),
            // That it is too deep is told first, whatever else is wrong with it.
            Err(error) => Err((depth(text.as_bytes()).err().unwrap_or(error), text)),
        }
    }

    /// Wraps a text that was written as JSON on one line.
    #[must_use]
    pub fn written(text: String) -> Self {
        Self(Arc::new(text))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads the value.
    #[must_use]
    pub fn value(&self) -> Value {
        // It was read before.
        read(self.0.as_bytes()).unwrap_or_default()
    }

    /// Reads it into what a seed makes of it. How deep it is nested was looked at before.
    ///
    /// # Errors
    /// Those of the seed.
    pub fn read_into<'t, S: DeserializeSeed<'t>>(&'t self, seed: S) -> Result<S::Value, JsonError> {
        read_levels(MOST_DEPTH, self.0.as_bytes(), seed)
    }

    /// Returns the names of the fields of an object; `None` for any other value.
    #[must_use]
    pub fn names(&self) -> Option<Vec<String>> {
        let names = fields(&self.0)?.into_iter().map(|(name, _)| name);
        Some(names.filter_map(|name| serde_json::from_str(name).ok()).collect())
    }
}

/// Takes the blanks between the parts of valid JSON out.
fn on_one_line(text: String) -> String {
    let mut bytes = text.into_bytes();
    // What stands from `from` on is copied to `end` when a blank ends it.
    let (mut at, mut from, mut end) = (0, 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = bytes.len().min(end_of_string(&bytes, at + 1) + 1),
            b' ' | b'\t' | b'\r' | b'\n' => {
                end = moved(&mut bytes, from..at, end);
                at += 1;
                from = at;
            }
            _ => at += 1,
        }
    }
    end = moved(&mut bytes, from..at, end);
    bytes.truncate(end);
    // Only blanks of ASCII were taken out.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Copies a part of a text to a place before it, and returns the end of the copy.
fn moved(bytes: &mut [u8], part: Range<usize>, to: usize) -> usize {
    let end = to + part.len();
    if !part.is_empty() && part.start > to {
        bytes.copy_within(part, to);
    }
    end
}

/// A value that is read and dropped.
#[derive(Clone, Copy)]
struct Any {
    /// The lists and objects that it is in.
    inside: usize,
}

impl Any {
    fn enter<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.inside < MOST_DEPTH {
            true => Ok(Self { inside: self.inside + 1 }),
            false => Err(E::custom("nested too deep")),
        }
    }
}

impl<'t> DeserializeSeed<'t> for Any {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Any {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<(), A::Error> {
        let item = self.enter()?;
        while items.next_element_seed(item)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'t>>(self, mut entries: A) -> Result<(), A::Error> {
        let field = self.enter()?;
        while entries.next_key_seed(field)?.is_some() {
            entries.next_value_seed(field)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn gr_5_text_is_one_line_with_same_value() {
        let value = json!({ "a \" b": [" \\", "\n\t", { "文 字": null }], "c": -1.5e300 });
        let text = JsonText::read(format!(" {value:#}\r\n")).unwrap();
        assert_eq!(text.as_str(), value.to_string());
        assert_eq!(text.value(), value);
        assert_eq!(text.names(), Some(vec!["a \" b".to_owned(), "c".to_owned()]));
        assert_eq!(JsonText::read("[1]".to_owned()).unwrap().names(), None);
    }

    proptest! {
        #[test]
        fn gr_5_text_is_refused_where_its_value_is(text in "[\"\\\\{}\\[\\]:, \na-fu0-9.+eE]{0,16}") {
            let value = read::<Value>(text.as_bytes());
            match (JsonText::read(text), value) {
                (Ok(text), Ok(value)) => prop_assert_eq!(text.value(), value),
                (Err((error, _)), Err(expected)) => {
                    prop_assert_eq!(error.to_string(), expected.to_string());
                }
                (one, other) => prop_assert!(false, "{one:?} {other:?}"),
            }
        }
    }

    #[test]
    fn gr_5_text_is_refused_at_the_depth_where_its_value_is() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let levels =
                MOST_DEPTH / open.chars().filter(|sign| b"[{".contains(&(*sign as u8))).count();
            for inner in ["1", "[]", "{}", "]"] {
                for count in levels - 2..levels + 3 {
                    let text = format!("{}{inner}{}", open.repeat(count), close.repeat(count));
                    let told =
                        JsonText::read(text.clone()).err().map(|(error, _)| error.to_string());
                    let expected =
                        read::<Value>(text.as_bytes()).err().map(|error| error.to_string());
                    assert_eq!(told, expected, "{open} {inner} {count}");
                }
            }
        }
    }

    #[test]
    fn gr_5_fault_has_place_in_given_text() {
        for text in ["{\n \"a\": \"\\ud800\"}", "[\n1e999]", "[1,\n]", "[\"\n\"]", ""] {
            let expected = read::<Value>(text.as_bytes()).unwrap_err();
            let (error, _) = JsonText::read(text.to_owned()).unwrap_err();
            assert_eq!(error.to_string(), expected.to_string(), "{text}");
        }
    }
}
