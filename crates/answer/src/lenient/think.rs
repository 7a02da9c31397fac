//! Blocks of thinking, and the answer without them.

use crate::repair::{Notes, RepairKind};

/// Tags that models put around their thinking.
const THINK_TAGS: [&str; 4] = ["thinking", "think", "thought", "reasoning"];

pub(super) struct Tag {
    pub(super) name: &'static str,
    pub(super) closes: bool,
    pub(super) length: usize,
}

/// Returns the tag of thinking that a text begins with.
pub(super) fn think_tag(text: &str) -> Option<Tag> {
    let body = text.strip_prefix('<')?;
    let (closes, body) = match body.strip_prefix('/') {
        Some(body) => (true, body),
        None => (false, body),
    };
    let (name, rest) = THINK_TAGS.iter().find_map(|name| {
        let (head, rest) = body.split_at_checked(name.len())?;
        let whole = rest.starts_with(|c: char| c == '>' || c.is_whitespace());
        (head.eq_ignore_ascii_case(name) && whole).then_some((*name, rest))
    })?;
    let end = rest.bytes().take(64).position(|b| b == b'>')?;
    Some(Tag { name, closes, length: text.len() - rest.len() + end + 1 })
}

/// Returns the end of the tag that closes a block of thinking.
pub(super) fn closing_tag(text: &str, from: usize, name: &str) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        at += rest.find("</")?;
        let tag = think_tag(text.get(at..)?);
        match tag {
            Some(tag) if tag.closes && tag.name == name => return Some(at + tag.length),
            _ => at += 2,
        }
    }
}

/// Returns the answer without its surroundings: thinking, a byte order mark, one code fence and
/// white space. For answers that are a single text or word.
pub(crate) fn body(text: &str) -> (&str, Notes) {
    let mut notes = Notes::default();
    let mut body = text;
    if let Some(rest) = body.strip_prefix('\u{FEFF}') {
        notes.add(RepairKind::ByteOrderMark, 0);
        body = rest;
    }
    let mut at = 0;
    let mut answer = body;
    while let Some(found) = body.get(at..).and_then(|rest| rest.find('<')) {
        at += found;
        let Some(tag) = body.get(at..).and_then(think_tag) else {
            at += 1;
            continue;
        };
        notes.add(RepairKind::ThinkBlock, at);
        if !tag.closes {
            answer = body.get(..at).unwrap_or_default();
            match closing_tag(body, at, tag.name) {
                Some(end) => at = end,
                None => break,
            }
        } else {
            at += tag.length;
        }
        answer = body.get(at..).unwrap_or_default();
    }
    (without_fence(answer.trim(), &mut notes), notes)
}

fn without_fence<'a>(text: &'a str, notes: &mut Notes) -> &'a str {
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'));
    match inner {
        Some((_, inner)) => {
            notes.add(RepairKind::CodeFence, 0);
            inner.trim()
        }
        None => text,
    }
}
