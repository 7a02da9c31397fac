//! Sections: the pieces of a file that are ranked, chosen and shown (KN-9, KN-11).
//!
//! Markdown, reStructuredText and AsciiDoc are parted at their headings, source code at its symbols,
//! any other text at its blank lines. A section that is long is parted again between its paragraphs, so that each piece can be
//! ranked for itself.
//!
//! Decision: a section is a range of the file, not a copy: what a model is shown is read from the
//! pack at the time it is shown.
//!
//! ```
//! use contexture_knowledge::section::sections;
//!
//! let text = "# Acme\n\nHello.\n\n## Price\n\n```\n# no heading\n```\n";
//! let found = sections("documents/acme.md", text);
//! assert_eq!(found[1].heading, "Acme > Price");
//! assert_eq!((found[1].first_line, found[1].last_line), (7, 9));
//! ```

mod asciidoc;
mod code;
mod front;
mod markdown;
mod noise;
mod outline;
mod rst;

use front::Front;
#[cfg(feature = "search")]
pub(crate) use front::language_tag;
use outline::{Markup, Part};
use std::ops::Range;

/// From this size on, in bytes, a section is parted at the next end of a paragraph.
const LONG: usize = 1_000;

/// Paragraphs beyond this size, in bytes, are parted at the ends of their lines: tables and logs
/// have no blank lines.
const HUGE: usize = 4 * LONG;

const MAX_PATH: usize = 400;

/// The separator between the headings of a path.
pub const BETWEEN: &str = " > ";

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSection {
    /// The title of its page and the headings over it, outermost first; what the name of the file
    /// says when there is none.
    pub heading: String,
    /// Words of the page that lead to its first section, and are not in its text: of its
    /// description, aliases, tags and date (MA-5).
    pub about: String,
    /// Its text in the file, in bytes, without the heading.
    pub text: Range<usize>,
    /// Its first line, counted from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
}

/// Returns the sections of a file, in their order.
#[must_use]
pub fn sections(path: &str, text: &str) -> Vec<SourceSection> {
    match Markup::of(path) {
        Some(markup) => marked_sections(path, text, markup),
        None => plain_sections(path, text),
    }
}

/// Reports whether the name is that of a Markdown file.
#[must_use]
pub fn is_markdown(path: &str) -> bool {
    Markup::of(path) == Some(Markup::Markdown)
}

/// Reports whether the name is that of a text file, which can be parted and ranked.
#[must_use]
pub fn is_text(path: &str) -> bool {
    const KINDS: [&str; 17] = [
        "", "txt", "text", "org", "json", "jsonl", "ndjson", "yaml", "yml", "toml", "csv", "tsv",
        "vtt", "srt", "html", "htm", "xml",
    ];
    Markup::of(path).is_some() || KINDS.contains(&extension(path).as_str())
}

/// Returns where a text may end when it has to be shortened: the ends of its paragraphs, rising,
/// without the end of the text itself. A list that is all there is ends at its items.
#[must_use]
pub fn paragraph_ends(path: &str, text: &str) -> Vec<usize> {
    let mut ends = match Markup::of(path) {
        Some(markup) => markup.paragraph_ends(text, LONG),
        None => paragraphs(text).into_iter().map(|range| range.end).collect(),
    };
    let whole = text.trim_end().len();
    ends.retain(|end| *end < whole && *end > 0);
    ends
}

/// Returns the longest beginning of a file that `fits`, with a line that says how many of its
/// sections are left out: it ends with a section or, where not even the first one fits, with a
/// paragraph. `None` when no such beginning fits; `fits` holds for every beginning of one that fits.
#[must_use]
pub fn beginning(path: &str, text: &str, mut fits: impl FnMut(&str) -> bool) -> Option<String> {
    let sections = sections(path, text);
    let shown = |end: usize| {
        let left = sections.iter().filter(|section| section.text.end > end).count();
        let all = sections.len();
        let kept = text.get(..end).unwrap_or_default();
        format!("{kept}\n\n… [clipped: {left} of {all} sections]")
    };
    let mut longest = |ends: &[usize]| {
        let fitting = ends.partition_point(|end| fits(&shown(*end)));
        fitting.checked_sub(1).and_then(|last| ends.get(last)).map(|end| shown(*end))
    };
    let whole = text.trim_end().len();
    let mut ends: Vec<usize> = sections.iter().map(|section| section.text.end).collect();
    ends.retain(|end| *end > 0 && *end < whole);
    ends.dedup();
    longest(&ends).or_else(|| longest(&paragraph_ends(path, text)))
}

