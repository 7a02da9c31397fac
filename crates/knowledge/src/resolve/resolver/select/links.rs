//! Links from a section to pages of its pack.

use crate::anchor::{decoded, joined};
use crate::index::Listing;
use crate::linking::candidates;
use crate::section::stem;

/// The most links of one section that are followed.
const MAX_LINKS: usize = 50;

/// Returns the pages of the pack that a text in the file `from` links to: `[text](page.md)`,
/// `[[page]]`.
pub(super) fn pages(text: &str, from: &str, listing: &Listing) -> Vec<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    for target in targets(text).into_iter().take(MAX_LINKS) {
        let target = decoded(target.split('#').next().unwrap_or_default().trim());
        if target.is_empty() || target.contains("://") {
            continue;
        }
        let tries = [joined(folder, &target), joined("", &target)];
        let direct = tries.iter().flatten().flat_map(|path| candidates(path));
        let page = direct.into_iter().find(|path| listing.contains_key(path));
        found.extend(page.or_else(|| by_name(&target, listing)));
    }
    found
}

/// `[[page name]]` names a page by its file name, wherever in the wiki it is.
fn by_name(name: &str, listing: &Listing) -> Option<String> {
    let wanted = plain(stem(name));
    let is_it = |path: &&String| path.starts_with("wiki/") && plain(stem(path)) == wanted;
    listing.keys().filter(is_it).min().cloned()
}

fn plain(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_whitespace() || c == '_' { '-' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

fn targets(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("](") {
        let rest = text.get(at + 2..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        if let Some((target, _)) = line.split_once(')') {
            let target = target.trim().trim_start_matches('<').trim_end_matches('>');
            found.push(target.split([' ', '\t']).next().unwrap_or_default());
        }
    }
    for (at, _) in text.match_indices("[[") {
        let rest = text.get(at + 2..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        if let Some((target, _)) = line.split_once("]]") {
            found.push(target.split('|').next().unwrap_or_default());
        }
    }
    found
}
