//! Percent-encoding: bytes as `%E4` (REF-3).

use super::error::{Fault, FaultAt};
use std::borrow::Cow;
use std::fmt::Write;

/// Returns the byte that `%xx` at an offset stands for.
pub(super) fn byte(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    if bytes.get(at) != Some(&b'%') {
        return None;
    }
    u8::try_from(digit(at + 1)? * 16 + digit(at + 2)?).ok()
}

/// Returns the character that begins with the `%` at an offset, and the offset behind it.
///
/// A character is encoded whole or not at all: literal characters stand between whole ones, so that
/// each run of `%xx` is UTF-8 by itself.
pub(super) fn character(bytes: &[u8], at: usize) -> Result<(char, usize), FaultAt> {
    let length = match byte(bytes, at).ok_or(Fault::BadPercent.at(at))? {
        0..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return Err(Fault::NotUtf8.at(at)),
    };
    let mut buffer = [0; 4];
    for (index, slot) in buffer.iter_mut().take(length).enumerate() {
        let next = at + 3 * index;
        *slot = match byte(bytes, next) {
            Some(value) => value,
            None if bytes.get(next) == Some(&b'%') => return Err(Fault::BadPercent.at(next)),
            None => return Err(Fault::NotUtf8.at(at)),
        };
    }
    let text = buffer.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let character = text.and_then(|text| text.chars().next()).ok_or(Fault::NotUtf8.at(at))?;
    Ok((character, at + 3 * length))
}

/// Returns a text decoded; as written where it can't be (over http and https, which pass such on).
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, encoded)) = rest.split_once('%') {
        decoded.push_str(before);
        let at = rest.len() - encoded.len() - 1;
        let Ok((character, next)) = character(rest.as_bytes(), at) else {
            return Cow::Borrowed(text);
        };
        decoded.push(character);
        rest = rest.get(next..).unwrap_or_default();
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// Returns a name or a value as it is written in a query, so that it survives running text, too:
/// letters and digits of any script and `-_~/*+` stay, so do `.,:` before an ASCII letter or digit;
/// all else is percent-encoded.
///
/// ```
/// assert_eq!(contexture_reference::syntax::encode("5 & 6.5%."), "5%20%26%206.5%25%2E");
/// ```
#[must_use]
pub fn encode(value: &str) -> Cow<'_, str> {
    if value.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(value);
    }
    let mut encoded = String::with_capacity(value.len() + 8);
    let mut rest = value.chars();
    while let Some(character) = rest.next() {
        if is_plain(character, rest.as_str()) {
            encoded.push(character);
            continue;
        }
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            // Writing to a String can't fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    Cow::Owned(encoded)
}

fn is_plain(character: char, rest: &str) -> bool {
    match character {
        '-' | '_' | '~' | '/' | '*' | '+' => true,
        // Before anything else these end a reference in running text.
        '.' | ',' | ':' => rest.starts_with(|next: char| next.is_ascii_alphanumeric()),
        _ => character.is_alphanumeric(),
    }
}
