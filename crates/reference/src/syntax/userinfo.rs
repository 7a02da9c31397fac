//! User info, the `user:password@` of addresses, and how it is kept out of sight (REF-5, REF-23).

use contexture_context::secrets;
use contexture_core::masker::Masker;
use std::borrow::Cow;

/// Protocols whose path begins with an authority, so that all before its `@` is user info.
const WITH_AUTHORITY: [&str; 8] = ["http", "https", "ftp", "ftps", "sftp", "ssh", "ws", "wss"];

/// Protocols whose path is a name of ours: an `@` in it is part of the name.
const WITHOUT_AUTHORITY: [&str; 5] = ["file", "memory", "knowledge", "context", "env"];

/// Returns where the user info ends that a path begins with; the path may have its query behind it.
///
/// Of protocols that nobody here knows, only what has a password is taken for user info.
pub(super) fn user_info(protocol: &str, path: &str) -> Option<usize> {
    let is = |known: &&str| protocol.eq_ignore_ascii_case(known);
    if WITHOUT_AUTHORITY.iter().any(is) {
        return None;
    }
    // Libraries pass over slashes too many before a host.
    let slashes = path.len() - path.trim_start_matches(['/', '\\']).len();
    let path = path.get(slashes..).unwrap_or_default();
    let end = path.find(['/', '\\', '?', '#']).unwrap_or(path.len());
    let authority = path.get(..end).unwrap_or_default();
    let has_user = |authority: &str| WITH_AUTHORITY.iter().any(is) || authority.contains(':');
    let whole = || path.rfind('@').map(|at| at + 1);
    let secret = match authority.rfind('@') {
        Some(at) if !has_user(authority.get(..at).unwrap_or_default()) => None,
        // No host behind it, or no port: it is a sign of the password.
        Some(at) if at + 1 == authority.len() => whole(),
        Some(at) if has_broken_port(authority.get(at + 1..).unwrap_or_default()) => whole(),
        Some(at) => Some(at + 1),
        None if has_broken_port(authority) => whole(),
        None => None,
    };
    secret.map(|secret| slashes + secret)
}

/// Reports whether what looks like a port can be none: then it is the beginning of a password with
/// a `/`, `?` or `#` in it that nobody encoded.
fn has_broken_port(authority: &str) -> bool {
    let after_address = authority.rsplit_once(']').map_or(authority, |(_, rest)| rest);
    after_address
        .split_once(':')
        .is_some_and(|(_, port)| port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns a text with the user info of every address in it removed, and what else looks like a
/// secret masked (GU-9): for messages of libraries, and for whatever else may quote an address.
///
/// ```
/// use contexture_reference::syntax::redact;
///
/// assert_eq!(redact("no answer from ftp://ann:secret@host/a"), "no answer from ftp://host/a");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let masker = Masker::default();
    match without(text, |_| String::new()) {
        Cow::Borrowed(text) => masker.text(text),
        Cow::Owned(text) => Cow::Owned(masker.text(&text).into_owned()),
    }
}

/// Returns a text with the user info of every address in it, and what else looks like a secret,
/// covered by asterisks, byte for byte: for excerpts of sources, in which places stay where they
/// are.
///
/// ```
/// use contexture_reference::syntax::cover;
///
/// assert_eq!(cover("read @ftp://ann:s@host/a"), "read @ftp://******host/a");
/// ```
#[must_use]
pub fn cover(text: &str) -> Cow<'_, str> {
    let covered = without(text, |secret| "*".repeat(secret.len()));
    let hidden: Vec<_> = secrets::find(&covered).iter().map(secrets::Found::hidden).collect();
    if hidden.is_empty() {
        return covered;
    }
    let mut text = covered.into_owned();
    for place in hidden {
        let stars: String = text.get(place.clone()).map(stars).unwrap_or_default();
        text.replace_range(place, &stars);
    }
    Cow::Owned(text)
}

/// Returns as many bytes of asterisks, with the lines of the text.
fn stars(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' }).collect()
}

/// Returns a text with something in place of all user info.
fn without(text: &str, instead: impl Fn(&str) -> String) -> Cow<'_, str> {
    let mut cleared = String::new();
    let mut kept = 0;
    // Looked for once in each word, as a word may hold any number of addresses.
    let (mut end, mut last_sign) = (0, None);
    for (slashes, _) in text.match_indices("://") {
        let start = slashes + 3;
        if start >= end {
            let rest = text.get(start..).unwrap_or_default();
            end = start + rest.find(ends_address).unwrap_or(rest.len());
            let word = text.get(start..end).unwrap_or_default();
            last_sign = word.rfind('@').map(|at| start + at);
        }
        if start < kept || last_sign.is_none_or(|at| at < start) {
            continue;
        }
        let address = text.get(start..end).unwrap_or_default();
        let Some(secret) = user_info(protocol_before(text, slashes), address) else { continue };
        cleared.push_str(text.get(kept..start).unwrap_or_default());
        cleared.push_str(&instead(address.get(..secret).unwrap_or_default()));
        kept = start + secret;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    cleared.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(cleared)
}

fn protocol_before(text: &str, colon: usize) -> &str {
    let before = text.get(..colon).unwrap_or_default();
    let is_name = |character: char| character.is_ascii_alphanumeric() || "_-+.".contains(character);
    before.get(before.trim_end_matches(is_name).len()..).unwrap_or_default()
}

/// Reports whether a text that ends before a path, or where its slashes are missing, names a
/// protocol whose paths hold no user info.
pub(super) fn is_local(text: &str) -> bool {
    let text = text.trim_end_matches('/');
    let protocol = protocol_before(text, text.trim_end_matches(':').len());
    WITHOUT_AUTHORITY.iter().any(|known| protocol.eq_ignore_ascii_case(known))
}

fn ends_address(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '"' | '<' | '>' | '`')
}