/// Returns the length in bytes of the first line of source code that no person wrote, as in minified
/// files; `None` for other texts.
#[must_use]
pub fn generated_line(path: &str, text: &str) -> Option<usize> {
    match Markup::of(path)? {
        Markup::Code(_) => code::longest_line(text),
        _ => None,
    }
}

/// Returns the headings of a text, as they are read, in their order; none for a plain text.
#[must_use]
pub fn headings(path: &str, text: &str) -> Vec<String> {
    Markup::of(path).map_or_else(Vec::new, |markup| markup.headings(text))
}

/// Returns the name of a text of any source, whose ending says how it is parted: without a query or a
/// fragment, and that of a Markdown page where the source is not a path and the text has headings.
#[must_use]
pub fn named(source: &str, text: &str) -> String {
    let path = source.split(['?', '#']).next().unwrap_or(source);
    let is_path = path.contains("://") || path.contains('/');
    let has_headings = text.starts_with("# ") || text.contains("\n## ") || text.contains("\n# ");
    if !is_path && has_headings { format!("{path}.md") } else { path.to_owned() }
}

/// Returns the title of a page: that of its front matter, else its first heading, else what its
/// name says (MA-5).
#[must_use]
pub fn page_title(path: &str, text: &str) -> String {
    let own = Front::of(text).title.filter(|_| Markup::of(path).is_some());
    let own = own.or_else(|| headings(path, text).into_iter().find(|title| !title.is_empty()));
    own.unwrap_or_else(|| spoken(path))
}

/// Returns what the name of a file says, in words: `tank-setup.md` is `Tank setup`, and
/// `tanks/index.md` is `Tanks`.
#[must_use]
pub fn spoken(path: &str) -> String {
    let name = stem(path);
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    let is_entry =
        ["index", "readme", "_index"].iter().any(|entry| name.eq_ignore_ascii_case(entry));
    let name = if is_entry && !folder.is_empty() { folder } else { name };
    let words = name.replace(['-', '_'], " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = words.chars();
    let first = rest.next().map(|first| first.to_uppercase().chain(rest).collect());
    first.unwrap_or_else(|| name.to_owned())
}

/// Returns the name of a file without its folders and its ending.
#[must_use]
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

pub(crate) fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
        _ => String::new(),
    }
}

/// Parts the blocks of one section into pieces and adds them.
fn add_pieces(
    out: &mut Vec<SourceSection>,
    heading: &str,
    text: &str,
    lines: &Lines,
    blocks: &[Range<usize>],
) {
    let mut piece: Option<Range<usize>> = None;
    for block in blocks {
        match &mut piece {
            Some(open) if open.end.saturating_sub(open.start) + block.len() <= LONG => {
                open.end = block.end;
            }
            _ => {
                add_piece(out, heading, text, lines, piece.take());
                piece = Some(block.clone());
            }
        }
    }
    add_piece(out, heading, text, lines, piece);
}

fn add_piece(
    out: &mut Vec<SourceSection>,
    heading: &str,
    text: &str,
    lines: &Lines,
    piece: Option<Range<usize>>,
) {
    let Some(piece) = piece else { return };
    let kept = text.get(piece.clone()).unwrap_or_default().trim_end().len();
    let range = piece.start..piece.start + kept;
    if range.is_empty() {
        return;
    }
    out.push(SourceSection {
        heading: heading.to_owned(),
        about: String::new(),
        first_line: lines.number(range.start),
        last_line: lines.number(range.end.saturating_sub(1)),
        text: range,
    });
}

