use crate::Span;

/// A position for people: line and column from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column in Unicode scalar values, from 1.
    pub column: u32,
}

/// The number of bytes between two counts of characters: a position costs at most this much, even
/// in a text that is one long line.
const STRIDE: usize = 1024;

/// The byte order mark that some editors put at the start of a file.
const MARK: char = '\u{feff}';

/// A named source text with an index of its lines.
#[derive(Debug, Clone)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// The number of characters before each multiple of [`STRIDE`].
    counts: Vec<u32>,
    /// The number of those that take two units in UTF-16.
    pairs: Vec<u32>,
}

impl SourceFile {
    /// Creates a source; a line ends with LF, CRLF or a lone CR.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                line_starts.push(clamp(at + 1));
            }
        }
        let (mut counts, mut pairs) = (vec![0], vec![0]);
        let (mut sum, mut sum_of_pairs) = (0, 0);
        for chunk in bytes.chunks(STRIDE) {
            sum += count_starts(chunk);
            sum_of_pairs += count_pairs(chunk);
            counts.push(clamp(sum));
            pairs.push(clamp(sum_of_pairs));
        }
        Self { name: name.into(), text, line_starts, counts, pairs }
    }

    /// Returns the name for diagnostics.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a span; empty if it is not on character bounds inside the text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Returns the position of a byte offset; offsets past the end count as the end.
    #[must_use]
    pub fn position(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or_default() as usize;
        let mut end = (offset as usize).min(self.text.len()).max(start);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let start = if line == 1 { self.text_start().min(end) } else { start };
        let column = self.characters_between(start, end) + 1;
        LineColumn { line: clamp(line), column: clamp(column) }
    }

    /// Returns the position of a byte offset as editors count it: line and column from 0, columns in
    /// units of UTF-16 (TY-9). Offsets past the end count as the end.
    #[must_use]
    pub fn utf16_position(&self, offset: u32) -> (u32, u32) {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start as usize <= end).max(1) - 1;
        let start = self.line_starts.get(line).copied().unwrap_or_default() as usize;
        let units = self.characters_between(start, end) + self.pairs_between(start, end);
        (clamp(line), clamp(units))
    }

    /// Returns the byte offset of a position as editors count it. A column past the end of its line
    /// counts as the end of the line, a line past the last one as the end of the text (TY-9).
    #[must_use]
    pub fn utf16_offset(&self, line: u32, column: u32) -> u32 {
        let Some(start) = self.line_starts.get(line as usize).copied() else {
            return clamp(self.text.len());
        };
        let end =
            self.line_starts.get(line as usize + 1).map_or(self.text.len(), |next| *next as usize);
        let text = self.text.get(start as usize..end).unwrap_or_default();
        let text = text.trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, character) in text.char_indices() {
            units += character.len_utf16();
            // A position inside a pair is that of the character.
            if units > column as usize {
                return start.saturating_add(clamp(at));
            }
        }
        start.saturating_add(clamp(text.len()))
    }

    /// Returns the start of the first line, after a byte order mark.
    fn text_start(&self) -> usize {
        if self.text.starts_with(MARK) { MARK.len_utf8() } else { 0 }
    }

    /// Returns the number of characters between two byte offsets.
    fn characters_between(&self, start: usize, end: usize) -> usize {
        self.sum(start, end, &self.counts, count_starts)
    }

    /// Returns the number of pairs in UTF-16 between two byte offsets.
    fn pairs_between(&self, start: usize, end: usize) -> usize {
        self.sum(start, end, &self.pairs, count_pairs)
    }

    /// Counts in a short part of the text itself, in a long one by the sums before each stride.
    fn sum(&self, start: usize, end: usize, sums: &[u32], count: fn(&[u8]) -> usize) -> usize {
        let bytes = self.text.as_bytes();
        let within = |start: usize, end: usize| count(bytes.get(start..end).unwrap_or_default());
        if end.saturating_sub(start) <= STRIDE {
            return within(start, end);
        }
        let before = |offset: usize| {
            let chunk = offset / STRIDE;
            sums.get(chunk).copied().unwrap_or_default() as usize + within(chunk * STRIDE, offset)
        };
        before(end) - before(start)
    }

    /// Returns the byte offset at which a line (from 1) starts; the end of the text after the last
    /// line.
    #[must_use]
    pub fn line_start(&self, line: u32) -> u32 {
        if line <= 1 {
            return clamp(self.text_start());
        }
        let at = line as usize - 1;
        self.line_starts.get(at).copied().unwrap_or_else(|| clamp(self.text.len()))
    }

    /// Returns the text of a line (from 1) without its line end.
    #[must_use]
    pub fn line(&self, line: u32) -> &str {
        let at = line.saturating_sub(1) as usize;
        let start = self.line_starts.get(at).copied().unwrap_or(u32::MAX) as usize;
        let end = self.line_starts.get(at + 1).map_or(self.text.len(), |next| *next as usize);
        let start = if line <= 1 { start.max(self.text_start()) } else { start };
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }
}

