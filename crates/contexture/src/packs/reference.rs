//! References to packs (REF-20).

use contexture_reference::syntax::Reference;
use contexture_reference::text;

/// The name of their protocol.
pub(crate) const KNOWLEDGE: &str = "knowledge";

/// Returns the pack of a path, and the path or pattern in it; empty for the pack itself.
pub(crate) fn parts_of(path: &str) -> (&str, &str) {
    path.split_once('/').unwrap_or((path, ""))
}

/// Returns the name of the knowledge pack that a reference leads to, within any wrappers; `None`
/// for other references and for text that is not a reference.
#[must_use]
pub fn pack_of(reference: &str) -> Option<String> {
    asked_of(reference).map(|asked| asked.pack)
}

/// A pack with the question that a reference asks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedOf {
    pub(crate) pack: String,
    pub(crate) query: Option<String>,
    pub(crate) budget: Option<u64>,
}

/// Returns the pack and the question of a reference, within any wrappers.
pub(crate) fn asked_of(reference: &str) -> Option<AskedOf> {
    let innermost = Reference::parse(reference).ok()?.innermost();
    let path = innermost.is_protocol(KNOWLEDGE).then(|| innermost.path())?;
    let query = innermost.query();
    let given = |name: &str| query.get(name).map(|value| value.into_owned());
    Some(AskedOf {
        pack: parts_of(path).0.to_owned(),
        query: given("query"),
        budget: given("max").and_then(|max| text::budget(&max)),
    })
}

/// Returns the pack and the path of its file that a reference leads to; the path is empty for the
/// pack itself.
pub(crate) fn file_in_pack(reference: &str) -> Option<(String, String)> {
    let innermost = Reference::parse(reference).ok()?.innermost();
    let path = innermost.is_protocol(KNOWLEDGE).then(|| innermost.path())?;
    let (pack, path) = parts_of(path);
    Some((pack.to_owned(), path.to_owned()))
}
