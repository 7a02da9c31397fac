//! What has to be said about a pack wherever it is shown.

use crate::item::{CatalogItem, PackTrust, Status};

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
