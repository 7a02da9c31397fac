//! Takes secrets out of what is written (AS-29).
//!
//! Decision: texts are masked, not bytes of JSON. A secret is also found where it stands escaped in
//! a text that is itself JSON: its forms as JSON writes them, to three levels, are secrets too, and
//! escapes that nobody had to make (`\u0073` for `s`, `\/`) are read with any number of backslashes
//! before them. A URL-encoded form is masked as well.

use memchr::memmem::Finder;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The text in place of a secret.
pub const MASK: &str = "•••";

/// Secrets of fewer characters are not masked: ordinary words would be.
pub const SHORTEST_SECRET: usize = 8;

/// The secrets known so far; a run adds those that it meets.
#[derive(Debug, Default)]
pub struct Masker {
    secrets: RwLock<Vec<Secret>>,
}

/// A secret and the ways in which it may be written.
struct Secret {
    plain: Box<str>,
    forms: Vec<Finder<'static>>,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(MASK)
    }
}

impl Masker {
    /// Creates a masker that knows `secrets`.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let masker = Self::default();
        masker.add(secrets);
        masker
    }

    /// Masks these as well from now on; those of fewer than [`SHORTEST_SECRET`] characters are
    /// left alone.
    pub fn add(&self, secrets: impl IntoIterator<Item = String>) {
        let mut known = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        for secret in secrets {
            let plain = secret.trim();
            let is_known = || known.iter().any(|secret| *secret.plain == *plain);
            if plain.chars().count() >= SHORTEST_SECRET && !is_known() {
                let forms = forms(plain);
                let forms = forms.iter().map(|form| Finder::new(form).into_owned()).collect();
                known.push(Secret { plain: plain.into(), forms });
            }
        }
    }

    /// Reports whether there is nothing to mask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known().is_empty()
    }

    /// Reports whether a text may hold a secret; false is certain, and cheap to find out.
    #[must_use]
    pub fn may_be_in(&self, text: &str) -> bool {
        let known = self.known();
        if known.is_empty() {
            return false;
        }
        let flat = if text.contains('\\') { flat(text) } else { String::new() };
        known.iter().any(|secret| {
            // Only trying shows whether a backslash escapes the character after it or is itself
            // escaped.
            let unsure = !flat.is_empty() && secret.plain.contains('\\');
            unsure || secret.is_in(text) || secret.is_in(&flat)
        })
    }

    /// Returns the text without secrets; borrowed when there is none in it.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.may_be_in(text) {
            return Cow::Borrowed(text);
        }
        let mut found = Vec::new();
        for secret in self.known().iter() {
            secret.find(text, &mut found);
        }
        replace(text, found)
    }

    /// Masks every string of a value, names of fields included.
    pub fn value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::String(text) => {
                    if let Cow::Owned(masked) = self.text(text) {
                        *text = masked;
                    }
                }
                Value::Array(items) => waiting.extend(items),
                Value::Object(fields) => {
                    self.names(fields);
                    waiting.extend(fields.values_mut());
                }
                _ => {}
            }
        }
    }

    /// Returns the lines of a trace without secrets in their `data`; borrowed when there is none.
    #[must_use]
    pub fn lines<'a>(&self, lines: &'a str) -> Cow<'a, str> {
        // A line escapes its texts once more, which is read as well.
        if !self.may_be_in(lines) {
            return Cow::Borrowed(lines);
        }
        Cow::Owned(lines.split_inclusive('\n').map(|line| self.line(line)).collect())
    }

    fn line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        if !self.may_be_in(line) {
            return Cow::Borrowed(line);
        }
        let Ok(mut value) = serde_json::from_str::<Value>(line) else { return self.text(line) };
        if let Some(data) = value.get_mut("data") {
            self.value(data);
        }
        Cow::Owned(format!("{value}\n"))
    }

    fn names(&self, fields: &mut Map<String, Value>) {
        let hides = |name: &String| matches!(self.text(name), Cow::Owned(_));
        if fields.keys().any(hides) {
            let masked = std::mem::take(fields);
            fields.extend(masked.into_iter().map(|(name, value)| {
                let name = self.text(&name).into_owned();
                (name, value)
            }));
        }
    }

    fn known(&self) -> RwLockReadGuard<'_, Vec<Secret>> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Secret {
    fn is_in(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form.find(text.as_bytes()).is_some())
    }

    /// Finds the places of the secret, as it is and escaped.
    fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        for form in &self.forms {
            let places = form.find_iter(text.as_bytes());
            found.extend(places.map(|start| start..start + form.needle().len()));
        }
        if !text.contains('\\') {
            return;
        }
        let first = self.plain.chars().next();
        for (start, character) in text.char_indices() {
            if character != '\\' && Some(character) != first {
                continue;
            }
            let rest = text.get(start..).unwrap_or_default();
            if let Some(length) = escaped_prefix(rest, &self.plain) {
                found.push(start..start + length);
            }
        }
    }
}

