//! Columns and words that several commands share.

use crate::paint::Paint;
use contexture::reference::State;
use unicode_width::UnicodeWidthStr as _;

/// A text filled up with blanks to a width in columns of a terminal.
pub(super) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// The widest of some texts, up to a limit.
pub(super) fn width<'t>(texts: impl IntoIterator<Item = &'t str>, limit: usize) -> usize {
    texts.into_iter().map(|text| text.width()).filter(|width| *width <= limit).max().unwrap_or(0)
}

/// `1,234`
pub(super) fn grouped(number: u64) -> String {
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

/// A state in its colour.
pub(super) fn state(state: State, width: usize, paint: Paint) -> String {
    let text = padded(state.as_str(), width);
    match state {
        State::Loaded => paint.green(&text),
        State::Pending => paint.yellow(&text),
        State::Failed => paint.red(&text),
    }
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
}