/// Counts the UTF-8 characters that begin in some bytes.
fn count_starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

/// Counts the UTF-8 characters of four bytes, which are pairs in UTF-16, that begin in some bytes.
fn count_pairs(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte >= 0xf0).count()
}

fn clamp(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_32_columns_count_characters() {
        let file = SourceFile::new("a", "é你\r\nb\rc\n");
        let at = |offset| {
            let place = file.position(offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 2));
        assert_eq!(at(3), (1, 2));
        assert_eq!(at(5), (1, 3));
        assert_eq!(at(7), (2, 1));
        assert_eq!(at(9), (3, 1));
        assert_eq!(at(99), (4, 1));
        assert_eq!(file.line(1), "é你");
        assert_eq!(file.line(3), "c");
        assert_eq!(file.line(9), "");
        assert_eq!(file.line_start(2), 7);
    }

    #[test]
    fn as_32_bom_does_not_count_as_column() {
        let file = SourceFile::new("a", "\u{feff}ab\nc");
        let column = |offset| file.position(offset).column;
        assert_eq!([column(0), column(3), column(4), column(6)], [1, 1, 2, 1]);
        assert_eq!(file.line(1), "ab");
        assert_eq!(file.line(2), "c");
    }

    #[test]
    fn ty_9_positions_of_editors_count_utf_16_units() {
        let file = SourceFile::new("a", "é你😀x\r\ny\n");
        let at = |offset| file.utf16_position(offset);
        assert_eq!([at(0), at(2), at(5), at(9), at(10)], [(0, 0), (0, 1), (0, 2), (0, 4), (0, 5)]);
        assert_eq!([at(12), at(14), at(99)], [(1, 0), (2, 0), (2, 0)]);
        let back = |line, column| file.utf16_offset(line, column);
        assert_eq!([back(0, 1), back(0, 2), back(0, 4), back(1, 0)], [2, 5, 9, 12]);
        // Inside a pair, past the end of a line, past the end of the text.
        assert_eq!(
            [back(0, 3), back(0, 99), back(1, u32::MAX), back(u32::MAX, 0)],
            [5, 10, 13, 14]
        );
    }

    #[test]
    fn ty_9_positions_of_editors_in_one_long_line() {
        let text = "😀a".repeat(10_000);
        let file = SourceFile::new("a", text.as_str());
        for offset in (0..text.len()).step_by(5 * 500) {
            let units = u32::try_from(offset / 5 * 3).unwrap();
            assert_eq!(file.utf16_position(u32::try_from(offset).unwrap()), (0, units));
            assert_eq!(file.utf16_offset(0, units) as usize, offset);
        }
    }

    #[test]
    fn as_32_positions_in_one_long_line() {
        let text = "你a".repeat(100_000);
        let file = SourceFile::new("a", text.as_str());
        for offset in (0..text.len()).step_by(4) {
            let place = file.position(u32::try_from(offset).unwrap());
            assert_eq!(place.column as usize, offset / 2 + 1);
        }
    }
}
