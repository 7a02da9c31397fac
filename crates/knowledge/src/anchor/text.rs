//! The anchors of a text, and its claims with theirs.
//!
//! A claim is a sentence or more on one line, a line that ends none together with the lines that
//! end it, an item of a list, a row of a table. Headings, code, heads of tables, questions, lines
//! that only announce (`:`) or only link are none.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A place in a file of the pack, or an address elsewhere, that a claim comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Anchor {
    /// The file, relative to the pack or to the file the anchor stands in; or an address.
    pub file: String,
    /// The place in it, without the `#`.
    pub fragment: Option<String>,
    /// The place of the anchor in the text that it was read from, brackets included.
    pub at: Range<usize>,
}

impl Anchor {
    /// Reads `FILE#FRAGMENT`; `None` when there is no file.
    #[must_use]
    pub fn parse(text: &str, at: Range<usize>) -> Option<Self> {
        let text = text.trim().trim_matches(['`', '<', '>', '"', '\'']).trim();
        let (file, fragment) = match text.split_once('#') {
            Some((file, fragment)) => (file.trim(), Some(fragment.trim())),
            None => (text, None),
        };
        let fragment = fragment.filter(|fragment| !fragment.is_empty()).map(str::to_owned);
        (!file.is_empty()).then(|| Self { file: file.to_owned(), fragment, at })
    }

