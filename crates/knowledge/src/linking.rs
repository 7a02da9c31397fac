//! Which page of a pack an address means, in the forms that sites write it (MA-5).

use crate::anchor::joined;
use crate::section::stem;

/// The endings of pages, as files of a pack have them.
const ENDINGS: [&str; 5] = [".md", ".mdx", ".markdown", ".html.md", ".htm.md"];

/// The names of the page of a folder.
const ENTRIES: [&str; 3] = ["index", "README", "_index"];

/// Returns the files of a pack that a path of an address can mean, best first: with an ending that
/// the address leaves out, the page of a folder, the text that a page of a site was made of.
pub(crate) fn candidates(path: &str) -> Vec<String> {
    let path = path.trim_matches('/');
    let mut found = Vec::new();
    if !path.is_empty() {
        found.push(path.to_owned());
        found.extend(ENDINGS.iter().map(|ending| format!("{path}{ending}")));
        let made = [".html", ".htm"].iter().find_map(|ending| path.strip_suffix(ending));
        if let Some(page) = made {
            found.extend(ENDINGS.iter().map(|ending| format!("{page}{ending}")));
        }
    }
    let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
    for entry in ENTRIES {
        found.extend(ENDINGS.iter().map(|ending| format!("{folder}{entry}{ending}")));
    }
    found
}

/// Returns the paths in a pack that an address in the file `from` can lead to, best first; none
/// when it leads out. `site_root` is the beginning of the addresses of the wiki's pages.
pub(crate) fn places(from: &str, address: &str, site_root: Option<&str>) -> Vec<String> {
    let Some(path) = address.strip_prefix('/') else {
        let folder = folder_of(from);
        // On a site, a page is often a folder with an index: its links begin there.
        let page = format!("{folder}/{}", stem(from));
        return [inside(folder, address), inside(&page, address)].into_iter().flatten().collect();
    };
    let root = site_root.unwrap_or_default().trim_matches('/');
    let below_root = match root {
        "" => Some(path),
        root => path.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/')),
    };
    let below_root = below_root.map(|path| path.trim_start_matches('/'));
    let wiki = [below_root, Some(path)].into_iter().flatten();
    let wiki = wiki.filter_map(|path| inside("wiki", path));
    inside("", path).into_iter().chain(wiki).collect()
}

/// Reports whether a relative address in the file `from` leads out of the pack.
pub(crate) fn leads_out(from: &str, address: &str) -> bool {
    !address.starts_with('/') && inside(folder_of(from), address).is_none()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns a path of the pack, which may be that of its folder.
fn inside(folder: &str, path: &str) -> Option<String> {
    let is_here = folder.is_empty() && path.split('/').all(|part| matches!(part, "" | "."));
    if is_here { Some(String::new()) } else { joined(folder, path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ma_5_address_without_ending_means_page_or_folder() {
        let found = candidates("wiki/guide/");
        for path in
            ["wiki/guide.md", "wiki/guide.mdx", "wiki/guide/index.mdx", "wiki/guide/README.md"]
        {
            assert!(found.contains(&path.to_owned()), "{path}: {found:?}");
        }
        assert!(candidates("wiki/a.html").contains(&"wiki/a.html.md".to_owned()));
        assert!(candidates("wiki/a.html").contains(&"wiki/a.md".to_owned()));
        assert!(candidates("").contains(&"index.md".to_owned()));
    }

    #[test]
    fn ma_5_address_leads_from_page_root_or_site() {
        assert_eq!(places("wiki/a/b.md", "../c", None), ["wiki/c", "wiki/a/c"]);
        assert_eq!(places("wiki/a.md", "../../c", None), ["c"]);
        assert_eq!(places("wiki/a.md", "../../../c", None), [""; 0]);
        assert!(leads_out("wiki/a.md", "../../c") && !leads_out("wiki/a.md", "../c"));
        assert_eq!(places("wiki/a.md", "/en/c/", Some("/en/")), ["en/c", "wiki/c", "wiki/en/c"]);
        assert_eq!(places("wiki/a.md", "/english/c", Some("en")), ["english/c", "wiki/english/c"]);
        assert_eq!(places("wiki/a.md", "/en", Some("en")), ["en", "wiki", "wiki/en"]);
    }
}
