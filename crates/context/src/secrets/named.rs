//! Secrets that a name before them gives away: passwords, headers, parameters and logins of URLs.

use super::search::Search;
use super::{Found, InRecord, MASK, begins_word, run};
use std::ops::Range;
use std::sync::LazyLock;

/// Names whose value is a password or key when it is written out, in lower case.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secret_key",
    "client_secret",
    "api_key",
    "apikey",
    "api-key",
    "token",
    "access_key",
    "private_key",
    "密码",
    "密钥",
    "口令",
];

/// Headers that carry a credential, in lower case; a name may end with one.
const HEADERS: &[&str] = &[
    "api-key",
    "auth-token",
    "access-token",
    "private-token",
    "security-token",
    "subscription-key",
];

/// Parameters of URLs that are secret whatever their value is, in lower case.
const PARAMETERS: &[&str] = &[
    "sig",
    "signature",
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "auth_token",
    "session_token",
    "private_token",
    "api_key",
    "apikey",
    "api-key",
    "x-api-key",
    "subscription-key",
    "secret",
    "client_secret",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "access_key",
    "jwt",
    "x-amz-signature",
    "x-amz-credential",
    "x-amz-security-token",
    "x-goog-signature",
    "x-goog-credential",
];

/// Parameters of URLs that are secret when their value is random.
const MAYBE: &[&str] = &["key", "auth", "code", "credential", "session", "sessionid", "sid"];

const PASSWORD: &str = "password or key";
const HEADER: &str = "credential of a header";

/// The one of [`NAMES`] that also names ordinary words: a part of a text.
const AMBIGUOUS: &str = "token";

/// Reports whether a field of this name holds a password or key, whatever its value looks like.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    NAMES.iter().any(|known| *known != AMBIGUOUS && ends(name, known))
}

/// Reports whether a field's text is a secret by its name and its form.
#[must_use]
pub fn is_secret_field(name: &str, value: &str) -> bool {
    NAMES.iter().any(|known| ends(name, known)) && is_secret_value(value)
}

/// The ends of all names of secrets, in lower case; none begins within another.
const ENDS: &[&str] = &[
    "word", "sswd", "rase", "cret", "_key", "ikey", "-key", "oken", "密码", "密钥", "口令",
    "zation", "ookie",
];

static SEARCH: LazyLock<Search> = LazyLock::new(|| Search::new(ENDS.to_vec()));

/// Finds `password = "…"`, `Authorization: …` and `?sig=…`.
pub(super) fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut done = 0;
    for at in places(text) {
        if at >= done
            && let Some(sign) = sign(text.as_bytes(), at)
            && let Some((one, end)) = behind(text, at, &sign)
        {
            found.extend(one);
            done = end;
        }
    }
    found
}

/// Finds these, and also `"password": "…"` of JSON whose value looks like an ordinary word.
pub(super) fn find_in_record(text: &str) -> InRecord {
    let mut record = InRecord { found: Vec::new(), has_secret_name: false };
    let mut done = 0;
    for at in places(text) {
        let is_name = json_name(text.get(..at).unwrap_or_default()).is_some();
        record.has_secret_name |= is_name;
        let Some(sign) = sign(text.as_bytes(), at).filter(|_| at >= done) else { continue };
        let of_field = if is_name { json_field(text, at + sign.length) } else { None };
        if let Some((all, end)) = of_field {
            record.found.extend(all);
            done = end;
        } else if let Some((one, end)) = behind(text, at, &sign) {
            record.found.extend(one);
            done = end;
        }
    }
    record
}

/// Returns the secret behind a sign, and where to go on.
fn behind(text: &str, at: usize, sign: &Sign) -> Option<(Option<Found>, usize)> {
    let (before, after) = (text.get(..at).unwrap_or_default(), at + sign.length);
    let of_parameter = if sign.is_equals { parameter(text, before, after) } else { None };
    let (found, end) = of_parameter.or_else(|| field(text, before, after))?;
    Some((found.filter(|found| !found.range.is_empty()), end))
}

