//! The records of CSV and TSV, each with its line.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The line in which it begins, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<String>,
    /// What is wrong with its quotation marks. The fields are read all the same.
    pub fault: Option<QuoteFault>,
}

/// A field whose quotation marks do not enclose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteFault {
    /// The line in which the field begins, from 1.
    pub line: usize,
    /// True if text follows the closing mark; else the closing mark is missing, and the field holds the rest
    /// of the text.
    pub is_closed: bool,
}

/// A record with more fields than are read; nothing is read behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyFields {
    /// The line in which it begins, from 1.
    pub line: usize,
    /// The most fields of a record.
    pub most: usize,
}

/// The records of a text that are not blank.
///
/// ```
/// use contexture_context::csv::Records;
///
/// let text = "name,price\n\"green\ntea\",3\n";
/// let records: Vec<_> = Records::new(text, b',', 10).map(Result::unwrap).collect();
/// assert_eq!((records[1].line, records[1].fields[0].as_str()), (2, "green\ntea"));
/// ```
pub struct Records<'t> {
    rest: &'t [u8],
    delimiter: u8,
    reader: Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
    is_over: bool,
}

impl<'t> Records<'t> {
    /// Reads the records of a text, each with at most so many fields.
    #[must_use]
    pub fn new(text: &'t str, delimiter: u8, most: usize) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            rest: text.as_bytes(),
            delimiter,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            // No record is longer than the text.
            fields: vec![0; text.len() + 1],
            ends: vec![0; most],
            is_over: false,
        }
    }

    /// Returns the line in which the next record begins.
    fn line(&self) -> usize {
        let blank = self.rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let skipped = blank.filter(|byte| **byte == b'\n').count();
        usize::try_from(self.reader.line()).unwrap_or(usize::MAX).saturating_add(skipped)
    }

    fn texts(&self, count: usize) -> Vec<String> {
        let mut start = 0;
        let mut fields = Vec::with_capacity(count);
        for end in self.ends.iter().take(count) {
            let field = self.fields.get(start..*end).unwrap_or_default();
            fields.push(String::from_utf8_lossy(field).into_owned());
            start = *end;
        }
        fields
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, TooManyFields>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut written, mut count) = (0, 0);
        let (mut line, mut begin) = (self.line(), self.rest);
        while !self.is_over {
            let fields = self.fields.get_mut(written..).unwrap_or_default();
            let ends = self.ends.get_mut(count..).unwrap_or_default();
            let (result, read, out, ended) = self.reader.read_record(self.rest, fields, ends);
            self.rest = self.rest.get(read..).unwrap_or_default();
            (written, count) = (written + out, count + ended);
            match result {
                ReadRecordResult::Record => {
                    let fields = self.texts(count);
                    if fields.iter().any(|field| !field.trim().is_empty()) {
                        let read = begin.len().saturating_sub(self.rest.len());
                        let record = begin.get(..read).unwrap_or_default();
                        let fault = quote_fault(record, self.delimiter, line);
                        return Some(Ok(Record { line, fields, fault }));
                    }
                    (written, count, line, begin) = (0, 0, self.line(), self.rest);
                }
                // The reader gives the last record when it is asked with nothing left.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::End => self.is_over = true,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    self.is_over = true;
                    return Some(Err(TooManyFields { line, most: self.ends.len() }));
                }
            }
        }
        None
    }
}

/// Finds the fault of the quotation marks of a record that begins in a line.
fn quote_fault(record: &[u8], delimiter: u8, mut line: usize) -> Option<QuoteFault> {
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut bytes = record.iter().copied().skip_while(is_line_end).peekable();
    loop {
        if bytes.next_if_eq(&b'"').is_some() {
            let begin = line;
            loop {
                match bytes.next() {
                    None => return Some(QuoteFault { line: begin, is_closed: false }),
                    Some(b'\n') => line += 1,
                    // Two marks stand for one.
                    Some(b'"') if bytes.next_if_eq(&b'"').is_none() => break,
                    Some(_) => {}
                }
            }
            if bytes.peek().is_some_and(|next| *next != delimiter && !is_line_end(next)) {
                return Some(QuoteFault { line: begin, is_closed: true });
            }
        }
        bytes.find(|byte| *byte == delimiter)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn faults(text: &str) -> Vec<(usize, bool)> {
        let records = Records::new(text, b',', 9).map(Result::unwrap);
        records.filter_map(|it| it.fault).map(|it| (it.line, it.is_closed)).collect()
    }

    #[test]
    fn ev_1_quotes_that_enclose_fields_have_no_fault() {
        let text = "\u{feff}\"a\",b\r\n\n\"two\nlines\",\"he said \"\"x\"\"\"\r\n5\" wide,\"\"\n\"\"\"\",\"last\"";
        assert_eq!(faults(text), []);
        assert_eq!(Records::new(text, b',', 9).count(), 4);
    }

    #[test]
    fn ev_1_quote_without_end_has_line_in_which_it_opens() {
        assert_eq!(faults("a,b\nAda,1\nCy,\"2\nDi,3\n"), [(3, false)]);
        assert_eq!(faults("a,b\r\n\r\n\"x\ny\",\"2\r\nDi,\"\""), [(4, false)]);
        assert_eq!(faults("a\n\"x\"\""), [(2, false)]);
    }

    #[test]
    fn ev_1_text_after_closing_quote_is_fault_and_next_records_are_read() {
        let text = "a\n\"Bob,\"Hello\nb\n\"c\" \n";
        assert_eq!(faults(text), [(2, true), (4, true)]);
        let fields: Vec<_> =
            Records::new(text, b',', 9).map(|record| record.unwrap().fields.concat()).collect();
        assert_eq!(fields, ["a", "Bob,Hello", "b", "c "]);
    }
}
