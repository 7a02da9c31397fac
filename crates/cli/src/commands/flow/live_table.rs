//! The state of all steps of a run as a table for a terminal.

use super::bars;
use super::table::{Row, Table, micros, text_of};
use crate::output::paint::Paint;
use crate::output::text::{counted, duration, grouped, one_line, shortened};
use contexture::flow::Set;
use contexture::flow::run::Notice;
use contexture::protocol::content::Status;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// A shorter run gets no table, which would only flicker.
const MIN_RUN: Duration = Duration::from_millis(300);
/// The recently ended steps that are remembered for sets with more steps than lines.
const RECENT: usize = 100;
/// The columns of the bar above the table.
const BAR: usize = 24;

/// The state of a running set.
pub(super) struct LiveTable {
    rows: Vec<Row>,
    numbers: HashMap<String, usize>,
    running: BTreeSet<usize>,
    recent: VecDeque<usize>,
    began: Instant,
    done: usize,
    bad: usize,
    skipped: usize,
    word: &'static str,
}

impl Default for LiveTable {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            numbers: HashMap::new(),
            running: BTreeSet::new(),
            recent: VecDeque::new(),
            began: Instant::now(),
            done: 0,
            bad: 0,
            skipped: 0,
            word: "",
        }
    }
}

impl LiveTable {
    /// Starts with the steps of a set.
    pub(super) fn begin(&mut self, set: &Set, before: usize) {
        self.done = before.min(set.steps.len());
        let rows = set.steps.iter().map(|step| Row {
            id: one_line(&step.id),
            action: one_line(&step.action),
            status: Status::Pending,
            began: None,
            took: None,
            text: String::new(),
        });
        self.rows = rows.collect();
        self.numbers =
            set.steps.iter().enumerate().map(|(at, step)| (step.id.clone(), at)).collect();
        self.began = Instant::now();
    }

    pub(super) fn cancel(&mut self) {
        self.word = "cancelling";
    }

    /// Returns the number of ended steps.
    pub(super) const fn done(&self) -> usize {
        self.done
    }

    /// Applies a change; returns the new state of the step.
    pub(super) fn note(&mut self, notice: &Notice<'_>) -> Option<Row> {
        let now = self.began.elapsed();
        let number = *self.numbers.get(notice.id)?;
        let row = self.rows.get_mut(number)?;
        row.status = notice.status;
        match notice.status {
            Status::Running => {
                row.began.get_or_insert(now);
                if notice.attempt > 1 {
                    row.text = format!("attempt {}", notice.attempt);
                }
                self.running.insert(number);
            }
            Status::Pending => {}
            status => {
                row.took = row.began.map(|began| now.saturating_sub(began));
                // A result may be large, and the final table shows it.
                let outcome = if status == Status::Completed { None } else { notice.outcome() };
                row.text = outcome.as_ref().map(text_of).unwrap_or_default();
                // Changes arrive after they are stored; the run itself may be ahead.
                self.done = self.done.saturating_add(1).min(notice.total);
                self.bad += usize::from(matches!(status, Status::Failed | Status::Timeout));
                self.skipped += usize::from(status == Status::Skipped);
                self.running.remove(&number);
                self.recent.push_front(number);
                self.recent.truncate(RECENT);
            }
        }
        Some(row.clone())
    }

    /// Renders the table in at most `rows` lines.
    pub(super) fn lines(&self, columns: usize, rows: usize, paint: Paint) -> Vec<String> {
        let whole = self.began.elapsed();
        if whole < MIN_RUN || rows < 2 {
            return Vec::new();
        }
        let room = rows.saturating_sub(2);
        let (shown, waiting) = self.shown(room);
        let grown: Vec<Row> = shown.into_iter().map(|row| grown(row, whole)).collect();
        let table = Table::of(grown.iter(), whole, columns, paint);
        let mut lines = vec![self.head(whole, columns, paint)];
        lines.extend(grown.iter().map(|row| table.line(row)));
        if waiting > 0 {
            let more = format!("  … {} more", grouped(waiting as u64));
            lines.push(paint.dim(&shortened(&more, columns)));
        }
        lines
    }

