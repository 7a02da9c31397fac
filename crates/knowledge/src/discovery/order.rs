//! Precedence: of several packs with one name, which is meant (KN-2, KN-3).

use super::cache::Candidate;
use super::options::{DiscoveryOptions, Found};
use super::walk::Searched;
use crate::codes;
use crate::finding::Finding;
use crate::item::{CatalogItem, Scope, Status};
use crate::pack::Pack;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Returns the packs that are used, in their order; remarks on the others go to `findings`.
pub(super) fn settle(
    searched: Vec<Searched>,
    built_in: &[Pack],
    options: &DiscoveryOptions,
    findings: &mut Vec<Finding>,
) -> Vec<Found> {
    let mut order = Order { options, taken: HashMap::new(), packs: Vec::new(), findings };
    let searched_count = searched.len();
    for (location, searched) in searched.into_iter().enumerate() {
        order.findings.extend(searched.findings);
        for candidate in searched.packs {
            order.candidate(*candidate, searched.scope, location);
        }
    }
    for pack in built_in {
        order.pack(pack.item().clone(), Scope::BuiltIn, searched_count);
    }
    let mut packs = order.packs;
    packs
        .sort_by(|left, right| (left.scope, &left.item.name).cmp(&(right.scope, &right.item.name)));
    packs
}

struct Order<'o> {
    options: &'o DiscoveryOptions,
    /// The pack of each name: its folder, and the number of its location.
    taken: HashMap<String, (PathBuf, usize)>,
    packs: Vec<Found>,
    findings: &'o mut Vec<Finding>,
}

impl Order<'_> {
    fn candidate(&mut self, candidate: Candidate, scope: Scope, location: usize) {
        if candidate.root.to_str().is_none() {
            let code = codes::PATH_NOT_TEXT;
            let message = "the path of the pack is not UTF-8 text; the pack is left out";
            self.findings.push(Finding::explained(code, &candidate.root, message));
            return;
        }
        self.findings.extend(candidate.read.findings);
        if let Some(item) = candidate.read.item {
            self.pack(item, scope, location);
        }
    }

    fn pack(&mut self, item: CatalogItem, scope: Scope, location: usize) {
        if item.status == Status::Archived && !self.options.archived {
            return;
        }
        if let Some((first, of)) = self.taken.get(&item.name) {
            if let Some(finding) = told_apart(&item, first, *of == location) {
                self.findings.push(finding);
            }
            return;
        }
        self.taken.insert(item.name.clone(), (item.pack_root.clone(), location));
        self.packs.push(Found { item, scope });
    }
}

/// Returns the finding for a pack whose name is taken; none when it is the same folder once more.
fn told_apart(item: &CatalogItem, first: &Path, is_same_location: bool) -> Option<Finding> {
    let (name, root) = (&item.name, &item.pack_root);
    let is_same = match (root.canonicalize(), first.canonicalize()) {
        (Ok(root), Ok(first)) => root == first,
        _ => root == first,
    };
    if is_same {
        return None;
    }
    let first = first.display();
    let (code, message) = if is_same_location {
        (codes::NAME_COLLISION, format!("the name `{name}` is taken by the pack in `{first}`"))
    } else {
        (codes::SHADOWED, format!("the pack `{name}` is shadowed by the one in `{first}`"))
    };
    Some(Finding::explained(code, &item.location, message))
}
