//! Lines that look like the layout of a prompt or the turn of another speaker.

use super::glyphs::{Glyphs, first};
use super::look::{alike, is_blank, is_square, plain};
use super::scan::places;

/// The headings of the layers (AS-20), without the colon.
const HEADINGS: &[&str] = &["context", "instruction"];
/// The speakers of conversations, without spaces.
const SPEAKERS: &[&str] = words![
    "system" "assistant" "user" "developer" "tool" "human" "ai" "systemprompt" "systemmessage"
    "systeminstruction" "systeminstructions" "systemoverride" "developermessage" "usermessage"
    "assistantmessage" "系统" "系统提示" "系统提示词" "系统消息" "系统指令" "系統" "系統提示"
    "系統訊息" "用户" "用戶" "使用者" "助手" "助理" "人类" "开发者" "開發者" "工具" "管理员"
    "指令" "上下文" "システム" "ユーザー" "アシスタント"
];
/// Headings of well-known instruction formats, such as `### Response:`.
const FORMATS: &[&str] = &["instruction", "instructions", "response", "input", "指令", "回复"];

/// Returns the places for a backslash: before the first visible character of each such line. Turns
/// of a speaker count only `in_fence`.
pub(super) fn marks(text: &str, in_fence: bool) -> Vec<usize> {
    let mut marks = Vec::new();
    let mut look = |start: usize, end: usize| {
        let shown = text.get(start..end).unwrap_or_default().trim_start_matches(is_blank);
        let is_free = in_fence && is_anchors(shown);
        if !is_free && is_layout(shown) || in_fence && is_turn(shown) {
            marks.push(end - shown.len());
        }
    };
    let mut start = 0;
    for at in places(text, may_break) {
        let sign = text.get(at..).and_then(|rest| rest.chars().next());
        if let Some(sign) = sign.filter(|sign| is_line_break(*sign)) {
            look(start, at);
            start = at + sign.len_utf8();
        }
    }
    look(start, text.len());
    marks
}

/// Reports whether a byte may begin a line break.
const fn may_break(byte: u8) -> bool {
    (byte < 0x20) | (byte == 0xc2) | (byte == 0xe2)
}

const fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1f}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_layout(line: &str) -> bool {
    match first(line).and_then(|(sign, _)| plain(sign)) {
        Some('[') => is_label(line),
        Some(c) if c.is_alphabetic() => starts_with_heading(line, HEADINGS),
        _ => false,
    }
}

/// Reports whether a line is only `[…]`, possibly followed by a colon or full stop.
fn is_label(line: &str) -> bool {
    let is_tail = |c: char| is_blank(c) || matches!(plain(c), Some(':' | '.') | None);
    let mut inside = Glyphs::of(line.trim_end_matches(is_tail));
    let _opening = inside.next();
    let mut closing = None;
    let mut holds = false;
    for sign in inside {
        holds |= closing.is_some_and(|before| !is_blank(before));
        closing = Some(sign);
    }
    holds && closing.and_then(plain) == Some(']')
}

/// Reports whether a line is only `[source: FILE#FRAGMENT]`, once or several times: claims name
/// their sources like this (KN-12), and no layout line inside a fence does.
fn is_anchors(line: &str) -> bool {
    let mut rest = line.trim_end();
    while let Some((path, after)) =
        rest.strip_prefix("[source:").and_then(|anchor| anchor.split_once(']'))
    {
        if path.trim().is_empty() || path.contains('[') {
            return false;
        }
        rest = after.trim_start_matches([' ', ',', ';', '.']);
        if rest.is_empty() {
            return true;
        }
    }
    false
}

