//! Digests: identifiers of texts and values by content.
//!
//! Decision: SHA-256, written `sha256:<64 hex digits>`, so that a digest in a trace or a manifest
//! names its algorithm and can be checked with any tool. A JSON value is digested in one canonical
//! form (see [`canonical_json`]), so that equal values have equal digests whatever their key order
//! and spacing.
//!
//! ```
//! use contexture_context::Digest;
//! use serde_json::json;
//!
//! let one = Digest::of_json(&json!({"a": 1, "b": 2}));
//! let two = Digest::of_json(&json!({"b": 2.0, "a": 1}));
//! assert_eq!(one, two);
//! assert_eq!(one.to_string().parse(), Ok(one));
//! ```

use crate::recent::Recent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

const PREFIX: &str = "sha256:";

/// The bytes of a digest as it is written.
const LENGTH: usize = PREFIX.len() + 64;

/// Texts of the last calls, which the next ones mostly begin like.
static RECENT: Recent<Sha256> = Recent::new();

/// The SHA-256 of a text or of a value's canonical JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Digest([u8; 32]);

/// A text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `sha256:` and 64 lower-case hex digits, found `{found}`")]
pub struct DigestError {
    /// The beginning of the text, at most 80 characters.
    pub found: String,
}

impl Digest {
    /// Computes the digest of bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Computes the digest of a text's UTF-8 bytes.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let step = |hash: &mut Sha256, part: &str| hash.update(part);
        Self(RECENT.read(text, Sha256::new(), step).finalize().into())
    }

    /// Computes the digest of a value's [`canonical_json`].
    #[must_use]
    pub fn of_json(value: &Value) -> Self {
        Self::of_text(&canonical_json(value))
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the 64 hex digits, without the prefix.
    #[must_use]
    pub fn hex(&self) -> String {
        self.written(|text| text.strip_prefix(PREFIX).unwrap_or_default().to_owned())
    }

    /// Passes the digest as it is written on without allocating memory: a manifest holds dozens.
    fn written<T>(&self, then: impl FnOnce(&str) -> T) -> T {
        let mut text = [0; LENGTH];
        let (prefix, digits) = text.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX.as_bytes());
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        // It is always ASCII.
        then(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.written(|text| f.write_str(text))
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.written(|text| serializer.serialize_str(text))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        text.strip_prefix(PREFIX)
            .and_then(parse_hex)
            .map(Self)
            .ok_or_else(|| DigestError { found: text.chars().take(80).collect() })
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.written(str::to_owned)
    }
}

fn parse_hex(hex: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(bytes)
}

/// Returns the hex digit of four bits.
const fn digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble }
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Returns a value as JSON in canonical form: fields sorted by the code points of their names, no
/// spaces, and whole numbers without a fraction (`1.0` is `1`, as in AS-7).
///
/// It needs no recursion, so any depth is safe.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    enum Step<'a> {
        Value(&'a Value),
        Key(&'a str),
        Mark(u8),
    }
    let mut out = Vec::new();
    let mut steps = vec![Step::Value(value)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Mark(mark) => out.push(mark),
            Step::Key(key) => {
                write(key, &mut out);
                out.push(b':');
            }
            Step::Value(Value::Array(items)) => {
                out.push(b'[');
                steps.push(Step::Mark(b']'));
                for (index, item) in items.iter().enumerate().rev() {
                    steps.push(Step::Value(item));
                    if index > 0 {
                        steps.push(Step::Mark(b','));
                    }
                }
            }
            Step::Value(Value::Object(fields)) => {
                out.push(b'{');
                steps.push(Step::Mark(b'}'));
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(key, _)| *key);
                for (index, (key, field)) in fields.into_iter().enumerate().rev() {
                    steps.push(Step::Value(field));
                    steps.push(Step::Key(key));
                    if index > 0 {
                        steps.push(Step::Mark(b','));
                    }
                }
            }
            Step::Value(Value::Number(number)) => out.extend(canonical_number(number).into_bytes()),
            Step::Value(scalar) => write(scalar, &mut out),
        }
    }
    // Only whole strings and signs of ASCII were written.
    String::from_utf8(out).unwrap_or_default()
}

/// Writes a name or a scalar as JSON.
fn write(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    // Writing to memory can't fail.
    let _ = serde_json::to_writer(out, value);
}

fn canonical_number(number: &serde_json::Number) -> String {
    /// Below this, every whole `f64` is an exact `i64`.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < WHOLE => {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            let whole = float as i64;
            whole.to_string()
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_29_digest_is_sha256_of_utf8_text() {
        assert_eq!(
            Digest::of_text("abc").to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn gr_1_digest_of_text_that_begins_like_others_is_its_own() {
        // The first bytes of `é` and `è` are the same, wherever the texts part.
        let accents = format!(" {}", "é".repeat(40_000));
        for at in (0..4).flat_map(|near| [8_191 + near, 16_383 + near, 40_000 + near]) {
            let at = accents.floor_char_boundary(at);
            let (before, after) = accents.split_at(at);
            let other = format!("{before}{}", after.replacen('é', "è", 1));
            for text in [&accents, &other, &format!("{other}more"), before, &accents] {
                assert_eq!(Digest::of_text(text), Digest::of_bytes(text.as_bytes()), "{at}");
            }
        }
    }

    #[test]
    fn as_29_digest_reads_back_what_it_writes() {
        let digest = Digest::of_text("中");
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
        assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
    }

    #[test]
    fn as_29_invalid_digest_is_error() {
        let upper = Digest::of_text("a").to_string().to_uppercase();
        for bad in ["", "sha256:", "sha256:abc", "md5:00", &upper, "sha256:é", &"f".repeat(71)] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
        let long = "x".repeat(1000).parse::<Digest>().unwrap_err();
        assert_eq!(long.found.len(), 80);
    }

    #[test]
    fn as_30_canonical_json_ignores_order_and_number_spelling() {
        let value = json!({"b": [1.0, -0.0, 2.5, {"z": null, "a": "\n中"}], "a": {}});
        assert_eq!(canonical_json(&value), r#"{"a":{},"b":[1,0,2.5,{"a":"\n中","z":null}]}"#);
        assert_eq!(canonical_json(&json!([])), "[]");
        assert_eq!(canonical_json(&json!([[], [1]])), "[[],[1]]");
        assert_eq!(canonical_json(&json!(u64::MAX)), u64::MAX.to_string());
        assert_eq!(canonical_json(&json!(1e300)), json!(1e300).to_string());
    }

    #[test]
    fn as_30_canonical_json_takes_any_depth() {
        let mut value = json!(1);
        for _ in 0..20_000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(canonical_json(&value).len(), 40_001);
        // Dropping a deep value recurses in serde_json itself; take it apart instead.
        while let Value::Array(mut items) = value {
            value = items.pop().unwrap_or_default();
        }
    }
}