/// Returns a text with its escapes read and its other backslashes removed.
fn flat(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        rest = match next_spelt(from) {
            Some(('\\', after)) => after,
            Some((spelt, after)) => {
                out.push(spelt);
                after
            }
            // No escape that JSON knows: only its backslash goes.
            None => from.strip_prefix('\\').unwrap_or_default(),
        };
    }
    out.push_str(rest);
    out
}

/// Returns the number of bytes of `text` that spell `secret`, if it begins with it.
fn escaped_prefix(text: &str, secret: &str) -> Option<usize> {
    let mut rest = text;
    for wanted in secret.chars() {
        let (spelt, after) = next_spelt(rest)?;
        let plain = rest.starts_with(wanted) && wanted != '\\';
        rest = if plain { rest.get(wanted.len_utf8()..)? } else { after };
        if !plain && spelt != wanted {
            return None;
        }
    }
    Some(text.len() - rest.len())
}

/// Returns the next character, with escapes read, and the text after it.
fn next_spelt(text: &str) -> Option<(char, &str)> {
    let unescaped = text.trim_start_matches('\\');
    let mut characters = unescaped.chars();
    if unescaped.len() == text.len() {
        return characters.next().map(|plain| (plain, characters.as_str()));
    }
    let escaped = match characters.next() {
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some(same @ ('"' | '/' | '\'')) => same,
        Some('u') => {
            let (digits, rest) = characters.as_str().split_at_checked(4)?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            return char::from_u32(code).map(|character| (character, rest));
        }
        // A run of backslashes that escapes nothing but itself.
        _ => return Some(('\\', unescaped)),
    };
    Some((escaped, characters.as_str()))
}

/// Returns the text with every place replaced; places that touch or overlap become one.
fn replace(text: &str, mut found: Vec<Range<usize>>) -> Cow<'_, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|place| place.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for place in found {
        if place.end <= at {
            continue;
        }
        if place.start >= at {
            out.push_str(text.get(at..place.start).unwrap_or_default());
            out.push_str(MASK);
        }
        at = place.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the different ways in which a secret may be written.
fn forms(secret: &str) -> Vec<String> {
    let escaped = |text: &str| {
        let json = Value::from(text).to_string();
        json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(text).to_owned()
    };
    let once = escaped(secret);
    let twice = escaped(&once);
    let thrice = escaped(&twice);
    let mut forms = vec![secret.to_owned(), once, twice, thrice, url_encoded(secret)];
    forms.dedup();
    forms
}

