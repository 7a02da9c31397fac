//! The table of steps: id, action, bar, duration and result.

use super::bars;
use crate::output::paint::Paint;
use crate::output::text::{duration, one_line, padded, shortened, width};
use contexture::flow::picture::sign;
use contexture::protocol::content::{Outcome, Status};
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

/// The columns of an id or action.
const NAME: usize = 28;
/// The columns of the bar.
const BAR: usize = 20;
/// The columns of a duration, such as `1 min 20 s`.
const TIME: usize = 10;
/// The bytes of a result that are serialised to show its beginning.
const RESULT: usize = 400;

#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) action: String,
    pub(super) status: Status,
    /// The time from the start of the run to the start of the step.
    pub(super) began: Option<Duration>,
    pub(super) took: Option<Duration>,
    /// The result or the error.
    pub(super) text: String,
}

impl Row {
    pub(super) fn of(outcome: &Outcome, action: &str, began: Option<Duration>) -> Self {
        let took = outcome.execution_time.as_ref().map(|time| time.duration());
        Self {
            id: one_line(&outcome.instruction_id),
            action: one_line(action),
            status: outcome.status,
            began: began.filter(|_| outcome.status != Status::Skipped),
            took: took.filter(|_| outcome.status != Status::Skipped),
            text: text_of(outcome),
        }
    }
}

pub(super) fn text_of(outcome: &Outcome) -> String {
    if let Some(error) = &outcome.error {
        return one_line(&format!("{}: {}", error.code, error.message));
    }
    if let Some(reason) = &outcome.reason {
        return one_line(&format!("{}: {}", reason.code, reason.message));
    }
    outcome.result.as_ref().map(beginning).unwrap_or_default()
}

/// Returns the beginning of a value as compact JSON.
pub(super) fn beginning(value: &impl Serialize) -> String {
    let mut head = Head(Vec::new());
    // Serialisation fails when the head is full, which is intended.
    let _ = serde_json::to_writer(&mut head, value);
    one_line(&String::from_utf8_lossy(&head.0))
}

/// A writer that keeps the first bytes.
struct Head(Vec<u8>);

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = RESULT.saturating_sub(self.0.len());
        let taken = bytes.get(..left.min(bytes.len())).unwrap_or_default();
        if taken.is_empty() && !bytes.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The fewest columns of an id, and of an action beside it.
const LEAST: usize = 8;

/// The widths of the columns.
pub(super) struct Table {
    ids: usize,
    /// 0 when actions do not fit.
    actions: usize,
    /// 0 when durations do not fit.
    time: usize,
    bar: usize,
    text: usize,
    /// The duration of the run so far.
    whole: Duration,
    paint: Paint,
}

impl Table {
    pub(super) fn of<'r>(
        rows: impl Iterator<Item = &'r Row> + Clone,
        whole: Duration,
        columns: usize,
        paint: Paint,
    ) -> Self {
        let ids = widest(rows.clone().map(|row| row.id.as_str()));
        let actions = widest(rows.clone().map(|row| row.action.as_str()));
        let (ids, actions, time) = narrowed(ids, actions, columns);
        let is_timed = rows.clone().any(|row| row.began.is_some());
        let beside = |column: usize| if column > 0 { 2 + column } else { 0 };
        let fixed = 2 + ids + beside(actions) + beside(time) + 2;
        // A narrow terminal drops the bar first.
        let bar = if is_timed && fixed + BAR + 2 <= columns { BAR } else { 0 };
        let taken = if bar > 0 { fixed + bar + 2 } else { fixed };
        Self { ids, actions, time, bar, text: columns.saturating_sub(taken), whole, paint }
    }

    pub(super) fn line(&self, row: &Row) -> String {
        let id = padded(&shortened(&row.id, self.ids), self.ids);
        let action = match self.actions {
            0 => String::new(),
            room => format!("  {}", padded(&shortened(&row.action, room), room)),
        };
        let time = row.took.map(micros).map(duration).filter(|_| self.time > 0).unwrap_or_default();
        let blanks = self.time.saturating_sub(time.chars().count());
        let bar = match (self.bar, row.began) {
            (0, _) => String::new(),
            (bar, None) => " ".repeat(bar + 2),
            (bar, Some(began)) => {
                let bar = bars::span(began, row.took.unwrap_or_default(), self.whole, bar);
                format!("{}  ", self.tint(row.status, &bar))
            }
        };
        let text = if self.text > 0 { shortened(&row.text, self.text) } else { String::new() };
        let text = match row.status {
            _ if text.is_empty() => text,
            Status::Failed | Status::Timeout => self.paint.red(&text),
            Status::Skipped | Status::Pending => self.paint.dim(&text),
            _ => text,
        };
        let sign = self.tint(row.status, sign(row.status));
        let action = if action.is_empty() { action } else { self.paint.dim(&action) };
        let gap = if self.time + self.bar > 0 { "  " } else { "" };
        let line = format!(
            "{sign} {}{action}{gap}{bar}{}{time}  {text}",
            self.bold(&id),
            " ".repeat(blanks)
        );
        line.trim_end().to_owned()
    }

    fn bold(&self, id: &str) -> String {
        let bare = id.trim_end();
        format!("{}{}", self.paint.bold(bare), " ".repeat(id.len().saturating_sub(bare.len())))
    }

    fn tint(&self, status: Status, text: &str) -> String {
        match status {
            Status::Completed => self.paint.green(text),
            Status::Failed => self.paint.red(text),
            Status::Timeout => self.paint.yellow(text),
            Status::Running => self.paint.cyan(text),
            _ => self.paint.dim(text),
        }
    }
}

