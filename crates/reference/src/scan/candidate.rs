//! Tests whether an `@` may begin a reference, by a few bytes around it (REF-6).

use crate::syntax::{MAX_DEPTH, read_head};

/// Protocols that are built in. Their name and a colon mean a reference even where the slashes are
/// missing.
const SOURCES: [&[u8]; 10] = [
    b"file",
    b"http",
    b"https",
    b"ftp",
    b"sftp",
    b"ssh",
    b"memory",
    b"knowledge",
    b"context",
    b"env",
];

/// Returns where the text begins that the rules for the end of a reference apply to, when the `@`
/// at an offset looks like the begin of a reference. When nothing follows there, it is none.
pub(super) fn body(bytes: &[u8], sign: usize) -> Option<usize> {
    let is_after_word = sign.checked_sub(1).and_then(|before| bytes.get(before));
    if is_after_word.is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let prefix = if matches!(bytes.get(sign + 1), Some(b'!' | b'?')) { 2 } else { 1 };
    // Most `@` stop here.
    let first = bytes.get(sign + prefix).filter(|byte| is_of_word(**byte))?;
    let is_name = first.is_ascii_alphabetic();
    let body = head_end(bytes, sign, prefix, is_name)?;
    if is_escaped(bytes, sign) { None } else { Some(body) }
}

fn head_end(bytes: &[u8], sign: usize, prefix: usize, is_name: bool) -> Option<usize> {
    match read_head(bytes, sign) {
        Ok(head) => {
            let location = head.colon + 1;
            let name = bytes.get(head.name..head.colon)?;
            let is_source = SOURCES.iter().any(|known| known.eq_ignore_ascii_case(name));
            let is_sure = is_source || prefix == 2;
            let looks_right = leads_to_path(bytes, location)
                || bytes.get(location) == Some(&b'@') && has_head(bytes, location)
                || is_sure;
            looks_right.then_some(location)
        }
        // No name of a protocol, but written like one: `@1x://a`, `@a.b://c`.
        Err(_) => {
            let rest = bytes.get(sign + prefix..)?;
            let name = rest.iter().take_while(|byte| is_of_word(**byte)).count();
            let is_url = rest.get(name..)?.starts_with(b"://");
            let is_wrong = !is_name || rest.get(..name)?.iter().any(|byte| b".+".contains(byte));
            (is_url && is_wrong).then_some(sign + prefix + name + 1)
        }
    }
}

/// Reports whether levels of the short form lead to `//` from an offset on.
fn leads_to_path(bytes: &[u8], location: usize) -> bool {
    let mut at = location;
    for _ in 0..=MAX_DEPTH {
        if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"//")) {
            return true;
        }
        let Ok(head) = read_head(bytes, at) else {
            return false;
        };
        at = head.colon + 1;
    }
    // Deeper than any reference: an error worth telling.
    true
}

fn has_head(bytes: &[u8], at: usize) -> bool {
    read_head(bytes, at).is_ok()
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+".contains(&byte)
}

/// Reports whether a backslash that is not escaped itself stands before the `@`.
fn is_escaped(bytes: &[u8], sign: usize) -> bool {
    let before = bytes.get(..sign).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