    /// Reports whether it points outside of every pack.
    #[must_use]
    pub fn is_address(&self) -> bool {
        self.file.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fragment {
            Some(fragment) => write!(f, "{}#{fragment}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// Returns the anchors of a text, in their order. One pair of brackets may hold several, parted by
/// `;`. With a backslash before its bracket it is text.
#[must_use]
pub fn anchors(text: &str) -> Vec<Anchor> {
    let mut found = Vec::new();
    for (open, _) in text.match_indices('[') {
        let inside = text.get(open + 1..).unwrap_or_default();
        let Some(rest) = after_keyword(inside) else { continue };
        if text.get(..open).is_some_and(|before| before.ends_with('\\')) {
            continue;
        }
        let line = rest.split('\n').next().unwrap_or_default();
        let Some((list, _)) = line.split_once(']') else { continue };
        let end = open + 1 + (inside.len() - rest.len()) + list.len() + 1;
        let parts = list.split([';', '；']).flat_map(|part| part.split(", "));
        found.extend(parts.filter_map(|part| Anchor::parse(part, open..end)));
    }
    found
}

/// Returns what follows `source:` at the beginning of a text.
fn after_keyword(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(' ');
    let rest = ["sources", "source"].iter().find_map(|word| {
        let (head, rest) = text.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then_some(rest)
    });
    let rest = rest.or_else(|| text.strip_prefix("来源"))?;
    rest.trim_start_matches(' ').strip_prefix([':', '：'])
}

/// Returns a heading in which nothing passes for an anchor but what `leads` somewhere: a backslash
/// stands before all else that begins like one (MA-11).
pub(crate) fn without_forged(heading: &str, leads: impl Fn(&Anchor) -> bool) -> Cow<'_, str> {
    let known = anchors(heading);
    let is_real = |open: usize| {
        let mut own = known.iter().filter(|anchor| anchor.at.start == open).peekable();
        own.peek().is_some() && own.all(&leads)
    };
    let looks_like_one = |(at, bracket): &(usize, &str)| {
        let is_marked = heading.get(..*at).is_some_and(|before| before.ends_with('\\'));
        let inside = heading.get(at + bracket.len()..).unwrap_or_default();
        !is_marked && after_keyword(inside).is_some() && !is_real(*at)
    };
    let forged: Vec<usize> =
        heading.match_indices(['[', '［', '【']).filter(looks_like_one).map(|(at, _)| at).collect();
    if forged.is_empty() {
        return Cow::Borrowed(heading);
    }
    let mut out = String::with_capacity(heading.len() + forged.len());
    let mut from = 0;
    for at in forged {
        out.push_str(heading.get(from..at).unwrap_or_default());
        out.push('\\');
        from = at;
    }
    out.push_str(heading.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

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

/// A claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The line on which it begins, counted from 0 within the text.
    pub line: u32,
    /// Its words, without anchors.
    pub text: String,
    /// Its anchors.
    pub anchors: Vec<Anchor>,
}

#[derive(Default)]
struct Walk {
    done: Vec<Claim>,
    open: Option<Claim>,
    fence: Option<(char, usize)>,
    in_comment: bool,
}

/// Returns the claims of a text, in their order.
#[must_use]
pub fn claims(text: &str) -> Vec<Claim> {
    let mut walk = Walk::default();
    let lines: Vec<&str> = text.split('\n').collect();
    let mut at = 0;
    for (number, line) in (0_u32..).zip(&lines) {
        let next = lines.get(number as usize + 1).copied().unwrap_or_default();
        walk.line(number, at, line.trim_end_matches('\r'), next);
        at += line.len() + 1;
    }
    walk.close();
    walk.done.retain(is_claim);
    walk.done
}

impl Walk {
    fn line(&mut self, number: u32, at: usize, line: &str, next: &str) {
        let words = line.trim_start_matches(['>', ' ', '\t']).trim_end();
        if self.is_code(words) || self.is_comment(words) {
            self.close();
            return;
        }
        if words.is_empty() || words.starts_with('#') || is_rule(words) {
            self.close();
            return;
        }
        let is_row = words.starts_with('|') || (words.contains('|') && is_delimiter(next));
        if is_row && (is_delimiter(words) || is_delimiter(next.trim())) || is_definition(words) {
            self.close();
            return;
        }
        let found: Vec<Anchor> = anchors(line)
            .into_iter()
            .map(|anchor| Anchor { at: anchor.at.start + at..anchor.at.end + at, ..anchor })
            .collect();
        let bare = without_anchors(line, &found, at);
        let bare = bare.trim_start_matches(['>', ' ', '\t']).trim();
        if self.belongs_to_last(bare, &found, at, line) {
            return;
        }
        let (item, rest) = item(bare);
        if item || is_row {
            self.close();
        }
        let claim = self.open.get_or_insert_with(|| Claim {
            line: number,
            text: String::new(),
            anchors: Vec::new(),
        });
        if !claim.text.is_empty() {
            claim.text.push(' ');
        }
        claim.text.push_str(rest);
        let ends = is_row || !found.is_empty() || ends_sentence(rest);
        claim.anchors.extend(found);
        if ends {
            self.close();
        }
    }

    /// Returns a line of nothing but anchors, or one that describes the claim above it.
    fn belongs_to_last(&mut self, bare: &str, found: &[Anchor], at: usize, line: &str) -> bool {
        let is_alone = bare.trim_matches(['-', '*', '+', ' ', '.', '。']).is_empty();
        let key = bare.split([':', '：']).next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_field = matches!(key.as_str(), "status" | "updated" | "claim_id" | "confidence");
        let is_source = matches!(key.as_str(), "source" | "sources") && found.is_empty();
        if !(is_alone || is_field || is_source) {
            return false;
        }
        let Some(claim) = self.open.as_mut().or(self.done.last_mut()) else { return !is_source };
        claim.anchors.extend(found.iter().cloned());
        if is_source {
            let value = bare.split_once([':', '：']).map_or("", |(_, value)| value);
            let looks_like = |anchor: &Anchor| anchor.file.contains(['/', '.']);
            let anchor = Anchor::parse(value, at..at + line.len()).filter(looks_like);
            claim.anchors.extend(anchor);
        }
        true
    }

    fn is_code(&mut self, words: &str) -> bool {
        let mark = words.chars().next().unwrap_or(' ');
        let run = words.chars().take_while(|c| *c == mark).count();
        let is_mark = matches!(mark, '`' | '~') && run >= 3;
        match self.fence {
            Some((open, len)) => {
                if is_mark && mark == open && run >= len && words.chars().all(|c| c == mark) {
                    self.fence = None;
                }
                true
            }
            None if is_mark => {
                self.fence = Some((mark, run));
                true
            }
            None => false,
        }
    }

    fn is_comment(&mut self, words: &str) -> bool {
        let was_in = self.in_comment;
        if words.starts_with("<!--") {
            self.in_comment = true;
        }
        let is_in = self.in_comment;
        if words.contains("-->") {
            self.in_comment = false;
        }
        was_in || is_in
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
    }
}

/// Reports whether there is something to prove in it.
fn is_claim(claim: &Claim) -> bool {
    let text = claim.text.trim();
    let plain = text.trim_matches(['*', '_', '`', ' ']);
    let is_label = text.starts_with("**") && text.ends_with("**") && !ends_sentence(plain);
    let only_links = (plain.starts_with("[[") && plain.ends_with("]]"))
        || (plain.starts_with('[') && plain.ends_with(')') && plain.matches("](").count() == 1)
        || (plain.starts_with("![") && plain.ends_with(')'));
    let is_tag = plain.starts_with('<') && plain.ends_with('>');
    plain.chars().any(char::is_alphanumeric)
        && !plain.ends_with([':', '：', '?', '？'])
        && !is_label
        && !only_links
        && !is_tag
}

fn without_anchors(line: &str, found: &[Anchor], at: usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for anchor in found {
        let start = anchor.at.start - at;
        if start >= from {
            out.push_str(line.get(from..start).unwrap_or_default().trim_end());
            from = anchor.at.end - at;
        }
    }
    out.push_str(line.get(from..).unwrap_or_default());
    out
}

fn item(line: &str) -> (bool, &str) {
    for mark in ["- ", "* ", "+ ", "• "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let rest = rest.trim_start();
            let rest =
                ["[ ] ", "[x] ", "[X] "].iter().find_map(|b| rest.strip_prefix(b)).unwrap_or(rest);
            return (true, rest);
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line.get(digits..).unwrap_or_default();
    match after.strip_prefix(['.', ')', '、']) {
        Some(rest)
            if (1..=9).contains(&digits) && (rest.starts_with(' ') || after.starts_with('、')) =>
        {
            (true, rest.trim_start())
        }
        _ => (false, line),
    }
}

fn ends_sentence(text: &str) -> bool {
    let text =
        text.trim_end_matches(['*', '_', '`', '"', '\'', ')', '”', '’', '）', '」', '』', ' ']);
    text.ends_with(['.', '!', '?', '。', '！', '？', '…', ';', '；'])
}

fn is_rule(text: &str) -> bool {
    let mut marks = text.chars().filter(|c| !c.is_whitespace());
    let Some(first) = marks.next() else { return false };
    matches!(first, '-' | '*' | '_' | '=') && marks.all(|c| c == first) && text.len() >= 3
}

/// Returns the line between the head of a table and its rows.
fn is_delimiter(text: &str) -> bool {
    let text = text.trim_start_matches(['>', ' ', '\t']).trim();
    text.contains('-')
        && text.contains('|')
        && text.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

/// `[name]: address`
fn is_definition(text: &str) -> bool {
    text.starts_with('[') && text.split_once("]:").is_some_and(|(name, _)| !name.contains(']'))
}
