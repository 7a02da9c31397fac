//! Reads files of JSON lines in which any line may be broken.

use contexture_context::json::{self, JsonError};
use serde_json::Value;
use std::io::{BufRead, Read as _};

/// A line of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Counted from 1.
    pub number: usize,
    /// Its value, or what is wrong with it.
    pub value: Result<Value, String>,
}

/// Reads every line that is not blank; a line over `limit` bytes is wrong and not kept in memory.
///
/// # Errors
/// The reader's error.
pub fn read(
    mut reader: impl BufRead,
    limit: u64,
    mut each: impl FnMut(Line),
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let mut number = 0;
    loop {
        bytes.clear();
        let count = reader.by_ref().take(limit.saturating_add(1)).read_until(b'\n', &mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        number += 1;
        if count as u64 > limit && !bytes.ends_with(b"\n") {
            reader.skip_until(b'\n')?;
            let value = Err(format!("it has more than {limit} bytes"));
            each(Line { number, value });
            continue;
        }
        let mut line = bytes.trim_ascii();
        if number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if !line.is_empty() {
            each(Line { number, value: parse(line) });
        }
    }
}

fn parse(line: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8 text".to_owned())?;
    // The line of the error is always the first; the file's line is reported instead.
    json::read(text.as_bytes()).map_err(|error| match error {
        JsonError::Invalid(_) => {
            format!("it is not JSON: {} at column {}", error.reason(), error.column())
        }
        _ => format!("it is {}", error.reason()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn all(bytes: &[u8], limit: u64) -> Vec<(usize, Result<Value, String>)> {
        let mut lines = Vec::new();
        read(bytes, limit, |line| lines.push((line.number, line.value))).unwrap();
        lines
    }

    #[test]
    fn as_26_broken_lines_are_reported_and_others_are_read() {
        let lines =
            all(b"\xef\xbb\xbf{\"a\":1}\r\n\n{\"a\":\nnull\n\xff\n123456789012\n{\"b\":2}", 11);
        assert_eq!(lines[0], (1, Ok(json!({"a": 1}))));
        assert_eq!(lines[1].0, 3);
        assert_eq!(lines[1].1, Err("it is not JSON: EOF while parsing a value at column 5".into()));
        assert_eq!(lines[2], (4, Ok(Value::Null)));
        assert_eq!(lines[3], (5, Err("it is not UTF-8 text".into())));
        assert_eq!(lines[4], (6, Err("it has more than 11 bytes".into())));
        assert_eq!(lines[5], (7, Ok(json!({"b": 2}))));
    }

    proptest! {
        #[test]
        fn as_26_any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), limit in 0..40u64) {
            let lines = all(&bytes, limit);
            prop_assert!(lines.iter().map(|(number, _)| *number).is_sorted());
        }
    }
}
