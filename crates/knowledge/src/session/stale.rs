//! Which of the loaded files have changed since.

use super::{Session, Source, SourceFile};
use crate::pack::Pack;
use contexture_context::Digest;
use serde::Serialize;

/// The largest file that is read again, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// A loaded file that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// The pack.
    pub pack: String,
    /// The file, relative to the pack; empty when the pack itself is gone.
    pub path: String,
    /// The change to it.
    pub change: Change,
}

/// A change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It says something else.
    Changed,
    /// It can't be read any more.
    Gone,
    /// The pack is not among the packs.
    PackGone,
}

impl Session {
    /// Returns what has changed under the guides and selections, each file once, by pack and path.
    /// Every file that was loaded is read again.
    #[must_use]
    pub fn stale(&self, packs: &[Pack]) -> Vec<Stale> {
        let mut found: Vec<Stale> =
            self.sources().flat_map(|source| changes(source, packs)).collect();
        found.sort_by(|left, right| (&left.pack, &left.path).cmp(&(&right.pack, &right.path)));
        found.dedup();
        found
    }
}

/// Returns what has changed of one source.
pub(super) fn changes(source: &Source, packs: &[Pack]) -> Vec<Stale> {
    let stale =
        |path: &str, change| Stale { pack: source.pack.clone(), path: path.to_owned(), change };
    let Some(pack) = packs.iter().find(|pack| pack.item().name == source.pack) else {
        return vec![stale("", Change::PackGone)];
    };
    let change = |file: &SourceFile| match pack.read(&file.path, MAX_FILE_BYTES) {
        Err(_) => Some(stale(&file.path, Change::Gone)),
        Ok(text) if Digest::of_text(&text) != file.digest => {
            Some(stale(&file.path, Change::Changed))
        }
        Ok(_) => None,
    };
    source.files.iter().filter_map(change).collect()
}
