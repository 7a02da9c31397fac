//! Lines of a stream, each no longer than it may be: how messages stand on pipes.

use serde_json::Value;
use std::io;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The longest message of either side over pipes, in bytes.
pub const MESSAGE_BYTES: usize = 16 << 20;

/// Reads lines. A read that is dropped and begun again loses nothing.
#[derive(Debug)]
pub struct Lines<R> {
    stream: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// True if the line is longer than the limit: the rest of it is passed over.
    is_over: bool,
    is_at_end: bool,
}

/// A line that was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end. The last one may have none.
    Whole(Vec<u8>),
    /// The beginning of one that is too long, as soon as it is.
    TooLong(Vec<u8>),
    /// There is no more.
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Returns the lines of a stream; a line may have so many bytes.
    pub fn new(stream: R, limit: usize) -> Self {
        let stream = BufReader::new(stream);
        Self { stream, limit, line: Vec::new(), is_over: false, is_at_end: false }
    }

    /// Returns the next line.
    ///
    /// # Errors
    /// The error of the stream.
    pub async fn next(&mut self) -> io::Result<Line> {
        while !self.is_at_end {
            let bytes = self.stream.fill_buf().await?;
            self.is_at_end = bytes.is_empty();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let (taken, used) = end.map_or((bytes.len(), bytes.len()), |end| (end, end + 1));
            if self.is_over {
                // The rest of a line that was reported already.
                self.is_over = end.is_none();
                self.stream.consume(used);
                continue;
            }
            let room = self.limit.saturating_sub(self.line.len());
            self.line.extend(bytes.iter().take(taken.min(room)));
            self.stream.consume(used);
            if taken > room {
                self.is_over = end.is_none();
                return Ok(Line::TooLong(std::mem::take(&mut self.line)));
            }
            if end.is_some() {
                return Ok(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
        Ok(if self.line.is_empty() {
            Line::End
        } else {
            Line::Whole(std::mem::take(&mut self.line))
        })
    }
}

/// Returns the id of a message that can't be read as a whole, so that its sender does not wait: the
/// value of `id` in the outermost object, when it is a text or a number; else none.
#[must_use]
pub fn id_in(bytes: &[u8]) -> Value {
    let mut depth = 0_usize;
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let (text, behind) = text_in(rest);
                rest = behind;
                if depth == 1
                    && text == b"id"
                    && let Some(id) = value_in(rest)
                {
                    return id;
                }
            }
            _ => {}
        }
    }
    Value::Null
}

/// Returns the bytes of a JSON text up to its closing quote, and what comes behind it.
fn text_in(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut is_escaped = false;
    let end = bytes.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    let (text, behind) = bytes.split_at(end.unwrap_or(bytes.len()));
    (text, behind.get(1..).unwrap_or_default())
}

/// Returns the text or number behind a colon; none when the word before was not a key.
fn value_in(bytes: &[u8]) -> Option<Value> {
    let value = bytes.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let ends = |byte: &u8| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace();
    let end = match value.strip_prefix(b"\"") {
        Some(text) => text_in(text).0.len() + 2,
        None => value.iter().position(ends).unwrap_or(value.len()),
    };
    let value: Value = serde_json::from_slice(value.get(..end)?).ok()?;
    (value.is_string() || value.is_number()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[tokio::test]
    async fn kn_16_lines_are_bounded_and_last_one_needs_no_end() {
        let mut lines = Lines::new(&b"one\n\nfour and more\nsix\nseven"[..], 5);
        let mut read = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::End => break,
                line => read.push(line),
            }
        }
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        let too_long = Line::TooLong(b"four ".to_vec());
        assert_eq!(read, [whole("one"), whole(""), too_long, whole("six"), whole("seven")]);
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }

    #[test]
    fn kn_16_id_of_what_can_not_be_read_is_found() {
        let found = |text: &str| id_in(text.as_bytes());
        assert_eq!(id_in(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}"), json!(7));
        assert_eq!(found(r#"{"id": "a\"b" ,"method":"\ud800"}"#), json!("a\"b"));
        let deep = format!(r#"{{"params":{}1{},"id":9}}"#, "[".repeat(130), "]".repeat(130));
        assert_eq!(found(&deep), json!(9));
        assert_eq!(found("{\"id\":1"), json!(1));
        for none in [r#"{"params":{"id":3},"x":"id","#, "hello", "", "{\"id\":{}}", "\"id\":5"] {
            assert_eq!(found(none), Value::Null, "{none}");
        }
    }

    proptest! {
        #[test]
        fn kn_16_looking_for_id_ends_for_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = id_in(&bytes);
        }
    }
}
