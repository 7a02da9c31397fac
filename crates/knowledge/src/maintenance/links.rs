//! Links between the files of a pack and its source anchors: each leads to a place that is there
//! (KN-12, KN-17).

use super::view::{NamedAnchor, View};
use crate::anchor::{Anchor, SOURCE_MAP, SourceMap, anchors, claims, code, decoded, problem};
use crate::codes;
use crate::item::Grounding;
use crate::linking::{candidates, leads_out, places};
use crate::pack::GUIDE_FILE;
use crate::section::{Lines, is_markdown, is_text, sections};
use contexture_diagnostic::{Code, nearest};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) to: String,
    pub(super) line: u32,
    /// True if it is of the form `[[Page]]`.
    pub(super) is_wiki: bool,
}

/// Returns the links of a Markdown text that lead into the pack, or try to. `[[Page]]` is a link in
/// wikis.
pub(super) fn links(path: &str, text: &str) -> Vec<Link> {
    let mut options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    if path.starts_with("wiki/") {
        options |= Options::ENABLE_WIKILINKS;
    }
    let lines = Lines::of(text);
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if let Event::Start(
            Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. },
        ) = event
            && link_type != LinkType::Email
            && !is_outside(&dest_url)
        {
            found.push(Link {
                to: dest_url.into_string(),
                line: lines.number(range.start),
                is_wiki: matches!(link_type, LinkType::WikiLink { .. }),
            });
        }
    }
    found
}

/// Reports whether a link leads to the web: it names a scheme or a host.
fn is_outside(to: &str) -> bool {
    let is_scheme = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    to.starts_with("//") || to.split_once(':').is_some_and(|(name, _)| is_scheme(name))
}

/// Returns the file that a link leads to, if there is one.
pub(super) fn target(view: &View<'_>, from: &str, link: &Link) -> Option<String> {
    let (path, _) = parts(&link.to);
    if path.is_empty() {
        return Some(from.to_owned());
    }
    if link.is_wiki {
        return page(view, from, &path);
    }
    view.places(from, &path).iter().find_map(|path| file(view, path))
}

/// Returns the path and the fragment of a link, decoded.
fn parts(to: &str) -> (String, Option<String>) {
    let (path, fragment) = match to.split_once('#') {
        Some((path, fragment)) => (path, Some(decoded(fragment))),
        None => (to, None),
    };
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    (decoded(path), fragment.filter(|fragment| !fragment.is_empty()))
}

/// Returns the file that a path of the pack means.
fn file(view: &View<'_>, path: &str) -> Option<String> {
    candidates(path).into_iter().find(|path| view.has(path))
}

/// Returns the page that `[[name]]` means: by path from here or from the wiki, else by its name
/// alone.
fn page(view: &View<'_>, from: &str, name: &str) -> Option<String> {
    let near = view.places(from, name).into_iter().chain(places("wiki/index.md", name, None));
    let plain = |name: &str| name.to_lowercase().replace([' ', '_'], "-");
    near.into_iter().find_map(|path| file(view, &path)).or_else(|| {
        let wanted = plain(name);
        let mut pages = view.texts.keys().filter(|path| path.starts_with("wiki/"));
        pages.find(|path| plain(crate::section::stem(path)) == wanted).cloned()
    })
}

/// Links or anchors of one kind that lead to no page or place of the pack: the first of them, and how many there are.
#[derive(Debug, Default)]
struct Beside {
    first: Option<(String, u32, String)>,
    count: usize,
    files: BTreeSet<String>,
}

impl Beside {
    fn add(&mut self, path: &str, (line, to): (u32, String)) {
        self.count += 1;
        self.files.insert(path.to_owned());
        self.first.get_or_insert_with(|| (path.to_owned(), line, to));
    }

    /// Reports them as one finding, at the first of them.
    fn report(self, code: Code, what: &str, view: &mut View<'_>) {
        let Some((path, line, to)) = self.first else { return };
        let more = match self.count - 1 {
            0 => String::new(),
            1 => "; so does 1 other link".to_owned(),
            more => format!("; so do {more} other links, in {} files in all", self.files.len()),
        };
        view.found(code, &path, Some(line), format!("`{to}` {what}{more}"));
    }
}

