//! Values of literals: escapes, triple-quoted blocks and numbers (AS-4).

use contexture_diagnostic::Span;

/// A decoded string literal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoded {
    /// The value; it contains a bad escape unchanged.
    pub value: String,
    /// The bad escapes with their faults.
    pub faults: Vec<(Span, EscapeFault)>,
}

/// A fault of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeFault {
    /// A letter that escapes nothing.
    Unknown,
    /// `\(` where no value can be put in, or without its `)`.
    Interpolation,
    /// `\u` without a code point of one to six hexadecimal digits.
    BadUnicode,
}

/// Decodes a one-line string: the text between its quotes, which starts at `start` in the file.
#[must_use]
pub fn decode_line(inner: &str, start: u32) -> Decoded {
    let mut decoded = Decoded::default();
    decode_into(&mut decoded, inner, start);
    decoded
}

/// Decodes a triple-quoted block: removes the common indent of its lines and a blank first and last
/// line; line ends become LF.
#[must_use]
pub fn decode_block(inner: &str, start: u32) -> Decoded {
    let mut decoded = Decoded::default();
    for (index, (text, at)) in block_lines(inner, start).into_iter().enumerate() {
        if index > 0 {
            decoded.value.push('\n');
        }
        decode_into(&mut decoded, text, at);
    }
    decoded
}

/// Returns the lines of a block that make up its value, without their common indent, each with its
/// place.
pub(super) fn block_lines(inner: &str, start: u32) -> Vec<(&str, u32)> {
    let mut lines = split_lines(inner, start);
    let blank = |line: Option<&(&str, u32)>| line.is_some_and(|(text, _)| is_blank(text));
    let several = lines.len() > 1;
    let opened_alone = several && blank(lines.first());
    if several && blank(lines.last()) {
        lines.pop();
    }
    if opened_alone && !lines.is_empty() {
        lines.remove(0);
    }
    let indent = common_indent(lines.get(usize::from(!opened_alone)..).unwrap_or_default());
    for (text, at) in lines.iter_mut().skip(usize::from(!opened_alone)) {
        let cut = shared_prefix(text, indent);
        *text = text.get(cut..).unwrap_or_default();
        *at = at.saturating_add(offset(cut));
    }
    lines
}

fn split_lines(text: &str, start: u32) -> Vec<(&str, u32)> {
    let mut lines = Vec::new();
    let mut at = 0;
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        let (line, tail) = rest.split_at(end);
        let ending = if tail.starts_with("\r\n") { 2 } else { 1 };
        lines.push((line, start.saturating_add(offset(at))));
        at += end + ending;
        rest = tail.get(ending..).unwrap_or_default();
    }
    lines.push((rest, start.saturating_add(offset(at))));
    lines
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == ' ' || c == '\t')
}

fn common_indent<'a>(lines: &[(&'a str, u32)]) -> &'a str {
    let mut indent: Option<&str> = None;
    for (text, _) in lines.iter().filter(|(text, _)| !is_blank(text)) {
        let own = text.get(..text.len() - text.trim_start_matches([' ', '\t']).len());
        let own = own.unwrap_or_default();
        indent = Some(match indent {
            None => own,
            Some(shared) => shared.get(..shared_prefix(own, shared)).unwrap_or_default(),
        });
    }
    indent.unwrap_or_default()
}

fn shared_prefix(text: &str, indent: &str) -> usize {
    text.bytes().zip(indent.bytes()).take_while(|(own, shared)| own == shared).count()
}

fn decode_into(decoded: &mut Decoded, text: &str, start: u32) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        decoded.value.push_str(plain);
        let begin = start.saturating_add(offset(text.len() - escape.len()));
        let length = read_escape(decoded, escape, begin);
        rest = escape.get(length..).unwrap_or_default();
    }
    decoded.value.push_str(rest);
}

/// Decodes the escape at the start of `text`, and returns its length in bytes.
pub(super) fn read_escape(decoded: &mut Decoded, text: &str, begin: u32) -> usize {
    let letter = text.chars().nth(1);
    let plain = match letter {
        Some('n') => Some('\n'),
        Some('t') => Some('\t'),
        Some('r') => Some('\r'),
        Some('b') => Some('\u{8}'),
        Some('f') => Some('\u{c}'),
        Some('0') => Some('\0'),
        Some(same @ ('\\' | '"' | '\'' | '/')) => Some(same),
        _ => None,
    };
    if let Some(c) = plain {
        decoded.value.push(c);
        return 2;
    }
    if letter == Some('u') {
        return read_unicode(decoded, text, begin);
    }
    let length = 1 + letter.map_or(0, char::len_utf8);
    let fault = if letter == Some('(') { EscapeFault::Interpolation } else { EscapeFault::Unknown };
    keep_fault(decoded, text, begin, length, fault)
}

fn keep_fault(
    decoded: &mut Decoded,
    text: &str,
    begin: u32,
    length: usize,
    fault: EscapeFault,
) -> usize {
    decoded.value.push_str(text.get(..length).unwrap_or(text));
    decoded.faults.push((Span::new(begin, begin.saturating_add(offset(length))), fault));
    length
}