fn url_encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn masker(secrets: &[&str]) -> Masker {
        Masker::new(secrets.iter().map(|secret| (*secret).to_owned()))
    }

    #[test]
    fn as_29_lines_are_masked_in_their_data_and_others_stay_as_they_are() {
        let masker = Masker::new(["sk-12345678".to_owned(), "start_us".to_owned()]);
        let clean = "{\"v\":1,\"data\":{\"x\":1.10}}\n";
        let told = "{\"start_us\":5,\"data\":{\"sk-12345678\":[\"\\u0073k-12345678\"]}}\n";
        let masked = "{\"start_us\":5,\"data\":{\"•••\":[\"•••\"]}}\n";
        assert_eq!(
            masker.lines(&format!("{clean}{told}{clean}")),
            format!("{clean}{masked}{clean}")
        );
        assert!(matches!(masker.lines(clean), Cow::Borrowed(_)));
        let deep =
            format!("{{\"data\":{}\"sk-12345678\"{}}}\n", "[".repeat(5000), "]".repeat(5000));
        let shown = masker.lines(&deep).into_owned();
        assert!(shown.contains("•••") && !shown.contains("sk-1"), "what is too deep to read, too");
    }

    #[test]
    fn as_29_secrets_are_masked_wherever_they_stand() {
        let masker = masker(&["sk-12345678", "p@ss/word\"1"]);
        assert_eq!(masker.text("a sk-12345678, b sk-12345678x"), "a •••, b •••x");
        assert_eq!(masker.text("?key=p%40ss%2Fword%221&x"), "?key=•••&x");
        assert!(matches!(masker.text("nothing here"), Cow::Borrowed(_)));
        let mut value = json!({"a": ["x sk-12345678"], "sk-12345678": {"b": 1}});
        masker.value(&mut value);
        assert_eq!(value, json!({"a": ["x •••"], "•••": {"b": 1}}));
    }

    #[test]
    fn as_29_a_secret_split_by_json_escapes_is_masked() {
        let masker = masker(&["p@ss/word\"1\\x", "sk-12345678"]);
        let inner = serde_json::to_string(&json!({"key": "p@ss/word\"1\\x"})).unwrap();
        let twice = serde_json::to_string(&inner).unwrap();
        for text in [
            inner.as_str(),
            twice.as_str(),
            r#"{"key":"p@ss\/word\"1\\x"}"#,
            r#"\u0070@ss\u002fword\"1\\x"#,
            r"sk-\u0031234567\u0038",
            r"\\u0073k-12345678",
        ] {
            let masked = masker.text(text);
            assert!(masked.contains(MASK), "{text}: {masked}");
            assert!(!masked.contains("word") && !masked.contains("234567"), "{masked}");
        }
        assert_eq!(masker.text(r#"{"key":"p@ss\/word\"1\\x"}"#), r#"{"key":"•••"}"#);
    }

    #[test]
    fn as_29_what_is_no_escape_hides_no_secret() {
        let masker = masker(&["sk-12345678"]);
        for text in [r"\uZZZZ sk-\u0031\u0032345678", r"\ud83d\ude00 \x sk-12345678", "\\"] {
            let masked = masker.text(text);
            assert!(!masked.contains("2345678"), "{masked}");
        }
    }

    #[test]
    fn as_29_short_secrets_are_left_alone() {
        let masker = masker(&["secret", "       x", ""]);
        assert_eq!(masker.text("a secret x"), "a secret x");
    }

    #[test]
    fn as_29_overlapping_secrets_leave_nothing() {
        let masker = masker(&["abcdefgh", "efghijkl", "abcdefghijklmn"]);
        assert_eq!(masker.text("<abcdefghijkl>"), "<•••>");
        assert_eq!(masker.text("<abcdefghijklmn>"), "<•••>");
        masker.add(["another-one".to_owned()]);
        assert_eq!(masker.text("another-one"), MASK);
    }

    proptest! {
        #[test]
        fn as_29_no_text_keeps_a_secret(
            secret in "[a-z\"\\\\/\n中é-]{8,12}", before in "\\PC{0,10}", after in "[a-z\\\\\"u0-9]{0,10}",
        ) {
            prop_assume!(secret.trim() == secret);
            let masker = masker(&[&secret]);
            let text = format!("{before}{secret}{after}");
            prop_assert!(!masker.text(&text).contains(&secret));
            let json = serde_json::to_string(&text).unwrap();
            let escaped = serde_json::to_string(&secret).unwrap();
            let escaped = escaped.trim_matches('"');
            prop_assert!(!masker.text(&json).contains(escaped));
        }
    }
}
