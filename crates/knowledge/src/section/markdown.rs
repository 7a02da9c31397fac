//! Sections of Markdown: between headings of the document itself, not those inside code, quotes or
//! lists.

use super::{BETWEEN, LONG, Lines, SourceSection, add_pieces, stem};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// The longest path of headings that is kept, in bytes.
const MAX_PATH: usize = 400;

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
}

enum Part {
    Heading(HeadingLevel, String, usize),
    /// Ranges of what may stand alone: a block, or the items of a list.
    Blocks(Vec<Range<usize>>),
}

/// Walks the outermost blocks of a text. A list longer than `long` bytes is given item by item.
fn parts(text: &str, long: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match (depth, &tag) {
                    (0, Tag::Heading { .. }) => heading = Some(String::new()),
                    (0, Tag::List(_)) => items.clear(),
                    (1, Tag::Item) => items.push(range),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    end_of_block(&mut parts, tag, range, &mut heading, &mut items, long);
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut heading {
                    heading.push(' ');
                }
            }
            _ => {}
        }
    }
    parts
}

fn end_of_block(
    parts: &mut Vec<Part>,
    tag: TagEnd,
    range: Range<usize>,
    heading: &mut Option<String>,
    items: &mut Vec<Range<usize>>,
    long: usize,
) {
    match tag {
        TagEnd::Heading(level) => {
            let words = heading.take().unwrap_or_default();
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            parts.push(Part::Heading(level, words, range.start));
        }
        TagEnd::MetadataBlock(_) => {}
        TagEnd::List(_) if range.len() > long && items.len() > 1 => {
            parts.push(Part::Blocks(std::mem::take(items)));
        }
        _ => parts.push(Part::Blocks(vec![range])),
    }
}

/// Returns the sections of a Markdown file.
pub(super) fn sections(path: &str, text: &str) -> Vec<SourceSection> {
    let lines = Lines::of(text);
    let mut out = Vec::new();
    let mut open: Vec<(HeadingLevel, String)> = Vec::new();
    let mut blocks: Vec<Range<usize>> = Vec::new();
    // A heading with nothing under it but deeper headings is shown with those.
    let mut childless: Option<(HeadingLevel, usize)> = None;
    for part in parts(text, LONG) {
        match part {
            Part::Blocks(ranges) => {
                let whole = |range: Range<usize>| lines.start(range.start)..range.end;
                blocks.extend(ranges.into_iter().map(whole));
            }
            Part::Heading(level, words, start) => {
                close(
                    &mut out,
                    path,
                    text,
                    &lines,
                    &open,
                    &mut blocks,
                    &mut childless,
                    Some(level),
                );
                open.retain(|(outer, _)| *outer < level);
                open.push((level, words));
                childless = Some((level, start));
            }
        }
    }
    close(&mut out, path, text, &lines, &open, &mut blocks, &mut childless, None);
    out
}

#[expect(clippy::too_many_arguments, reason = "the state of one walk")]
fn close(
    out: &mut Vec<SourceSection>,
    path: &str,
    text: &str,
    lines: &Lines,
    open: &[(HeadingLevel, String)],
    blocks: &mut Vec<Range<usize>>,
    childless: &mut Option<(HeadingLevel, usize)>,
    next: Option<HeadingLevel>,
) {
    let heading = heading_path(path, open);
    let before = out.len();
    add_pieces(out, &heading, text, lines, blocks);
    if out.len() == before
        && let Some((level, start)) = *childless
        && next.is_none_or(|next| next <= level)
    {
        let line = lines.number(start);
        out.push(SourceSection { heading, text: start..start, first_line: line, last_line: line });
    }
    blocks.clear();
    *childless = None;
}

fn heading_path(path: &str, open: &[(HeadingLevel, String)]) -> String {
    let words: Vec<&str> =
        open.iter().map(|(_, words)| words.as_str()).filter(|words| !words.is_empty()).collect();
    if words.is_empty() {
        return stem(path).to_owned();
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

/// Returns the headings as they are read.
pub(super) fn headings(text: &str) -> Vec<String> {
    let words = |part| match part {
        Part::Heading(_, words, _) => Some(words),
        Part::Blocks(_) => None,
    };
    parts(text, LONG).into_iter().filter_map(words).collect()
}

/// Returns where the outermost blocks end; when there is one list and nothing else, where its items
/// end.
pub(super) fn paragraph_ends(text: &str) -> Vec<usize> {
    let ends = ends_of(text, parts(text, LONG));
    if ends.len() > 1 { ends } else { ends_of(text, parts(text, 0)) }
}

fn ends_of(text: &str, parts: Vec<Part>) -> Vec<usize> {
    let mut ends = Vec::new();
    for part in parts {
        match part {
            Part::Heading(_, _, start) => ends.push(start),
            Part::Blocks(ranges) => ends.extend(ranges.into_iter().map(|range| range.end)),
        }
    }
    let trimmed = |end: usize| text.get(..end).unwrap_or_default().trim_end().len();
    ends.iter_mut().for_each(|end| *end = trimmed(*end));
    ends.dedup();
    ends
}