fn marked_sections(path: &str, text: &str, markup: Markup) -> Vec<SourceSection> {
    let lines = Lines::of(text);
    // Elsewhere, a line `---` is another thing.
    let has_front = matches!(markup, Markup::Markdown | Markup::AsciiDoc);
    let mut front = if has_front { Front::of(text) } else { Front::default() };
    front.add(&markup.about(text));
    let page = Page { path, text, lines: &lines, title: front.title.as_deref() };
    let hidden = match markup {
        Markup::Markdown => noise::of(text, extension(path) == "mdx"),
        _ => Vec::new(),
    };
    let mut out = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut blocks: Vec<Range<usize>> = Vec::new();
    // A heading with nothing under it but deeper headings is shown with those.
    let mut childless: Option<(usize, usize)> = None;
    for part in markup.parts(text, LONG) {
        match part {
            Part::Blocks(ranges) => {
                for range in ranges {
                    let whole = lines.start(range.start)..range.end;
                    for shown in noise::outside(&hidden, whole) {
                        let last = blocks.last().map(|last| last.end);
                        if last.is_some_and(|end| noise::is_between(&hidden, end..shown.start)) {
                            add_pieces(
                                &mut out,
                                &heading_path(&page, &open),
                                text,
                                &lines,
                                &blocks,
                            );
                            blocks.clear();
                            childless = None;
                        }
                        blocks.push(shown);
                    }
                }
            }
            // Pieces are ranges of the file: they end before what is not shown.
            Part::Noise if blocks.is_empty() => {}
            Part::Noise => {
                add_pieces(&mut out, &heading_path(&page, &open), text, &lines, &blocks);
                blocks.clear();
                childless = None;
            }
            Part::End(level) => {
                close(&mut out, &page, &open, &mut blocks, &mut childless, Some(level));
                open.retain(|(outer, _)| *outer < level);
            }
            Part::Heading(level, words, start) => {
                close(&mut out, &page, &open, &mut blocks, &mut childless, Some(level));
                open.retain(|(outer, _)| *outer < level);
                open.push((level, words));
                childless = Some((level, start));
            }
        }
    }
    close(&mut out, &page, &open, &mut blocks, &mut childless, None);
    // A page may have nothing but its front matter.
    if out.is_empty() && !front.about.is_empty() {
        out.push(empty(heading_path(&page, &[]), text.len(), 1));
    }
    if let Some(first) = out.first_mut() {
        first.about = front.about;
    }
    out
}

/// Returns a section with a heading alone.
fn empty(heading: String, at: usize, line: u32) -> SourceSection {
    SourceSection { heading, about: String::new(), text: at..at, first_line: line, last_line: line }
}

/// A file that is parted at its headings.
struct Page<'p> {
    path: &'p str,
    text: &'p str,
    lines: &'p Lines,
    title: Option<&'p str>,
}

fn close(
    out: &mut Vec<SourceSection>,
    page: &Page<'_>,
    open: &[(usize, String)],
    blocks: &mut Vec<Range<usize>>,
    childless: &mut Option<(usize, usize)>,
    next: Option<usize>,
) {
    let heading = heading_path(page, open);
    let before = out.len();
    add_pieces(out, &heading, page.text, page.lines, blocks);
    if out.len() == before
        && let Some((level, start)) = *childless
        && next.is_none_or(|next| next <= level)
    {
        let line = page.lines.number(start);
        out.push(empty(heading, start, line));
    }
    blocks.clear();
    *childless = None;
}

/// Returns the title of a page and the headings that are open.
fn heading_path(page: &Page<'_>, open: &[(usize, String)]) -> String {
    let mut words: Vec<&str> =
        open.iter().map(|(_, words)| words.as_str()).filter(|words| !words.is_empty()).collect();
    if let Some(title) = page.title
        && words.first().is_none_or(|first| first.to_lowercase() != title.to_lowercase())
    {
        words.insert(0, title);
    }
    if words.is_empty() {
        return spoken(page.path);
    }
    let whole = words.join(BETWEEN);
    if whole.len() <= MAX_PATH {
        return whole;
    }
    let mut end = MAX_PATH;
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", whole.get(..end).unwrap_or_default())
}

fn plain_sections(path: &str, text: &str) -> Vec<SourceSection> {
    let lines = Lines::of(text);
    let mut out = Vec::new();
    add_pieces(&mut out, &spoken(path), text, &lines, &paragraphs(text));
    out
}

/// Returns the paragraphs of a text, without the blank lines between them.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.trim_end().len();
        if line.trim().is_empty() {
            found.extend(open.take());
        } else {
            match &mut open {
                Some(paragraph) if end - paragraph.start <= HUGE => paragraph.end = end,
                _ => {
                    found.extend(open.take());
                    open = Some(at..end);
                }
            }
        }
        at += line.len();
    }
    found.extend(open);
    found
}

/// The line starts of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    /// Returns the lines of that text. What follows a last line end is not a line.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if text.is_empty() || text.ends_with('\n') {
            starts.pop();
        }
        Self { starts, len: text.len() }
    }

    /// Returns how many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the number, from 1, of the line that holds that byte.
    #[must_use]
    pub fn number(&self, at: usize) -> u32 {
        let line = self.starts.partition_point(|start| *start <= at.min(self.len));
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns where the line that holds that byte begins.
    #[must_use]
    pub fn start(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|start| *start <= at);
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