/// Fits ids, actions and durations into `columns`; the least important ones are dropped first.
fn narrowed(ids: usize, actions: usize, columns: usize) -> (usize, usize, usize) {
    let names = columns.saturating_sub(2 + 2 + 2 + TIME);
    if ids + actions <= names {
        return (ids, actions, TIME);
    }
    if names >= 2 * LEAST {
        let actions = actions.min((names / 3).max(names.saturating_sub(ids)));
        return (ids.min(names - actions), actions, TIME);
    }
    let alone = columns.saturating_sub(2 + 2 + TIME);
    if alone >= LEAST || ids <= alone {
        return (ids.min(alone), 0, TIME);
    }
    (ids.min(columns.saturating_sub(2)).max(1), 0, 0)
}

fn widest<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> usize {
    let is_longer = texts.clone().any(|text| shortened(text, NAME) != text);
    if is_longer { NAME } else { width(texts, NAME) }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(id: &str, status: Status, began: u64, took: u64, text: &str) -> Row {
        Row {
            id: id.to_owned(),
            action: "echo".to_owned(),
            status,
            began: Some(Duration::from_millis(began)),
            took: Some(Duration::from_millis(took)),
            text: text.to_owned(),
        }
    }

    #[test]
    fn fl_12_steps_align_in_columns_in_any_script() {
        let rows = [
            row("取数据", Status::Completed, 0, 50, "{\"n\":1}"),
            row("b", Status::Failed, 50, 50, "CALC_ERROR: division by zero"),
        ];
        let table = Table::of(rows.iter(), Duration::from_millis(100), 100, Paint::new(false));
        let lines: Vec<String> = rows.iter().map(|row| table.line(row)).collect();
        assert_eq!(
            lines,
            [
                "✓ 取数据  echo  ██████████                 50 ms  {\"n\":1}",
                "✗ b       echo            ██████████       50 ms  CALC_ERROR: division by zero",
            ]
        );
    }

    #[test]
    fn fl_12_narrow_terminal_has_no_bars_and_no_long_lines() {
        let rows = [row(&"i".repeat(60), Status::Completed, 0, 50, &"r".repeat(500))];
        for columns in [60, 100] {
            let table = Table::of(rows.iter(), Duration::from_secs(1), columns, Paint::new(false));
            let line = table.line(&rows[0]);
            assert_eq!(line.chars().count(), columns, "{line}");
            assert_eq!(line.contains('█') || line.contains('▏'), columns == 100, "{line}");
        }
    }

    #[test]
    fn fl_12_no_line_is_longer_than_any_terminal_width() {
        use unicode_width::UnicodeWidthStr as _;
        let action = "agent:Researcher.summarise".to_owned();
        let named = |id: &str| Row {
            action: action.clone(),
            ..row(id, Status::Failed, 10, 1_500, "CALC_ERROR: 被零除")
        };
        let short = [row("a", Status::Completed, 0, 50, "{}")];
        let long = [named("取数据的步骤名称很长很长很长很长"), named(&"i".repeat(60))];
        for columns in 1..=140 {
            for rows in [short.as_slice(), long.as_slice()] {
                let whole = Duration::from_secs(2);
                let table = Table::of(rows.iter(), whole, columns, Paint::new(false));
                for line in rows.iter().map(|row| table.line(row)) {
                    assert!(line.width() <= columns.max(3), "{columns}: {line}");
                    assert!(columns < 8 || line.chars().count() > 2, "{columns}: {line}");
                }
            }
        }
    }

    #[test]
    fn fl_12_large_result_shows_only_its_beginning() {
        let value = json!(vec!["x".repeat(100_000); 100]);
        let text = beginning(&value);
        assert!(text.starts_with("[\"xxx") && text.len() <= RESULT, "{}", text.len());
        assert_eq!(beginning(&json!({"a": "\u{1b}[31m"})), "{\"a\":\"\\u001b[31m\"}");
    }
}