/// Decodes `\u{1F600}`, `\u4f60`, or two of the latter that form a surrogate pair, as JSON writes
/// them.
fn read_unicode(decoded: &mut Decoded, text: &str, begin: u32) -> usize {
    let braced = text.get(2..).and_then(|rest| rest.strip_prefix('{'));
    if let Some(rest) = braced {
        let digits = rest.find('}').and_then(|end| rest.get(..end)).unwrap_or_default();
        let hex = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let point = u32::from_str_radix(digits, 16).ok().filter(|_| hex).and_then(char::from_u32);
        return match point {
            Some(c) => {
                decoded.value.push(c);
                digits.len() + 4
            }
            None => keep_fault(decoded, text, begin, 2, EscapeFault::BadUnicode),
        };
    }
    let (unit, length) = match (four_digits(text), text.get(6..).and_then(four_digits)) {
        (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
            (Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)), 12)
        }
        (unit, _) => (unit, 6),
    };
    match unit.and_then(char::from_u32) {
        Some(c) => {
            decoded.value.push(c);
            length
        }
        None => keep_fault(decoded, text, begin, 2, EscapeFault::BadUnicode),
    }
}

fn four_digits(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| hex)
}

/// A parsed number literal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i64),
    /// 2^63, which is in range only after a minus.
    MinInt,
    /// Any other number.
    Float(f64),
}

/// A fault of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFault {
    /// Beyond 64 bits, or beyond what a float can hold.
    TooLarge,
    /// Unknown letters after it.
    Suffix,
    /// Not a whole number, as in `1.2345k`.
    NotWhole,
}

/// Parses a number literal; `2k` is 2000.
///
/// # Errors
/// [`NumberFault`] for an invalid number.
pub fn read_number(text: &str) -> Result<Number, NumberFault> {
    if let Some(thousands) = text.strip_suffix('k') {
        return read_thousands(thousands).map(Number::Int);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse::<u64>() {
            Ok(value) if value == 1 << 63 => Ok(Number::MinInt),
            Ok(value) => i64::try_from(value).map(Number::Int).map_err(|_| NumberFault::TooLarge),
            Err(_) => Err(NumberFault::TooLarge),
        };
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Number::Float(value)),
        Ok(_) => Err(NumberFault::TooLarge),
        Err(_) => Err(NumberFault::Suffix),
    }
}

fn read_thousands(text: &str) -> Result<i64, NumberFault> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    if !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(NumberFault::Suffix);
    }
    if fraction.len() > 3 {
        return Err(NumberFault::NotWhole);
    }
    let whole = whole.parse::<i64>().map_err(|_| NumberFault::TooLarge)?;
    let fraction = format!("{fraction:0<3}").parse::<i64>().unwrap_or_default();
    let thousands = whole.checked_mul(1000).and_then(|value| value.checked_add(fraction));
    thousands.ok_or(NumberFault::TooLarge)
}

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        decode_line(text, 0).value
    }

    #[test]
    fn as_4_escapes() {
        assert_eq!(line(r#"a\n\t\"\\\'\/é"#), "a\n\t\"\\'/é");
        assert_eq!(line(r"\u{1F600}\u4f60\ud83d\ude00"), "😀你😀");
        for bad in [r"\u{}", r"\u{110000}", r"\u12", r"\ud800", r"\u{d800}", r"\u{1", r"\u{+41}"] {
            let decoded = decode_line(bad, 7);
            assert_eq!(decoded.faults.len(), 1, "{bad}");
            assert_eq!(decoded.faults[0].0.start, 7);
        }
        assert_eq!(decode_line(r"\d+", 0).faults[0].1, EscapeFault::Unknown);
    }

    #[test]
    fn as_4_blocks_lose_their_common_indent() {
        let block = |text| decode_block(text, 0).value;
        assert_eq!(block("\n    one\n      two\n\n    three\n  "), "one\n  two\n\nthree");
        assert_eq!(block("one\n    two\n      three"), "one\ntwo\n  three");
        assert_eq!(block("\r\n  a\r\n  b\r\n"), "a\nb");
        assert_eq!(block(""), "");
        assert_eq!(block("x"), "x");
        assert_eq!(block("\n"), "");
        assert_eq!(block("\n\n  a\n\n"), "\na\n");
        assert_eq!(block("\n\ta\n  b"), "\ta\n  b");
    }

    #[test]
    fn as_4_numbers() {
        assert_eq!(read_number("42"), Ok(Number::Int(42)));
        assert_eq!(read_number("2k"), Ok(Number::Int(2000)));
        assert_eq!(read_number("1.5k"), Ok(Number::Int(1500)));
        assert_eq!(read_number("0.0010k"), Ok(Number::Int(1)));
        assert_eq!(read_number("2.5"), Ok(Number::Float(2.5)));
        assert_eq!(read_number("1e3"), Ok(Number::Float(1000.0)));
        assert_eq!(read_number("9223372036854775808"), Ok(Number::MinInt));
        assert_eq!(read_number("9223372036854775809"), Err(NumberFault::TooLarge));
        assert_eq!(read_number("9223372036854776k"), Err(NumberFault::TooLarge));
        assert_eq!(read_number("1e999"), Err(NumberFault::TooLarge));
        assert_eq!(read_number("1.2345k"), Err(NumberFault::NotWhole));
        assert_eq!(read_number("2m"), Err(NumberFault::Suffix));
        assert_eq!(read_number("1e3k"), Err(NumberFault::Suffix));
    }
}
