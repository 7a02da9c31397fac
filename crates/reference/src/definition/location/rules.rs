//! Which lines of a text are rules.

use super::super::lines::{Line, lines};
use std::ops::Range;

/// A rule as written.
#[derive(Debug, Clone)]
pub(super) struct Rule<'a> {
    pub(super) name: &'a str,
    /// The byte of the file at which the name begins.
    pub(super) at: usize,
    /// The text after `::=`.
    pub(super) body: &'a str,
    /// The byte of the file at which the body begins.
    pub(super) body_at: usize,
}

impl Rule<'_> {
    pub(super) fn name_place(&self) -> Range<usize> {
        self.at..self.at + self.name.len()
    }
}

/// Returns the rules of a part; lines that are not rules are prose.
pub(super) fn split(source: &str, part: Range<usize>) -> Vec<Rule<'_>> {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    let mut fence: Option<bool> = None;
    let mut ending: Option<Ending> = None;
    let mut in_comment = false;
    for line in lines(source, part) {
        let text = line.text.trim();
        if in_comment {
            in_comment = !text.contains("*)");
        } else if let Some(language) = fence_line(text) {
            ending = None;
            fence = if fence.is_some() { None } else { Some(is_grammar(language)) };
        } else if fence == Some(false) {
            continue;
        } else if let Some(rule) = beginning(&line).filter(|_| !in_rule_comment(ending)) {
            ending = Some(Ending::default().behind(rule.body));
            rules.push(rule);
        } else if let Some(open) = ending.filter(|open| open.takes(text)) {
            if let Some(rule) = rules.last_mut() {
                let end = line.start + line.text.trim_end().len();
                rule.body = source.get(rule.body_at..end).unwrap_or(rule.body);
            }
            ending = Some(open.behind(text));
        } else {
            ending = None;
            in_comment = text.starts_with("(*") && !text.contains("*)");
        }
    }
    rules
}

fn in_rule_comment(ending: Option<Ending>) -> bool {
    ending.is_some_and(|ending| ending.in_comment)
}

/// Returns the text behind the marks of a line that opens or closes a code fence.
fn fence_line(text: &str) -> Option<&str> {
    text.strip_prefix("```").or_else(|| text.strip_prefix("~~~"))
}

/// Reports whether a fence of that language holds rules; an example in another language does not.
fn is_grammar(info: &str) -> bool {
    let language = info.trim_matches(|c: char| c == '`' || c == '~' || c.is_whitespace());
    let language = language.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ["", "ebnf", "bnf", "abnf", "grammar", "text", "txt"]
        .contains(&language.to_ascii_lowercase().as_str())
}

/// `name ::= …`, also as an item of a list or in backticks.
fn beginning<'a>(line: &Line<'a>) -> Option<Rule<'a>> {
    let whole = line.text.trim_end();
    let mut text = whole.trim_start();
    for bullet in ["- ", "* ", "+ "] {
        text = text.strip_prefix(bullet).unwrap_or(text).trim_start();
    }
    let unwrapped = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    // Whatever was taken from the end, the text still ends where `whole` does or one byte before.
    let cut = usize::from(unwrapped.is_some());
    let text = unwrapped.unwrap_or(text);
    let at = line.start + whole.len() - cut - text.len();
    let (name, body) = text.split_once("::=")?;
    let name = name.trim_end();
    is_name(name).then(|| Rule { name, at, body, body_at: at + text.len() - body.len() })
}

/// The end of the lines of a rule so far.
#[derive(Debug, Clone, Copy)]
struct Ending {
    /// Brackets that are open.
    depth: usize,
    in_comment: bool,
    /// Something must follow: the body is empty or ends with `|`.
    is_unfinished: bool,
}

impl Default for Ending {
    fn default() -> Self {
        Self { depth: 0, in_comment: false, is_unfinished: true }
    }
}

impl Ending {
    /// Reports whether the next line belongs to the rule: it begins with `|` and is not a row of a
    /// table, or something must still follow.
    fn takes(self, line: &str) -> bool {
        let is_alternative = line.starts_with('|') && !(line.len() > 1 && line.ends_with('|'));
        let must_go_on = self.in_comment || self.depth > 0;
        is_alternative || must_go_on || self.is_unfinished && !line.is_empty()
    }

    /// Returns the ending behind one more line; what is in quotes does not count.
    fn behind(mut self, line: &str) -> Self {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if self.in_comment {
                self.in_comment = !rest.contains("*)");
                rest = rest.split_once("*)").map_or("", |(_, after)| after);
                continue;
            }
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            rest = after;
            match c {
                '(' if after.starts_with('*') => {
                    self.in_comment = true;
                    rest = after.get(1..).unwrap_or_default();
                }
                '\'' | '"' => rest = after.split_once(c).map_or(after, |(_, after)| after),
                '(' | '{' => self.depth += 1,
                ')' | '}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        let text = line.trim();
        if !text.is_empty() {
            self.is_unfinished = text.ends_with('|');
        }
        self
    }
}

/// Reports whether a text can name a rule: a letter or `_`, then letters, digits, `_` and `-`.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