/// Returns the places of the signs before which a secret name may stand, in order. JSON is full of
/// colons: names are fewer.
fn places(text: &str) -> Vec<usize> {
    let (bytes, lower) = (text.as_bytes(), in_lower_case(text));
    let names = SEARCH.find(&lower).into_iter();
    let mut places: Vec<usize> =
        names.filter_map(|(_, name)| sign_behind(bytes, name.end)).collect();
    let parameters = memchr::memchr_iter(b'=', bytes);
    places.extend(parameters.filter(|at| text.get(..*at).is_some_and(ends_parameter)));
    places.sort();
    places.dedup();
    places
}

/// Returns a text with the letters of ASCII in lower case. Eight bytes at a time: a binary that is
/// optimised for size takes one at a time otherwise, which would be half the cost of the search.
fn in_lower_case(text: &str) -> Vec<u8> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let mut out = text.as_bytes().to_vec();
    let (words, rest) = out.as_chunks_mut::<8>();
    for bytes in words {
        let word = u64::from_le_bytes(*bytes);
        // The highest bit of each byte tells whether the rest of it is at least `A`, or above `Z`.
        let low = word & (ONES * 0x7F);
        let (from_a, above_z) = (low + ONES * (0x80 - 0x41), low + ONES * (0x7F - 0x5A));
        let capital = from_a & !above_z & !word & (ONES * 0x80);
        *bytes = (word | capital >> 2).to_le_bytes();
    }
    rest.make_ascii_lowercase();
    out
}

/// Returns the place of the sign behind the end of a name, which may be quoted.
fn sign_behind(bytes: &[u8], end: usize) -> Option<usize> {
    let quotes = bytes.get(end..)?.iter().take_while(|byte| is_quote(**byte)).count();
    sign(bytes, end + quotes).map(|_| end + quotes)
}

/// Reports whether the name of a parameter of an address stands at the end.
fn ends_parameter(before: &str) -> bool {
    let name = last_name(before);
    !name.is_empty()
        && before.strip_suffix(name).is_some_and(|rest| rest.ends_with(['?', '&', '#', ';']))
}

/// A sign between a name and its value.
struct Sign {
    length: usize,
    is_equals: bool,
}

/// Returns the sign between a name and its value that stands there, also in full width.
fn sign(bytes: &[u8], at: usize) -> Option<Sign> {
    match bytes.get(at..)? {
        [b':', ..] => Some(Sign { length: 1, is_equals: false }),
        [b'=', ..] => Some(Sign { length: 1, is_equals: true }),
        [0xEF, 0xBC, 0x9A | 0x9D, ..] => Some(Sign { length: 3, is_equals: false }),
        _ => None,
    }
}

/// Returns the value of a secret parameter, and where to go on.
fn parameter(text: &str, before: &str, from: usize) -> Option<(Option<Found>, usize)> {
    if !ends_parameter(before) {
        return None;
    }
    let name = last_name(before);
    let is = |list: &[&str]| list.iter().any(|known| name.eq_ignore_ascii_case(known));
    let (certain, maybe) = (is(PARAMETERS), is(MAYBE));
    if !certain && !maybe {
        return None;
    }
    let ends = |c: char| c.is_whitespace() || c.is_control() || "&#;\"'`<>()[],\\".contains(c);
    let end = from + run(text, from, |c| !ends(c));
    // What ends a sentence is not a part of its address.
    let value = text.get(from..end)?.trim_end_matches(['.', ':', '!', '?']);
    let end = from + value.len();
    let is_secret = if certain { is_written(value) } else { is_secret_value(value) };
    let found = Found { what: "secret parameter of an address", range: from..end, shown: 0 };
    Some((is_secret.then_some(found), end))
}

/// Returns the name of a secret in quotes that a text ends with.
fn json_name(before: &str) -> Option<&str> {
    let name = before.trim_end().strip_suffix('"')?;
    is_secret_name(name).then_some(name)
}

