//! Citations: places of a context that an answer names (MA-9).

use super::check::{decoded, line_range, slug};
use super::text::{Anchor, anchors};
use crate::section::BETWEEN;
use std::collections::HashSet;

/// The places that a context shows: its sections, and the sources that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Citable {
    sections: Vec<Shown>,
    anchors: HashSet<String>,
}

/// A section as it is shown: `## Heading [source: path#L3]` and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    path: String,
    headings: Vec<String>,
    lines: (usize, usize),
}

impl Citable {
    /// Adds what a text of the context shows.
    pub fn add(&mut self, text: &str) {
        let mut open: Option<(Shown, usize)> = None;
        for line in text.lines() {
            let found = anchors(line);
            self.anchors.extend(found.iter().map(ToString::to_string));
            if let Some(section) = heading_of(line, &found) {
                self.sections.extend(open.take().map(|(section, _)| section));
                open = Some((section, 0));
            } else if let Some((section, read)) = &mut open {
                if !line.trim().is_empty() {
                    section.lines.1 = section.lines.0 + *read;
                }
                *read += 1;
            }
        }
        self.sections.extend(open.map(|(section, _)| section));
    }

    /// Reports whether there is no section that could be cited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// Returns the citation of the first section, as an example.
    #[must_use]
    pub fn example(&self) -> Option<String> {
        let section = self.sections.first()?;
        Some(format!("{}#L{}", section.path, section.lines.0))
    }

    /// Reports whether a citation names a place of the context: a source as it is written there, or
    /// the file of a section, its lines or a heading over it.
    #[must_use]
    pub fn names(&self, citation: &str) -> bool {
        let bare = citation.trim().trim_start_matches('[').trim_end_matches(']');
        let bare = bare.strip_prefix("source:").unwrap_or(bare);
        let Some(anchor) = Anchor::parse(bare, 0..0) else { return false };
        if self.anchors.contains(&anchor.to_string()) {
            return true;
        }
        let mut of_file = self.sections.iter().filter(|section| section.path == anchor.file);
        let Some(fragment) = anchor.fragment.as_deref() else { return of_file.next().is_some() };
        if let Some((first, last)) = line_range(fragment) {
            return of_file
                .any(|shown| shown.lines.0 <= first && first <= last && last <= shown.lines.1);
        }
        let wanted = slug(&decoded(fragment));
        of_file.any(|shown| shown.headings.contains(&wanted))
    }
}

/// Returns the section that a line opens.
fn heading_of(line: &str, found: &[Anchor]) -> Option<Shown> {
    let own = found.last().filter(|anchor| anchor.at.end == line.trim_end().len())?;
    let heading = line.strip_prefix("## ")?.get(..own.at.start.checked_sub(3)?)?;
    let (first, _) = line_range(own.fragment.as_deref()?)?;
    let headings = heading.split(BETWEEN).map(slug).collect();
    Some(Shown { path: own.file.clone(), headings, lines: (first, first) })
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
}