/// The fault of a link.
enum Fault {
    /// It leads to no file or heading, though it means one of the pack.
    Broken(String),
    /// It leads out of the pack, or out of the pages that a source gave.
    Out,
    /// It begins at the root of a site.
    Site,
    /// It leads to a place that its page does not have, in a page that a source gave.
    Place,
    /// It leads to a picture or the like, in a page that a source gave.
    File,
}

/// What is said of a place that a page of a source names.
const NO_PLACE: &str = "names a place that the pack does not have";

/// What is said of a picture or the like that a page of a source names: a sync takes pages alone.
const NO_FILE: &str = "leads to a file that the pack does not have";

pub(super) fn check(view: &mut View<'_>) {
    let mut faults = Vec::new();
    let [mut out, mut site, mut place, mut file] = std::array::from_fn(|_| Beside::default());
    // Sources are evidence: they stay as they came.
    let is_linking = |path: &str| is_markdown(path) && !path.starts_with("sources/");
    for (path, text) in view.texts.iter().filter(|(path, _)| is_linking(path)) {
        for link in links(path, text) {
            match fault(view, path, &link) {
                Some(Fault::Broken(message)) => faults.push((path.clone(), link.line, message)),
                Some(Fault::Out) => out.add(path, (link.line, link.to)),
                Some(Fault::Site) => site.add(path, (link.line, link.to)),
                Some(Fault::Place) => place.add(path, (link.line, link.to)),
                Some(Fault::File) => file.add(path, (link.line, link.to)),
                None => {}
            }
        }
    }
    for (path, line, message) in faults {
        view.found(codes::BROKEN_LINK, &path, Some(line), message);
    }
    out.report(codes::LINK_OUT_OF_PACK, "leads out of the pack", view);
    site.report(
        codes::SITE_LINK,
        "begins at the root of a site and leads to no page of the pack",
        view,
    );
    place.report(codes::PLACE_IN_SOURCE, NO_PLACE, view);
    file.report(codes::PLACE_IN_SOURCE, NO_FILE, view);
}

fn fault(view: &View<'_>, from: &str, link: &Link) -> Option<Fault> {
    let (path, fragment) = parts(&link.to);
    let places = view.places(from, &path);
    let is_folder = fragment.is_none() && places.iter().any(|place| view.has_folder(place));
    if is_folder && !link.is_wiki && !path.is_empty() {
        return None;
    }
    let Some(target) = target(view, from, link) else {
        if !link.is_wiki && path.starts_with('/') {
            return Some(Fault::Site);
        }
        let is_out = leads_out(from, &path) || places.first().is_some_and(|at| view.is_beside(at));
        if !link.is_wiki && is_out {
            return Some(Fault::Out);
        }
        if view.is_synced(from) && !is_text(&path) {
            return Some(Fault::File);
        }
        let hint = similar(view, &path)
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Some(Fault::Broken(format!("`{}` leads to no file of the pack{hint}", link.to)));
    };
    let fragment = fragment.filter(|_| is_markdown(&target))?;
    let anchor = Anchor { file: target, fragment: Some(fragment), at: 0..0 };
    let problem = problem(&anchor, GUIDE_FILE, view)?;
    if view.is_synced(from) {
        return Some(Fault::Place);
    }
    Some(Fault::Broken(format!("`{}`: {problem}", link.to)))
}

/// Returns a file of the same name in another folder, or of nearly that name; a text for a text.
fn similar<'a>(view: &'a View<'_>, path: &str) -> Option<&'a str> {
    let name = |path: &'a str| path.rsplit('/').next().unwrap_or(path);
    let wanted = path.rsplit('/').next().unwrap_or(path);
    let is_alike = |file: &&str| is_text(file) == is_text(path);
    let files = || view.files.keys().map(String::as_str).filter(is_alike);
    let named = |wanted: &str| files().find(|path| name(path) == wanted);
    named(wanted).or_else(|| named(nearest(wanted, files().map(name))?))
}

const SHOWN: usize = 60;

