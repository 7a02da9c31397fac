//! Inline code, what stands between two runs of backticks of the same length, and HTML comments.

use super::block::Block;
use memchr::{memchr, memmem};

/// The code spans and comments of one run of inline text.
#[derive(Debug, Clone, Default)]
pub(super) struct CodeSpans {
    /// Begin and end, in order.
    spans: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    at: usize,
    length: usize,
    /// True if a backslash makes the first one literal, outside code.
    is_escaped: bool,
}

impl CodeSpans {
    /// Reads the spans of a block.
    pub(super) fn of(bytes: &[u8], block: Block) -> Self {
        let runs = runs(bytes, block);
        let mut by_length: Vec<(usize, usize)> =
            runs.iter().enumerate().map(|(index, run)| (run.length, index)).collect();
        by_length.sort_unstable();
        let mut comments = Comments { bytes, block, is_done: false };
        let mut spans = Vec::new();
        let (mut at, mut next) = (block.start, 0);
        loop {
            let run = runs.get(next);
            let until = run.map_or(block.end, |run| run.at);
            if let Some(comment) = comments.between(at, until) {
                spans.push(comment);
                at = comment.1;
                next += runs.iter().skip(next).take_while(|run| run.at < at).count();
                continue;
            }
            let Some(run) = run else { break };
            at = run.at + run.length;
            let escaped = usize::from(run.is_escaped);
            let length = run.length - escaped;
            let place = by_length.partition_point(|known| *known <= (length, next));
            let closer = by_length.get(place).filter(|known| known.0 == length && length > 0);
            let Some(closer) = closer.and_then(|known| Some((known.1, runs.get(known.1)?))) else {
                // Nothing closes it: these backticks are literal.
                next += 1;
                continue;
            };
            spans.push((run.at + escaped, closer.1.at + closer.1.length));
            at = closer.1.at + closer.1.length;
            next = closer.0 + 1;
        }
        Self { spans }
    }

    /// Returns where the span ends that an offset lies in.
    pub(super) fn end_around(&self, at: usize) -> Option<usize> {
        let place = self.spans.partition_point(|span| span.1 <= at);
        self.spans.get(place).filter(|span| span.0 <= at).map(|span| span.1)
    }
}

/// The comments of a block.
struct Comments<'a> {
    bytes: &'a [u8],
    block: Block,
    /// True if no comment ends any more.
    is_done: bool,
}

impl Comments<'_> {
    /// Returns the begin and the end of the first comment that begins between two offsets.
    fn between(&mut self, from: usize, until: usize) -> Option<(usize, usize)> {
        let mut from = from;
        while !self.is_done {
            let start = from + memmem::find(self.bytes.get(from..until)?, b"<!--")?;
            from = start + 1;
            let before = self.bytes.get(self.block.start..start)?;
            if before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1 {
                continue;
            }
            // `<!-->` is one, too.
            let body = start + 2;
            let end = memmem::find(self.bytes.get(body..self.block.end)?, b"-->");
            self.is_done = end.is_none();
            return match end {
                Some(end) => Some((start, body + end + 3)),
                None => self.block.is_comment.then_some((start, self.block.end)),
            };
        }
        None
    }
}

fn runs(bytes: &[u8], block: Block) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut from = block.start;
    let bytes = bytes.get(..block.end).unwrap_or_default();
    while let Some(found) = bytes.get(from..).and_then(|rest| memchr(b'`', rest)) {
        let at = from + found;
        let length = bytes.iter().skip(at).take_while(|byte| **byte == b'`').count();
        let before = bytes.get(from..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        runs.push(Run { at, length, is_escaped: backslashes % 2 == 1 });
        from = at + length;
    }
    runs
}
