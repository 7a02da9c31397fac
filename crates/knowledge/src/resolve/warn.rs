//! What has to be said about a pack whatever it says (KN-5, KN-9).

use super::Missing;
use crate::index::{Area, View};
use crate::item::{CatalogItem, PackTrust, Profile, Status};
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

/// Returns what is to be said of a pack wherever its content is shown: its status, and who has
/// checked it.
#[must_use]
pub fn standing(item: &CatalogItem) -> Vec<String> {
    let name = &item.name;
    let status = match item.status {
        Status::Ready => None,
        Status::Draft => Some("is a draft: it is not finished"),
        Status::NeedsReview => Some("has the status needs-review: its gaps are not closed"),
        Status::Stale => Some("is stale: what it says may no longer be true"),
        Status::Disputed => Some("is disputed: what it says is contested"),
        Status::Archived => Some("is archived: it is kept and no longer in use"),
    };
    let trust = match item.trust {
        None => Some("declares no trust and counts as unreviewed: nobody has checked it"),
        Some(PackTrust::Unreviewed) => Some("is unreviewed: nobody has checked it"),
        Some(PackTrust::External) => Some("is external: it comes from somebody else"),
        Some(PackTrust::UserConfirmed | PackTrust::Official) => None,
    };
    [status, trust].into_iter().flatten().map(|what| format!("`{name}` {what}")).collect()
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
