//! The parts of a JSON text, found without reading them (GR-5).
//!
//! The text is one that was read or written before: what is not JSON is not told, but ends the walk.

use std::ops::Range;

/// A string of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its bytes, with its quotes.
    pub range: Range<usize>,
    /// True if it is the name of a field.
    pub is_name: bool,
}

/// Returns the fields of an object, each with the text of its name, quotes included, and that of its
/// value; `None` for any other value.
///
/// ```
/// use contexture_context::json::fields;
///
/// let all = fields(r#"{"a": [1, "}"], "b": {"c": null}}"#);
/// assert_eq!(all, Some(vec![("\"a\"", "[1, \"}\"]"), ("\"b\"", "{\"c\": null}")]));
/// assert_eq!(fields("[1]"), None);
/// ```
#[must_use]
pub fn fields(text: &str) -> Option<Fields<'_>> {
    let mut all = Vec::new();
    Walk { text, at: 0 }.object(|walk, name| {
        all.push((name, walk.value()?));
        Some(())
    })?;
    Some(all)
}

/// The fields of an object, as [`fields`] returns them.
pub type Fields<'t> = Vec<(&'t str, &'t str)>;

/// Returns the fields of an object, and those of the object in its field `name`, which is written
/// with its quotes; `None` if the text, or that field, is not an object. A long text is gone through
/// once for both.
#[must_use]
pub fn fields_and_within<'t>(text: &'t str, name: &str) -> Option<(Fields<'t>, Fields<'t>)> {
    let (mut all, mut within) = (Vec::new(), None);
    Walk { text, at: 0 }.object(|walk, own| {
        let is_object = walk.next()? == b'{';
        let from = walk.at;
        if own == name && is_object {
            let inner = within.insert(Vec::new());
            walk.object(|walk, name| {
                inner.push((name, walk.value()?));
                Some(())
            })?;
        } else {
            walk.value()?;
        }
        all.push((own, text.get(from..walk.at)?));
        Some(())
    })?;
    Some((all, within?))
}

/// Returns the strings of a text, in their order.
pub fn strings(text: &str) -> impl Iterator<Item = Place> {
    let mut walk = Walk { text, at: 0 };
    std::iter::from_fn(move || {
        walk.at += memchr::memchr(b'"', walk.rest())?;
        let from = walk.at;
        walk.string()?;
        let range = from..walk.at;
        let is_name = walk.next() == Some(b':');
        Some(Place { range, is_name })
    })
}

/// A walk through a text.
struct Walk<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Walk<'t> {
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte that is not blank, and walks up to it.
    fn next(&mut self) -> Option<u8> {
        let rest = self.rest();
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.rest().first().copied()
    }

    /// Walks past a byte that is expected.
    fn skip(&mut self, expected: u8) -> Option<()> {
        let is_there = self.next()? == expected;
        self.at += 1;
        is_there.then_some(())
    }

    /// Walks past a value, and returns its text.
    fn value(&mut self) -> Option<&'t str> {
        let first = self.next()?;
        let from = self.at;
        match first {
            b'"' => self.string()?,
            b'{' | b'[' => self.nested()?,
            _ => {
                let is_part = |byte: &&u8| !b",]}: \t\r\n".contains(byte);
                self.at += self.rest().iter().take_while(is_part).count();
            }
        }
        self.text.get(from..self.at).filter(|value| !value.is_empty())
    }

    /// Walks past an object. `each` gets the name of a field, and walks past its value.
    fn object(&mut self, mut each: impl FnMut(&mut Self, &'t str) -> Option<()>) -> Option<()> {
        self.skip(b'{')?;
        if self.next()? == b'}' {
            return self.skip(b'}');
        }
        loop {
            let name = self.value()?;
            self.skip(b':')?;
            each(self, name)?;
            match self.next()? {
                b',' => self.at += 1,
                _ => return self.skip(b'}'),
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.rest())?;
            if self.rest().first() == Some(&b'"') {
                self.at += 1;
                return Some(());
            }
            // What a backslash escapes is one byte at least, and the bytes of `\u` hold neither.
            self.at += 2;
        }
    }

    fn nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let is_sign = |byte: &u8| b"\"[]{}".contains(byte);
            self.at += self.rest().iter().position(is_sign)?;
            match self.rest().first()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => depth += 1,
                _ => depth = depth.checked_sub(1)?,
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[\\PC\"\\\\\n{}\\[\\]:, ]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[\\PC\"\\\\:]{0,6}", inner), 0..5)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    /// Every string of a value, with what it is.
    fn all(value: &Value, found: &mut Vec<(String, bool)>) {
        match value {
            Value::String(text) => found.push((text.clone(), false)),
            Value::Array(items) => items.iter().for_each(|item| all(item, found)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    found.push((name.clone(), true));
                    all(field, found);
                }
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn gr_5_parts_of_text_are_those_of_its_value(value in values(), is_pretty in any::<bool>()) {
            let text = if is_pretty { format!("{value:#}") } else { value.to_string() };
            let read = fields(&text).map(|all| {
                let of = |(name, field)| -> (String, Value) {
                    (serde_json::from_str(name).unwrap(), serde_json::from_str(field).unwrap())
                };
                Value::from_iter(all.into_iter().map(of))
            });
            prop_assert_eq!(read, value.is_object().then(|| value.clone()));
            let outer = format!("{{\"a\": 1, \"data\": {text}, \"b\": [{text}]}}");
            let both = fields_and_within(&outer, "\"data\"");
            prop_assert_eq!(both, fields(&outer).zip(fields(&text)));
            let mut wanted = Vec::new();
            all(&value, &mut wanted);
            let of = |place: Place| (serde_json::from_str(text.get(place.range).unwrap()).unwrap(), place.is_name);
            let found: Vec<(String, bool)> = strings(&text).map(of).collect();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn gr_5_parts_of_what_is_not_json_end_the_walk(text in "[\"\\\\{}\\[\\]:, a-c1é]{0,24}") {
            let _ = (fields(&text), fields_and_within(&text, "\"a\""));
            for place in strings(&text) {
                prop_assert!(text.get(place.range).is_some());
            }
        }
    }

    #[test]
    fn gr_5_fields_of_cut_text_are_none() {
        let text = json!({ "a": [1, { "b": "\\\"" }], "c": 2 }).to_string();
        for end in 0..text.len() {
            assert_eq!(fields(text.get(..end).unwrap()), None, "{end}");
        }
        assert_eq!(fields(&text).map(|all| all.len()), Some(2));
    }
}
