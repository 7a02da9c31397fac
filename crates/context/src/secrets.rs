//! Keys, tokens and passwords, recognised by their form (KN-13, GU-9).
//!
//! Decision: one set of patterns serves the warnings about a text, the masking of records, and the
//! masking of what a model sees. It covers the obvious: a pattern that hides every second word
//! would be turned off. Two walks over the text find all patterns: one stops at their beginnings,
//! one at the ends of the names before them.

mod named;
mod search;
mod signs;
mod tokens;

pub use named::{is_secret_field, is_secret_name};

use std::ops::Range;

/// The text in place of a secret, wherever one would stand.
pub const MASK: &str = "•••";

/// A probable secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its description: `GitHub token`.
    pub what: &'static str,
    /// Its place, in bytes.
    pub range: Range<usize>,
    /// The length of its beginning that may be shown: `ghp_`.
    pub shown: usize,
}

impl Found {
    /// Returns the place of the part that may not be shown.
    #[must_use]
    pub const fn hidden(&self) -> Range<usize> {
        self.range.start + self.shown..self.range.end
    }
}

/// Returns the probable secrets of a text in the order of their places, without overlaps.
///
/// ```
/// use contexture_context::secrets::find;
///
/// let text = "see https://h/a?sig=0a1b&x=1 with AKIAIOSFODNN7EXAMPLE";
/// let found: Vec<_> = find(text).iter().map(|found| text.get(found.hidden()).unwrap()).collect();
/// assert_eq!(found, ["0a1b", "IOSFODNN7EXAMPLE"]);
/// ```
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    apart(signs::find(text).into_iter().chain(named::find(text)))
}

/// What a record does without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InRecord {
    /// What [`find`] returns, and the texts of JSON fields whose name is that of a password or key,
    /// though they look like ordinary words.
    pub found: Vec<Found>,
    /// True if a field of JSON has such a name, whatever its value is.
    pub has_secret_name: bool,
}

/// Returns the probable secrets of a text in a record.
#[must_use]
pub fn find_in_record(text: &str) -> InRecord {
    let named = named::find_in_record(text);
    let found = apart(signs::find(text).into_iter().chain(named.found));
    InRecord { found, ..named }
}

fn apart(found: impl Iterator<Item = Found>) -> Vec<Found> {
    let mut found: Vec<Found> = found.collect();
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut end = 0;
    found.retain(|found| {
        let is_apart = found.range.start >= end;
        end = end.max(found.range.end);
        is_apart
    });
    found
}

/// Returns a line in which only the beginning of each probable secret stays, before `…`.
pub(crate) fn beginnings(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for found in find(line) {
        out.push_str(line.get(from..found.hidden().start).unwrap_or_default());
        out.push('…');
        from = found.range.end;
    }
    out.push_str(line.get(from..).unwrap_or_default());
    out
}

fn begins_word(text: &str, from: usize) -> bool {
    let before = text.get(..from).and_then(|before| before.chars().next_back());
    !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Counts the bytes from there on that are such characters.
fn run(text: &str, from: usize, is_part: impl Fn(char) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.len() - rest.trim_start_matches(is_part).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hidden(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|found| text.get(found.hidden()).unwrap()).collect()
    }

    #[test]
    fn gu_9_secret_parameter_of_url_is_found_and_others_stay() {
        for (text, secrets) in [
            ("GET https://h/a?sig=ab%2Fc&x=1", &["ab%2Fc"][..]),
            ("https://h/?a=1&token=t)", &["t"]),
            ("/download?api_key=abc&apikey=d#access_token=e", &["abc", "d", "e"]),
            ("?X-Amz-Credential=A%2F1&X-Amz-Signature=0f&X-Amz-Date=2", &["A%2F1", "0f"]),
            ("https://h/?key=AbCd1234efgh&page=2", &["AbCd1234efgh"]),
            ("https://h/?key=title&sort=sig&tokens=5", &[]),
            ("https://h/?token={token}&sig=${SIG}&secret=•••", &[]),
            ("https://ann:hunter2@h/", &["hunter2"]),
            ("a token = b, sig=c", &[]),
        ] {
            assert_eq!(hidden(text), secrets, "{text}");
        }
    }

    #[test]
    fn gu_9_credential_of_header_is_found() {
        for (text, secrets) in [
            ("Authorization: Bearer abc", &["abc"][..]),
            ("{\"authorization\":\"Basic YWJj\",\"a\":1}", &["YWJj"]),
            ("Proxy-Authorization: abc\nAccept: x", &["abc"]),
            ("X-Api-Key: s3cret\nHost: h", &["s3cret"]),
            ("Cookie: session=abc; b=c\nHost: h", &["session=abc; b=c"]),
            ("sent bearer abcdef0123456789, got 401", &["abcdef0123456789"]),
            ("the bearer of news, a Bearer instrument: Basic income", &[]),
            ("Authorization: Bearer •••, Cookie: chocolate", &[]),
            ("Authorization: Bearer ${TOKEN}", &[]),
        ] {
            assert_eq!(hidden(text), secrets, "{text}");
        }
    }

    #[test]
    fn gu_9_private_key_is_found_up_to_end() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nvQ==\n-----END RSA PRIVATE KEY-----";
        assert_eq!(hidden(&format!("a\n{key}\nb")), [key.split_once("KEY-----").unwrap().1]);
        assert_eq!(hidden("-----BEGIN PRIVATE KEY-----\nMIIE\nabc def."), ["\nMIIE\nabc"]);
        assert_eq!(hidden("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"), [""; 0]);
    }

    #[test]
    fn gu_9_search_in_hostile_text_is_linear() {
        for part in [
            "sk-",
            "eyJ",
            "-----BEGIN PRIVATE KEY-----",
            "password=",
            "?token=",
            "://a:b",
            "Authorization: Bearer ",
            "= ",
            "* ",
            "bearer ",
            "x-api-key:\"",
            "-----BEGIN ",
        ] {
            assert!(find(&part.repeat(50_000)).len() <= 50_000);
        }
    }

    proptest! {
        #[test]
        fn gu_9_finds_are_apart_and_on_borders_of_characters(text in "(\\PC|token=|://a:b@|\\?sig=|sk-|Bearer ){0,30}") {
            let mut end = 0;
            for found in find(&text) {
                prop_assert!(found.range.start >= end && found.shown <= found.range.len());
                prop_assert!(text.get(found.hidden()).is_some());
                end = found.range.end;
            }
        }
    }
}
