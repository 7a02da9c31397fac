//! The outermost blocks of Markdown: headings of the document itself, not those inside code, quotes
//! or lists.

use super::front;
use super::outline::{Part, plain};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Returns how a text is read: `+++` begins metadata only where a text begins.
pub(super) fn options(text: &str) -> Options {
    let mut options = Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    options.set(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS, front::toml(text).is_some());
    options
}

/// Walks the outermost blocks of a text. A list longer than `long` bytes is given item by item.
pub(super) fn parts(text: &str, long: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(text, options(text)).into_offset_iter() {
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
            let words = plain(&heading.take().unwrap_or_default());
            parts.push(Part::Heading(level as usize, words, range.start));
        }
        TagEnd::MetadataBlock(_) => {}
        TagEnd::List(_) if range.len() > long && items.len() > 1 => {
            parts.push(Part::Blocks(std::mem::take(items)));
        }
        _ => parts.push(Part::Blocks(vec![range])),
    }
}
