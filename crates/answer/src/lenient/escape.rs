//! Escapes in strings: those of JSON, those of other languages, and backslashes without a meaning.
//!
//! An escape that no language shares (`\d`, `\alpha`, `\Users`) keeps its backslash: models write
//! regular expressions, formulas and paths without doubling it, and dropping it would lose text.

use crate::repair::{Notes, RepairKind};

/// Removes one layer of escapes from a text.
pub(crate) fn unescape_once(text: &str) -> String {
    unescape(text, 0, &mut Notes::default())
}

/// Replaces the escapes of `raw`, which begins at byte `at` of the answer.
pub(super) fn unescape(raw: &str, at: usize, notes: &mut Notes) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, tail)) = rest.split_once('\\') {
        out.push_str(plain);
        let here = at + (raw.len() - tail.len()).saturating_sub(1);
        rest = escape(tail, here, &mut out, notes);
    }
    out.push_str(rest);
    out
}

/// Decodes one escape, given the text after the backslash; returns the rest.
fn escape<'a>(tail: &'a str, at: usize, out: &mut String, notes: &mut Notes) -> &'a str {
    let mut chars = tail.chars();
    let Some(c) = chars.next() else {
        out.push('\\');
        notes.add(RepairKind::OtherEscape, at);
        return "";
    };
    let after = chars.as_str();
    match c {
        '"' | '\\' | '/' => out.push(c),
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'u' => return unicode(after, at, out, notes),
        _ => {
            notes.add(RepairKind::OtherEscape, at);
            return foreign(c, after, out);
        }
    }
    after
}

/// Decodes escapes that JSON does not have.
fn foreign<'a>(c: char, after: &'a str, out: &mut String) -> &'a str {
    if super::chars::quote(c).is_some() {
        out.push(c);
        return after;
    }
    let digits = match c {
        'x' => 2,
        'U' => 8,
        _ => 0,
    };
    if digits > 0
        && let Some((code, rest)) = hex(after, digits)
        && let Some(decoded) = char::from_u32(code)
    {
        out.push(decoded);
        return rest;
    }
    out.push('\\');
    out.push(c);
    after
}

/// Decodes `\uXXXX`, a pair of them, or `\u{…}`; `after` follows the `u`.
fn unicode<'a>(after: &'a str, at: usize, out: &mut String, notes: &mut Notes) -> &'a str {
    let Some((code, rest)) = hex(after, 4) else {
        notes.add(RepairKind::OtherEscape, at);
        return braced(after, out);
    };
    if let Some(c) = char::from_u32(code) {
        out.push(c);
        return rest;
    }
    if let Some((low, beyond)) = rest.strip_prefix("\\u").and_then(|text| hex(text, 4))
        && let Some(c) = pair(code, low)
    {
        out.push(c);
        return beyond;
    }
    notes.add(RepairKind::LoneSurrogate, at);
    out.push(char::REPLACEMENT_CHARACTER);
    rest
}

fn braced<'a>(after: &'a str, out: &mut String) -> &'a str {
    let decoded = after
        .strip_prefix('{')
        .and_then(|text| text.split_once('}'))
        .filter(|(digits, _)| matches!(digits.len(), 1..=6))
        .and_then(|(digits, rest)| {
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        });
    match decoded {
        Some((c, rest)) => {
            out.push(c);
            rest
        }
        None => {
            out.push_str("\\u");
            after
        }
    }
}

fn hex(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (head, rest) = text.split_at_checked(digits)?;
    if !head.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(head, 16).ok()?, rest))
}

fn pair(high: u32, low: u32) -> Option<char> {
    let high = high.checked_sub(0xD800).filter(|part| *part < 0x400)?;
    let low = low.checked_sub(0xDC00).filter(|part| *part < 0x400)?;
    char::from_u32(0x10000 + (high << 10) + low)
}
