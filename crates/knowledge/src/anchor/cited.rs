//! Citations: places of a context that an answer names (MA-9).

use super::check::{decoded, line_range, page_mark, slug};
use super::text::{Anchor, anchors};
use crate::section::{self, BETWEEN};
use std::collections::HashSet;

/// The places that a context shows: its sections, its documents, and the sources that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Citable {
    shown: Vec<Shown>,
    anchors: HashSet<String>,
}

/// A section of a pack as it is shown, `## Heading [source: path#L3]` and its lines, or another text
/// of the context, such as a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shown {
    names: Vec<String>,
    headings: Vec<String>,
    pages: Vec<u64>,
    lines: Vec<(usize, usize)>,
}

/// A text of the context that is not of a pack, as [`Citable::add_document`] takes it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// The names that it may be cited by, the one of an example first.
    pub names: &'t [String],
    /// The text: whole, or passages that each stand behind a line that says where, such as
    /// `… [lines 12-20: Install > Linux]`.
    pub whole: &'t str,
    /// What the context shows of it, when that is not all.
    pub shown: Option<&'t str>,
}

impl Citable {
    /// Adds a text that is not of a pack.
    pub fn add_document(&mut self, text: Text<'_>) {
        let mut document = Shown { names: text.names.to_vec(), ..Shown::default() };
        let shown: Option<HashSet<&str>> = text.shown.map(|shown| shown.lines().collect());
        let is_shown = |line: &str| shown.as_ref().is_none_or(|shown| shown.contains(line));
        // Without the fence, behind which a heading is not one.
        let mut visible = String::new();
        let mut number = 1;
        for line in text.whole.lines() {
            if let Some((first, headings)) = passage_of(line) {
                number = first;
                document.note_headings(headings);
                continue;
            }
            if is_shown(line) {
                document.show(number, !line.trim().is_empty());
                document.pages.extend(page_mark(line));
                visible.push_str(line);
                visible.push('\n');
            }
            number = number.saturating_add(1);
        }
        let name = text.names.first().map_or("", String::as_str);
        for heading in section::headings(&section::named(name, &visible), &visible) {
            document.note_headings(&heading);
        }
        self.shown.push(document);
    }

    /// Adds a source by its name alone.
    pub fn add_name(&mut self, name: &str) {
        self.anchors.extend(Anchor::parse(name, 0..0).map(|anchor| anchor.to_string()));
    }

    /// Adds what a text of the context shows.
    pub fn add(&mut self, text: &str) {
        // The section and the number of its next line.
        let mut open: Option<(Shown, usize)> = None;
        for line in text.lines() {
            let own = heading_of(line);
            let before = own.as_ref().map_or(line, |(heading, _, _)| heading);
            self.anchors.extend(anchors(before).iter().map(ToString::to_string));
            if let Some((_, section, first)) = own {
                self.shown.extend(open.take().map(|(section, _)| section));
                open = Some((section, first));
            } else if let Some((section, number)) = &mut open {
                if let Some((_, last)) =
                    section.lines.last_mut().filter(|_| !line.trim().is_empty())
                {
                    *last = *number;
                }
                section.pages.extend(page_mark(line));
                *number = number.saturating_add(1);
            }
        }
        self.shown.extend(open.map(|(section, _)| section));
    }

    /// Reports whether there is neither a section nor a document that could be cited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Returns the citation of the first section or document, as an example.
    #[must_use]
    pub fn example(&self) -> Option<String> {
        let shown = self.shown.first()?;
        let line = shown.lines.first().map(|(first, _)| format!("#L{first}"));
        Some(format!("{}{}", shown.names.first()?, line.unwrap_or_default()))
    }

    /// Reports whether a citation names a place of the context: a source as it is written there, or
    /// the file of a section or a document, its lines, its page or a heading over it.
    #[must_use]
    pub fn names(&self, citation: &str) -> bool {
        let plain = citation.trim();
        // A name of a file may begin or end with a bracket of its own.
        let bare = plain.trim_start_matches('[').trim_end_matches(']');
        [plain, bare].into_iter().any(|text| self.has(text.strip_prefix("source:").unwrap_or(text)))
    }

