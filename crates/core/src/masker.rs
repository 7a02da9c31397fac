//! Takes secrets out of what is written (AS-29, GU-9).
//!
//! Decision: texts are masked, not bytes of JSON. A secret is found by its value, and by its form
//! ([`contexture_context::secrets`]). A value is also found where it is escaped any number of times
//! or URL-encoded, since what is searched is the text with escapes read, and where it is encoded in
//! base64.

mod forms;
mod read;

use contexture_context::secrets;
pub use contexture_context::secrets::MASK;
use forms::Forms;
use read::Read;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Values of fewer characters are not masked: ordinary words would be. Those of fewer than
/// [`SHORTEST_WORD`] are masked when they are more than letters or more than digits.
pub const SHORTEST_SECRET: usize = 6;

/// Values of at least so many characters are masked, whatever they are.
pub const SHORTEST_WORD: usize = 8;

/// The secrets known so far; a run adds those that it meets.
#[derive(Default)]
pub struct Masker {
    /// True if only values are masked, and no patterns.
    values_only: bool,
    known: Arc<RwLock<Known>>,
}

#[derive(Default)]
struct Known {
    secrets: Values,
    /// Texts that are not secret to a model.
    private: Values,
}

#[derive(Default)]
struct Values {
    plain: BTreeSet<Box<str>>,
    forms: Forms,
}

/// The place of a secret in a text.
struct Place {
    range: Range<usize>,
    what: &'static str,
}

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What a model is shown.
    Shown,
    /// A text of a record, which does without private texts and the texts of secret fields, too.
    Record,
    /// A line of JSON in a record.
    Line,
}

impl Kind {
    /// Reports whether what stands in a text may look like something else where its escapes are
    /// read: in JSON those of quotes and backslashes, elsewhere all.
    fn misleads(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let misleads = |at: usize| {
            self != Self::Line || bytes.get(at + 1).is_some_and(|next| b"\"\\".contains(next))
        };
        memchr::memchr_iter(b'\\', bytes).any(misleads)
    }
}

/// What was found in a text.
#[derive(Default)]
struct Looked {
    places: Vec<Place>,
    /// True if a field of JSON has the name of a password or key, where a record is looked at.
    has_secret_name: bool,
}

impl Looked {
    /// Adds what is recognised by its form in a text as it is read.
    fn find_forms(&mut self, read: &Read<'_>, kind: Kind) {
        let found = if kind == Kind::Shown {
            secrets::find(read.text())
        } else {
            let record = secrets::find_in_record(read.text());
            self.has_secret_name |= record.has_secret_name;
            record.found
        };
        let of = |one: &secrets::Found| Place { range: read.place(one.hidden()), what: one.what };
        self.places.extend(found.iter().map(of));
    }
}

/// Something that was masked before a model: never the secret itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    /// Its description: `GitHub token`.
    pub what: &'static str,
    /// The line of its text, counted from 1.
    pub line: u32,
}

impl Hidden {
    fn of(text: &str, place: &Place) -> Self {
        let before = text.get(..place.range.start).unwrap_or_default();
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        Self { what: place.what, line: u32::try_from(lines + 1).unwrap_or(u32::MAX) }
    }
}

impl std::fmt::Debug for Masker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Masker").field(&self.known().secrets.plain.len()).finish()
    }
}

