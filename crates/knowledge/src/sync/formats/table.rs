//! CSV and TSV: tables of some rows each, all with the names of their columns (MA-4).

use super::Unread;
use super::bounded::Bounded;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// The rows of one table; a section of a page is then about as long as others.
const ROWS: usize = 25;

/// The longest names of columns, in bytes, that are repeated in each table.
const MAX_HEAD: usize = 2_000;

/// The most columns of a row.
const MAX_COLUMNS: usize = 10_000;

/// Returns the tables of a text of records.
pub(super) fn markdown(title: &str, text: &str, delimiter: u8) -> Result<String, Unread> {
    let mut out = Bounded::default();
    out.push(&format!("# {}\n", super::html::escaped(title)));
    let mut records = Records::of(text, delimiter);
    let Some(head) = records.next()? else { return Err(Unread::Empty) };
    let head_line = line(&head);
    let is_repeated = head_line.len() <= MAX_HEAD;
    let rule = format!("|{}\n", " --- |".repeat(head.len()));
    let (mut count, mut rows) = (0_usize, Vec::new());
    let mut put = |rows: &mut Vec<String>, last: usize| {
        if rows.is_empty() {
            return;
        }
        let first = last + 1 - rows.len();
        out.block();
        out.push(&format!("## Rows {first} to {last}\n\n"));
        if first == 1 || is_repeated {
            out.push(&head_line);
            out.push(&rule);
        }
        rows.drain(..).for_each(|row| out.push(&row));
    };
    while let Some(record) = records.next()? {
        count += 1;
        rows.push(line(&record));
        if rows.len() == ROWS {
            put(&mut rows, count);
        }
    }
    put(&mut rows, count);
    if count == 0 {
        out.block();
        out.push(&head_line);
        out.push(&rule);
    }
    out.finish()
}

/// Returns a record as a row of a table.
fn line(record: &[String]) -> String {
    let cell =
        |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    format!("| {} |\n", record.iter().map(cell).collect::<Vec<_>>().join(" | "))
}

/// The records of a text.
struct Records<'t> {
    rest: &'t [u8],
    reader: Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
    is_over: bool,
}

impl<'t> Records<'t> {
    fn of(text: &'t str, delimiter: u8) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            rest: text.as_bytes(),
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            // No record is longer than the text.
            fields: vec![0; text.len() + 1],
            ends: vec![0; MAX_COLUMNS],
            is_over: false,
        }
    }

    /// Returns the next record that is not blank.
    fn next(&mut self) -> Result<Option<Vec<String>>, Unread> {
        let (mut written, mut count) = (0, 0);
        while !self.is_over {
            let fields = self.fields.get_mut(written..).unwrap_or_default();
            let ends = self.ends.get_mut(count..).unwrap_or_default();
            let (result, read, out, ended) = self.reader.read_record(self.rest, fields, ends);
            self.rest = self.rest.get(read..).unwrap_or_default();
            (written, count) = (written + out, count + ended);
            match result {
                ReadRecordResult::Record => {
                    let record = self.record(count);
                    if record.iter().any(|field| !field.trim().is_empty()) {
                        return Ok(Some(record));
                    }
                    (written, count) = (0, 0);
                }
                // The reader gives the last record when it is asked with nothing left.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::End => self.is_over = true,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    return Err(Unread::Damaged(format!("it has more than {MAX_COLUMNS} columns")));
                }
            }
        }
        Ok(None)
    }

    fn record(&self, count: usize) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ma_4_csv_becomes_tables_with_the_names_of_columns() {
        let text = "\u{feff}name,price\r\n\"a, \"\"b\"\"\nc\",1|2\r\n\r\n绿茶,3";
        assert_eq!(
            markdown("tea", text, b',').unwrap(),
            "# tea\n\n## Rows 1 to 2\n\n| name | price |\n| --- | --- |\n\
             | a, \"b\" c | 1\\|2 |\n| 绿茶 | 3 |\n"
        );
        let rows: String = (1..=60).map(|n| format!("{n}\tx\n")).collect();
        let text = markdown("n", &format!("a\tb\n{rows}"), b'\t').unwrap();
        assert_eq!(text.matches("| a | b |\n| --- |").count(), 3);
        assert!(text.contains("## Rows 51 to 60\n"));
        assert_eq!(markdown("n", " \n", b','), Err(Unread::Empty));
        assert!(markdown("n", &",".repeat(20_000), b',').is_err());
    }
}