    fn has(&self, place: &str) -> bool {
        let Some(anchor) = Anchor::parse(place, 0..0) else { return false };
        let place = anchor.to_string();
        self.anchors.contains(&place) || self.shown.iter().any(|shown| shown.is_at(&place))
    }
}

impl Shown {
    /// Notes headings that stand under each other.
    fn note_headings(&mut self, chain: &str) {
        for heading in chain.split(BETWEEN) {
            self.headings.push(slug(heading));
            self.pages.extend(page_mark(heading));
        }
    }

    /// Notes that a line is shown. An empty one only belongs to what stands around it.
    fn show(&mut self, number: usize, has_words: bool) {
        match self.lines.last_mut() {
            Some((_, last)) if last.saturating_add(1) == number => *last = number,
            _ if has_words => self.lines.push((number, number)),
            _ => {}
        }
    }

    /// Reports whether a place is one of its names, or lines, a page or a heading of it.
    fn is_at(&self, place: &str) -> bool {
        let mut rests = self.names.iter().filter_map(|name| place.strip_prefix(name));
        rests.any(|rest| match rest.strip_prefix('#') {
            Some(fragment) => self.has(fragment),
            None => rest.is_empty(),
        })
    }

    fn has(&self, fragment: &str) -> bool {
        if let Some(page) = fragment.strip_prefix("page=") {
            return page.parse().is_ok_and(|page| self.pages.contains(&page));
        }
        match line_range(fragment) {
            Some((first, last)) => {
                let holds = |own: &(usize, usize)| own.0 <= first && last <= own.1;
                first <= last && self.lines.iter().any(holds)
            }
            None => self.headings.contains(&slug(&decoded(fragment))),
        }
    }
}

/// Returns the first line of a passage and the headings over it, of the line over it:
/// `… [lines 12-20: Install > Linux]`.
fn passage_of(line: &str) -> Option<(usize, &str)> {
    let place = line.strip_prefix("… [line")?.strip_suffix(']')?;
    let (lines, headings) = place.split_once(": ").unwrap_or((place, ""));
    let lines = lines.strip_prefix('s').unwrap_or(lines).strip_prefix(' ')?;
    let (first, _) = lines.split_once('-').unwrap_or((lines, lines));
    Some((first.parse().ok()?, headings))
}