/// Checks the source anchors of a pack: each leads to a place that is there, and where the pack
/// requires grounding every claim of the compiled view has one (KN-12).
pub(super) fn check_anchors(view: &mut View<'_>, named: &[NamedAnchor]) {
    let mut faults = Vec::new();
    let mut places = Beside::default();
    // Sources are evidence: they stay as they came.
    for (path, text) in view.texts.iter().filter(|(path, _)| !path.starts_with("sources/")) {
        let lines = Lines::of(text);
        let code = code(text);
        for anchor in anchors(text) {
            let is_example = code.iter().any(|code| code.contains(&anchor.at.start));
            let Some(problem) = problem(&anchor, path, view).filter(|_| !is_example) else {
                continue;
            };
            let line = lines.number(anchor.at.start);
            if view.is_synced(path) {
                places.add(path, (line, anchor.to_string()));
            } else {
                faults.push((path.clone(), Some(line), problem));
            }
        }
    }
    for NamedAnchor { file, pointer, path, fragment } in named {
        let anchor = Anchor { file: path.clone(), fragment: fragment.clone(), at: 0..0 };
        if let Some(problem) = problem(&anchor, GUIDE_FILE, view) {
            faults.push((file.clone(), None, format!("source-map {pointer}: {problem}")));
        }
    }
    for (path, line, message) in faults {
        view.found(codes::BROKEN_ANCHOR, &path, line, message);
    }
    places.report(codes::PLACE_IN_SOURCE, NO_PLACE, view);
    if view.pack.item().grounding == Grounding::Required {
        grounded(view);
    }
}

