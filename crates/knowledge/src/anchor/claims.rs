//! The claims of a text, and which of them say where they come from.
//!
//! A claim is a sentence or more on one line, a line that ends none together with the lines that
//! end it, an item of a list, a row of a table. Headings, code, heads of tables, questions, lines
//! that only announce (`:`) or only link are none.

use super::{Anchor, anchors};

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

/// Reports whether the line begins an item, and what follows the mark.
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
