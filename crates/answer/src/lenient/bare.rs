//! Values without quotes: literals of other languages, numbers, and text that lacks its quotes.

use super::chars::{Mark, fold, mark, quote};
use super::number::{exact, number_text};
use super::parser::{Parser, Place};
use crate::repair::RepairKind;
use serde_json::Value;

/// Words that are recognised even if the end of the text cuts them short.
const CUT: [(&str, Value); 6] = [
    ("true", Value::Bool(true)),
    ("false", Value::Bool(false)),
    ("null", Value::Null),
    ("True", Value::Bool(true)),
    ("False", Value::Bool(false)),
    ("None", Value::Null),
];

/// Returns the value of a word that JSON, Python, JavaScript or this language writes without
/// quotes. `NaN` and the infinities have no JSON number and become `null`, as `JSON.stringify` has
/// it.
pub(super) fn literal(word: &str) -> Option<Value> {
    Some(match word {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        "null" | "Null" | "NULL" | "None" | "none" | "undefined" => Value::Null,
        "NaN" | "Infinity" | "-Infinity" => Value::Null,
        _ => return exact(word).map(Value::Number),
    })
}

impl Parser<'_> {
    /// Parses a value without quotes; returns `None` if there is none, or none that is certain yet.
    #[cold]
    pub(super) fn bare(&mut self, place: Place) -> Option<Value> {
        let start = self.pos;
        let end = self.bare_end(start, place);
        let raw = self.text.get(start..end).unwrap_or_default();
        let at_end = end >= self.text.len();
        self.trusted = None;
        if at_end && self.growing {
            self.pos = end;
            return None;
        }
        let word = raw.trim_end();
        let value = if at_end { self.cut_word(word) } else { None };
        let value = value.or_else(|| self.whole_word(word));
        self.pos = start + word.len();
        value
    }

    fn whole_word(&mut self, word: &str) -> Option<Value> {
        if word.is_empty() || word == "-" {
            return None;
        }
        let folded: String;
        let plain = if word.is_ascii() {
            word
        } else {
            folded = word.chars().map(fold).collect();
            &folded
        };
        if let Some(value) = literal(plain) {
            let json = matches!(word, "true" | "false" | "null") || exact(word).is_some();
            if !json {
                let number = value.is_number();
                self.note(if number { RepairKind::OtherNumber } else { RepairKind::OtherLiteral });
            }
            return Some(value);
        }
        if let Some(number) = number_text(word) {
            self.note(RepairKind::OtherNumber);
            return Some(Value::Number(number));
        }
        self.note(RepairKind::UnquotedValue);
        Some(Value::String(without_stray_quote(word).to_owned()))
    }

    /// Completes a word that the end of the text may have cut.
    fn cut_word(&mut self, word: &str) -> Option<Value> {
        if !word.is_empty()
            && let Some((_, value)) = CUT.iter().find(|(whole, _)| whole.starts_with(word))
        {
            return Some(value.clone());
        }
        let digits = word.trim_end_matches(['.', 'e', 'E', '+', '-']);
        exact(digits).map(Value::Number)
    }

    fn bare_end(&self, start: usize, place: Place) -> usize {
        let mut nested = 0_usize;
        let mut before = '\0';
        let mut at = start;
        while let Some(c) = self.char_at(at) {
            if matches!(c, '\n' | '\r') || self.ends_bare(at, c, before) {
                break;
            }
            let after = at + c.len_utf8();
            match (mark(c), place) {
                (Mark::Comma, Place::Item) if nested == 0 => break,
                (Mark::Comma, Place::Member) if self.comma_ends(start, at, after) => break,
                (Mark::Other, _)
                    if nested == 0
                        && !before.is_whitespace()
                        && self.separates(start, at, c, place) =>
                {
                    break;
                }
                (Mark::OpenObject | Mark::OpenArray, _) => nested += 1,
                (Mark::CloseObject | Mark::CloseArray, _) if nested > 0 => nested -= 1,
                (Mark::CloseObject | Mark::CloseArray, _) => break,
                _ => {}
            }
            before = c;
            at = after;
        }
        at
    }

    /// Reports whether the comma at an offset ends the value, rather than belonging to its text.
    fn comma_ends(&self, start: usize, at: usize, after: usize) -> bool {
        match self.text.get(start..at).and_then(literal) {
            Some(Value::Number(_)) => self.member_follows(after, false),
            Some(_) => true,
            None => self.member_follows(after, true),
        }
    }

    /// Reports whether a semicolon or a blank at an offset separates two members or items.
    fn separates(&self, start: usize, at: usize, c: char, place: Place) -> bool {
        let after = at + c.len_utf8();
        match c {
            ';' | '；' => place == Place::Member && self.member_follows(after, true),
            ' ' | '\t' => {
                let next = self.look_space(after);
                let whole = || self.text.get(start..at).is_some_and(|word| literal(word).is_some());
                match (place, self.mark_at(next)) {
                    (Place::Member, Some((Mark::Quote(_), _))) => self.member_follows(next, true),
                    (Place::Member, Some((Mark::Other, _))) => {
                        whole() && self.member_follows(next, false)
                    }
                    (_, Some((Mark::Quote(_) | Mark::OpenObject | Mark::OpenArray, _))) => whole(),
                    (_, Some(_)) => whole() && literal(self.look_word(next)).is_some(),
                    (_, None) => false,
                }
            }
            _ => false,
        }
    }

    /// Reports whether a comment, a fence or a closing tag begins here.
    fn ends_bare(&self, at: usize, c: char, before: char) -> bool {
        match c {
            '/' | '#' => before.is_whitespace() && self.comment_end(at, 2).is_some(),
            '`' => self.rest(at).starts_with("```"),
            '<' => self.byte(at + 1) == b'/',
            _ => false,
        }
    }
}

/// Removes the closing quote of `hello"`, which lacks the opening one.
fn without_stray_quote(word: &str) -> &str {
    match word.char_indices().next_back() {
        Some((at, c)) if quote(c).is_some() => {
            let head = word.get(..at).unwrap_or(word);
            let alone = !head.chars().any(|c| quote(c).is_some());
            if alone && !head.is_empty() { head } else { word }
        }
        _ => word,
    }
}
