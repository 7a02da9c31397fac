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