impl Masker {
    /// Creates a masker that knows `secrets`, and whatever looks like one.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let masker = Self::default();
        masker.add(secrets);
        masker
    }

    /// Creates a masker that knows `secrets` and nothing else: for what is read back, as the
    /// journal of a flow is.
    #[must_use]
    pub fn of_values(secrets: impl IntoIterator<Item = String>) -> Self {
        let masker = Self { values_only: true, ..Self::default() };
        masker.add(secrets);
        masker
    }

    /// Returns a masker of the values that this one knows, now and later, and of nothing else: for
    /// what is read back.
    #[must_use]
    pub fn by_value(&self) -> Self {
        Self { values_only: true, known: Arc::clone(&self.known) }
    }

    /// Masks these as well from now on, unless they are too short (see [`SHORTEST_SECRET`]).
    pub fn add(&self, secrets: impl IntoIterator<Item = String>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.secrets.add(secrets);
    }

    /// Masks these as well from now on, but not before a model: texts that somebody wants out of
    /// the records.
    pub fn add_private(&self, texts: impl IntoIterator<Item = String>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.private.add(texts);
    }

    /// Reports whether no value is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let known = self.known();
        known.secrets.plain.is_empty() && known.private.plain.is_empty()
    }

    /// Reports whether a text may hold a secret; false is certain, and cheap to find out.
    #[must_use]
    pub fn may_be_in(&self, text: &str) -> bool {
        !self.places(text, true).is_empty()
    }

    /// Returns the text without secrets; borrowed when there is none in it.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replace(text, self.places(text, true))
    }

    /// Returns the text without secrets as a model may see it: private texts stay.
    #[must_use]
    pub fn for_model<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replace(text, self.places(text, false))
    }

    /// Reports whether a text holds what a model may not see.
    #[must_use]
    pub fn hides(&self, text: &str) -> bool {
        !self.places(text, false).is_empty()
    }

    /// Reports whether [`Masker::hide`] would mask a part of a value.
    #[must_use]
    pub fn hides_in(&self, value: &Value) -> bool {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::String(text) if self.hides(text) => return true,
                Value::Array(items) => waiting.extend(items),
                Value::Object(fields) => {
                    if fields.iter().any(|(name, field)| self.is_secret_field(name, field)) {
                        return true;
                    }
                    waiting.extend(fields.values());
                }
                _ => {}
            }
        }
        false
    }

    /// Masks the texts of a value as a model may see them, and returns what was masked (GU-10).
    pub fn hide(&self, value: &mut Value) -> Vec<Hidden> {
        let mut hidden = Vec::new();
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::String(text) => {
                    let mut found = self.found(text, false);
                    hidden.extend(apart(&mut found).map(|place| Hidden::of(text, place)));
                    let places = found.into_iter().map(|place| place.range).collect();
                    if let Cow::Owned(masked) = replace(text, places) {
                        *text = masked;
                    }
                }
                Value::Array(items) => waiting.extend(items.iter_mut().rev()),
                Value::Object(fields) => {
                    let mut inner: Vec<&mut Value> = Vec::with_capacity(fields.len());
                    for (name, field) in fields {
                        if self.is_secret_field(name, field) {
                            *field = MASK.into();
                            hidden.push(Hidden { what: "password or key", line: 1 });
                        }
                        inner.push(field);
                    }
                    waiting.extend(inner.into_iter().rev());
                }
                _ => {}
            }
        }
        hidden
    }

    /// Masks every string of a value, names of fields included, and what stands under the name of a
    /// password or key: a text, a number, or a list of these.
    pub fn value(&self, value: &mut Value) {
        let mut waiting = vec![(value, false)];
        while let Some((value, is_secret)) = waiting.pop() {
            match value {
                Value::Number(_) if is_secret => *value = MASK.into(),
                Value::String(text) if is_secret && !text.is_empty() => *value = MASK.into(),
                Value::String(text) => {
                    if let Cow::Owned(masked) = self.text(text) {
                        *text = masked;
                    }
                }
                Value::Array(items) => {
                    waiting.extend(items.iter_mut().map(|item| (item, is_secret)));
                }
                // An object of such a name is judged by its own names: it may be a schema.
                Value::Object(fields) => {
                    self.names(fields);
                    for (name, field) in fields {
                        if self.is_secret_field(name, field) {
                            *field = MASK.into();
                        }
                        waiting.push((field, !self.values_only && secrets::is_secret_name(name)));
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    fn is_secret_field(&self, name: &str, field: &Value) -> bool {
        let is_secret = |text| secrets::is_secret_field(name, text);
        !self.values_only && field.as_str().is_some_and(is_secret)
    }

    /// Returns the lines of a trace without secrets in their `data`; borrowed when there is none.
    #[must_use]
    pub fn lines<'a>(&self, lines: &'a str) -> Cow<'a, str> {
        // A line escapes its texts once more, which is read as well.
        if !self.may_be_in_line(lines) {
            return Cow::Borrowed(lines);
        }
        Cow::Owned(lines.split_inclusive('\n').map(|line| self.line(line)).collect())
    }

    /// Reports whether a line may hold a secret or a field that holds one.
    fn may_be_in_line(&self, line: &str) -> bool {
        let looked = self.look(line, Kind::Line);
        looked.has_secret_name || !looked.places.is_empty()
    }

    fn line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        if !self.may_be_in_line(line) {
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

    fn places(&self, text: &str, with_private: bool) -> Vec<Range<usize>> {
        self.found(text, with_private).into_iter().map(|place| place.range).collect()
    }

    /// Returns the places of secrets in a text, in no order.
    fn found(&self, text: &str, with_private: bool) -> Vec<Place> {
        self.look(text, if with_private { Kind::Record } else { Kind::Shown }).places
    }

    fn look(&self, text: &str, kind: Kind) -> Looked {
        let mut looked = Looked::default();
        for read in Read::every(text) {
            self.find_values(text, &read, kind != Kind::Shown, &mut looked.places);
            if !self.values_only {
                looked.find_forms(&read, kind);
            }
        }
        // Where escapes are read, a quote within the value of a field looks like its end, and
        // `C:\keys\AKIA…` like one word.
        if !self.values_only && kind.misleads(text) {
            // The names of fields in a line are those that it has as it is.
            looked.has_secret_name = false;
            looked.find_forms(&Read::as_it_is(text), kind);
        }
        looked.places.retain(|place| !place.range.is_empty());
        looked
    }

    fn find_values(&self, text: &str, read: &Read<'_>, with_private: bool, found: &mut Vec<Place>) {
        let mut of_values = Vec::new();
        let known = self.known();
        known.secrets.forms.find(text, read, &mut of_values);
        if with_private {
            known.private.forms.find(text, read, &mut of_values);
        }
        let of = |range| Place { range, what: "a known secret" };
        found.extend(of_values.into_iter().map(of));
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Values {
    fn add(&mut self, texts: impl IntoIterator<Item = String>) {
        let mut new = Vec::new();
        for text in texts {
            let plain = text.trim();
            if is_long(plain) && self.plain.insert(plain.into()) {
                new.push(plain.to_owned());
            }
        }
        if !new.is_empty() {
            self.forms.add(new.iter().map(String::as_str));
        }
    }
}

/// Reports whether a value is long enough to be masked wherever it stands.
fn is_long(value: &str) -> bool {
    let length = value.chars().count();
    let is_one_kind =
        || value.chars().all(char::is_alphabetic) || value.chars().all(char::is_numeric);
    length >= SHORTEST_WORD || (length >= SHORTEST_SECRET && !is_one_kind())
}

/// Returns the places but for those that begin in another: one secret is found as it is written and
/// as it is read.
fn apart(found: &mut [Place]) -> impl Iterator<Item = &Place> {
    found.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
    let mut end = 0;
    found.iter().filter(move |place| {
        let is_apart = place.range.start >= end;
        end = end.max(place.range.end);
        is_apart
    })
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
    fn as_29_percent_sign_before_escaped_secret_does_not_hide_it() {
        let masker = masker(&["a-\\中\\é/\""]);
        for before in ["%0", "%", "%25", "%2", "\\%0", "\\u004"] {
            let json = json!(format!("{before}a-\\中\\é/\"")).to_string();
            let twice = json!(json).to_string();
            for text in [json, twice] {
                let masked = masker.text(&text);
                assert!(!masked.contains('中') && masked.contains(MASK), "{text}: {masked}");
            }
        }
    }

    #[test]
    fn as_29_backslash_before_escaped_secret_does_not_hide_it() {
        let secret = "b中\\n\"éaé";
        let masker = masker(&[secret]);
        let json = json!(format!("\\{secret}")).to_string();
        let twice = json!(json).to_string();
        for text in [json, twice] {
            let masked = masker.text(&text);
            assert!(!masked.contains('中') && masked.contains(MASK), "{text}: {masked}");
        }
    }

    #[test]
    fn as_29_invalid_escape_does_not_hide_secret() {
        let masker = masker(&["sk-12345678"]);
        for text in [r"\uZZZZ sk-\u0031\u0032345678", r"\ud83d\ude00 \x sk-12345678", "\\"] {
            let masked = masker.text(text);
            assert!(!masked.contains("2345678"), "{masked}");
        }
    }

    #[test]
    fn as_29_short_secrets_are_left_alone() {
        let masker = masker(&["secret", "       x", "", "123456", "ab-1"]);
        assert_eq!(masker.text("a secret x 123456 ab-1"), "a secret x 123456 ab-1");
        masker.add(["hunter2".to_owned()]);
        assert_eq!(masker.text("a hunter2 x"), "a ••• x");
    }

    #[test]
    fn gu_9_encoded_value_is_masked() {
        let masker = masker(&["p@ss/wörd 12", "sk-12345678"]);
        for text in [
            "Basic YW5uOnNrLTEyMzQ1Njc4",
            "x eHNrLTEyMzQ1Njc4 y",
            "IHNrLTEyMzQ1Njc4IA==",
            "p%40ss%2fw%c3%b6rd%2012",
            "p%2540ss%252Fw%C3%B6rd+12",
            r"q=p%40ss/w%C3%B6rd\/12 sk%2D12345678",
        ] {
            let masked = masker.text(text);
            assert!(masked.contains(MASK), "{text}: {masked}");
            assert!(!masked.contains("MTIzNDU2") && !masked.contains("2345678"), "{masked}");
        }
    }

    #[test]
    fn gu_9_value_of_secret_name_is_masked_whatever_it_is() {
        let masker = Masker::default();
        let given = json!({
            "password": "a word", "db": { "PASSWORD": 123456, "user": "ann" }, "old_passwd": ["x", 1],
            "密码": "天书", "client_secret": "", "secret": null, "api-key": true,
            "token": "a word", "passwords_left": 3, "secretary": "Ann",
            // The schema of a tool that takes one.
            "properties": { "password": { "type": "string" } },
        });
        let mut value = given.clone();
        masker.value(&mut value);
        let expected = json!({
            "password": MASK, "db": { "PASSWORD": MASK, "user": "ann" }, "old_passwd": [MASK, MASK],
            "密码": MASK, "client_secret": "", "secret": null, "api-key": true,
            "token": "a word", "passwords_left": 3, "secretary": "Ann",
            "properties": { "password": { "type": "string" } },
        });
        assert_eq!(value, expected);
        let mut again = value.clone();
        masker.value(&mut again);
        assert_eq!(again, value);
        let line = json!({ "data": { "input": { "password": 4711 } } }).to_string() + "\n";
        assert_eq!(masker.lines(&line), "{\"data\":{\"input\":{\"password\":\"•••\"}}}\n");
        let mut journal = given.clone();
        Masker::of_values([]).value(&mut journal);
        assert_eq!(journal, given, "what is read back stays");
    }

    #[test]
    fn gu_9_json_text_of_secret_name_is_masked_in_records_and_not_before_model() {
        let masker = Masker::default();
        for (text, masked) in [
            (r#"{"password": "a word", "x": 1}"#, r#"{"password": "•••", "x": 1}"#),
            (r#"{"password":"say \"please\""}"#, r#"{"password":"•••"}"#),
            (r#"{\"secret\":\"word\"}"#, r#"{\"secret\":\"•••\"}"#),
            (r#"{"口令":"芝麻开门"}"#, r#"{"口令":"•••"}"#),
            (r#"{"api_key": ["a word", 12], "x": 1}"#, r#"{"api_key": ["•••", •••], "x": 1}"#),
            (r#"{"secret":4711}"#, r#"{"secret":•••}"#),
        ] {
            assert_eq!(masker.text(text), masked);
            assert_eq!(masker.text(masked), masked, "masking again changes nothing");
            assert_eq!(masker.for_model(text), text);
        }
        for text in [
            r#"{"token":"word"}"#,
            r#"{"password":""}"#,
            r#"{"password":{"type":"string"}}"#,
            "the password: open",
        ] {
            assert_eq!(masker.text(text), text);
        }
    }

    #[test]
    fn gu_9_patterns_are_masked_also_in_escaped_text() {
        let masker = Masker::default();
        for (text, masked) in [
            ("GET https://h/a?sig=abc&x=1", "GET https://h/a?sig=•••&x=1"),
            ("go%3Fnext=%2Fa%3Ftoken%3Dabc", "go%3Fnext=%2Fa%3Ftoken%3D•••"),
            ("{\"h\":\"Authorization: Bearer abc\"}", "{\"h\":\"Authorization: Bearer •••\"}"),
            ("\"api_key\":\"abcd1234\"", "\"api_key\":\"•••\""),
            ("ghp_0123456789abcdefghij", "ghp_•••"),
        ] {
            assert_eq!(masker.text(text), masked);
            assert_eq!(masker.text(masked), masked, "masking again changes nothing");
        }
        let mut value = json!({ "password": "hunter2hunter2", "tokens": 5, "token": "a word" });
        masker.value(&mut value);
        assert_eq!(value, json!({ "password": "•••", "tokens": 5, "token": "a word" }));
        assert_eq!(Masker::of_values([]).text("?sig=abc"), "?sig=abc");
    }

    #[test]
    fn gu_9_secret_behind_backslash_that_escapes_nothing_is_masked() {
        let masker = Masker::default();
        for text in [
            r"say C:\keys\AKIAIOSFODNN7EXAMPLE",
            r#"\"x\" HKLM\Soft\token=abcd1234efgh"#,
            r"at postgres://u:pa\new1pass@h",
            r"in a\npm_0123456789abcdefghijABCDEFGHIJ012345",
        ] {
            let masked = masker.text(text);
            assert!(masked.contains(MASK), "{masked}");
            assert_eq!(masker.for_model(text), masked);
            let mut value = json!(text);
            assert_eq!(masker.hide(&mut value).len(), 1, "{text}");
            assert_eq!(value, json!(masked));
            let line = json!({ "data": { "x": text } }).to_string() + "\n";
            let masked = json!({ "data": { "x": masked } }).to_string() + "\n";
            assert_eq!(masker.lines(&line), masked);
        }
    }

    #[test]
    fn gu_9_percent_sign_does_not_hide_secret_name() {
        let masker = Masker::default();
        for name in ["%0api_key", "%5access_key", "100%apikey"] {
            let line = json!({ "data": { name: "hunter2" } }).to_string() + "\n";
            let masked = json!({ "data": { name: MASK } }).to_string() + "\n";
            assert_eq!(masker.lines(&line), masked);
        }
        let clean = "{\"data\":{\"x\":1.10,\"s\":\"{\\\"password\\\":null}\"}}\n";
        assert!(matches!(masker.lines(clean), Cow::Borrowed(_)), "no field of the line");
    }

    #[test]
    fn gu_9_private_text_is_shown_to_model() {
        let masker = masker(&["sk-12345678"]);
        masker.add_private(["my diagnosis".to_owned()]);
        assert_eq!(masker.for_model("my diagnosis sk-12345678"), "my diagnosis •••");
        assert_eq!(masker.text("my diagnosis sk-12345678"), "••• •••");
    }

    #[test]
    fn gu_9_masking_hostile_text_is_linear() {
        let secrets: Vec<String> = (0..500).map(|n| format!("aaaaaaa{n}")).collect();
        let masker = Masker::new(secrets);
        for part in ["\\", "a", "aaaaaaa1", "%2", "\\u0061"] {
            let _ = masker.text(&part.repeat(100_000));
        }
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
        fn as_29_masked_text_does_not_contain_secret(
            secret in "[a-z\"\\\\/\n中é-]{8,12}", before in "\\PC{0,10}", after in "[a-z\\\\\"u0-9]{0,10}",
        ) {
            prop_assume!(secret.trim() == secret);
            let masker = masker(&[&secret]);
            let text = format!("{before}{secret}{after}");
            prop_assert!(!masker.text(&text).contains(&secret));
            let json = serde_json::to_string(&text).unwrap();
            let mut value = json!({ "a": [text] });
            masker.value(&mut value);
            prop_assert!(!value["a"][0].as_str().unwrap().contains(&secret));
            let escaped = serde_json::to_string(&secret).unwrap();
            let escaped = escaped.trim_matches('"');
            prop_assert!(!masker.text(&json).contains(escaped));
        }
    }
}