/// Returns the heading, the section that a line opens and its first line, as the context writes it:
/// the name of its file may hold whatever parts an anchor elsewhere.
fn heading_of(line: &str) -> Option<(&str, Shown, usize)> {
    let shown = line.trim_end().strip_prefix("## ")?.strip_suffix(']')?;
    let (heading, place) = shown.rsplit_once(" [source: ")?;
    let (path, fragment) = place.rsplit_once('#')?;
    let (first, _) = line_range(fragment)?;
    let lines = vec![(first, first)];
    let mut section = Shown { names: vec![path.to_owned()], lines, ..Shown::default() };
    section.note_headings(heading);
    Some((heading, section, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citable() -> Citable {
        let mut citable = Citable::default();
        citable.add(
            "<knowledge_pack name=\"acme\">\n## Price > Widget [source: wiki/price.md#L3]\nIt costs 89 \
             euros. [source: sources/a.pdf#page=4]\n\nShipping is free.\n\n## 保修 期限 [source: \
             wiki/保修.md#L7]\n两年。\n</knowledge_pack>",
        );
        citable
    }

    #[test]
    fn ma_9_citation_names_file_lines_heading_or_source_of_context() {
        let citable = citable();
        for good in [
            "wiki/price.md#L3",
            "wiki/price.md#L3-L5",
            "wiki/price.md#L5",
            "wiki/price.md#widget",
            "wiki/price.md",
            "[source: wiki/price.md#L3]",
            "sources/a.pdf#page=4",
            "wiki/保修.md#保修-期限",
        ] {
            assert!(citable.names(good), "{good}");
        }
        for bad in [
            "",
            "wiki/price.md#L2",
            "wiki/price.md#L3-L60",
            "wiki/price.md#colour",
            "wiki/other.md",
            "sources/a.pdf#page=5",
            "sources/a.pdf",
            "price",
        ] {
            assert!(!citable.names(bad), "{bad}");
        }
        assert_eq!(citable.example().as_deref(), Some("wiki/price.md#L3"));
        assert!(Citable::default().is_empty() && !Citable::default().names("a.md"));
    }

    #[test]
    fn ma_9_page_of_context_is_cited_by_its_number() {
        let mut citable = Citable::default();
        citable.add(
            "## Manual v2 > Page 2 [source: wiki/manual v2.pdf.md#L10]\nPress start.\n\n\
             ## Notes [source: wiki/notes.md#L3]\nOne.\n\n<!-- 第 7 页 -->\nTwo.",
        );
        let named = |place: &str| citable.names(place);
        assert!(named("wiki/manual v2.pdf.md#page=2") && named("wiki/notes.md#page=7"));
        for bad in
            ["manual v2.pdf.md#page=1", "notes.md#page=2", "notes.md#page=", "notes.md#page=x"]
        {
            assert!(!named(&format!("wiki/{bad}")), "{bad}");
        }
    }

    #[test]
    fn ma_9_document_is_cited_by_its_names_lines_headings_and_pages_as_far_as_shown() {
        let names = ["@file://docs/a.md".to_owned(), "docs/a.md".to_owned()];
        let whole = "# Install\n\nRun it.\n\n## Linux\n\nUse apt.\n<!-- page 3 -->\nThen start.\n";
        let mut citable = Citable::default();
        citable.add_document(Text { names: &names, whole, shown: None });
        citable.add_name("input.question");
        for good in [
            "@file://docs/a.md",
            "docs/a.md",
            "docs/a.md#L1-L9",
            "[source: docs/a.md#L7]",
            "docs/a.md#linux",
            "docs/a.md#page=3",
            "input.question",
        ] {
            assert!(citable.names(good), "{good}");
        }
        for bad in
            ["docs/a.md#L10", "docs/a.md#L0", "docs/a.md#mac", "docs/a.md#page=2", "a.md", ""]
        {
            assert!(!citable.names(bad), "{bad}");
        }
        assert_eq!(citable.example().as_deref(), Some("@file://docs/a.md#L1"));

        let mut citable = Citable::default();
        let shown = Some("<data>\n# Install\n\nRun it.\n… 4 lines left out\n</data>");
        citable.add_document(Text { names: &names, whole, shown });
        assert!(citable.names("docs/a.md#L1-L3") && citable.names("docs/a.md#install"));
        for bad in ["#L7", "#L1-L7", "#linux", "#page=3"] {
            assert!(!citable.names(&format!("docs/a.md{bad}")), "{bad}");
        }
    }

    #[test]
    fn ma_9_passages_of_document_are_cited_by_lines_of_whole_text() {
        let names = ["Guide".to_owned()];
        let whole = "… [lines 40-41: Install > Page 7]\nRun it.\nTwice.\n\n… [line 12]\nFirst.";
        let mut citable = Citable::default();
        citable.add_document(Text { names: &names, whole, shown: None });
        for good in ["Guide", "Guide#L40-L41", "Guide#L12", "Guide#install", "Guide#page=7"] {
            assert!(citable.names(good), "{good}");
        }
        // A text may write such lines itself.
        let whole = "… [line 18446744073709551615]\nOne.\nTwo.";
        citable.add_document(Text { names: &names, whole, shown: None });
        for bad in ["Guide#L1", "Guide#L12-L40", "Guide#L43", "Guide#page=8", "Guid"] {
            assert!(!citable.names(bad), "{bad}");
        }
    }

    #[test]
    fn ma_9_name_of_file_with_signs_of_anchors_is_cited() {
        for path in ["wiki/a]b.md", "[slug]/page.md", "wiki/a; b, c.md", "wiki/c#.md", "[a].md"] {
            let mut citable = Citable::default();
            citable.add(&format!(
                "## A [b] > C [source: {path}#L3]\nIt costs 89 euros.\nTax is in it."
            ));
            assert_eq!(citable.example(), Some(format!("{path}#L3")));
            for good in ["#L3", "#L3-L4", "#c", ""] {
                assert!(citable.names(&format!("{path}{good}")), "{path}{good}");
                assert!(citable.names(&format!("[source: {path}{good}]")), "{path}{good}");
            }
            assert!(!citable.names(&format!("{path}#L5")) && !citable.names("wiki/a"), "{path}");
        }
    }
}
