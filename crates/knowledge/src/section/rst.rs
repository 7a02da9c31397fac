//! reStructuredText: its headings, and the blocks between them.
//!
//! Decision: only lines that begin without a blank are looked at, and what is indented below them
//! belongs to them, as in the language itself. Roles and references stay as they are written.

use super::outline::{Line, Part, plain};
use std::ops::Range;

/// Directives that tell a tool what to do, or whose text is elsewhere.
const NOISE: [&str; 23] = [
    "contents",
    "cssclass",
    "currentmodule",
    "default-domain",
    "default-role",
    "footer",
    "header",
    "highlight",
    "include",
    "index",
    "literalinclude",
    "meta",
    "raw",
    "role",
    "rst-class",
    "section-numbering",
    "sectnum",
    "tabularcolumns",
    "target-notes",
    "testcleanup",
    "testsetup",
    "title",
    "toctree",
];

/// Directives whose text is not marked up: it is shown whole, or cut like any text.
const VERBATIM: [&str; 15] = [
    "code",
    "code-block",
    "console",
    "csv-table",
    "doctest",
    "graphviz",
    "ipython",
    "list-table",
    "math",
    "mermaid",
    "parsed-literal",
    "prompt",
    "sourcecode",
    "testcode",
    "testoutput",
];

/// Fields at the beginning of a file that are for the tool.
const FIELDS: [&str; 5] = [":orphan:", ":tocdepth:", ":nocomments:", ":nosearch:", ":no-search:"];

/// The deepest block inside blocks that is divided.
const MAX_DEPTH: usize = 6;

/// Walks the outermost blocks of a text. A block longer than `long` bytes is divided into the
/// blocks inside it, unless it is code.
pub(super) fn parts(text: &str, long: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut at = beginning(text);
    while let Some(line) = Line::at(text, at) {
        if line.is_blank() {
            at = line.next;
        } else if let Some(title) = Title::at(text, line) {
            // A style has the level at which a text uses it first.
            let known = styles.iter().position(|style| *style == title.style);
            let level = known.unwrap_or(styles.len()) + 1;
            if known.is_none() {
                styles.push(title.style);
            }
            parts.push(Part::Heading(level, title.words, at));
            at = title.next;
        } else if is_transition(text, line) {
            parts.push(Part::Noise);
            at = line.next;
        } else {
            let end = block_end(text, line, 0);
            if is_noise(text, line, end, parts.is_empty()) {
                parts.push(Part::Noise);
            } else {
                parts.push(Part::Blocks(divided(text, line.start..end, long, 0)));
            }
            at = end;
        }
    }
    parts
}

/// Returns the description and keywords that a text declares for search engines.
pub(super) fn about(text: &str) -> String {
    let mut found = Vec::new();
    let mut at = beginning(text);
    while let Some(line) = Line::at(text, at) {
        at = line.next;
        if directive(line.words) != Some("meta") {
            continue;
        }
        let end = block_end(text, line, 0);
        let body = text.get(line.next.min(end)..end).unwrap_or_default();
        let value = |line: &str| Some(line.trim().strip_prefix(':')?.split_once(':')?.1.to_owned());
        found.extend(body.lines().filter_map(value).map(|value| plain(&value)));
    }
    found.join("\n")
}