/// Returns the text or the number of a field of JSON that holds a password or key, or those in its list,
/// and where to go on.
fn json_field(text: &str, from: usize) -> Option<(Vec<Found>, usize)> {
    let start = from + run(text, from, char::is_whitespace);
    if !text.get(start..)?.starts_with('[') {
        let end = json_value(text, start)?;
        return Some((written(text, start..end), end));
    }
    let between = |from| from + run(text, from, |c| c == ',' || c.is_whitespace());
    let (mut found, mut at) = (Vec::new(), between(start + 1));
    while let Some(end) = json_value(text, at) {
        found.extend(written(text, at..end));
        at = between(end);
    }
    Some((found, at))
}

/// Returns the end of the text or the number that stands there in JSON.
fn json_value(text: &str, from: usize) -> Option<usize> {
    let Some(rest) = text.get(from..)?.strip_prefix('"') else {
        let digits = run(text, from, |c| c.is_ascii_digit() || "-+.eE".contains(c));
        return (digits > 0).then_some(from + digits);
    };
    let mut is_escaped = false;
    let length = rest.find(|c: char| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    Some(from + length + 2)
}

/// Returns what is written out of a value of JSON, without its quotes.
fn written(text: &str, range: Range<usize>) -> Vec<Found> {
    let value = text.get(range.clone()).unwrap_or_default();
    let quote = usize::from(value.starts_with('"'));
    let range = range.start + quote..range.end - quote;
    let is_secret = text.get(range.clone()).is_some_and(is_written);
    is_secret.then_some(Found { what: PASSWORD, range, shown: 0 }).into_iter().collect()
}

/// A kind of field, by its name.
enum Kind {
    Authorization,
    Cookie,
    Header,
    Password,
}

/// Returns the kind of a field with a secret name.
fn kind(name: &str) -> Option<Kind> {
    let last = last_name(name);
    let is_cookie = |known: &str| last.eq_ignore_ascii_case(known);
    if ends(last, "authorization") {
        return Some(Kind::Authorization);
    }
    if is_cookie("cookie") || is_cookie("set-cookie") {
        return Some(Kind::Cookie);
    }
    // A header's name has a word before these: `x-api-key`.
    if HEADERS.iter().any(|known| last.len() > known.len() && ends(last, known)) {
        return Some(Kind::Header);
    }
    NAMES.iter().any(|known| ends(name, known)).then_some(Kind::Password)
}

/// Returns the value of a field or header with a secret name, and where to go on.
fn field(text: &str, before: &str, from: usize) -> Option<(Option<Found>, usize)> {
    let end = before.as_bytes().iter().rposition(|byte| !is_quote(*byte))?;
    let kind = kind(before.get(..=end)?)?;
    let start = from + run(text, from, |c| u8::try_from(c).is_ok_and(is_quote) || c == '=');
    if matches!(kind, Kind::Authorization) {
        return Some(authorization(text, start));
    }
    let is_cookie = matches!(kind, Kind::Cookie);
    let is_part = |c: char| match is_cookie {
        true => !"\"'\r\n\\".contains(c),
        false => !c.is_whitespace() && !"\"'`,;<>，。；\\".contains(c),
    };
    let end = start + run(text, start, is_part);
    let value = text.get(start..end).unwrap_or_default();
    let (what, is_secret) = match kind {
        Kind::Cookie => (HEADER, value.contains('=') && is_written(value)),
        Kind::Header => (HEADER, value.len() >= 6 && is_written(value)),
        _ => (PASSWORD, is_secret_value(value)),
    };
    Some((is_secret.then_some(Found { what, range: start..end, shown: 0 }), end))
}

/// Reports whether a sign stands around a name or a value.
const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b' ' | b'\t' | b'*' | b'\\')
}

/// Returns the credential of an `Authorization` header, without its scheme.
fn authorization(text: &str, start: usize) -> (Option<Found>, usize) {
    let word = start + run(text, start, |c| c.is_ascii_alphanumeric() || c == '-');
    let start = if text.get(word..).is_some_and(|rest| rest.starts_with(' ')) {
        word + run(text, word, |c| c == ' ')
    } else {
        start
    };
    let end = start + run(text, start, |c| !c.is_whitespace() && !"\"'`,;<>{}\\".contains(c));
    let is_secret = text.get(start..end).is_some_and(is_written);
    (is_secret.then_some(Found { what: HEADER, range: start..end, shown: 0 }), end)
}

