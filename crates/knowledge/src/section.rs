//! Sections: the pieces of a file that are ranked, chosen and shown (KN-9, KN-11).
//!
//! A Markdown file is parted at its headings, any other text at its blank lines. A section that is
//! long is parted again between its paragraphs, so that each piece can be ranked for itself.
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

mod lines;
mod markdown;
mod plain;

pub use lines::Lines;

use std::ops::Range;

/// From this size on, in bytes, a section is parted at the next end of a paragraph.
const LONG: usize = 2_400;

/// The separator between the headings of a path.
pub const BETWEEN: &str = " > ";

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSection {
    /// The headings over it, outermost first; the name of the file when there is none.
    pub heading: String,
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
    if is_markdown(path) { markdown::sections(path, text) } else { plain::sections(path, text) }
}

/// Reports whether the name says that the file is Markdown.
#[must_use]
pub fn is_markdown(path: &str) -> bool {
    matches!(extension(path).as_str(), "md" | "markdown" | "mdown" | "mdx")
}

/// Reports whether the name says that the file is a text, which can be parted and ranked.
#[must_use]
pub fn is_text(path: &str) -> bool {
    const KINDS: [&str; 19] = [
        "", "txt", "text", "rst", "adoc", "org", "json", "jsonl", "ndjson", "yaml", "yml", "toml",
        "csv", "tsv", "vtt", "srt", "html", "htm", "xml",
    ];
    is_markdown(path) || KINDS.contains(&extension(path).as_str())
}

/// Returns where a text may end when it has to be shortened: the ends of its paragraphs, rising,
/// without the end of the text itself. A list that is all there is ends at its items.
#[must_use]
pub fn paragraph_ends(path: &str, text: &str) -> Vec<usize> {
    let mut ends = if is_markdown(path) {
        markdown::paragraph_ends(text)
    } else {
        plain::paragraphs(text).into_iter().map(|range| range.end).collect()
    };
    let whole = text.trim_end().len();
    ends.retain(|end| *end < whole && *end > 0);
    ends
}

/// Returns the headings of a Markdown text, as they are read, in their order.
#[must_use]
pub fn headings(text: &str) -> Vec<String> {
    markdown::headings(text)
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

fn extension(path: &str) -> String {
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
        first_line: lines.number(range.start),
        last_line: lines.number(range.end.saturating_sub(1)),
        text: range,
    });
}

#[cfg(test)]
mod tests;
