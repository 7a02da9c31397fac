//! Columns of a terminal: text of any script lines up.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A text filled up with blanks to a width in columns of a terminal.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// The widest of some texts, up to a limit.
pub(crate) fn width<'t>(texts: impl IntoIterator<Item = &'t str>, limit: usize) -> usize {
    texts.into_iter().map(|text| text.width()).filter(|width| *width <= limit).max().unwrap_or(0)
}

/// The beginning of a text, in at most so many columns; what was cut ends with `…`.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let mut short = String::new();
    for sign in text.chars() {
        let Some(rest) = left.checked_sub(sign.width().unwrap_or(0)) else { break };
        left = rest;
        short.push(sign);
    }
    format!("{}…", short.trim_end())
}

/// Lines of at most so many columns: broken between words, within a word that is wider, and between
/// any two wide letters. What a line is moved in by is kept.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    text.lines()
        .flat_map(|line| wrapped_line(&line.replace('\t', "    "), columns.max(2)))
        .collect()
}

fn wrapped_line(line: &str, columns: usize) -> Vec<String> {
    let bare = line.trim_start_matches(' ');
    let lead = line.len().saturating_sub(bare.len()).min(columns / 2);
    let mut rows = Vec::new();
    let (mut row, mut used) = (" ".repeat(lead), lead);
    for piece in pieces(bare) {
        let wide = piece.trim_end().width();
        if used > lead && used.saturating_add(wide) > columns {
            let full = std::mem::replace(&mut row, " ".repeat(lead));
            rows.push(full.trim_end().to_owned());
            used = lead;
        }
        for sign in piece.chars() {
            let wide = sign.width().unwrap_or(0);
            if used.saturating_add(wide) > columns && sign != ' ' && used > lead {
                rows.push(std::mem::replace(&mut row, " ".repeat(lead)));
                used = lead;
            }
            row.push(sign);
            used = used.saturating_add(wide);
        }
    }
    rows.push(row.trim_end().to_owned());
    rows
}

/// Parts that a line may be broken after: words with the blanks behind them, and wide letters with
/// what belongs to them.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    for sign in line.chars() {
        let is_wide = |sign: char| sign.width().unwrap_or(0) > 1;
        let begins = match before {
            None => true,
            Some(' ') => sign != ' ',
            Some(last) => {
                let may_end = is_wide(last) || is_wide(sign);
                may_end && sign != ' ' && sign.width() != Some(0) && !CLOSING.contains(sign)
            }
        };
        match pieces.last_mut() {
            Some(piece) if !begins => piece.push(sign),
            _ => pieces.push(sign.to_string()),
        }
        before = Some(sign);
    }
    pieces
}

/// Signs that no line begins with.
const CLOSING: &str = ",.;:!?)]}，。、；：！？）】》」』”’…％";

/// `1,234`
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 section`, `2 sections`
pub(crate) fn counted(number: u64, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_9_columns_line_up_in_any_script() {
        assert_eq!(padded("文件", 6), "文件  ");
        assert_eq!(width(["ab", "文件", "too long"], 5), 4);
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn cp_9_a_conversation_is_wrapped_by_columns_in_any_script() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one  two", 20), ["one  two"]);
        assert_eq!(wrapped("北京今天天气晴朗，气温5°C", 10), ["北京今天天", "气晴朗，气", "温5°C"]);
        assert_eq!(wrapped("天气，好", 4), ["天", "气，", "好"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("  - item one\n\nx", 10), ["  - item", "  one", "", "x"]);
        assert_eq!(wrapped("", 10), [""; 0]);
        for text in ["天", "a天", "\u{301}\u{301}", "   ", "👩‍👩‍👧 x", "，，，，"]
        {
            for columns in 0..6 {
                let lines = wrapped(text, columns);
                let keeps: String = lines.concat().chars().filter(|sign| *sign != ' ').collect();
                assert_eq!(keeps, text.replace(' ', ""), "{text} {columns}");
            }
        }
    }

    #[test]
    fn kn_6_a_description_is_cut_by_columns_and_not_by_letters() {
        assert_eq!(shortened("产品事实", 8), "产品事实");
        assert_eq!(shortened("产品事实与价格", 8), "产品事…");
        assert_eq!(shortened("产品 事实与价格", 6), "产品…");
        assert_eq!(shortened("abc", 2), "a…");
        assert_eq!(shortened("abc", 0), "…");
        assert_eq!(counted(1, "pack"), "1 pack");
        assert_eq!(counted(1_200, "pack"), "1,200 packs");
    }
}
