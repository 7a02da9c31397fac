//! Cases in files of data: JSONL, one case a line, and CSV, one case a row (EV-1).
//!
//! Decision: a fault belongs to its line, and the other lines are read all the same; whoever asked
//! decides whether they run.

use super::fault::LineFault;
use super::suite::Case;
use contexture_context::csv::{QuoteFault, Record, Records, TooManyFields};
use contexture_context::json;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// The most columns of a CSV file.
const MAX_COLUMNS: usize = 1_000;

/// A case or the fault in its line.
pub(super) type Row = Result<Case, LineFault>;

/// Reads the cases of a JSONL text.
pub(super) fn jsonl(text: &str) -> Vec<Row> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| row(at + 1, case_of_line(line))).collect()
}

/// Returns a case with its line, or the fault of the line.
fn row(line: usize, case: Result<Case, String>) -> Row {
    case.map(|case| Case { line, ..case }).map_err(|why| LineFault::new(line, &why))
}

fn case_of_line(line: &str) -> Result<Case, String> {
    // A case can be read from a list of its values, too.
    if line.trim_start().starts_with('{')
        && let Ok(case) = json::read(line.as_bytes())
    {
        return Ok(case);
    }
    // A program may be given any JSON that the reader of runs takes, and no more.
    let value: Value = json::read(line.as_bytes()).map_err(|error| {
        let told = error.to_string();
        // The line is that of the file.
        let message = told.rsplit_once(" at line ").map_or(told.as_str(), |(message, _)| message);
        format!("the line is not a JSON object: {message}")
    })?;
    if !value.is_object() {
        return Err("the line is not a JSON object".to_owned());
    }
    Case::deserialize(value).map_err(|error| error.to_string())
}

/// Reads the cases of a CSV text: the first row names the keys. A field of the input is `input.NAME`,
/// an expectation `expect.NAME`; other values than texts are JSON.
pub(super) fn csv(text: &str) -> Vec<Row> {
    let too_many = |TooManyFields { line, most }| {
        LineFault::new(line, &format!("the row has more than {most} fields"))
    };
    let mut records = Records::new(text, b',', MAX_COLUMNS).map(|it| it.map_err(too_many));
    let head = match records.next().map(|head| head.and_then(enclosed)) {
        Some(Ok(head)) => head.fields,
        Some(Err(fault)) => return vec![Err(fault)],
        None => return Vec::new(),
    };
    let case = |Record { line, fields, .. }| row(line, case_of_fields(&head, fields));
    records.map(|record| record.and_then(enclosed).and_then(case)).collect()
}

/// Refuses a record with a field that its quotation marks do not enclose.
fn enclosed(record: Record) -> Result<Record, LineFault> {
    let Some(QuoteFault { line, is_closed }) = record.fault else { return Ok(record) };
    let told = if is_closed {
        "text follows the closing quotation mark of a field; in a field in quotation marks, two of them stand for one"
    } else {
        "a field has no closing quotation mark, so that it holds the rest of the file"
    };
    Err(LineFault::new(line, told))
}

fn case_of_fields(head: &[String], fields: Vec<String>) -> Result<Case, String> {
    if fields.len() != head.len() {
        let (found, wanted) = (fields.len(), head.len());
        return Err(format!("the row has {found} fields, expected {wanted} as in the first row"));
    }
    let (mut case, mut expect) = (Map::new(), Vec::new());
    let mut pairs = Vec::new();
    for (name, text) in head.iter().zip(fields) {
        let name = name.trim();
        match name.split_once('.') {
            // An empty field of a table is one that is absent.
            _ if text.is_empty() => {}
            Some(("input", field)) => pairs.push((field.to_owned(), text)),
            Some(("expect", kind)) => expect.push(json!({ kind: value(&text) })),
            _ if matches!(name, "name" | "model") => {
                case.insert(name.to_owned(), Value::String(text));
            }
            _ => {
                case.insert(name.to_owned(), value(&text));
            }
        }
    }
    if !expect.is_empty() {
        let listed = case.entry("expect").or_insert_with(|| Value::Array(Vec::new()));
        let listed = listed.as_array_mut().ok_or("`expect` is not a list")?;
        listed.append(&mut expect);
    }
    let mut case = Case::deserialize(Value::Object(case)).map_err(|error| error.to_string())?;
    case.pairs = pairs;
    Ok(case)
}

/// Returns what a field says: JSON, or a text.
fn value(text: &str) -> Value {
    json::read(text.as_bytes()).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(rows: &[Row]) -> Vec<(usize, &str)> {
        let faults = rows.iter().filter_map(|row| row.as_ref().err());
        faults.map(|fault| (fault.line, fault.message.as_str())).collect()
    }

    #[test]
    fn ev_1_jsonl_lines_are_cases_and_faults_have_their_line() {
        let rows = jsonl(
            "\u{feff}{\"name\": \"a\", \"input\": {\"q\": \"你好\"}}\n\n{\"nam\": \"b\"}\n{\"name\": ",
        );
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0].as_ref().unwrap().input, json!({ "q": "你好" }));
        let faults = faults(&rows);
        assert_eq!(faults.iter().map(|fault| fault.0).collect::<Vec<_>>(), [3, 4]);
        assert!(faults[0].1.starts_with("unknown field `nam`"), "{faults:?}");
        assert!(faults[1].1.starts_with("the line is not a JSON object: EOF"), "{faults:?}");
    }

    #[test]
    fn ev_1_jsonl_line_that_is_not_an_object_is_refused() {
        let rows = jsonl("[\"x\", {\"name\": \"A\"}]\n5\n\"a\"\nnull\n{}\n");
        let told = "the line is not a JSON object";
        assert_eq!(faults(&rows), [(1, told), (2, told), (3, told), (4, told)]);
        assert!(rows[4].is_ok());
    }

    #[test]
    fn ev_1_csv_quotes_that_do_not_enclose_fields_are_faults_of_their_line() {
        let rows = csv("input.name,name\nAda,1\n\"Bob,\"Hello\nCy,\"2\nDi,3\n");
        assert_eq!(rows[0].as_ref().unwrap().name.as_deref(), Some("1"));
        let faults = faults(&rows);
        assert_eq!(faults.iter().map(|fault| fault.0).collect::<Vec<_>>(), [3, 4]);
        assert!(faults[0].1.starts_with("text follows the closing quotation mark"), "{faults:?}");
        assert!(faults[1].1.starts_with("a field has no closing quotation mark"), "{faults:?}");
        let head = csv("name,\"input.q\na,1\n");
        assert_eq!(self::faults(&head).len(), 1, "{head:?}");
    }

    #[test]
    fn ev_1_csv_rows_are_cases_with_quotes_and_line_breaks() {
        let rows = csv(
            "name,input.q,answers,expect.subset\r\n\"a, b\",\"two\nlines\",\"[\"\"raw\"\"]\",\"{\"\"x\"\": 1}\"\r\nshort\r\nc,007,,\r\n",
        );
        let first = rows[0].as_ref().unwrap();
        assert_eq!(first.name.as_deref(), Some("a, b"));
        assert_eq!(first.pairs, [("q".to_owned(), "two\nlines".to_owned())]);
        assert_eq!(first.answers, Some(vec![json!("raw")]));
        assert_eq!(first.expect[0].name(), "subset");
        assert_eq!(faults(&rows), [(4, "the row has 1 fields, expected 4 as in the first row")]);
        let last = rows[2].as_ref().unwrap();
        assert_eq!(last.pairs, [("q".to_owned(), "007".to_owned())], "the program types it");
        assert!(last.answers.is_none() && last.expect.is_empty());
    }
}