/// Reports whether a line is a turn: `System:`, `### System`, `**Assistant:**`, `> user:`, `-
/// system:`, `=== SYSTEM ===`.
fn is_turn(line: &str) -> bool {
    let is_bullet = |c: char| matches!(c, '-' | '+' | '~' | '•' | '·' | '—');
    let is_before = |c: char| is_blank(c) || is_mark(c) || is_bullet(c) || plain(c) == Some('>');
    let rest = line.trim_start_matches(is_before);
    let rest = past_number(rest).map_or(rest, |rest| rest.trim_start_matches(is_before));
    let before = line.get(..line.len() - rest.len()).unwrap_or_default();
    if starts_with_heading(rest, SPEAKERS) {
        return true;
    }
    if rest.starts_with(is_square) {
        return is_named_label(rest);
    }
    let is_heading = ["#", "==", "--", "**"].iter().any(|mark| before.contains(mark));
    is_heading
        && (is_word_alone(rest, SPEAKERS)
            || before.contains('#') && starts_with_heading(rest, FORMATS)
            || before.contains("###") && is_word_alone(rest, FORMATS))
}

/// Returns the rest after the number of an item, as in `1. System:` and `(2) user:`.
fn past_number(line: &str) -> Option<&str> {
    let inner = line.strip_prefix(['(', '（']).unwrap_or(line);
    let rest = inner.trim_start_matches(|c: char| c.is_numeric());
    let digits = inner.len() - rest.len();
    let marked = rest.strip_prefix(['.', ')', '、', '．', '）', ':', '：'])?;
    (1..=16).contains(&digits).then_some(marked)
}

/// Reports whether a line is `【系统】`, followed by anything.
fn is_named_label(line: &str) -> bool {
    let inside = Glyphs::of(line).skipping(|c| is_blank(c) || is_square(c)).rest();
    let closes = |c: char| matches!(c, ']' | '］' | '】' | '〕' | '⟧' | '❳');
    let ends = |mut rest: Glyphs<'_>| rest.find(|c| !is_decoration(*c)).is_some_and(closes);
    among(inside, SPEAKERS).any(|word| after_word(inside, word).is_some_and(ends))
}

/// Reports whether the line is one of `words`, a colon and anything.
fn starts_with_heading(line: &str, words: &[&str]) -> bool {
    among(line, words).any(|word| {
        let rest = after_word(line, word);
        rest.is_some_and(|mut rest| rest.find(|c| !is_decoration(*c)).and_then(plain) == Some(':'))
    })
}

fn is_word_alone(line: &str, words: &[&str]) -> bool {
    let ends = |mut rest: Glyphs<'_>| rest.all(|c| is_decoration(c) || c == '-');
    among(line, words).any(|word| after_word(line, word).is_some_and(ends))
}

/// Returns the words that begin like the line.
fn among<'w>(line: &str, words: &'w [&'w str]) -> impl Iterator<Item = &'w str> {
    let lead = Glyphs::of(line).find_map(|c| if is_blank(c) { None } else { plain(c) });
    let begins = move |word: &&str| {
        lead.zip(word.chars().next()).is_some_and(|(lead, wanted)| alike(lead, wanted))
    };
    words.iter().copied().filter(begins)
}

fn is_decoration(c: char) -> bool {
    is_blank(c) || is_mark(c) || plain(c).is_none()
}

const fn is_mark(c: char) -> bool {
    matches!(c, '#' | '*' | '_' | '=' | '`' | '＃' | '＊')
}

/// Returns the rest after `word` at the beginning of `line`, compared by appearance.
fn after_word<'a>(line: &'a str, word: &str) -> Option<Glyphs<'a>> {
    let mut rest = Glyphs::of(line);
    for wanted in word.chars() {
        let found = rest.find_map(|c| if is_blank(c) { None } else { plain(c) })?;
        if !alike(found, wanted) {
            return None;
        }
    }
    Some(rest)
}

/// Reports whether a line imitates the turn of another speaker or a heading of the layout.
pub(super) fn turns(line: &str) -> bool {
    line.split(is_line_break).any(|line| {
        let shown = line.trim_start_matches(is_blank);
        is_turn(shown) || starts_with_heading(shown, HEADINGS)
    })
}