/// What a bearer's token follows, whatever the case of its first letter.
pub(super) const BEARER: &str = "earer ";

/// Returns the token behind the `earer ` that stands there, and where to go on.
pub(super) fn bearer(text: &str, at: usize) -> (Option<Found>, usize) {
    let from = at + BEARER.len();
    let first = at.checked_sub(1).filter(|first| begins_word(text, *first));
    if !first.is_some_and(|first| text.get(first..at).is_some_and(|b| b == "B" || b == "b")) {
        return (None, from);
    }
    let end = from + run(text, from, |c| c.is_ascii_alphanumeric() || "-._~+/=".contains(c));
    let is_token = text.get(from..end).is_some_and(|value| {
        value.len() >= 8 && value.contains(|c: char| c.is_ascii_digit()) && is_written(value)
    });
    (is_token.then_some(Found { what: HEADER, range: from..end, shown: 0 }), end)
}

/// What stands before the host of an address.
pub(super) const ADDRESS: &str = "://";

/// Returns the password in the `://user:password@host` that stands there, and where to go on.
pub(super) fn login(text: &str, at: usize) -> (Option<Found>, usize) {
    let from = at + ADDRESS.len();
    let end = from + run(text, from, |c| !c.is_whitespace() && !"/?#\"'<>`".contains(c));
    let login = text.get(from..end).and_then(|part| part.rsplit_once('@'));
    let Some((user, password)) = login.and_then(|(login, _)| login.split_once(':')) else {
        return (None, end);
    };
    let is_secret = password.chars().count() >= 4 && !password.starts_with(['$', '{', '*', '•']);
    let from = from + user.len() + 1;
    let range = from..from + password.len();
    let found = Found { what: "password in an address", range, shown: 0 };
    (is_secret.then_some(found), end)
}

/// Returns the name that a text ends with.
fn last_name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.get(text.trim_end_matches(is_part).len()..).unwrap_or_default()
}

fn ends(text: &str, word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).and_then(|from| text.get(from..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
}

/// Reports whether a value is written out, not a placeholder for one.
fn is_written(value: &str) -> bool {
    value.contains(|c: char| c.is_alphanumeric())
        && !value.starts_with(['{', '$', '<', '•', '*', '…'])
        && !value.contains(MASK)
}

/// Reports whether a value is neither a placeholder nor an ordinary word.
fn is_secret_value(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let lower = value.to_ascii_lowercase();
    let is_placeholder = ["your", "example", "xxxx", "****", "${", "{{", "changeme", MASK, "env."]
        .iter()
        .any(|word| lower.contains(word));
    value.chars().count() >= 8
        && has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
        && !is_placeholder
        && !value.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gu_9_end_of_each_secret_name_is_searched() {
        let others = ["authorization", "cookie", "set-cookie"];
        for name in NAMES.iter().chain(HEADERS).chain(&others) {
            assert_eq!(ENDS.iter().filter(|end| name.ends_with(**end)).count(), 1, "{name}");
            let upper = format!("a {} \": b", name.to_uppercase());
            assert_eq!(places(&upper), [upper.len() - 3], "{name}");
        }
        let begins = |end: &str| ENDS.iter().any(|other| other.starts_with(end));
        for end in ENDS {
            let later = end.char_indices().skip(1).filter_map(|(at, _)| end.get(at..));
            assert!(later.into_iter().all(|later| !begins(later)), "{end}");
        }
        assert_eq!(places("a: 1, b=2, ?c=3, token token=4 x"), [13, 28]);
    }

    #[test]
    fn gu_9_every_byte_of_ascii_has_its_lower_case() {
        let all: String = (0..=127_u8).map(char::from).collect();
        assert_eq!(in_lower_case(&all), all.to_ascii_lowercase().as_bytes());
    }

    proptest! {
        #[test]
        fn gu_9_lower_case_is_that_of_ascii(text in "[\\PC]{0,40}") {
            prop_assert_eq!(in_lower_case(&text), text.to_ascii_lowercase().into_bytes());
        }
    }
}