    /// Selects the rows that fit, in the order of the set: running steps first, then recently ended
    /// ones. Returns them with the number of hidden rows.
    fn shown(&self, room: usize) -> (Vec<&Row>, usize) {
        if self.rows.len() <= room {
            return (self.rows.iter().collect(), 0);
        }
        let first = self.running.iter().chain(&self.recent).copied();
        let mut numbers = BTreeSet::new();
        for number in first {
            if numbers.len() >= room {
                break;
            }
            numbers.insert(number);
        }
        let shown: Vec<&Row> = numbers.iter().filter_map(|at| self.rows.get(*at)).collect();
        let more = self.rows.len().saturating_sub(shown.len());
        (shown, more)
    }

    /// Renders the head: `3 of 10 steps  ███████░░░░░  2 running · 1 failed · 3.2 s`.
    fn head(&self, whole: Duration, columns: usize, paint: Paint) -> String {
        let total = self.rows.len();
        let mut parts = Vec::new();
        let running = self.running.len();
        for (count, word) in [(running, "running"), (self.bad, "failed"), (self.skipped, "skipped")]
        {
            if count > 0 {
                parts.push(format!("{} {word}", grouped(count as u64)));
            }
        }
        parts.push(duration(micros(whole)));
        parts.extend((!self.word.is_empty()).then(|| self.word.to_owned()));
        let count = format!("{} of {}", grouped(self.done as u64), counted(total as u64, "step"));
        let room = columns.saturating_sub(count.chars().count() + BAR + 4);
        let tail = shortened(&parts.join(" · "), room);
        let bar = bars::progress(self.done, total, BAR);
        let bar = if self.bad > 0 { paint.red(&bar) } else { paint.green(&bar) };
        if room < 10 {
            return shortened(&format!("{count} · {}", parts.join(" · ")), columns);
        }
        format!("{}  {bar}  {tail}", paint.bold(&count))
    }
}

/// Returns a row with the current duration of a running step.
fn grown(row: &Row, whole: Duration) -> Row {
    let mut row = row.clone();
    if row.status == Status::Running {
        row.took = row.began.map(|began| whole.saturating_sub(began));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::protocol::Limits;

    fn table(steps: usize) -> LiveTable {
        let steps: Vec<_> = (0..steps)
            .map(|at| serde_json::json!({"instructionId": format!("s{at}"), "action": "echo"}))
            .collect();
        let set = serde_json::json!({ "instructions": steps });
        let mut table = LiveTable::default();
        table.begin(&Set::from_value(set, &Limits::FILE).unwrap(), 0);
        table.began = Instant::now().checked_sub(Duration::from_secs(2)).unwrap();
        table
    }

    #[test]
    fn fl_12_table_has_bar_and_line_for_each_step() {
        let mut table = table(3);
        table.done = 1;
        table.rows[0].status = Status::Completed;
        table.rows[1].status = Status::Running;
        table.rows[1].began = Some(Duration::from_secs(1));
        table.running.insert(1);
        let lines = table.lines(100, 20, Paint::new(false));
        assert_eq!(lines.len(), 4);
        assert!(
            lines[0].starts_with("1 of 3 steps  ████████░░░░░░░░░░░░░░░░  1 running · 2.0 s"),
            "{}",
            lines[0]
        );
        assert!(lines[2].starts_with("▶ s1  echo           "), "{}", lines[2]);
        assert!(lines[2].contains("██████████  "), "{}", lines[2]);
        table.cancel();
        assert!(table.lines(100, 20, Paint::new(false))[0].contains("cancelling"));
    }

    #[test]
    fn fl_12_large_set_shows_running_and_recent_steps_in_available_lines() {
        let mut table = table(1_000);
        table.running.extend([500, 7]);
        table.recent.extend([400, 300, 200]);
        let lines = table.lines(60, 6, Paint::new(false));
        let ids: Vec<&str> =
            lines[1..5].iter().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
        assert_eq!(ids, ["s7", "s300", "s400", "s500"]);
        assert_eq!(lines[5], "  … 996 more");
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{lines:?}");
        assert!(table.lines(60, 1, Paint::new(false)).is_empty());
    }
}
