//! The documents that people read: every link leads somewhere, and every page is in the table of contents.
//!
//! Decision: checked here and not only by the build of the site, so that a broken link fails `cargo test`.

use crate::generated::root;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A page, as far as links are concerned.
#[derive(Default)]
struct Page {
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

/// All Markdown files of the root, `docs/` and `examples/`, by their path from the root.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs"), root().join("examples")];
    let top = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    found.extend(top.filter(|path| path.is_file()));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.extension().is_some_and(|end| end == "md"));
    // What a pack or a definition file links to is checked by the product.
    found.retain(|path| !path.components().any(|part| part.as_os_str() == ".agents"));
    found.iter().map(|path| path.strip_prefix(root()).unwrap().to_path_buf()).collect()
}

/// The anchor that GitHub and mdBook give a heading.
fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap());
                let times = seen.entry(slug.clone()).or_default();
                page.anchors.insert(match *times {
                    0 => slug,
                    again => format!("{slug}-{again}"),
                });
                *times += 1;
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            _ => {}
        }
    }
    page
}

/// Resolves a relative link of a page; `None` when it leaves the repository.
fn resolve(page: &Path, link: &str) -> Option<PathBuf> {
    let mut path = page.parent()?.to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Returns the fault of a link, if it has one.
fn fault(pages: &BTreeMap<PathBuf, Page>, from: &Path, link: &str) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let Some(target) =
        (if path.is_empty() { Some(from.to_path_buf()) } else { resolve(from, path) })
    else {
        return Some("leaves the repository");
    };
    if !root().join(&target).exists() {
        return Some("the file does not exist");
    }
    if from.starts_with("docs") && !target.starts_with("docs") {
        return Some("leaves docs/, so that the site can't follow it");
    }
    let known = pages.get(&target).is_some_and(|page| page.anchors.contains(anchor));
    (!anchor.is_empty() && !known).then_some("no heading has this anchor")
}

fn pages() -> BTreeMap<PathBuf, Page> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        (path, read(&text))
    };
    files().into_iter().map(read).collect()
}

#[test]
fn links_of_all_documents_lead_to_files_and_headings() {
    let pages = pages();
    assert!(pages.len() > 20, "{}", pages.len());
    let faults: Vec<String> = pages
        .iter()
        .flat_map(|(from, page)| page.links.iter().map(move |link| (from, link)))
        .filter_map(|(from, link)| {
            Some(format!("{}: {link}: {}", from.display(), fault(&pages, from, link)?))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_of_docs_is_in_the_table_of_contents_once() {
    let pages = pages();
    let summary = Path::new("docs/SUMMARY.md");
    let listed = pages.get(summary).unwrap().links.iter();
    let mut listed: Vec<PathBuf> = listed.map(|link| resolve(summary, link).unwrap()).collect();
    listed.sort();
    let all: Vec<PathBuf> =
        pages.keys().filter(|path| path.starts_with("docs") && *path != summary).cloned().collect();
    assert_eq!(listed, all);
}

#[test]
fn questions_of_newcomers_are_answered_within_two_clicks() {
    let pages = pages();
    let index = Path::new("docs/README.md");
    let links = &pages.get(Path::new("README.md")).unwrap().links;
    assert!(links.iter().any(|link| link == "docs/README.md"), "README links the index");
    let text = fs::read_to_string(root().join(index)).unwrap();
    let (_, table) = text.split_once("\n| Question | Answer |\n|---|---|\n").unwrap();
    let rows: Vec<Page> =
        table.lines().take_while(|line| line.starts_with('|')).map(read).collect();
    assert!(rows.len() >= 10, "{} questions", rows.len());
    assert!(rows.iter().all(|row| !row.links.is_empty()), "each answer is a link");
}

#[test]
fn slugs_and_anchors_are_those_of_the_sites() {
    assert_eq!(slug("What is `use one of`?"), "what-is-use-one-of");
    let page = read("# A b\n\n## A b\n\n[x](y.md#z) `[no](link)`\n\n```\n# no heading\n```\n");
    assert_eq!(page.anchors, BTreeSet::from(["a-b".to_owned(), "a-b-1".to_owned()]));
    assert_eq!(page.links, ["y.md#z"]);
}
