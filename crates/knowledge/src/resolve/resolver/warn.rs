//! What has to be said about a pack whatever it says (KN-5, KN-9).

use super::{Missing, standing};
use crate::index::{Area, View};
use crate::item::{CatalogItem, Profile};
use crate::said::quote;

/// The most missing facts that a warning names.
const MOST_NAMED: usize = 5;

/// Warnings about a pack itself: its status, its trust, what its profile promises and it lacks.
pub(super) fn of_pack(item: &CatalogItem, view: &View) -> Vec<String> {
    let mut warnings = standing(item);
    if item.profile == Profile::DocumentFirst {
        warnings.extend(document_gaps(item, view));
    }
    warnings
}

/// Returns the warning about facts that are missing, in one sentence; the list has all of them.
pub(super) fn of_missing(missing: &[Missing]) -> Option<String> {
    let (named, more) = missing.split_at(missing.len().min(MOST_NAMED));
    let named: Vec<String> = named.iter().map(|fact| format!("`{}`", fact.fact)).collect();
    if named.is_empty() {
        return None;
    }
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let named = named.join(", ");
    Some(format!("missing: nothing is known about {named}{more}; ask user or mark unknown"))
}

fn document_gaps(item: &CatalogItem, view: &View) -> Vec<String> {
    let name = &item.name;
    let mut gaps = Vec::new();
    let has_documents = view.listing.keys().any(|path| path.starts_with("documents/"));
    if !has_documents {
        gaps.push(format!("`{name}` is document-first, but `documents/` is missing"));
    }
    match item.metadata.primary_document.as_deref() {
        None if item.primary_is_outside() => gaps.push(format!(
            "`{name}` is document-first, but its primary document lies outside the pack and is \
             ignored"
        )),
        None => gaps.push(format!(
            "`{name}` is document-first, but its primary document is missing: `KNOWLEDGE.md` \
             declares no `metadata.primaryDocument`"
        )),
        Some(path) => {
            let plain = path.strip_prefix("./").unwrap_or(path);
            if !view.listing.contains_key(plain) {
                gaps.push(format!(
                    "`{name}` is document-first, but its primary document `{}` is missing",
                    quote(path)
                ));
            }
        }
    }
    if !view.opened.state.has(Area::Split) {
        gaps.push(format!("`{name}` is document-first, but `compiled/splits/` is missing"));
    }
    gaps
}
