//! AsciiDoc: its headings, and the blocks between them.
//!
//! Decision: delimited blocks are taken whole, as nothing in them parts a page. Attributes, inline
//! macros and what is included of other files stay unresolved.

use super::outline::{Line, Part, plain};
use crate::manifest::frontmatter;
use std::collections::HashMap;

/// The attributes of a page whose values lead to it.
const ABOUT: [&str; 6] =
    ["description", "keywords", "navtitle", "page-aliases", "page-tags", "page-keywords"];

/// The most delimited blocks inside one another that are told apart.
const MAX_DEPTH: usize = 32;

/// Walks the outermost blocks of a text.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut walk = Walk { text, closings: closings(text), parts: Vec::new() };
    let mut at = beginning(text);
    while let Some(line) = Line::at(text, at) {
        at = if line.is_blank() { line.next } else { walk.take(line) };
    }
    walk.parts
}

/// Returns the values of the attributes of a page that lead to it.
pub(super) fn about(text: &str) -> String {
    let value = |line: &str| {
        let (name, value) = line.strip_prefix(':')?.split_once(':')?;
        let value = plain(value.trim_end_matches('\\'));
        (ABOUT.contains(&name) && !value.is_empty()).then_some(value)
    };
    text.lines().filter_map(value).collect::<Vec<_>>().join("\n")
}

fn beginning(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let front = frontmatter(text.as_bytes(), true).ok().map(|front| mark + front.len());
    front.and_then(|end| Some(Line::at(text, end)?.next)).unwrap_or(mark)
}

/// Returns where the lines stand that can begin or end a delimited block, by their words.
fn closings(text: &str) -> HashMap<&str, Vec<usize>> {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut next = Line::at(text, 0);
    while let Some(line) = next {
        if delimiter(line.words).is_some() {
            found.entry(line.words).or_default().push(line.start);
        }
        next = line.following(text);
    }
    found
}

/// What a delimited block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Text as it is.
    Verbatim,
    /// What no reader sees.
    Comment,
    /// Other blocks.
    Blocks,
}

/// Returns what the block holds that a line begins.
fn delimiter(line: &str) -> Option<Inside> {
    match line {
        "--" => return Some(Inside::Blocks),
        _ if line.starts_with(['|', ',', ':', '!']) => {
            let rest = line.get(1..).unwrap_or_default();
            let is_table = rest.len() >= 3 && rest.bytes().all(|byte| byte == b'=');
            return is_table.then_some(Inside::Verbatim);
        }
        _ if line.starts_with("```") && line.trim_start_matches('`').is_empty() => {
            return Some(Inside::Verbatim);
        }
        _ => {}
    }
    let sign = line.chars().next().filter(|_| line.len() >= 4)?;
    if !line.chars().all(|c| c == sign) {
        return None;
    }
    match sign {
        '/' => Some(Inside::Comment),
        '-' | '.' | '+' => Some(Inside::Verbatim),
        '=' | '*' | '_' => Some(Inside::Blocks),
        _ => None,
    }
}

struct Walk<'t> {
    text: &'t str,
    closings: HashMap<&'t str, Vec<usize>>,
    parts: Vec<Part>,
}

impl<'t> Walk<'t> {
    /// Takes what begins with a line after a blank one or a block, and returns where it ends.
    fn take(&mut self, first: Line<'t>) -> usize {
        let mut line = first;
        // Attributes and a title lead a block or a heading.
        let mut start = None;
        loop {
            if let Some((level, words, next)) = heading(self.text, line) {
                self.parts.push(Part::Heading(level, words, line.start));
                return next;
            }
            if let Some(end) = self.noise(line) {
                self.parts.push(Part::Noise);
                return end;
            }
            if !is_lead(line.words) {
                return self.block(start.unwrap_or(line.start), line);
            }
            if start.is_none() && !is_name(line.words) {
                start = Some(line.start);
            }
            // Blank lines may stand between an attribute and its block.
            let mut next = line.following(self.text);
            while let Some(blank) = next.filter(|next| next.is_blank()) {
                next = blank.following(self.text);
            }
            match next {
                Some(next) => line = next,
                None => return self.text.len(),
            }
        }
    }

    /// Returns where something ends that is not for a reader, if that begins with the line.
    fn noise(&self, line: Line<'t>) -> Option<usize> {
        if is_directive(line.words) {
            return Some(line.next);
        }
        if is_attribute(line.words) {
            return Some(self.attribute_end(line));
        }
        let inside = delimiter(line.words)?;
        let end = self.delimited_end(line, inside)?;
        let text = self.text.get(line.next..end.start).unwrap_or_default();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
        // Code that is included of another file is not there.
        let is_elsewhere = inside == Inside::Verbatim
            && lines.peek().is_some()
            && lines.all(|line| is_directive(line.trim_end()));
        (inside == Inside::Comment || is_elsewhere).then_some(end.next)
    }

    /// Returns where the value of an attribute ends, which goes on after a backslash.
    fn attribute_end(&self, first: Line<'t>) -> usize {
        let mut line = first;
        while line.words.ends_with('\\')
            && let Some(next) = line.following(self.text)
        {
            line = next;
        }
        line.next
    }

