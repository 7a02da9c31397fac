//! From a reference to its canonical text (REF-5).

use super::Reference;
use super::query::Pair;
use super::userinfo;
use std::borrow::Cow;

pub(super) fn canonical(reference: Reference<'_>) -> String {
    let mut text = String::with_capacity(reference.as_str().len() + reference.depth());
    heads(reference, &mut text);
    text.push_str(reference.path());
    query(reference, &mut text);
    text
}

pub(super) fn public(reference: Reference<'_>) -> String {
    let mut text = String::with_capacity(reference.as_str().len() + reference.depth());
    heads(reference, &mut text);
    let innermost = reference.innermost();
    let path = reference.path();
    let address = innermost.tail();
    match userinfo::user_info(innermost.protocol(), address) {
        // A `?` that nobody encoded has torn a password apart.
        Some(end) if end > path.len() => {
            push_redacted(address.get(end..).unwrap_or_default(), &mut text);
        }
        end => {
            // Path and query in one text: an address may begin in one and end in the other.
            let mut rest = path.get(end.unwrap_or_default()..).unwrap_or_default().to_owned();
            query(reference, &mut rest);
            push_redacted(&rest, &mut text);
        }
    }
    text
}

/// Appends a path with its query, which may hold whole addresses, as those of archives and proxies
/// do.
fn push_redacted(path: &str, text: &mut String) {
    // A reference has a path, also before its query.
    if path.is_empty() || path.starts_with('?') {
        text.push('…');
    }
    text.push_str(&userinfo::redact(path));
}

fn heads(reference: Reference<'_>, text: &mut String) {
    for level in reference.levels() {
        text.push_str(level.semantics().prefix());
        text.extend(level.protocol().chars().map(|character| character.to_ascii_lowercase()));
        text.push(':');
    }
    text.push_str("//");
}

fn query(reference: Reference<'_>, text: &mut String) {
    if reference.raw_query().is_none() {
        return;
    }
    let mut pairs: Vec<(Cow<'_, str>, Pair<'_>)> =
        reference.query().pairs().map(|pair| (pair.name(), pair)).collect();
    // Stable: of a name that a server takes several times, the order matters.
    pairs.sort_by(|left, right| left.0.cmp(&right.0));
    for (index, (_, pair)) in pairs.iter().enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        text.push_str(pair.raw());
    }
}
