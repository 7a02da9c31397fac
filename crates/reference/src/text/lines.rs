//! `line=5-10`: the lines of a text that are taken (REF-14).

use std::fmt;
use std::str::FromStr;

/// Lines, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// The first line; at least 1.
    pub first: u64,
    /// The last line; `None` is the end of the text.
    pub last: Option<u64>,
}

/// The reason why a text is not a range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It is not written as a range.
    #[error("is not a range of lines")]
    Malformed,
    /// Lines are counted from 1.
    #[error("begins with line 0, but lines are counted from 1")]
    Zero,
    /// The last line stands before the first.
    #[error("ends before it begins")]
    Reversed,
}

impl LineError {
    /// Returns how to fix it.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Malformed => "write 5-10, 5- (to the end), -10 (the first ten) or 5",
            Self::Zero => "begin with 1",
            Self::Reversed => "write the smaller line first",
        }
    }
}

impl FromStr for LineRange {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Self, LineError> {
        let text = text.trim();
        let (first, last) = match text.split_once('-') {
            None => {
                let line = number(text)?;
                (line, Some(line))
            }
            Some(("", last)) => (1, Some(number(last)?)),
            Some((first, "")) => (number(first)?, None),
            Some((first, last)) => (number(first)?, Some(number(last)?)),
        };
        if first == 0 || last == Some(0) {
            return Err(LineError::Zero);
        }
        if last.is_some_and(|last| last < first) {
            return Err(LineError::Reversed);
        }
        Ok(Self { first, last })
    }
}

/// Returns a whole number in ASCII digits; beyond what a text can have, it is as good as the
/// largest.
fn number(text: &str) -> Result<u64, LineError> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(LineError::Malformed);
    }
    Ok(text.parse().unwrap_or(u64::MAX))
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) if last == self.first => write!(f, "{last}"),
            Some(last) => write!(f, "{}-{last}", self.first),
            None => write!(f, "{}-", self.first),
        }
    }
}

impl LineRange {
    /// Returns the lines of `text` with their line ends, and how many lines the text has when the
    /// range reaches past them.
    #[must_use]
    pub fn of<'t>(&self, text: &'t str) -> (&'t str, Option<u64>) {
        let mut start = None;
        let mut end = text.len();
        let mut offset = 0;
        let mut count = 0;
        for line in text.split_inclusive('\n') {
            count += 1;
            if count == self.first {
                start = Some(offset);
            }
            offset += line.len();
            if Some(count) == self.last {
                end = offset;
                break;
            }
        }
        let taken = start.and_then(|start| text.get(start..end)).unwrap_or_default();
        let past = self.last.map_or(count < self.first, |last| count < last);
        (taken, past.then_some(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(range: &str, text: &'static str) -> (&'static str, Option<u64>) {
        range.parse::<LineRange>().unwrap().of(text)
    }

    #[test]
    fn ref_14_ranges_of_lines_are_counted_from_1_with_both_ends() {
        let text = "one\ntwo\r\n三\nfour";
        assert_eq!(take("2-3", text), ("two\r\n三\n", None));
        assert_eq!(take("3-", text), ("三\nfour", None));
        assert_eq!(take("-2", text), ("one\ntwo\r\n", None));
        assert_eq!(take("1", text), ("one\n", None));
        assert_eq!(take("4", text), ("four", None));
    }

    #[test]
    fn ref_14_past_end_is_clipped_and_said() {
        assert_eq!(take("2-9", "one\ntwo\n"), ("two\n", Some(2)));
        assert_eq!(take("3-", "one\ntwo\n"), ("", Some(2)));
        assert_eq!(take("-5", ""), ("", Some(0)));
        assert_eq!(take("99999999999999999999999", "one"), ("", Some(1)));
    }

    #[test]
    fn ref_14_what_is_not_range_is_error() {
        let error = |text: &str| text.parse::<LineRange>().unwrap_err();
        assert_eq!(error("10-5"), LineError::Reversed);
        assert_eq!(error("0"), LineError::Zero);
        assert_eq!(error("0-3"), LineError::Zero);
        assert_eq!(error("-0"), LineError::Zero);
        for text in ["", "-", "a", "1-b", "1-2-3", "+1", "1.5", "１", "--2"] {
            assert_eq!(error(text), LineError::Malformed, "{text}");
        }
    }

    #[test]
    fn ref_14_range_prints_to_what_it_was_parsed_from() {
        for text in ["5-10", "5-", "5"] {
            assert_eq!(text.parse::<LineRange>().unwrap().to_string(), text);
        }
        assert_eq!("-10".parse::<LineRange>().unwrap().to_string(), "1-10");
    }
}