/// Claims of the compiled view that name no source and that the source map does not know.
fn grounded(view: &mut View<'_>) {
    let map = if view.has(SOURCE_MAP) { view.read(SOURCE_MAP) } else { None };
    // A map that is not JSON is a finding already.
    let map = map.and_then(|text| SourceMap::parse(&text).ok()).unwrap_or_default();
    let mut bare = Vec::new();
    for (path, text) in view.texts.iter().filter(|(path, _)| path.starts_with("compiled/")) {
        for section in sections(path, text) {
            let body = text.get(section.text.clone()).unwrap_or_default();
            for claim in claims(body) {
                let is_mapped = map
                    .about(path, &section.heading, &claim.text)
                    .any(|entry| !entry.anchors.is_empty());
                if claim.anchors.is_empty() && !is_mapped {
                    bare.push((path.clone(), section.first_line + claim.line, claim.text));
                }
            }
        }
    }
    for (path, line, claim) in bare {
        let start: String = claim.chars().take(SHOWN).collect();
        let more = if start.len() < claim.len() { "…" } else { "" };
        let message = format!("no source is named for the claim \"{start}{more}\"");
        view.found(codes::NO_SOURCE, &path, Some(line), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maintenance::support::{pack, shown};
    use crate::sync::{NewSource, NoWeb, add};
    use proptest::prelude::*;

    #[test]
    fn kn_17_broken_links_are_reported_with_their_line() {
        let made = pack(&[
            (
                "wiki/index.md",
                "# Index\n\n[a](a.md) [b](sub/b.md#two-words) [web](https://example.com/x.md)\n\
            [mail](mailto:a@example.com) ![](../assets/x.png) [folder](sub/) [[a]] [[No Page]]\n",
            ),
            (
                "wiki/a.md",
                "# A\n\n## Zwei Wörter, ganz!\n\n[up](../../secret.md)\n[gone](elsewhere.md)\n\
            [near](sub/indes.md) [moved](b.md) ![](sub/b.mp4)\n[self](#zwei-wörter-ganz) [bad](#three)\n\n```\n[no link](x.md)\n```\n",
            ),
            (
                "wiki/sub/b.md",
                "# B\n\n## Two words\n\n[root](/wiki/a) [space](../with%20space.md) [v](../a.md?v=1#L3)\n",
            ),
            ("wiki/with space.md", "# S\n\n[b](sub/b.md#L99) [b](sub/b.md#L5)\n"),
            ("assets/x.png", "png"),
            ("sources/raw.md", "[broken](in/evidence.md)\n"),
        ]);
        assert_eq!(
            made.findings(),
            [
                "KN4006 wiki/a.md:5 `../../secret.md` leads out of the pack",
                "KN4005 wiki/a.md:6 `elsewhere.md` leads to no file of the pack",
                "KN4005 wiki/a.md:7 `b.md` leads to no file of the pack; did you mean \
             `wiki/sub/b.md`?",
                "KN4005 wiki/a.md:7 `sub/b.mp4` leads to no file of the pack",
                "KN4005 wiki/a.md:7 `sub/indes.md` leads to no file of the pack; did you mean \
             `wiki/index.md`?",
                "KN4005 wiki/a.md:8 `#three`: `wiki/a.md` has no heading `three`",
                "KN4005 wiki/index.md:4 `No Page` leads to no file of the pack",
                "KN4005 wiki/with space.md:3 `sub/b.md#L99`: `wiki/sub/b.md` has 5 lines, no line 99",
            ]
        );
    }

    #[test]
    fn ma_5_links_out_of_the_pages_are_one_warning_of_each_kind() {
        let made = pack(&[
            ("wiki/index.md", "[a](/docs/a) [b](/docs/sub/#two) [x](/blog/x) [y](/y)\n"),
            ("wiki/a.mdx", "[i](./) [s](../sub/b) [up](../../../up.md) [z](/z)\n"),
            ("wiki/sub/index.md", "# Two\n\n[b](b) [a](../a/) [o](../../../o)\n"),
            ("wiki/sub/b.html.md", "[i](index.html) [b](b.html)\n"),
        ]);
        let guide = made.root.join("KNOWLEDGE.md");
        let text = std::fs::read_to_string(&guide).unwrap();
        std::fs::write(guide, text.replacen("\n---", "\nmetadata:\n  siteRoot: /docs/\n---", 1))
            .unwrap();
        assert_eq!(
            made.findings(),
            [
                "KN4006 wiki/a.mdx:1 `../../../up.md` leads out of the pack; so does 1 other link",
                "KN4015 wiki/a.mdx:1 `/z` begins at the root of a site and leads to no page of the \
                 pack; so do 2 other links, in 2 files in all",
            ]
        );
        assert!(made.validate().ok);
    }

    #[test]
    fn ma_5_files_that_synced_pages_show_in_vain_are_one_warning() {
        let place = crate::support::Place::new();
        place.write("docs/slots.md", "# Slots\n\n![](./images/slots.png) ![](a.webp?v=2)\n");
        place.write("docs/a.md", "# A\n\n[video](a.mp4) [gone](gone.md)\n");
        let sources = [place.path("docs")];
        let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
        add(&new, &place.path("packs"), &place.path(""), &NoWeb).unwrap();
        let root = place.path("packs/fish");
        let found = crate::maintenance::validate(&root, &Default::default()).unwrap().findings;
        assert_eq!(
            shown(&found, &root),
            [
                "KN4005 wiki/a.md:3 `gone.md` leads to no file of the pack",
                "KN4017 wiki/a.md:3 `a.mp4` leads to a file that the pack does not have; so do 2 \
                 other links, in 2 files in all",
            ]
        );
    }

    #[test]
    fn kn_17_page_that_nothing_links_to_is_hint() {
        let made = pack(&[
            ("wiki/index.md", "[a](a.md)\n"),
            ("wiki/a.md", "# A\n"),
            ("wiki/b.md", "# B\n\n[self](b.md)\n"),
        ]);
        assert_eq!(made.findings(), ["KN4011 wiki/b.md no other page links to this page"]);
        assert!(made.validate().ok);
    }

    #[test]
    fn kn_17_escapes_in_links_are_read() {
        assert_eq!(decoded("a%20b%2"), "a b%2");
        assert_eq!(decoded("%E7%BB%BF"), "绿");
        assert_eq!(decoded("%ff"), "%ff");
        assert_eq!(places("b.md", "../../c", None), [""; 0]);
        assert_eq!(places("a/b.md", "./../c//d", None), ["c/d", "a/c/d"]);
    }

    proptest! {
        #[test]
        fn kn_17_no_text_makes_links_panic(text in "[\\[\\]()#a-c.%/\\\\<>:{} \n!é绿-]{0,120}") {
            for link in links("wiki/a.md", &text) {
                let _ = parts(&link.to);
                let _ = places("wiki/a.md", &decoded(&link.to), None);
            }
        }
    }
}
