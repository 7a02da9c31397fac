//! CSV and TSV: tables of some rows each, all with the names of their columns (MA-4).

use super::Unread;
use super::bounded::Bounded;
use contexture_context::csv::{Records, TooManyFields};

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
    let mut records = Records::new(text, delimiter, MAX_COLUMNS);
    let Some(head) = next(&mut records)? else { return Err(Unread::Empty) };
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
    while let Some(record) = next(&mut records)? {
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

/// Returns the fields of the next record.
fn next(records: &mut Records<'_>) -> Result<Option<Vec<String>>, Unread> {
    let told = |fault: TooManyFields| format!("it has more than {} columns", fault.most);
    let record = records.next().transpose().map_err(|fault| Unread::Damaged(told(fault)))?;
    Ok(record.map(|record| record.fields))
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