fn beginning(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// A heading: a line of text with a line of signs under it, or above as well.
struct Title {
    words: String,
    style: (char, bool),
    next: usize,
}

impl Title {
    fn at(text: &str, first: Line<'_>) -> Option<Self> {
        let second = first.following(text).filter(|line| !line.is_blank())?;
        if let Some(sign) = first.adornment() {
            let third = second.following(text)?;
            let is_title = third.words == first.words && second.adornment().is_none();
            return (is_title && first.words.len() > 2).then(|| Self {
                words: spoken(second.words),
                style: (sign, true),
                next: third.next,
            });
        }
        let sign = second.adornment().filter(|_| !matches!(second.words, "::" | ".."))?;
        let is_wide = second.words.len() >= 4 || second.words.len() >= first.words.chars().count();
        let is_title = is_wide && first.indent() == 0 && !first.words.starts_with(".. ");
        is_title.then(|| Self {
            words: spoken(first.words),
            style: (sign, false),
            next: second.next,
        })
    }
}

/// Returns the words of a heading without the marks of roles, references and literals.
fn spoken(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for (number, part) in words.split('`').enumerate() {
        if number % 2 == 1 {
            let name = part.split_once(" <").map_or(part, |(name, _)| name);
            out.push_str(name.trim_start_matches(['~', '!']));
        } else {
            let part = if number == 0 { part } else { part.trim_start_matches('_') };
            out.push_str(without_role(part));
        }
    }
    plain(&out.replace("**", ""))
}

/// Returns a text without the role `:name:` at its end.
fn without_role(text: &str) -> &str {
    let role = text.strip_suffix(':').and_then(|rest| rest.rfind(':').map(|at| rest.split_at(at)));
    match role {
        Some((before, name)) if name.len() > 1 && !name.contains(char::is_whitespace) => before,
        _ => text,
    }
}

/// Reports whether a line of signs parts the paragraphs around it.
fn is_transition(text: &str, line: Line<'_>) -> bool {
    let is_free = line.following(text).is_none_or(Line::is_blank);
    is_free && line.words.len() >= 4 && line.adornment().is_some()
}

/// Returns where the block ends that begins with a line of that indentation: with its paragraph, and
/// what is indented below it.
fn block_end(text: &str, first: Line<'_>, indent: usize) -> usize {
    // The text of a comment, target or directive is indented.
    let is_explicit = explicit(first.words.trim_start()).is_some();
    let (mut end, mut line) = (first.end(), first);
    let mut is_after_blank = false;
    while let Some(next) = line.following(text) {
        if next.is_blank() {
            is_after_blank = true;
        } else if next.indent() > indent || (!is_after_blank && !is_explicit) {
            end = next.end();
        } else {
            break;
        }
        line = next;
    }
    end
}

/// Returns what follows the `..` of a comment, target or directive.
fn explicit(line: &str) -> Option<&str> {
    if line == ".." { Some("") } else { line.strip_prefix(".. ").map(str::trim_start) }
}

/// Returns the name of the directive that a line begins, without its domain.
fn directive(line: &str) -> Option<&str> {
    let (name, _) = explicit(line)?.split_once("::")?;
    let is_name = |c: char| c.is_alphanumeric() || "-_.+:".contains(c);
    let is_named = !name.is_empty() && name.chars().all(is_name);
    is_named.then(|| name.rsplit(':').next().unwrap_or(name))
}

/// Reports whether a block says nothing to a reader.
fn is_noise(text: &str, first: Line<'_>, end: usize, is_first: bool) -> bool {
    let block = text.get(first.start..end).unwrap_or_default();
    let Some(words) = explicit(first.words) else {
        let is_field = |line: &str| FIELDS.iter().any(|field| line.starts_with(field));
        return is_first && block.lines().all(is_field);
    };
    if let Some(name) = directive(first.words) {
        let is_silent = name == "image" && !block.contains(":alt:");
        return is_silent || NOISE.contains(&name);
    }
    match words.chars().next() {
        // A name for a place; with an address after it, it says where a link leads.
        Some('_') => block.trim_end().ends_with(':'),
        Some('|') => block.contains("| image::"),
        Some('[') => false,
        _ => true,
    }
}

/// Divides a block that is too long into the blocks inside it.
fn divided(text: &str, block: Range<usize>, long: usize, depth: usize) -> Vec<Range<usize>> {
    let first = Line::at(text, block.start);
    let Some(first) = first.filter(|_| block.len() > long && depth < MAX_DEPTH) else {
        return vec![block];
    };
    let head_end = head_end(text, first, block.end);
    let name = directive(first.words.trim_start());
    let is_literal = text.get(block.start..head_end).unwrap_or_default().trim_end().ends_with("::");
    if name.is_some_and(|name| VERBATIM.contains(&name)) || name.is_none() && is_literal {
        return vec![block];
    }
    let head = block.start..head_end;
    let mut blocks = vec![head];
    let mut at = head_end;
    while let Some(line) = Line::at(text, at).filter(|line| line.start < block.end) {
        if line.is_blank() {
            at = line.next;
            continue;
        }
        at = block_end(text, line, line.indent()).min(block.end);
        blocks.extend(divided(text, line.start..at, long, depth + 1));
    }
    blocks
}

/// Returns where the first lines of a block end: before a blank line.
fn head_end(text: &str, first: Line<'_>, end: usize) -> usize {
    let mut line = first;
    while let Some(next) = line.following(text).filter(|next| !next.is_blank() && next.start < end)
    {
        line = next;
    }
    line.next.min(end)
}
