//! The records of CSV and TSV, each with its line.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The line in which it begins, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<String>,
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
        let mut line = self.line();
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
                        return Some(Ok(Record { line, fields }));
                    }
                    (written, count, line) = (0, 0, self.line());
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
