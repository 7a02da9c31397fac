//! The frontmatter that most packs have, read without a YAML parser.
//!
//! Listing thousands of packs is mostly reading YAML. Nearly all frontmatter is lines of
//! `key: text`, nested mappings, and lists of texts. That much is read here, by rules that are a
//! strict part of YAML; whatever else stands there (blocks, anchors, comments, flow, doubtful
//! quotes, odd indents) is left to the parser. What is read here is what the parser would read: a
//! property test holds the two against each other.

use super::node::{Kind, Node};

/// The deepest mapping that is read here.
const MAX_DEPTH: usize = 4;

/// Returns the fields of frontmatter that begins with its opening line; none when the parser must
/// look.
pub(super) fn read(yaml: &str) -> Option<Node> {
    let mut lines = Vec::new();
    for (number, line) in yaml.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches(' ');
        match (number, line) {
            (0, "---") => {}
            (0, _) => return None,
            (_, "") => {}
            _ => lines.push(Line::of(line, u32::try_from(number + 1).ok()?)?),
        }
    }
    let mut reader = Reader { lines: &lines };
    let fields = reader.mapping(0, 0)?;
    // At least one field, and nothing left over.
    (reader.lines.is_empty() && !fields.is_empty())
        .then_some(Node { line: 2, kind: Kind::Mapping(fields) })
}

/// A line with its number and its indent taken off.
#[derive(Clone, Copy)]
struct Line<'t> {
    number: u32,
    indent: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str, number: u32) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        Some(Self { number, indent: line.len() - text.len(), text })
    }
}

struct Reader<'l, 't> {
    lines: &'l [Line<'t>],
}

impl<'t> Reader<'_, 't> {
    fn next(&mut self) -> Option<Line<'t>> {
        let (first, rest) = self.lines.split_first()?;
        self.lines = rest;
        Some(*first)
    }

    /// Returns the lines of one indent as fields.
    fn mapping(&mut self, indent: usize, depth: usize) -> Option<Vec<(String, Node)>> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        while let Some(line) = self.lines.first().copied() {
            if line.indent < indent {
                break;
            }
            let (key, value) = field(line.text)?;
            let is_new = fields.iter().all(|(known, _)| known != key);
            if line.indent > indent || !is_new || depth > MAX_DEPTH {
                return None;
            }
            self.next();
            let kind = match value {
                Some(value) => self.alone(Kind::Text(scalar(value)?), indent)?,
                None => self.block(indent, depth)?,
            };
            fields.push((key.to_owned(), Node { line: line.number, kind }));
        }
        Some(fields)
    }

    /// Returns what stands below a key: a deeper mapping or a list. A key with nothing below is for
    /// the parser.
    fn block(&mut self, indent: usize, depth: usize) -> Option<Kind> {
        let next = self.lines.first().copied()?;
        if next.text.starts_with("- ") && next.indent >= indent {
            return self.list(next.indent).map(Kind::List);
        }
        if next.indent <= indent {
            return None;
        }
        self.mapping(next.indent, depth + 1).map(Kind::Mapping)
    }

    fn list(&mut self, indent: usize) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.first().copied() {
            let Some(item) = line.text.strip_prefix("- ").filter(|_| line.indent == indent) else {
                break;
            };
            self.next();
            let kind = self.alone(Kind::Text(scalar(item)?), indent)?;
            items.push(Node { line: line.number, kind });
        }
        Some(items)
    }

    /// Returns a text that does not continue in a deeper line.
    fn alone(&self, kind: Kind, indent: usize) -> Option<Kind> {
        self.lines.first().is_none_or(|next| next.indent <= indent).then_some(kind)
    }
}

/// Returns a key and what stands behind its colon.
fn field(line: &str) -> Option<(&str, Option<&str>)> {
    let (key, rest) = line.split_once(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let begins = key.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || !key.chars().all(is_plain) || is_special(key) {
        return None;
    }
    match rest {
        "" => Some((key, None)),
        rest => Some((key, Some(rest.strip_prefix(' ')?))),
    }
}

/// Returns a text in quotes without anything to be unescaped, or a plain one.
fn scalar(value: &str) -> Option<String> {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            let inner = rest.strip_suffix(quote)?;
            let is_simple = !inner.contains([quote, '\\']) && inner.chars().all(is_printable);
            return is_simple.then(|| inner.to_owned());
        }
    }
    let begins = value.starts_with(char::is_alphanumeric);
    let is_plain = begins
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.ends_with(':')
        && !is_special(value)
        && value.chars().all(is_printable);
    is_plain.then(|| value.to_owned())
}

/// Reports whether a plain word may be no text for the parser.
fn is_special(word: &str) -> bool {
    ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"]
        .iter()
        .any(|special| word.eq_ignore_ascii_case(special))
}

/// Reports whether a character is itself in YAML: no control character, line break or mark.
fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}'
        | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}
