//! Cutting a stream of bytes into pieces: server-sent events or lines of JSON.
//!
//! Pieces may be cut anywhere on the wire, also inside a character or between CR and LF.

use super::Framing;

/// A piece is longer than the limit of this many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceTooLong(pub(crate) usize);

/// Takes bytes as they come and gives the data of whole pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    framing: Framing,
    limit: usize,
    /// The line that has begun.
    line: Vec<u8>,
    /// True if the byte before was CR, so that an LF now ends nothing.
    after_cr: bool,
    /// The data lines of the event that has begun.
    data: Option<String>,
    first_line: bool,
}

impl Pieces {
    /// Creates a reader whose pieces have at most `limit` bytes.
    pub(crate) const fn new(framing: Framing, limit: usize) -> Self {
        Self { framing, limit, line: Vec::new(), after_cr: false, data: None, first_line: true }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, PieceTooLong> {
        let mut out = Vec::new();
        let mut rest = bytes;
        if self.after_cr && rest.first() == Some(&b'\n') {
            rest = rest.get(1..).unwrap_or_default();
        }
        if !bytes.is_empty() {
            self.after_cr = false;
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, tail) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            self.extend(line)?;
            let crlf = tail.starts_with(b"\r\n");
            self.after_cr = tail == b"\r";
            rest = tail.get(if crlf { 2 } else { 1 }..).unwrap_or_default();
            self.end_line(&mut out)?;
        }
        self.extend(rest)?;
        Ok(out)
    }

    /// Returns the piece that the stream ended in, if any. It may be cut.
    pub(crate) fn finish(&mut self) -> Result<Vec<String>, PieceTooLong> {
        let mut out = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut out)?;
        }
        out.extend(self.data.take());
        Ok(out)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), PieceTooLong> {
        let held = self.data.as_ref().map_or(0, String::len);
        if self.line.len() + bytes.len() + held > self.limit {
            return Err(PieceTooLong(self.limit));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, out: &mut Vec<String>) -> Result<(), PieceTooLong> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if std::mem::take(&mut self.first_line) {
            line.strip_prefix('\u{feff}').unwrap_or(&line)
        } else {
            &line
        };
        match self.framing {
            Framing::Lines => {
                if !line.trim().is_empty() {
                    out.push(line.to_owned());
                }
            }
            Framing::Events if line.is_empty() => out.extend(self.data.take()),
            Framing::Events => self.field(line)?,
        }
        Ok(())
    }

    /// A field of an event. All but `data` are left alone: names of events repeat what the data
    /// says, ids and retry times are for resuming, and a line that begins with `:` is a comment.
    fn field(&mut self, line: &str) -> Result<(), PieceTooLong> {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name != "data" {
            return Ok(());
        }
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                if data.len() + value.len() >= self.limit {
                    return Err(PieceTooLong(self.limit));
                }
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(framing: Framing, chunks: &[&[u8]]) -> Vec<String> {
        let mut pieces = Pieces::new(framing, 1 << 20);
        let mut out = Vec::new();
        for chunk in chunks {
            out.extend(pieces.feed(chunk).unwrap());
        }
        out.extend(pieces.finish().unwrap());
        out
    }

    #[test]
    fn as_23_events_with_every_line_end_comments_and_many_data_lines() {
        let stream = "\u{feff}: ping\nevent: x\ndata: one\n\ndata:two\r\ndata:  three\r\n\r\nid: 4\n\ndata\n\nretry: 1\rdata: last\r\rdata: cut";
        assert_eq!(
            read(Framing::Events, &[stream.as_bytes()]),
            ["one", "two\n three", "", "last", "cut"]
        );
    }

    #[test]
    fn as_23_line_framing_skips_blank_lines_and_keeps_unended_last_line() {
        assert_eq!(
            read(Framing::Lines, &[b"{}\r\n\r\n {\"a\":1}\n{\"b\"", b":2}"]),
            ["{}", " {\"a\":1}", "{\"b\":2}"]
        );
    }

    #[test]
    fn as_23_endless_piece_is_refused_at_limit() {
        let mut pieces = Pieces::new(Framing::Lines, 100);
        assert!(pieces.feed(&[b'x'; 90]).is_ok());
        assert_eq!(pieces.feed(&[b'x'; 20]), Err(PieceTooLong(100)));
        let mut pieces = Pieces::new(Framing::Events, 100);
        let line = format!("data: {}\n", "x".repeat(40));
        let fed: Result<Vec<_>, _> = (0..4).map(|_| pieces.feed(line.as_bytes())).collect();
        assert_eq!(fed, Err(PieceTooLong(100)));
    }

    proptest! {
        #[test]
        fn as_23_chunk_boundaries_do_not_change_result(
            text in "(data: ?[a-zé汉]{0,5}|:c|\r\n|\n|\r|[\u{0}-\u{ff}]){0,20}",
            cuts in prop::collection::vec(0usize..64, 0..6),
            lines in any::<bool>(),
        ) {
            let framing = if lines { Framing::Lines } else { Framing::Events };
            let bytes = text.as_bytes();
            let mut at: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            at.sort_unstable();
            at.push(bytes.len());
            let mut chunks = Vec::new();
            let mut from = 0;
            for to in at {
                chunks.push(&bytes[from..to]);
                from = to;
            }
            prop_assert_eq!(read(framing, &chunks), read(framing, &[bytes]));
        }
    }
}
