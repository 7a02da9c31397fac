//! Lines that look like the layout of a prompt or like the turn of another speaker.

use super::look::{alike, is_blank, plain};

/// The headings of the layers (AS-20), without the colon.
const HEADINGS: &[&str] = &["context", "instruction"];
/// Those who speak in a conversation.
const SPEAKERS: &[&str] = &["system", "assistant", "user", "developer", "tool", "human"];
/// Headings of well-known instruction formats, such as `### Response:`.
const FORMATS: &[&str] = &["instruction", "instructions", "response", "input"];

/// Where a backslash belongs: before the first visible character of each such line. Turns of a
/// speaker count only `in_fence`.
pub(super) fn marks(text: &str, in_fence: bool) -> Vec<usize> {
    let mut marks = Vec::new();
    let mut at = 0;
    for line in text.split(is_line_break) {
        let shown = line.trim_start_matches(is_blank);
        if is_layout(shown) || in_fence && is_turn(shown) {
            marks.push(at + line.len() - shown.len());
        }
        // The break's own length: the next line begins where the rest of the text does.
        at += line.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    marks
}

const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_layout(line: &str) -> bool {
    match line.chars().next().and_then(plain) {
        Some('[') => is_label(line),
        Some(c) if c.is_alphabetic() => starts_with_heading(line, HEADINGS),
        _ => false,
    }
}

/// A line of nothing but `[…]`, with a colon or full stop behind it at most.
fn is_label(line: &str) -> bool {
    let is_tail = |c: char| is_blank(c) || matches!(plain(c), Some(':' | '.') | None);
    let line = line.trim_end_matches(is_tail);
    let mut inside = line.chars();
    let closes = inside.next_back().and_then(plain) == Some(']');
    let _opening = inside.next();
    closes && !inside.as_str().chars().all(is_blank)
}

/// `System:`, `### System`, `**Assistant:**`, `> user:`.
fn is_turn(line: &str) -> bool {
    let rest = line.trim_start_matches(|c| is_blank(c) || matches!(c, '#' | '*' | '>' | '_' | '='));
    let decoration = line.get(..line.len() - rest.len()).unwrap_or_default();
    if starts_with_heading(rest, SPEAKERS) {
        return true;
    }
    let is_heading = decoration.contains('#');
    is_heading && (is_word_alone(rest, SPEAKERS) || starts_with_heading(rest, FORMATS))
}

/// Whether the line is one of `words`, a colon and anything.
fn starts_with_heading(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let rest = after_word(line, word);
        rest.is_some_and(|mut rest| rest.find(|c| !is_decoration(*c)).and_then(plain) == Some(':'))
    })
}

fn is_word_alone(line: &str, words: &[&str]) -> bool {
    let ends = |mut rest: std::str::Chars<'_>| rest.all(is_decoration);
    words.iter().any(|word| after_word(line, word).is_some_and(ends))
}

fn is_decoration(c: char) -> bool {
    is_blank(c) || matches!(c, '#' | '*' | '_' | '=') || plain(c).is_none()
}

/// What follows `word` at the beginning of `line`, as it looks.
fn after_word<'a>(line: &'a str, word: &str) -> Option<std::str::Chars<'a>> {
    let mut rest = line.chars();
    for wanted in word.chars() {
        let found = rest.find_map(|c| if is_blank(c) { None } else { plain(c) })?;
        if !alike(found, wanted) {
            return None;
        }
    }
    Some(rest)
}