    /// Takes a paragraph or a delimited block.
    fn block(&mut self, start: usize, first: Line<'t>) -> usize {
        let (mut end, mut line) = (first.end(), first);
        loop {
            let inside = delimiter(line.words);
            if let Some(close) = inside.and_then(|inside| self.delimited_end(line, inside)) {
                self.parts.push(Part::block(start..close.end()));
                return close.next;
            }
            end = line.end().max(end);
            match line.following(self.text) {
                Some(next) if !next.is_blank() && !is_directive(next.words) => line = next,
                _ => break,
            }
        }
        self.parts.push(Part::block(start..end));
        line.next
    }

    /// Returns the last line of the delimited block that a line begins; `None` when nothing ends it.
    fn delimited_end(&self, open: Line<'t>, inside: Inside) -> Option<Line<'t>> {
        let close = self.closing(open)?;
        if inside != Inside::Blocks {
            return Some(close);
        }
        let mut nested = vec![open.words];
        let mut next = open.following(self.text);
        while let Some(line) = next {
            next = line.following(self.text);
            let Some(inside) = delimiter(line.words) else { continue };
            if let Some(at) = nested.iter().rposition(|outer| *outer == line.words) {
                if at == 0 {
                    return Some(line);
                }
                nested.truncate(at);
            } else if let Some(close) = self.closing(line) {
                if inside != Inside::Blocks {
                    next = close.following(self.text);
                } else if nested.len() < MAX_DEPTH {
                    nested.push(line.words);
                }
            }
        }
        Some(close)
    }

    /// Returns the next line with the same words.
    fn closing(&self, open: Line<'t>) -> Option<Line<'t>> {
        let places = self.closings.get(open.words)?;
        let after = places.partition_point(|place| *place <= open.start);
        Line::at(self.text, *places.get(after)?)
    }
}

/// Returns the level, the words and the end of the heading that a line begins.
fn heading(text: &str, line: Line<'_>) -> Option<(usize, String, usize)> {
    for sign in ['=', '#'] {
        let rest = line.words.trim_start_matches(sign);
        let level = line.words.len() - rest.len();
        if (1..=6).contains(&level) && rest.starts_with([' ', '\t']) && !rest.trim().is_empty() {
            return Some((level, spoken(rest), line.next));
        }
    }
    // The older form: a line of signs, as long as the title, under it.
    let under = line.following(text)?;
    let level = ['=', '-', '~', '^', '+'].into_iter().position(|s| under.adornment() == Some(s))?;
    let difference = line.words.chars().count().abs_diff(under.words.len());
    let is_title = difference < 2
        && under.words.len() > 1
        && !is_lead(line.words)
        && line.words.starts_with(|c: char| c.is_alphanumeric() || "`_{\"'(".contains(c))
        && line.words.chars().any(char::is_alphanumeric);
    is_title.then(|| (level + 1, spoken(line.words), under.next))
}

/// Reports whether a line leads a block: attributes in brackets, or a title after a point.
fn is_lead(line: &str) -> bool {
    let is_title = line
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace() && c != '.'));
    is_title || line.starts_with('[') && line.ends_with(']') && !line.starts_with("[ ")
}

/// Reports whether a leading line only names the place.
fn is_name(line: &str) -> bool {
    line.starts_with("[[") || line.starts_with("[#") && !line.contains([',', '.', '%'])
}

/// Reports whether a line directs the reader of the file: comments, conditions, what is included.
fn is_directive(line: &str) -> bool {
    let is_comment = line.starts_with("//") && !line.starts_with("///");
    let mut macros = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::", "toc::"].iter();
    is_comment || (line.ends_with(']') && macros.any(|name| line.starts_with(name)))
}

/// Reports whether a line sets or unsets an attribute.
fn is_attribute(line: &str) -> bool {
    let Some((name, rest)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else {
        return false;
    };
    let is_name = |c: char| c.is_alphanumeric() || "-_!".contains(c);
    !name.is_empty() && name.chars().all(is_name) && (rest.is_empty() || rest.starts_with(' '))
}

/// Returns the words of a heading: macros by their text, without the marks of code.
fn spoken(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, next) = after.split_once(']').unwrap_or((after, ""));
        let target = before.rfind(|c: char| c.is_whitespace()).map_or(0, |at| at + 1);
        let (kept, target) = before.split_at(target);
        if let Some((_, target)) = target.split_once(':') {
            out.push_str(kept);
            // Without a text of its own, a macro is named by what it leads to.
            let is_text = !inside.is_empty() && !inside.contains('=');
            out.push_str(if is_text { inside } else { target.trim_start_matches(':') });
            rest = next;
        } else if inside.starts_with('[') {
            // The name of the place.
            out.push_str(before);
            rest = next.strip_prefix(']').unwrap_or(next);
        } else {
            out.push_str(before);
            out.push('[');
            rest = after;
        }
    }
    out.push_str(rest);
    plain(&out.replace('`', ""))
}
