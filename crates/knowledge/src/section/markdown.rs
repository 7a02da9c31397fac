//! The outermost blocks of Markdown: headings of the document itself, not those inside code, quotes
//! or lists.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
}

pub(super) enum Part {
    Heading(HeadingLevel, String, usize),
    /// Ranges of what may stand alone: a block, or the items of a list.
    Blocks(Vec<Range<usize>>),
}

/// Walks the outermost blocks of a text. A list longer than `long` bytes is given item by item.
pub(super) fn parts(text: &str, long: usize) -> Vec<Part> {
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

pub(super) fn headings(text: &str) -> Vec<String> {
    let words = |part| match part {
        Part::Heading(_, words, _) => Some(words),
        Part::Blocks(_) => None,
    };
    parts(text, usize::MAX).into_iter().filter_map(words).collect()
}

/// Returns where the outermost blocks end; when there is one list and nothing else, where its items
/// end.
pub(super) fn paragraph_ends(text: &str, long: usize) -> Vec<usize> {
    let ends = ends_of(text, parts(text, long));
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
