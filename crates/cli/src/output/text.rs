//! Text for a terminal: columns that line up in any script, numbers, times, and characters that a
//! terminal must not interpret.

use contexture::prompt::Usage;
use contexture::store::stamp::iso_time;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Replaces the characters that a terminal would interpret as commands; line breaks stay.
pub(crate) fn sanitized(text: &str) -> String {
    let is_bidi = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_unsafe = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_bidi(c);
    text.chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

/// Returns [`sanitized`] text on one line.
pub(crate) fn one_line(text: &str) -> String {
    sanitized(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Formats tokens of prompt and answer with who counted them: `47 + 10 tokens reported, 12 cached`.
pub(crate) fn tokens_of(usage: &Usage, is_estimated: bool) -> String {
    let Usage { prompt_tokens: input, completion_tokens: output, .. } = usage;
    let label = if is_estimated { "counted here" } else { "reported" };
    let cached = usage.cached_tokens.map(|tokens| format!(", {tokens} cached")).unwrap_or_default();
    format!("{input} + {output} tokens {label}{cached}")
}

/// Pads a text with blanks to a width in terminal columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Returns the width of the widest text that is not wider than `limit`.
pub(crate) fn width<'t>(texts: impl IntoIterator<Item = &'t str>, limit: usize) -> usize {
    texts.into_iter().map(|text| text.width()).filter(|width| *width <= limit).max().unwrap_or(0)
}

/// Cuts a text to at most `columns` columns; a cut text ends with `…`.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let mut short = String::new();
    for c in text.chars() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or(0)) else { break };
        left = rest;
        short.push(c);
    }
    format!("{}…", short.trim_end())
}

/// Wraps a text to lines of at most `columns` columns: between words, inside a word that is wider
/// than a line, and between any two wide characters. Indentation is kept.
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
        for c in piece.chars() {
            let wide = c.width().unwrap_or(0);
            if used.saturating_add(wide) > columns && c != ' ' && used > lead {
                rows.push(std::mem::replace(&mut row, " ".repeat(lead)));
                used = lead;
            }
            row.push(c);
            used = used.saturating_add(wide);
        }
    }
    rows.push(row.trim_end().to_owned());
    rows
}

/// Splits a line where it may be wrapped: words with the blanks that follow, and wide characters
/// with their combining characters.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    for c in line.chars() {
        let is_wide = |c: char| c.width().unwrap_or(0) > 1;
        let begins = match before {
            None => true,
            Some(' ') => c != ' ',
            Some(last) => {
                let may_end = is_wide(last) || is_wide(c);
                may_end && c != ' ' && c.width() != Some(0) && !CLOSING.contains(c)
            }
        };
        match pieces.last_mut() {
            Some(piece) if !begins => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        before = Some(c);
    }
    pieces
}

/// Characters that no line begins with.
const CLOSING: &str = ",.;:!?)]}，。、；：！？）】》」』”’…％";

/// Formats a number with separators: `1,234`.
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

/// Formats a count with its noun: `1 section`, `2 sections`.
pub(crate) fn counted(number: u64, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(number))
}

/// Formats a count with its noun and without separators: `1 token`, `2000 tokens`.
pub(crate) fn plural(count: u64, word: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {word}{end}")
}

/// Formats a count of tokens, with a mark if another tokenizer than the model's own counted them:
/// `2000`, `~2000`.
pub(crate) fn about(tokens: u64, is_exact: bool) -> String {
    format!("{}{tokens}", mark(is_exact))
}

/// Formats an amount of dollars with as many places as it needs to be seen: `1.50 USD`,
/// `0.0045 USD`.
pub(crate) fn dollars(amount: f64) -> String {
    let places = match amount {
        0.01.. => 2,
        0.000_1.. => 4,
        _ => 6,
    };
    format!("{amount:.places$} USD")
}

/// Returns the mark of a count that is not exact.
pub(crate) const fn mark(is_exact: bool) -> &'static str {
    if is_exact { "" } else { "~" }
}

/// Formats a duration in microseconds: `90 µs`, `412 ms`, `1.2 s`, `3 min 5 s`.
pub(crate) fn duration(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", us / 1_000),
        1_000_000..60_000_000 => format!("{}.{} s", us / 1_000_000, us / 100_000 % 10),
        _ => format!("{} min {} s", us / 60_000_000, us / 1_000_000 % 60),
    }
}

/// Formats a time in microseconds since 1970 for people, to the second: `2026-01-31 09:30:00`.
pub(crate) fn timestamp(time_us: u64) -> String {
    let time = iso_time(time_us);
    time.get(..19).unwrap_or(&time).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_messages_hold_no_terminal_commands() {
        assert_eq!(sanitized("a\u{1b}[31mb\nc\u{202e}"), "a\u{fffd}[31mb\nc\u{fffd}");
    }

    #[test]
    fn ref_9_columns_line_up_in_any_script() {
        assert_eq!(padded("文件", 6), "文件  ");
        assert_eq!(width(["ab", "文件", "too long"], 5), 4);
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn cp_9_conversation_wraps_by_columns_in_any_script() {
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
                let keeps: String = lines.concat().chars().filter(|c| *c != ' ').collect();
                assert_eq!(keeps, text.replace(' ', ""), "{text} {columns}");
            }
        }
    }

    #[test]
    fn kn_6_description_is_cut_by_columns_not_characters() {
        assert_eq!(shortened("产品事实", 8), "产品事实");
        assert_eq!(shortened("产品事实与价格", 8), "产品事…");
        assert_eq!(shortened("产品 事实与价格", 6), "产品…");
        assert_eq!(shortened("abc", 2), "a…");
        assert_eq!(shortened("abc", 0), "…");
        assert_eq!(counted(1, "pack"), "1 pack");
        assert_eq!(counted(1_200, "pack"), "1,200 packs");
    }
}
