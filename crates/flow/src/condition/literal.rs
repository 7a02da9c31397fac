//! Literals: strings and numbers.

use super::cursor::{Cursor, is_name, span};
use super::error::SyntaxError;
use serde_json::Number;

/// Parses a string; the cursor is at its quote.
pub(crate) fn string(cursor: &mut Cursor<'_>) -> Result<String, SyntaxError> {
    let start = cursor.at();
    let quote = cursor.bump().unwrap_or('"');
    let mut out = cursor.take_while(|c| c != quote && c != '\\').to_owned();
    loop {
        let at = cursor.at();
        match cursor.bump() {
            None => {
                let fault = SyntaxError::new(span(start, start + 1), "unterminated string");
                return Err(
                    fault.with_help(format!("end it with the quote it began with: {quote}"))
                );
            }
            Some('\\') => out.push(escape(cursor, at)?),
            Some(c) if c == quote => return Ok(out),
            Some(c) => out.push(c),
        }
    }
}

fn escape(cursor: &mut Cursor<'_>, start: usize) -> Result<char, SyntaxError> {
    Ok(match cursor.bump() {
        Some(c @ ('\\' | '\'' | '"' | '/')) => c,
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return unicode(cursor, start),
        _ => {
            let fault = SyntaxError::new(cursor.since(start), "unknown escape");
            return Err(fault.with_help(r#"escapes are \\ \' \" \/ \b \f \n \r \t \uXXXX; a backslash itself is written \\"#));
        }
    })
}

fn unicode(cursor: &mut Cursor<'_>, start: usize) -> Result<char, SyntaxError> {
    let first = hex(cursor, start)?;
    let mut code = first;
    if (0xd800..0xdc00).contains(&first) && cursor.eat("\\u") {
        let second = hex(cursor, start)?;
        if (0xdc00..0xe000).contains(&second) {
            code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        }
    }
    char::from_u32(code)
        .ok_or_else(|| SyntaxError::new(cursor.since(start), "half of a surrogate pair"))
}

fn hex(cursor: &mut Cursor<'_>, start: usize) -> Result<u32, SyntaxError> {
    let mut code = 0;
    for _ in 0..4 {
        let digit = cursor.peek().and_then(|c| c.to_digit(16));
        let fault = || SyntaxError::new(cursor.since(start), "`\\u` needs four hexadecimal digits");
        code = code * 16 + digit.ok_or_else(fault)?;
        cursor.bump();
    }
    Ok(code)
}

/// Parses a JSON number; the cursor is at its first character.
pub(crate) fn number(cursor: &mut Cursor<'_>) -> Result<Number, SyntaxError> {
    let start = cursor.at();
    let text = cursor.rest();
    let length = number_length(text);
    let written = text.get(..length).unwrap_or_default();
    for _ in 0..length {
        cursor.bump();
    }
    let goes_on = cursor.peek().is_some_and(|c| is_name(c) || c == '.');
    if length == 0 || goes_on {
        cursor.take_while(|c| is_name(c) || c == '.');
        if cursor.at() == start {
            cursor.bump();
        }
        let help =
            "numbers are written as in JSON (5, -0.5, 1e3); a path begins with a letter or `_`";
        return Err(SyntaxError::new(cursor.since(start), "invalid number").with_help(help));
    }
    let fault = |_| SyntaxError::new(cursor.since(start), "number out of range");
    written.parse().map_err(fault)
}

/// Counts the bytes at the front that are a JSON number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = if bytes.get(sign) == Some(&b'0') { 1 } else { digits(sign) };
    if whole == 0 {
        return 0;
    }
    let mut length = sign + whole;
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let power = digits(length + 1 + sign);
        if power > 0 {
            length += 1 + sign + power;
        }
    }
    length
}
