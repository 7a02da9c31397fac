//! Code in a text: an anchor in it is an example, and leads nowhere (KN-12).

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Returns where code stands in a Markdown text.
pub(crate) fn code(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut block = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => block = Some(range.start),
            Event::End(TagEnd::CodeBlock) => {
                ranges.extend(block.take().map(|start| start..range.end));
            }
            Event::Code(_) => ranges.push(range),
            _ => {}
        }
    }
    ranges
}
